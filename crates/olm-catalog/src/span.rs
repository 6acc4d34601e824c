//! Byte ranges inside one document.

use std::ops::Range;

/// A byte range relative to the first byte of its *document*, not of the file. So an edit to one document does
/// not invalidate the spans of others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// Creates a span from byte offsets. Offsets beyond `u32` saturate, because the loader rejects documents of
    /// 4 GiB and more.
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { start: clamp(start), end: clamp(end) }
    }

    /// Returns the span as a range for slicing.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns true if `offset` is inside.
    pub fn contains(self, offset: usize) -> bool {
        self.range().contains(&offset)
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

/// A decoded value with its source span.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spanned<T> {
    /// Decoded value.
    pub value: T,
    /// Span in the document.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Pairs a value with its span.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }

    /// Maps the value and keeps the span.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned { value: f(self.value), span: self.span }
    }
}
