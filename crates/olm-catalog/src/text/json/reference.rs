//! Reference JSON reader for tests of [`parse_json`](super::parse_json): slow, in two simple passes.

use serde::de::IgnoredAny;

use super::{push_lossy, syntax_error};
use crate::{
    node::{MAX_DEPTH, Member, Node, Number, Value},
    span::Span,
    text::yaml::{ReadError, ReadErrorKind},
};

/// Returns the expected result of [`parse_json`](super::parse_json), a tree or an error.
pub(super) fn parse_reference(text: &[u8]) -> Result<Node<'static>, ReadError> {
    serde_json::from_slice::<IgnoredAny>(text).map_err(|error| syntax_error(text, &error))?;
    Walker { text, at: 0, open: Vec::new() }.walk()
}

/// An unclosed list or map.
struct Open {
    start: usize,
    value: Collection,
}

enum Collection {
    List(Vec<Node<'static>>),
    /// Members so far, and a key without its value.
    Map(Vec<Member<'static>>, Option<(String, Span)>),
}

/// Builds the tree of well-formed text, so it does not check commas and colons.
struct Walker<'a> {
    text: &'a [u8],
    at: usize,
    open: Vec<Open>,
}

impl Walker<'_> {
    fn walk(mut self) -> Result<Node<'static>, ReadError> {
        loop {
            let start = self.at;
            let Some(byte) = self.text.get(start) else {
                return Err(ReadErrorKind::Json("EOF while parsing a value".to_owned()).at_span(start..start));
            };
            let value = match byte {
                b'{' => {
                    self.open_collection(Collection::Map(Vec::new(), None))?;
                    continue;
                }
                b'[' => {
                    self.open_collection(Collection::List(Vec::new()))?;
                    continue;
                }
                b'}' | b']' => {
                    self.at += 1;
                    match self.open.pop() {
                        Some(open) => Node::new(open.value.into_value(), Span::new(open.start, self.at)),
                        None => continue,
                    }
                }
                b'"' => {
                    let text = self.take_string();
                    let span = Span::new(start, self.at);
                    if let Some(Open { value: Collection::Map(_, key @ None), .. }) = self.open.last_mut() {
                        *key = Some((text, span));
                        continue;
                    }
                    Node::new(Value::String(text.into()), span)
                }
                b't' => self.take_word(Value::Bool(true), 4),
                b'f' => self.take_word(Value::Bool(false), 5),
                b'n' => self.take_word(Value::Null, 4),
                b'-' | b'0'..=b'9' => self.take_number()?,
                _ => {
                    self.at += 1;
                    continue;
                }
            };
            match self.open.last_mut() {
                None => return Ok(value),
                Some(open) => open.value.add_value(value),
            }
        }
    }

    fn open_collection(&mut self, value: Collection) -> Result<(), ReadError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(ReadErrorKind::TooDeep.at_span(self.at..self.at + 1));
        }
        self.open.push(Open { start: self.at, value });
        self.at += 1;
        Ok(())
    }

    fn take_word(&mut self, value: Value<'static>, length: usize) -> Node<'static> {
        let start = self.at;
        self.at += length;
        Node::new(value, Span::new(start, self.at))
    }

    fn take_number(&mut self) -> Result<Node<'static>, ReadError> {
        let start = self.at;
        let rest = &self.text[start..];
        let length =
            rest.iter().take_while(|b| matches!(b, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')).count();
        self.at += length;
        let span = Span::new(start, self.at);
        let text = String::from_utf8_lossy(&rest[..length]);
        let is_whole = text != "-0" && (text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok());
        let number = if is_whole {
            Some(Number(text.clone().into_owned().into()))
        } else {
            text.parse().ok().and_then(Number::from_f64)
        };
        match number {
            Some(number) => Ok(Node::new(Value::Number(number), span)),
            None => Err(ReadErrorKind::NotFinite(text.into_owned()).at_span(span)),
        }
    }

    /// Decodes the string literal at the current position.
    fn take_string(&mut self) -> String {
        let start = self.at + 1;
        let mut out = String::new();
        let mut from = start;
        loop {
            let rest = self.text.get(from..).unwrap_or_default();
            let length = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            push_lossy(&mut out, &rest[..length]);
            from += length;
            if self.text.get(from) == Some(&b'\\') {
                from = self.decode_escape(from + 1, &mut out);
            } else {
                self.at = (from + 1).min(self.text.len());
                return out;
            }
        }
    }

    /// Decodes the escape whose letter is at `at` and returns the position after it.
    fn decode_escape(&self, at: usize, out: &mut String) -> usize {
        let c = match self.text.get(at) {
            Some(b'b') => '\x08',
            Some(b'f') => '\x0C',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.decode_unicode(at, out),
            Some(byte) => char::from(*byte),
            None => return at,
        };
        out.push(c);
        at + 1
    }

    /// Decodes `\uXXXX` and surrogate pairs; a lone surrogate becomes U+FFFD.
    fn decode_unicode(&self, at: usize, out: &mut String) -> usize {
        let unit = |at: usize| {
            let digits = self.text.get(at..at + 4).and_then(|d| std::str::from_utf8(d).ok())?;
            u16::from_str_radix(digits, 16).ok()
        };
        let Some(first) = unit(at + 1) else { return at + 1 };
        let after = at + 5;
        let second = match self.text.get(after..after + 2) {
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
}

impl Collection {
    fn add_value(&mut self, value: Node<'static>) {
        match self {
            Self::List(items) => items.push(value),
            Self::Map(members, key) => {
                if let Some((key, key_span)) = key.take() {
                    members.push(Member { key: key.into(), key_span, value });
                }
            }
        }
    }

    fn into_value(self) -> Value<'static> {
        match self {
            Self::List(items) => Value::List(items),
            Self::Map(members, _) => Value::Map(members),
        }
    }
}
