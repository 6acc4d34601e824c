//! YAML as opm reads it: YAML 1.1 by go-yaml v2, converted to JSON's data model.
//!
//! `scan` splits the text into tokens, `parse` converts them to events, and `tape` records those with their
//! exact spans. `tree` resolves scalars, aliases and merge keys into a [`Node`]. Before them, `block` quickly
//! reads the YAML that programs write.
//!
//! Scanner and grammar are those of go-yaml v2, which is derived from libyaml. They read a text in one pass, so
//! the cost per byte is bounded. Tests compare them with a port of libyaml.

mod block;
mod encoding;
mod parse;
mod scalar;
mod scan;
mod tape;
mod tree;
mod unfold;

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
    if encoding::is_marked(content) {
        return parse_utf16(content, start, encoding::Route::Lines);
    }
    if encoding::has_extra_returns(text) {
        encoding::parse_without_extra_returns(text)
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
    if encoding::is_marked(text) {
        return parse_utf16(text, 0, encoding::Route::Whole);
    }
    let start = if text.starts_with(&[0xEF, 0xBB, 0xBF]) { 3 } else { 0 };
    parse_content(text, start)
}

/// Returns the part of a chunk that opm loses because the chunk is UTF-16 text with more than one document.
pub fn lost_span(text: &[u8]) -> Option<Span> {
    let start = content_start(text).ok()?;
    let content = text.get(start..).filter(|content| encoding::is_marked(content))?;
    encoding::lost_span(content).map(|span| shift_span(span, start))
}

/// Returns true if a chunk is UTF-16 text. It cannot be edited, because edits are written in UTF-8.
pub fn is_utf16(text: &[u8]) -> bool {
    content_start(text).is_ok_and(|start| text.get(start..).is_some_and(encoding::is_marked))
}

fn parse_utf16(content: &[u8], start: usize, route: encoding::Route) -> Result<Node<'static>, ReadError> {
    let shifted = |span| shift_span(span, start);
    match encoding::parse_marked(content, route) {
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
    /// Returns the message without any value of the text, which may be secret.
    pub fn message_without_values(&self) -> String {
        match &self.kind {
            ReadErrorKind::TagMismatch { tag, .. } => format!("a value cannot be read as {tag}"),
            ReadErrorKind::NotFinite(_) => "a number is too large".to_owned(),
            ReadErrorKind::UnknownAnchor(_) => "an alias has no anchor".to_owned(),
            ReadErrorKind::RecursiveAnchor(_) => "an anchor contains itself".to_owned(),
            ReadErrorKind::Json(_) => "invalid JSON".to_owned(),
            kind => kind.to_string(),
        }
    }

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
        "mapping values are not allowed in this context" => {
            "check the indentation of this line; a value that contains `: ` needs quotes"
        }
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

/// Position in a text. A line break is appended if the text does not end with one, as in opm.
struct Cursor<'a> {
    pub text: &'a str,
    /// Offset in bytes.
    pub at: usize,
    /// Offset in characters.
    pub index: usize,
    /// Number of line breaks passed.
    pub line: usize,
    /// Offset of the line in characters.
    line_index: usize,
    /// Bytes appended to the text.
    end: &'static [u8],
    /// True if the scanner tried to read beyond the end.
    pub saw_end: bool,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Self {
        let end: &[u8] = if text.ends_with('\n') { b"" } else { b"\n" };
        Self { text, at: 0, index: 0, line: 0, line_index: 0, end, saw_end: false }
    }

    /// Returns the byte at `ahead` bytes from here.
    #[inline]
    fn byte(&mut self, ahead: usize) -> Option<u8> {
        #[cfg(test)]
        cost_tests::count_access();
        let at = self.at + ahead;
        match self.text.as_bytes().get(at) {
            Some(byte) => Some(*byte),
            None => self.byte_at_end(at),
        }
    }

    #[cold]
    fn byte_at_end(&mut self, at: usize) -> Option<u8> {
        let byte = self.end.get(at - self.text.len()).copied();
        self.saw_end |= byte.is_none();
        byte
    }

    /// Returns true if this byte is at the current position.
    #[inline]
    fn is_at(&mut self, byte: u8) -> bool {
        self.byte(0) == Some(byte)
    }

    /// Returns true if a space or tab is at `ahead` bytes from here.
    fn is_blank(&mut self, ahead: usize) -> bool {
        matches!(self.byte(ahead), Some(b' ' | b'\t'))
    }

    /// Returns the length of the line break at `ahead` bytes from here, or 0. LF, CR LF, CR, NEL, LS and PS
    /// break lines in YAML 1.1.
    #[inline]
    fn line_break(&mut self, ahead: usize) -> usize {
        match self.byte(ahead) {
            Some(b'\n') => 1,
            Some(b'\r') => 1 + usize::from(self.byte(ahead + 1) == Some(b'\n')),
            Some(0xC2) if self.byte(ahead + 1) == Some(0x85) => 2,
            Some(0xE2) if self.byte(ahead + 1) == Some(0x80) => {
                if matches!(self.byte(ahead + 2), Some(0xA8 | 0xA9)) { 3 } else { 0 }
            }
            _ => 0,
        }
    }

    /// Returns true if a blank, a line break or the end of the text is at `ahead` bytes from here.
    #[inline]
    fn is_space(&mut self, ahead: usize) -> bool {
        match self.byte(ahead) {
            None | Some(b' ' | b'\t' | b'\n' | b'\r') => true,
            Some(0xC2 | 0xE2) => self.line_break(ahead) > 0,
            _ => false,
        }
    }

    /// Returns true at the end of a line or of the text.
    fn is_line_end(&mut self) -> bool {
        self.byte(0).is_none() || self.line_break(0) > 0
    }

    /// Returns the number of characters before this position on its line.
    #[inline]
    fn column(&self) -> usize {
        self.index - self.line_index
    }

    /// Skips a character that is not a line break.
    #[inline]
    fn skip(&mut self) {
        self.at += match self.byte(0) {
            Some(0xF0..) => 4,
            Some(0xE0..) => 3,
            Some(0xC0..) => 2,
            _ => 1,
        };
        self.index += 1;
    }

    /// Skips the line break at the current position, if any.
    fn skip_line_break(&mut self) {
        let length = self.line_break(0);
        if length == 0 {
            return;
        }
        self.index += if self.is_at(b'\r') { length } else { 1 };
        self.at += length;
        self.line += 1;
        self.line_index = self.index;
    }

    /// Skips spaces and tabs.
    fn skip_blanks(&mut self) {
        while self.is_blank(0) {
            self.skip();
        }
    }

    /// Skips to the end of the line.
    fn skip_line(&mut self) {
        while !self.is_line_end() {
            self.skip();
        }
    }

    /// Skips a comment at the current position.
    fn skip_comment(&mut self) {
        if self.is_at(b'#') {
            self.skip_line();
        }
    }

    /// Returns true at the beginning of a line that begins or ends a document.
    fn is_at_marker(&mut self) -> bool {
        self.column() == 0 && (self.is_marker(b'-') || self.is_marker(b'.'))
    }

    /// Returns true if a byte occurs three times here, followed by a space or line end.
    fn is_marker(&mut self, byte: u8) -> bool {
        (0..3).all(|ahead| self.byte(ahead) == Some(byte)) && self.is_space(3)
    }

    /// Returns the text from `start` to the current position, without appended bytes.
    fn text_since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at.min(self.text.len())).unwrap_or_default()
    }
}
