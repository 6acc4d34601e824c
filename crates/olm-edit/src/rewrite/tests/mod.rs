//! Tests of rewriting with examples, random documents and edits, and real channels.

mod conformance;
mod examples;
mod random;
mod random_style;
mod value_tree;

use super::*;
use olm_catalog::{Span, text::split};

/// Parses one document.
fn parse_document(format: Format, text: &[u8]) -> Node<'_> {
    split::parse_chunk(format, text)
        .unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(text)))
}

/// Parses JSON to a tree.
fn parse_json(text: &str) -> ValueTree {
    ValueTree::from(&parse_document(Format::Json, text.as_bytes()))
}

/// Rewrites and checks the invariants: the result has the requested content, and the splices produce it and are
/// sorted and disjoint.
fn rewrite_and_check(format: Format, text: &[u8], new: &ValueTree) -> Result<Rewritten, RewriteError> {
    let old = parse_document(format, text);
    let done = rewrite_text(format, text, &old, new)?;
    assert!(ValueTree::from(&parse_document(format, &done.text)).has_same_content(new));
    assert_eq!(apply_splices(text, &done.splices).as_deref(), Some(done.text.as_slice()));
    for pair in done.splices.windows(2) {
        assert!(pair[0].at.end < pair[1].at.start, "{:?}", done.splices);
    }
    Ok(done)
}
