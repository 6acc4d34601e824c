//! Grammar of JSON (RFC 8259), as strict as `serde_json`; string literals may contain arbitrary bytes.

use super::{Quoted, plain_length};
use crate::{
    span::Span,
    text::{
        leading_spaces,
        yaml::{ReadError, ReadErrorKind},
    },
};

/// A value without children.
pub(super) enum Scalar<'a> {
    Null,
    Bool(bool),
    /// Source text of the number.
    Number(&'a [u8]),
    String(Quoted<'a>),
}

/// Receives the tokens of a text in order.
pub(super) trait Visitor {
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
pub(super) struct Scanner<'a> {
    text: &'a [u8],
    /// Current offset.
    pub at: usize,
    open: Vec<Open>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a [u8], at: usize) -> Self {
        Self { text, at, open: Vec::new() }
    }

    /// Visits the next value, skipping blanks before it. Afterwards `at` is right after the value.
    pub(super) fn visit_value(&mut self, visit: &mut impl Visitor) -> Result<(), ReadError> {
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
                let start = self.at;
                let scalar = self.scan_scalar(byte)?;
                visit.scalar(scalar, Span::new(start, self.at), self.in_map())?;
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
        let key = self.scan_string()?;
        visit.key(key);
        self.at = skip_blanks(self.text, self.at);
        if self.peek() != Some(b':') {
            return Err(self.unexpected_error());
        }
        self.at += 1;
        Ok(())
    }

    /// Consumes the scalar that begins with `byte` at the current position.
    fn scan_scalar(&mut self, byte: Option<u8>) -> Result<Scalar<'a>, ReadError> {
        match byte {
            Some(b'"') => self.scan_string().map(Scalar::String),
            Some(b'-' | b'0'..=b'9') => self.scan_number().map(Scalar::Number),
            Some(b't') => self.expect_word(b"true", Scalar::Bool(true)),
            Some(b'f') => self.expect_word(b"false", Scalar::Bool(false)),
            Some(b'n') => self.expect_word(b"null", Scalar::Null),
            _ => Err(self.unexpected_error()),
        }
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

    /// Consumes the string literal at the current position.
    fn scan_string(&mut self) -> Result<Quoted<'a>, ReadError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected_error());
        }
        let start = self.at + 1;
        let mut is_escaped = false;
        self.at = start;
        loop {
            self.at += plain_length(self.rest());
            match self.peek() {
                Some(b'"') => {
                    let inner = &self.text[start..self.at];
                    self.at += 1;
                    return Ok(Quoted { inner, start, is_escaped });
                }
                Some(b'\\') => {
                    is_escaped = true;
                    self.scan_escape()?;
                }
                _ => return Err(self.unexpected_error()),
            }
        }
    }

    fn scan_escape(&mut self) -> Result<(), ReadError> {
        match self.text.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let digits = self.text.get(self.at + 2..self.at + 6);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return Err(self.unexpected_error());
                }
                self.at += 6;
            }
            _ => return Err(self.unexpected_error()),
        }
        Ok(())
    }

    fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    /// Returns an error at the current position. [`parse_json`](super::parse_json) provides a better message.
    pub(super) fn unexpected_error(&self) -> ReadError {
        let end = (self.at + 1).min(self.text.len());
        ReadErrorKind::Json("no JSON".to_owned()).at_span(self.at.min(end)..end)
    }
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
