//! YAML as opm reads it: YAML 1.1 by go-yaml v2, converted to JSON's data model.
//!
//! `scan` splits the text into tokens, `parse` converts them to events, and `tape` records those with their
//! exact spans. `tree` resolves scalars, aliases and merge keys into a [`Node`]. Before them, `block` quickly
//! reads the YAML that programs write.
//!
//! Scanner and grammar are those of go-yaml v2, which is derived from libyaml. They read a text in one pass, so
//! the cost per byte is bounded. Tests compare them with a port of libyaml.

mod block;
mod cursor;
mod extra_returns;
mod parse;
mod scalar;
mod scan;
mod tape;
mod timestamp;
mod tree;
mod unfold;
mod utf16;

use super::{
    read_error::{ReadError, ReadErrorKind},
    separator::check_separator,
};
use crate::{
    node::{Node, Value},
    span::Span,
};

pub(crate) use timestamp::is_timestamp;

/// Returns true if a plain (unquoted) scalar with this text is a string: not null, a boolean or a number.
pub fn is_plain_text(text: &str) -> bool {
    scalar::guess_type(text).is_none()
}

/// Parses one chunk of a YAML file, including its `---` line. Spans are relative to `text`.
///
/// A chunk without content is `null`. Only the first document of the chunk counts, as in opm; text after `...`
/// is ignored.
///
/// # Errors
///
/// Text that opm rejects: invalid syntax, invalid UTF-8, control characters, list and null keys, infinities,
/// nesting beyond [`MAX_DEPTH`](crate::node::MAX_DEPTH), excessive aliasing.
pub fn parse_yaml(text: &[u8]) -> Result<Node<'_>, ReadError> {
    block::read_block(text).map_or_else(|| parse_in_full(text), Ok)
}

/// Parses like [`parse_yaml`] without the fast reader. It is the reference for tests of the fast reader.
///
/// # Errors
///
/// As [`parse_yaml`].
pub fn parse_in_full(text: &[u8]) -> Result<Node<'_>, ReadError> {
    let start = content_start(text)?;
    let content = text.get(start..).unwrap_or_default();
    if utf16::is_marked(content) {
        return parse_utf16(content, start, utf16::Route::Lines);
    }
    if extra_returns::has_extra_returns(text) {
        extra_returns::parse_without_extra_returns(text)
    } else {
        parse_lines(text)
    }
}

/// Parses the first document of a text that is not split into chunks, like Go programs that pass whole texts to
/// go-yaml.
///
/// # Errors
///
/// As [`parse_yaml`], except that any text may be before and on the `---` line of the document.
pub fn parse_stream(text: &[u8]) -> Result<Node<'_>, ReadError> {
    if utf16::is_marked(text) {
        return parse_utf16(text, 0, utf16::Route::Whole);
    }
    let start = if text.starts_with(&[0xEF, 0xBB, 0xBF]) { 3 } else { 0 };
    parse_content(text, start)
}

/// Returns the part of a chunk that opm loses because the chunk is UTF-16 text with more than one document.
pub fn lost_span(text: &[u8]) -> Option<Span> {
    let start = content_start(text).ok()?;
    let content = text.get(start..).filter(|content| utf16::is_marked(content))?;
    utf16::lost_span(content).map(|span| shift_span(span, start))
}

/// Returns true if a chunk is UTF-16 text. It cannot be edited, because edits are written in UTF-8.
pub fn is_utf16(text: &[u8]) -> bool {
    content_start(text).is_ok_and(|start| text.get(start..).is_some_and(utf16::is_marked))
}

fn parse_utf16(content: &[u8], start: usize, route: utf16::Route) -> Result<Node<'static>, ReadError> {
    let shifted = |span| shift_span(span, start);
    match utf16::parse_marked(content, route) {
        Ok(mut node) => {
            move_spans(&mut node, shifted);
            Ok(node)
        }
        Err(error) => Err(ReadError { span: shifted(error.span), kind: error.kind }),
    }
}

fn parse_lines(text: &[u8]) -> Result<Node<'_>, ReadError> {
    parse_content(text, content_start(text)?)
}

fn parse_content(text: &[u8], start: usize) -> Result<Node<'_>, ReadError> {
    let content = std::str::from_utf8(&text[start..]).map_err(|error| {
        let at = start + error.valid_up_to();
        ReadErrorKind::InvalidUtf8.at_span(at..at + error.error_len().unwrap_or(text.len() - at))
    })?;
    let shift = |error: ReadError| ReadError { span: shift_span(error.span, start), kind: error.kind };
    let Some(tape) = tape::read_tape(content).map_err(shift)? else {
        return Ok(Node::new(Value::Null, Span::new(start, start)));
    };
    tree::build_tree(tape, start).map_err(shift)
}

fn shift_span(span: Span, by: usize) -> Span {
    Span::new(span.start as usize + by, span.end as usize + by)
}

/// Returns the start of the YAML content: after the separator line and a byte order mark.
fn content_start(text: &[u8]) -> Result<usize, ReadError> {
    let mut start = 0;
    if let Some(separator_line) = check_separator(text) {
        separator_line?;
        start = memchr::memchr(b'\n', text).map_or(text.len(), |at| at + 1);
    }
    match &text[start..] {
        [0xEF, 0xBB, 0xBF, ..] => Ok(start + 3),
        _ => Ok(start),
    }
}

/// Moves the spans of all nodes and keys of a tree.
fn move_spans(node: &mut Node, place: impl Fn(Span) -> Span) {
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        node.span = place(node.span);
        match &mut node.value {
            Value::List(items) => pending.extend(items),
            Value::Map(members) => pending.extend(members.iter_mut().map(|member| {
                member.key_span = place(member.key_span);
                &mut member.value
            })),
            _ => {}
        }
    }
}

#[cfg(test)]
mod cost_tests;
#[cfg(test)]
mod libyaml_tests;
#[cfg(test)]
mod span_property;
#[cfg(test)]
mod span_tests;
#[cfg(test)]
mod tests;
