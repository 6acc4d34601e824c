//! JSON as Go's `encoding/json` reads it, with the span of every value and key.
//!
//! One pass over the text implements the grammar. [`parse_json`] builds nodes that borrow from the text;
//! `find_extent` only finds the end of a value. `serde_json` provides the messages for rejected text.

mod plain_length;

use std::borrow::Cow;

use serde::de::IgnoredAny;

use plain_length::plain_length;

use super::{
    leading_spaces,
    yaml::{ReadError, ReadErrorKind},
};
use crate::{
    node::{MAX_DEPTH, Node, Number, Parts, Value},
    span::Span,
};

/// Parses one chunk of a JSON file: one value with blanks around it. Spans are relative to `text`.
///
/// Strings may contain invalid UTF-8 and lone surrogates, which become U+FFFD. Numbers have the precision of a
/// 64-bit float.
///
/// # Errors
///
/// Invalid syntax, numbers beyond the range of a 64-bit float, and nesting beyond
/// [`MAX_DEPTH`].
pub fn parse_json(text: &[u8]) -> Result<Node<'_>, ReadError> {
    parse_tree(text).map_err(|error| match serde_json::from_slice::<IgnoredAny>(text) {
        // A syntax error takes precedence, wherever it is.
        Err(syntax) => syntax_error(text, &syntax),
        Ok(_) => error,
    })
}

fn syntax_error(text: &[u8], error: &serde_json::Error) -> ReadError {
    let line_start = match error.line() {
        0 | 1 => 0,
        line => memchr::memchr_iter(b'\n', text).nth(line - 2).map_or(0, |at| at + 1),
    };
    let at = (line_start + error.column().saturating_sub(1)).min(text.len());
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
    ReadErrorKind::Json(message.to_owned()).at_span(at..(at + 1).min(text.len()))
}

#[cfg(test)]
mod tests;

/// End of a value, and whether [`parse_json`](parse_json) would accept it.
pub(super) struct Extent {
    /// Offset after the last byte.
    pub end: usize,
    /// True if the value is within all limits. Its syntax is valid in either case.
    pub is_readable: bool,
}

/// Returns the extent of the value at `at`, which is one of several in a row. `None` if its syntax, or the text
/// right after it, is invalid.
pub(super) fn find_extent(text: &[u8], at: usize) -> Option<Extent> {
    let mut limits = Limits { kept: true };
    let mut scan = Scanner::new(text, at);
    scan.visit_value(&mut limits).ok()?;
    let stands_apart = match text.get(at) {
        Some(b'{' | b'[' | b'"') => true,
        // A word or number ends only at a blank or at a byte that cannot be part of it.
        _ => matches!(
            text.get(scan.at),
            None | Some(b' ' | b'\n' | b'\t' | b'\r' | b'"' | b'[' | b']' | b'{' | b'}' | b',' | b':')
        ),
    };
    stands_apart.then_some(Extent { end: scan.at, is_readable: limits.kept })
}

/// Visits the object or list at `at` and returns the offset after it. `None` if its syntax is invalid.
pub(crate) fn visit_value_at(text: &[u8], at: usize, visit: &mut impl Visitor) -> Option<usize> {
    let mut scan = Scanner::new(text, at);
    scan.visit_value(visit).ok()?;
    Some(scan.at)
}

/// Visits a text that consists of one value with blanks around it. `None` if it does not, or if the visitor stops.
pub(crate) fn visit_only_value(text: &[u8], visit: &mut impl Visitor) -> Option<()> {
    let mut scan = Scanner::new(text, 0);
    scan.visit_value(visit).ok()?;
    (skip_blanks(text, scan.at) == text.len()).then_some(())
}

/// Visitor that records whether a value is within the limits.
struct Limits {
    kept: bool,
}

impl Visitor for Limits {
    fn open(&mut self, _: bool, depth: usize, _: usize) -> Result<usize, ReadError> {
        self.kept &= depth < MAX_DEPTH;
        Ok(0)
    }

    fn key(&mut self, _: Quoted<'_>) {}

    fn scalar(&mut self, scalar: Scalar<'_>, _: Span, _: bool) -> Result<(), ReadError> {
        if let Scalar::Number(text) = scalar {
            self.kept &= is_finite(text);
        }
        Ok(())
    }

    fn close(&mut self, _: bool, _: usize, _: Span, _: bool) {}
}

/// Numbers shorter than this without an exponent are always finite.
const SURELY_FINITE: usize = 300;

/// Whole numbers of at most this length keep their text: a 64-bit float represents them exactly.
const SURELY_EXACT: usize = 15;

/// Parses a text that consists of one value with blanks around it.
fn parse_tree(text: &[u8]) -> Result<Node<'_>, ReadError> {
    let mut builder = Builder { document: std::str::from_utf8(text).ok(), parts: Parts::default() };
    let mut scan = Scanner::new(text, 0);
    scan.visit_value(&mut builder)?;
    scan.at = skip_blanks(text, scan.at);
    match builder.parts.into_root() {
        Some(root) if scan.at == text.len() => Ok(root),
        _ => Err(scan.unexpected_error()),
    }
}

/// Builds the tree of a text.
pub(crate) struct Builder<'a> {
    /// The whole text if it is UTF-8.
    document: Option<&'a str>,
    parts: Parts<'a>,
}

impl<'a> Builder<'a> {
    /// Creates a builder for a text that is UTF-8.
    pub(crate) fn for_utf8(text: &'a [u8]) -> Option<Self> {
        Some(Self { document: Some(std::str::from_utf8(text).ok()?), parts: Parts::default() })
    }

    /// Returns the root of the tree.
    pub(crate) fn into_root(self) -> Option<Node<'a>> {
        self.parts.into_root()
    }

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
pub(crate) fn is_finite(text: &[u8]) -> bool {
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

/// String literal, well-formed except for bytes that are not UTF-8.
#[derive(Clone, Copy)]
pub(crate) struct Quoted<'a> {
    /// Bytes between the quotes.
    pub inner: &'a [u8],
    /// Offset of the first byte after the opening quote.
    pub start: usize,
    /// True if the literal contains an escape.
    pub is_escaped: bool,
}

impl Quoted<'_> {
    /// Returns the offset of the closing quote.
    fn closing_quote(&self) -> usize {
        self.start + self.inner.len()
    }

    /// Decodes the literal. `document` is the whole text if it is UTF-8; the result borrows from it if
    /// possible.
    fn decode_text<'a>(&self, document: Option<&'a str>) -> Cow<'a, str> {
        match document.and_then(|text| text.get(self.start..self.closing_quote())) {
            Some(text) if !self.is_escaped => Cow::Borrowed(text),
            Some(text) => Cow::Owned(unescape(text.as_bytes(), |out, run| out.push_str(&text[run]))),
            None => Cow::Owned(unescape(self.inner, |out, run| push_lossy(out, &self.inner[run]))),
        }
    }
}

/// Decodes the escapes of a well-formed literal. `copy` appends the range between two escapes.
fn unescape(inner: &[u8], copy: impl Fn(&mut String, std::ops::Range<usize>)) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut at = 0;
    while let Some(length) = memchr::memchr(b'\\', &inner[at..]) {
        copy(&mut out, at..at + length);
        at = decode_escape(inner, at + length + 1, &mut out);
    }
    copy(&mut out, at..inner.len());
    out
}

/// Decodes the escape whose letter is at `at` and returns the position after it.
fn decode_escape(inner: &[u8], at: usize, out: &mut String) -> usize {
    let c = match inner.get(at) {
        Some(b'b') => '\x08',
        Some(b'f') => '\x0C',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return decode_unicode(inner, at, out),
        Some(byte) => char::from(*byte),
        None => return at,
    };
    out.push(c);
    at + 1
}

/// Decodes `\uXXXX` and surrogate pairs; a lone surrogate becomes U+FFFD.
fn decode_unicode(inner: &[u8], at: usize, out: &mut String) -> usize {
    let unit = |at: usize| {
        let digits = inner.get(at..at + 4).and_then(|digits| std::str::from_utf8(digits).ok())?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(at + 1) else { return at + 1 };
    let after = at + 5;
    let second = match inner.get(after..after + 2) {
        Some(b"\\u") => unit(after + 2),
        _ => None,
    };
    let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    if let Some(c) = pair.filter(|c| c.len_utf16() == 2) {
        out.push(c);
        return after + 6;
    }
    out.push(char::from_u32(u32::from(first)).unwrap_or(char::REPLACEMENT_CHARACTER));
    after
}

/// Decodes bytes as text and replaces invalid UTF-8 as Go does.
pub(super) fn decode_lossy(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    push_lossy(&mut out, bytes);
    out
}

/// Appends bytes as text. Like Go, replaces every byte that is not part of a character.
fn push_lossy(out: &mut String, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
}

/// A value without children.
#[derive(Clone, Copy)]
pub(crate) enum Scalar<'a> {
    Null,
    Bool(bool),
    /// Source text of the number.
    Number(&'a [u8]),
    String(Quoted<'a>),
}

/// Receives the tokens of a text in order.
pub(crate) trait Visitor {
    /// Called at the beginning of a list or map that is nested in `depth` others. The result is passed to
    /// `close` as `mark`.
    fn open(&mut self, is_map: bool, depth: usize, at: usize) -> Result<usize, ReadError>;
    /// Called with the key of the next value.
    fn key(&mut self, key: Quoted<'_>);
    /// Called with a scalar: the value of the last key (`in_map`) or a list item.
    fn scalar(&mut self, scalar: Scalar<'_>, span: Span, in_map: bool) -> Result<(), ReadError>;
    /// Called at the end of the list or map for which `open` returned `mark`.
    fn close(&mut self, is_map: bool, mark: usize, span: Span, in_map: bool);
}

/// An unclosed list or map.
struct Open {
    is_map: bool,
    start: usize,
    mark: usize,
}

/// Scanner for one value of a text.
struct Scanner<'a> {
    text: &'a [u8],
    /// Current offset.
    pub at: usize,
    open: Vec<Open>,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a [u8], at: usize) -> Self {
        Self { text, at, open: Vec::new() }
    }

    /// Visits the next value, skipping blanks before it. Afterwards `at` is right after the value.
    fn visit_value(&mut self, visit: &mut impl Visitor) -> Result<(), ReadError> {
        loop {
            self.at = skip_blanks(self.text, self.at);
            let byte = self.peek();
            if let Some(bracket @ (b'{' | b'[')) = byte {
                let is_map = bracket == b'{';
                let mark = visit.open(is_map, self.open.len(), self.at)?;
                self.open.push(Open { is_map, start: self.at, mark });
                self.at = skip_blanks(self.text, self.at + 1);
                let is_empty = self.peek() == Some(if is_map { b'}' } else { b']' });
                if !is_empty {
                    if is_map {
                        self.visit_key(visit)?;
                    }
                    continue;
                }
            } else {
                self.visit_scalar(byte, visit)?;
            }
            if self.finish_value(visit)? {
                return Ok(());
            }
        }
    }

    /// Consumes everything between a value and the next one. Returns true if the value was the last.
    fn finish_value(&mut self, visit: &mut impl Visitor) -> Result<bool, ReadError> {
        while let Some(&Open { is_map, start, mark }) = self.open.last() {
            self.at = skip_blanks(self.text, self.at);
            match (self.peek(), is_map) {
                (Some(b','), _) => {
                    self.at = skip_blanks(self.text, self.at + 1);
                    if is_map {
                        self.visit_key(visit)?;
                    }
                    return Ok(false);
                }
                (Some(b'}'), true) | (Some(b']'), false) => {
                    self.at += 1;
                    self.open.pop();
                    visit.close(is_map, mark, Span::new(start, self.at), self.in_map());
                }
                _ => return Err(self.unexpected_error()),
            }
        }
        Ok(true)
    }

    fn in_map(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_map)
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Consumes a key and its colon.
    fn visit_key(&mut self, visit: &mut impl Visitor) -> Result<(), ReadError> {
        let Some(key) = self.scan_string() else { return Err(self.unexpected_error()) };
        visit.key(key);
        if self.peek() != Some(b':') {
            self.at = skip_blanks(self.text, self.at);
        }
        if self.peek() != Some(b':') {
            return Err(self.unexpected_error());
        }
        self.at += 1;
        Ok(())
    }

    /// Consumes the scalar that begins with `byte` at the current position.
    #[inline]
    fn visit_scalar(&mut self, byte: Option<u8>, visit: &mut impl Visitor) -> Result<(), ReadError> {
        let start = self.at;
        if byte == Some(b'"') {
            // Most scalars are strings.
            let Some(string) = self.scan_string() else { return Err(self.unexpected_error()) };
            return visit.scalar(Scalar::String(string), Span::new(start, self.at), self.in_map());
        }
        let scalar = match byte {
            Some(b'-' | b'0'..=b'9') => self.scan_number().map(Scalar::Number),
            Some(b't') => self.expect_word(b"true", Scalar::Bool(true)),
            Some(b'f') => self.expect_word(b"false", Scalar::Bool(false)),
            Some(b'n') => self.expect_word(b"null", Scalar::Null),
            _ => Err(self.unexpected_error()),
        };
        visit.scalar(scalar?, Span::new(start, self.at), self.in_map())
    }

    fn expect_word(&mut self, word: &[u8], meaning: Scalar<'a>) -> Result<Scalar<'a>, ReadError> {
        if !self.rest().starts_with(word) {
            return Err(self.unexpected_error());
        }
        self.at += word.len();
        Ok(meaning)
    }

    /// Consumes `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?`
    fn scan_number(&mut self) -> Result<&'a [u8], ReadError> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        let begins_with_zero = self.peek() == Some(b'0');
        if self.scan_digits()? > 1 && begins_with_zero {
            return Err(self.unexpected_error());
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.scan_digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.scan_digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    /// Consumes one or more digits and returns their number.
    fn scan_digits(&mut self) -> Result<usize, ReadError> {
        let count = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        if count == 0 { Err(self.unexpected_error()) } else { Ok(count) }
    }

    /// Consumes the string literal at the current position. `None` if it is invalid there.
    #[expect(clippy::inline_always, reason = "the result stays in registers")]
    #[inline(always)]
    fn scan_string(&mut self) -> Option<Quoted<'a>> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let start = self.at + 1;
        self.at = start + plain_length(&self.text[start..]);
        let is_escaped = self.peek() != Some(b'"');
        if is_escaped && !self.skip_escaped_text() {
            return None;
        }
        let inner = &self.text[start..self.at];
        self.at += 1;
        Some(Quoted { inner, start, is_escaped })
    }

    /// Skips to the end of a string literal from an escape on. Returns false if it is invalid.
    #[inline(never)]
    fn skip_escaped_text(&mut self) -> bool {
        loop {
            match self.peek() {
                Some(b'"') => return true,
                Some(b'\\') if self.skip_escape() => {}
                _ => return false,
            }
            self.at += plain_length(self.rest());
        }
    }

    /// Skips an escape. Returns false if it is invalid.
    #[inline]
    fn skip_escape(&mut self) -> bool {
        match self.text.get(self.at + 1) {
            Some(&letter) if is_short_escape(letter) => self.at += 2,
            Some(b'u') => {
                let digits = self.text.get(self.at + 2..self.at + 6);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return false;
                }
                self.at += 6;
            }
            _ => return false,
        }
        true
    }

    fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    /// Returns an error at the current position. [`parse_json`](parse_json) provides a better message.
    #[cold]
    #[inline(never)]
    fn unexpected_error(&self) -> ReadError {
        let end = (self.at + 1).min(self.text.len());
        ReadErrorKind::Json("no JSON".to_owned()).at_span(self.at.min(end)..end)
    }
}

/// Returns true for a letter that is an escape with the backslash before it.
fn is_short_escape(letter: u8) -> bool {
    const LETTERS: [bool; 256] = {
        let mut letters = [false; 256];
        let mut short = b"\"\\/bfnrt".as_slice();
        while let [first, rest @ ..] = short {
            letters[*first as usize] = true;
            short = rest;
        }
        letters
    };
    LETTERS[usize::from(letter)]
}

/// Returns the first position from `at` on that is not blank.
#[inline]
pub(crate) fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at) {
            // Most blanks are indentation.
            Some(b'\n') => at += 1 + leading_spaces(&text[at + 1..]),
            Some(b' ' | b'\t' | b'\r') => at += 1,
            _ => return at,
        }
    }
}
