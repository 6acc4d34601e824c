//! Extent of a value, computed without building a tree.

use super::{
    quoted::Quoted,
    scan::{Scalar, Scanner, Visitor},
    tree::is_finite,
};
use crate::{node::MAX_DEPTH, span::Span, text::read_error::ReadError};

/// End of a value, and whether [`parse_json`](super::parse_json) would accept it.
pub(crate) struct Extent {
    /// Offset after the last byte.
    pub end: usize,
    /// True if the value is within all limits. Its syntax is valid in either case.
    pub is_readable: bool,
}

/// Returns the extent of the value at `at`, which is one of several in a row. `None` if its syntax, or the text
/// right after it, is invalid.
pub(crate) fn find_extent(text: &[u8], at: usize) -> Option<Extent> {
    let mut limits = Limits { kept: true };
    let mut scan = Scanner::new(text, at);
    scan.visit_value(&mut limits).ok()?;
    let stands_apart = match text.get(at) {
        Some(b'{' | b'[' | b'"') => true,
        // A word or number ends only at a blank or at a byte that cannot be part of it.
        _ => matches!(
            text.get(scan.at),
            None | Some(b' ' | b'\n' | b'\t' | b'\r' | b'"' | b'[' | b']' | b'{' | b'}' | b',' | b':')
        ),
    };
    stands_apart.then_some(Extent { end: scan.at, is_readable: limits.kept })
}

/// Visitor that records whether a value is within the limits.
struct Limits {
    kept: bool,
}

impl Visitor for Limits {
    fn open(&mut self, _: bool, depth: usize, _: usize) -> Result<usize, ReadError> {
        self.kept &= depth < MAX_DEPTH;
        Ok(0)
    }

    fn key(&mut self, _: Quoted<'_>) {}

    fn scalar(&mut self, scalar: Scalar<'_>, _: Span, _: bool) -> Result<(), ReadError> {
        if let Scalar::Number(text) = scalar {
            self.kept &= is_finite(text);
        }
        Ok(())
    }

    fn close(&mut self, _: bool, _: usize, _: Span, _: bool) {}
}
