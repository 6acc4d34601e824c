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
mod tree;
mod unfold;
mod utf16;

use thiserror::Error;

use super::split::check_separator;
use crate::{
    node::{Node, Value},
    span::Span,
};

pub(crate) use scalar::is_timestamp;

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

/// Error in the text of a chunk, with its position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{kind}")]
pub struct ReadError {
    /// Position relative to the first byte of the chunk. Empty if it is between two bytes.
    pub span: Span,
    /// Kind of the error.
    pub kind: ReadErrorKind,
}

/// Kinds of errors that make a chunk unreadable. For each of them opm rejects the whole catalog.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// Invalid YAML syntax, in the words of the YAML scanner.
    #[error("{problem}{}", context.map_or(String::new(), |c| format!(" {c}")))]
    Yaml {
        /// Unexpected or missing token.
        problem: &'static str,
        /// Construct with the error.
        context: Option<&'static str>,
    },
    /// Invalid JSON syntax.
    #[error("{0}")]
    Json(String),
    /// Bytes that are not UTF-8, in YAML.
    #[error("invalid UTF-8")]
    InvalidUtf8,
    /// UTF-16 text that go-yaml cannot decode after opm has cut it into lines.
    #[error("{0}: the text is UTF-16, not UTF-8")]
    Utf16(&'static str),
    /// A character that YAML does not allow in a file.
    #[error("control character U+{:04X} is not allowed", u32::from(*.0))]
    ControlCharacter(char),
    /// Text after `---` on the same line.
    #[error("only spaces or a comment may follow `---`")]
    Separator,
    /// A byte order mark after the `---` line at the beginning of the file. To opm it is text.
    #[error("a byte order mark must be at the beginning of the file")]
    ByteOrderMark,
    /// Lists and maps inside each other beyond [`MAX_DEPTH`](crate::node::MAX_DEPTH).
    #[error("nested deeper than {} levels", crate::node::MAX_DEPTH)]
    TooDeep,
    /// Aliases that would expand the document beyond the limit.
    #[error("excessive aliasing")]
    ExcessiveAliasing,
    /// An alias whose anchor is not defined before it.
    #[error("unknown anchor `{0}`")]
    UnknownAnchor(String),
    /// An alias inside the node that its anchor names.
    #[error("anchor `{0}` contains itself")]
    RecursiveAnchor(String),
    /// `<<:` with a value that is neither a map nor a list of maps.
    #[error("only a map, or a list of maps, can be merged with `<<`")]
    BadMerge,
    /// A key that is null or too large a number.
    #[error("a key must be a string, a number or a boolean")]
    BadKey,
    /// A list or map as a key.
    #[error("a list or a map cannot be a key")]
    CollectionKey,
    /// `.inf`, `.nan`, or a JSON number beyond the range of a 64-bit float.
    #[error("{0} is not a number that JSON can represent")]
    NotFinite(String),
    /// `!!binary` on text that is not base64.
    #[error("`!!binary` on a value that is not base64")]
    BadBase64,
    /// A tag whose type does not match the value.
    #[error("`{value}` cannot be read as {tag}")]
    TagMismatch {
        /// The tag in its short form (`!!int`).
        tag: String,
        /// Text of the tagged value.
        value: String,
    },
}

impl ReadErrorKind {
    /// Returns this error at the given position.
    pub fn at_span(self, span: impl Into<Span>) -> ReadError {
        ReadError { span: span.into(), kind: self }
    }
}

impl ReadError {
    /// Returns a hint if the message alone does not say how to fix the error.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match &self.kind {
            ReadErrorKind::Yaml { problem, .. } => return yaml_hint(problem),
            ReadErrorKind::ByteOrderMark => "remove it",
            ReadErrorKind::InvalidUtf8 | ReadErrorKind::Utf16(_) => "save the file as UTF-8",
            ReadErrorKind::ControlCharacter(_) => "remove it, or write it as an escape in double quotes",
            ReadErrorKind::Separator => "put the text on the line after `---`",
            ReadErrorKind::UnknownAnchor(_) => {
                "an anchor is only known after its definition and in its own document"
            }
            ReadErrorKind::BadKey | ReadErrorKind::TagMismatch { .. } | ReadErrorKind::NotFinite(_) => {
                "quote it if it is text"
            }
            ReadErrorKind::Json(_)
            | ReadErrorKind::TooDeep
            | ReadErrorKind::ExcessiveAliasing
            | ReadErrorKind::RecursiveAnchor(_)
            | ReadErrorKind::BadMerge
            | ReadErrorKind::CollectionKey
            | ReadErrorKind::BadBase64 => return None,
        })
    }
}

fn yaml_hint(problem: &str) -> Option<&'static str> {
    Some(match problem {
        "mapping values are not allowed in this context" => "quote a value that contains `: `",
        "found character that cannot start any token" => "quote it; a tab cannot indent YAML",
        "found a tab character that violates indentation"
        | "found a tab character where an indentation space is expected" => "indent with spaces",
        "did not find expected key" => "check the indentation of this line and of the lines before it",
        "could not find expected ':'" => "a key needs a `:`; indent continued text",
        "found unexpected end of stream" => {
            "close the quote; a line that begins with `---` ends the document even in quotes"
        }
        "found unknown escape character" => "write a backslash in double quotes as `\\\\`",
        _ => return None,
    })
}
