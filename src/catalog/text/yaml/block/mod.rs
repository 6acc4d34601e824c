//! A quick reader for the YAML that programs write: opm, yq, kubectl and whatever else uses go-yaml.
//!
//! It knows block maps and lists, scalars in all five styles, `[]` and `{}`, and comments on lines of their own.
//! Whatever else it meets (anchors, tags, other flow collections, tabs between tokens, carriage returns, errors of any
//! kind) is [`Unusual`]: the full reader decides then. So it never has to say what is wrong, and a tree it does give must
//! be the very tree of the full reader.
//!
//! `usual` looks at the characters, `lines` at indentation, `reader` finds entries, `quoted`, `plain` and `literal` read
//! scalars.

mod lines;
mod literal;
mod plain;
mod quoted;
mod reader;
mod usual;

use super::content_start;
use crate::catalog::node::Node;

/// Something for the full reader.
struct Unusual;

/// A key must be this near to its `:`; the full reader looks further (1,024 characters).
const LONGEST_KEY: usize = 500;

/// What was read, if it was nothing unusual.
type Read<T> = Result<T, Unusual>;

/// The tree of a chunk, its `---` line included; `None` where there is anything unusual about it.
pub(super) fn read(chunk: &[u8]) -> Option<Node<'_>> {
    let start = content_start(chunk).ok()?;
    let text = usual::text(chunk)?;
    reader::read(text, start).ok()
}

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
