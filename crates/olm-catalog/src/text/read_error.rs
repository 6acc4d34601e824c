//! Errors in the text of a chunk of a catalog file.

use thiserror::Error;

use crate::span::Span;

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
