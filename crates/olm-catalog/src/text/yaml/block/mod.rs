//! Fast reader for YAML written by programs: opm, yq, kubectl and others that use go-yaml.
//!
//! It supports block maps and lists, scalars in all five styles, `[]` and `{}`, and comments on separate lines.
//! Anything else (anchors, tags, other flow collections, tabs between tokens, carriage returns, errors of any
//! kind) is [`Unusual`] and goes to the full reader. So this reader never reports errors, and its trees must
//! equal those of the full reader.
//!
//! `usual_characters` checks the characters, `lines` the indentation, `reader` finds entries, and `quoted`, `plain_scalar` and
//! `literal` read scalars.

mod lines;
mod literal;
mod plain_scalar;
mod quoted;
mod reader;
mod usual_characters;

use super::content_start;
use crate::node::Node;

/// Text that only the full reader supports.
struct Unusual;

/// Maximum distance between a key and its `:`. The full reader allows 1,024 characters.
const MAX_KEY: usize = 500;

/// Result of the fast reader.
type Read<T> = Result<T, Unusual>;

/// Parses a chunk including its `---` line; `None` if anything in it is unusual.
pub(super) fn read_block(chunk: &[u8]) -> Option<Node<'_>> {
    let start = content_start(chunk).ok()?;
    let text = usual_characters::usual_text(chunk)?;
    reader::read_document(text, start).ok()
}

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
