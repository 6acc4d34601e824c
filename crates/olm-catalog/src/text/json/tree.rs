//! Builds the tree of a text during the scan.

use std::borrow::Cow;

use super::{
    quoted::Quoted,
    scan::{Scalar, Scanner, Visitor, skip_blanks},
};
use crate::{
    node::{MAX_DEPTH, Node, Number, Parts, Value},
    span::Span,
    text::read_error::{ReadError, ReadErrorKind},
};

/// Numbers shorter than this without an exponent are always finite.
const SURELY_FINITE: usize = 300;
/// Whole numbers of at most this length keep their text: a 64-bit float represents them exactly.
const SURELY_EXACT: usize = 15;

/// Parses a text that consists of one value with blanks around it.
pub(super) fn parse_tree(text: &[u8]) -> Result<Node<'_>, ReadError> {
    let mut builder = Builder { document: std::str::from_utf8(text).ok(), parts: Parts::default() };
    let mut scan = Scanner::new(text, 0);
    scan.visit_value(&mut builder)?;
    scan.at = skip_blanks(text, scan.at);
    match builder.parts.into_root() {
        Some(root) if scan.at == text.len() => Ok(root),
        _ => Err(scan.unexpected_error()),
    }
}

struct Builder<'a> {
    /// The whole text if it is UTF-8.
    document: Option<&'a str>,
    parts: Parts<'a>,
}

impl<'a> Builder<'a> {
    fn add_node(&mut self, node: Node<'a>, in_map: bool) {
        if in_map { self.parts.set_value(node) } else { self.parts.add_item(node) }
    }

    /// Converts a number. A 64-bit integer keeps all digits; any other number is rounded to a 64-bit float.
    fn convert_number(&self, text: &[u8], span: Span) -> Option<Number<'a>> {
        if text.len() <= SURELY_EXACT
            && text.iter().all(|byte| matches!(byte, b'-' | b'0'..=b'9'))
            && let Some(text) = self.document.and_then(|document| document.get(span.range()))
        {
            return Some(Number(Cow::Borrowed(text)));
        }
        let text_of_whole = std::str::from_utf8(text)
            .ok()
            .filter(|text| *text != "-0" && (text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok()));
        match text_of_whole {
            Some(whole) => Some(Number(whole.to_owned().into())),
            None => Number::from_f64(parse_float(text)?),
        }
    }
}

fn parse_float(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Returns true if the number is within the range of a 64-bit float.
pub(super) fn is_finite(text: &[u8]) -> bool {
    let is_short = text.len() < SURELY_FINITE && !text.iter().any(|byte| matches!(byte, b'e' | b'E'));
    is_short || parse_float(text).is_some_and(f64::is_finite)
}

impl Visitor for Builder<'_> {
    fn open(&mut self, is_map: bool, depth: usize, at: usize) -> Result<usize, ReadError> {
        if depth >= MAX_DEPTH {
            return Err(ReadErrorKind::TooDeep.at_span(at..at + 1));
        }
        Ok(self.parts.begin_collection(is_map))
    }

    fn key(&mut self, key: Quoted<'_>) {
        let span = Span::new(key.start - 1, key.closing_quote() + 1);
        self.parts.add_key(key.decode_text(self.document), span, Span::default());
    }

    fn scalar(&mut self, scalar: Scalar<'_>, span: Span, in_map: bool) -> Result<(), ReadError> {
        let value = match scalar {
            Scalar::Null => Value::Null,
            Scalar::Bool(value) => Value::Bool(value),
            Scalar::String(quoted) => Value::String(quoted.decode_text(self.document)),
            Scalar::Number(text) => {
                let not_finite = || ReadErrorKind::NotFinite(String::from_utf8_lossy(text).into_owned());
                Value::Number(self.convert_number(text, span).ok_or_else(|| not_finite().at_span(span))?)
            }
        };
        self.add_node(Node::new(value, span), in_map);
        Ok(())
    }

    fn close(&mut self, is_map: bool, mark: usize, span: Span, in_map: bool) {
        let value = self.parts.take_collection(is_map, mark);
        self.add_node(Node::new(value, span), in_map);
    }
}
