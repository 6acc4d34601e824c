//! What mends a finding in a bundle directory.

use crate::catalog::Span;

/// Bytes of one file that are replaced; everything else stays as it was written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BundleFix {
    /// The file, from the bundle's directory.
    pub file: String,
    /// What is replaced by what, in the order of the file; nothing overlaps.
    pub splices: Vec<(Span, String)>,
}

impl BundleFix {
    /// Adds what another replaces in the same file; nothing of it where it is in the way.
    pub fn add(&mut self, other: &Self) -> bool {
        // What is taken is sorted and apart, so only its neighbours may be in the way of a span.
        let is_apart = |(span, _): &(Span, String)| {
            let next = self.splices.partition_point(|(taken, _)| taken.end <= span.start);
            self.splices.get(next).is_none_or(|(taken, _)| span.end <= taken.start)
        };
        let fits = other.splices.iter().all(is_apart);
        if fits {
            self.splices.extend(other.splices.iter().cloned());
            self.splices.sort_by_key(|(span, _)| *span);
        }
        fits
    }

    /// The file mended; nothing where the bytes are not there.
    pub fn apply(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut mended = Vec::with_capacity(bytes.len());
        let mut done = 0;
        for (span, text) in &self.splices {
            let range = span.range();
            mended.extend_from_slice(bytes.get(done..range.start)?);
            mended.extend_from_slice(text.as_bytes());
            done = range.end;
        }
        mended.extend_from_slice(bytes.get(done..)?);
        Some(mended)
    }
}
