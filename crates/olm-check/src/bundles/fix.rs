//! Fixes of findings in bundle directories.

use olm_catalog::Span;

/// Replacement of bytes in one file; all other bytes stay unchanged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BundleFix {
    /// Path of the file in the bundle directory.
    pub file: String,
    /// Replaced spans with their new text, sorted and without overlaps.
    pub splices: Vec<(Span, String)>,
}

impl BundleFix {
    /// Adds the splices of another fix of the same file. Adds none of them and returns false if one overlaps.
    pub fn merge(&mut self, other: &Self) -> bool {
        // The existing splices are sorted and do not overlap, so only the neighbours of a span
        // can overlap it.
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

    /// Applies the fix to the content of the file; `None` if a span is outside the content.
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
