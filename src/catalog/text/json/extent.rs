//! Where a value ends, without making anything of it.

use super::{
    quoted::Quoted,
    scan::{Scalar, Scan, Visit},
    tree::is_finite,
};
use crate::catalog::{node::MAX_DEPTH, span::Span, text::read_error::ReadError};

/// Where a value ends, and whether [`parse`](super::parse) would read it.
pub(in crate::catalog) struct Extent {
    /// One past its last byte.
    pub end: usize,
    /// Whether it is within all limits; its syntax is good in any case.
    pub is_readable: bool,
}

/// The extent of the value that begins at `at`, one of several in a row; `None` where syntax is broken in it, or
/// right after it.
pub(in crate::catalog) fn extent(text: &[u8], at: usize) -> Option<Extent> {
    let mut limits = Limits { kept: true };
    let mut scan = Scan::new(text, at);
    scan.value(&mut limits).ok()?;
    let stands_apart = match text.get(at) {
        Some(b'{' | b'[' | b'"') => true,
        // Only a blank, or what cannot be part of a word or number, ends one.
        _ => matches!(
            text.get(scan.at),
            None | Some(b' ' | b'\n' | b'\t' | b'\r' | b'"' | b'[' | b']' | b'{' | b'}' | b',' | b':')
        ),
    };
    stands_apart.then_some(Extent { end: scan.at, is_readable: limits.kept })
}

/// Notes whether a value is within the limits.
struct Limits {
    kept: bool,
}

impl Visit for Limits {
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
