//! Tests of rewriting with examples, random documents and edits, and real channels.

mod conformance;
mod examples;
mod habit;
mod plain;
mod random;

use super::*;
use crate::catalog::{Span, text::split};

/// Parses one document.
fn read(format: Format, text: &[u8]) -> Node<'_> {
    split::parse(format, text).unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(text)))
}

/// Parses JSON to a tree.
fn json(text: &str) -> Plain {
    Plain::from(&read(Format::Json, text.as_bytes()))
}

/// Rewrites and checks the invariants: the result has the requested content, and the splices produce it and are
/// sorted and disjoint.
fn rewritten(format: Format, text: &[u8], new: &Plain) -> Result<Rewritten, RewriteError> {
    let old = read(format, text);
    let done = rewrite(format, text, &old, new)?;
    assert!(Plain::from(&read(format, &done.text)).same_meaning(new));
    assert_eq!(apply(text, &done.splices).as_deref(), Some(done.text.as_slice()));
    for pair in done.splices.windows(2) {
        assert!(pair[0].at.end < pair[1].at.start, "{:?}", done.splices);
    }
    Ok(done)
}
