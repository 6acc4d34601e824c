//! JSON as Go's `encoding/json` reads it, with the span of every value and key.
//!
//! `scan` implements the grammar in one pass over the text. `tree` builds nodes that borrow from the text;
//! `extent` only finds the end of a value. `serde_json` provides the messages for rejected text.

mod extent;
mod quoted;
mod scan;
mod tree;

use serde::de::IgnoredAny;

use super::read_error::{ReadError, ReadErrorKind};
use crate::node::Node;

pub(super) use extent::{Extent, find_extent};
pub(super) use quoted::decode_lossy;
pub(super) use scan::skip_blanks;

/// Parses one chunk of a JSON file: one value with blanks around it. Spans are relative to `text`.
///
/// Strings may contain invalid UTF-8 and lone surrogates, which become U+FFFD. Numbers have the precision of a
/// 64-bit float.
///
/// # Errors
///
/// Invalid syntax, numbers beyond the range of a 64-bit float, and nesting beyond
/// [`MAX_DEPTH`](crate::node::MAX_DEPTH).
pub fn parse_json(text: &[u8]) -> Result<Node<'_>, ReadError> {
    tree::parse_tree(text).map_err(|error| match serde_json::from_slice::<IgnoredAny>(text) {
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
mod properties;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
