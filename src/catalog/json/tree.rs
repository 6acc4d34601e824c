//! Making the tree of a text while going over it.

use std::borrow::Cow;

use super::{
    quoted::Quoted,
    scan::{Scalar, Scan, Visit, skip_space},
};
use crate::catalog::{
    node::{MAX_DEPTH, Member, Node, Number, Value},
    read_error::{ReadError, ReadErrorKind},
    span::Span,
};

/// Numbers with fewer bytes than this, and no exponent, are finite.
const SURELY_FINITE: usize = 300;
/// Whole numbers with no more bytes than this are written as they are: every digit fits into a 64-bit float.
const SURELY_EXACT: usize = 15;

/// The tree of a text that is one value with blanks around it.
pub(super) fn read(text: &[u8]) -> Result<Node<'_>, ReadError> {
    let mut builder = Builder { document: std::str::from_utf8(text).ok(), ..Builder::default() };
    let mut scan = Scan::new(text, 0);
    scan.value(&mut builder)?;
    scan.at = skip_space(text, scan.at);
    match builder.nodes.pop() {
        Some(root) if scan.at == text.len() => Ok(root),
        _ => Err(scan.unexpected()),
    }
}

/// The parts of what is not complete yet. A list or map takes its parts from the ends of these when it closes.
#[derive(Default)]
struct Builder<'a> {
    /// The text, if all of it is UTF-8.
    document: Option<&'a str>,
    nodes: Vec<Node<'a>>,
    members: Vec<Member<'a>>,
}

impl<'a> Builder<'a> {
    fn add(&mut self, node: Node<'a>, in_map: bool) {
        match self.members.last_mut() {
            Some(member) if in_map => member.value = node,
            _ => self.nodes.push(node),
        }
    }

    /// A number as a 64-bit float has it.
    fn number(&self, text: &[u8], span: Span) -> Option<Number<'a>> {
        if text.len() <= SURELY_EXACT
            && text.iter().all(|byte| matches!(byte, b'-' | b'0'..=b'9'))
            && let Some(text) = self.document.and_then(|document| document.get(span.range()))
        {
            return Some(Number(Cow::Borrowed(text)));
        }
        Number::from_f64(float(text)?)
    }
}

fn float(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Whether a 64-bit float can hold a number.
pub(super) fn is_finite(text: &[u8]) -> bool {
    let is_short = text.len() < SURELY_FINITE && !text.iter().any(|byte| matches!(byte, b'e' | b'E'));
    is_short || float(text).is_some_and(f64::is_finite)
}

impl Visit for Builder<'_> {
    fn open(&mut self, is_map: bool, depth: usize, at: usize) -> Result<usize, ReadError> {
        if depth >= MAX_DEPTH {
            return Err(ReadErrorKind::TooDeep.at(at..at + 1));
        }
        Ok(if is_map { self.members.len() } else { self.nodes.len() })
    }

    fn key(&mut self, key: Quoted<'_>) {
        self.members.push(Member {
            key: key.text(self.document),
            key_span: Span::new(key.start - 1, key.end() + 1),
            value: Node::new(Value::Null, Span::default()),
        });
    }

    fn scalar(&mut self, scalar: Scalar<'_>, span: Span, in_map: bool) -> Result<(), ReadError> {
        let value = match scalar {
            Scalar::Null => Value::Null,
            Scalar::Bool(value) => Value::Bool(value),
            Scalar::String(quoted) => Value::String(quoted.text(self.document)),
            Scalar::Number(text) => {
                let not_finite = || ReadErrorKind::NotFinite(String::from_utf8_lossy(text).into_owned());
                Value::Number(self.number(text, span).ok_or_else(|| not_finite().at(span))?)
            }
        };
        self.add(Node::new(value, span), in_map);
        Ok(())
    }

    fn close(&mut self, is_map: bool, mark: usize, span: Span, in_map: bool) {
        let value = if is_map {
            Value::Map(self.members.split_off(mark))
        } else {
            Value::List(self.nodes.split_off(mark))
        };
        self.add(Node::new(value, span), in_map);
    }
}
