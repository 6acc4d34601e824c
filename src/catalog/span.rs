//! Byte ranges inside one document.

use std::ops::Range;

/// A byte range relative to the first byte of the *document text* it belongs to (not of the file), so that an edit
/// to one document leaves every span of the others true.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span from byte offsets. Offsets beyond `u32` saturate: the loader refuses documents of 4 GiB and more.
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { start: clamp(start), end: clamp(end) }
    }

    /// The same as a range for slicing.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether `offset` lies inside.
    pub fn contains(self, offset: usize) -> bool {
        self.range().contains(&offset)
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

/// A decoded value and the bytes it came from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spanned<T> {
    /// What the bytes mean.
    pub value: T,
    /// Where they are, in the document text.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Pairs a value with its place.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }

    /// Changes the value, keeps the place.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned { value: f(self.value), span: self.span }
    }
}
