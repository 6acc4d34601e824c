//! JSON as Go's `encoding/json` reads it, with the place of every value and key.
//!
//! `scan` knows the grammar and goes over a text once; `tree` makes nodes of what it finds, borrowed from the text,
//! and `extent` only looks where a value ends. What they refuse, `serde_json` explains.

mod extent;
mod quoted;
mod scan;
mod tree;

use serde::de::IgnoredAny;

use super::read_error::{ReadError, ReadErrorKind};
use crate::catalog::node::Node;

pub(super) use extent::{Extent, extent};
pub(super) use quoted::lossy_text;
pub(super) use scan::skip_space;

/// Reads one chunk of a JSON file: one value with blanks around it. Spans are relative to `text`.
///
/// Strings may hold invalid UTF-8 and lone surrogates, which become U+FFFD. Numbers are those of a 64-bit float.
///
/// # Errors
///
/// Broken syntax, numbers beyond the range of a 64-bit float, nesting beyond
/// [`MAX_DEPTH`](crate::catalog::node::MAX_DEPTH).
pub fn parse(text: &[u8]) -> Result<Node<'_>, ReadError> {
    tree::read(text).map_err(|error| match serde_json::from_slice::<IgnoredAny>(text) {
        // Broken syntax comes first, wherever it stands.
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
    ReadErrorKind::Json(message.to_owned()).at(at..(at + 1).min(text.len()))
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
