//! Shared bytes: a document's text as a slice of the file it was read from, cloned without copying.

use std::{fmt, ops::Range, sync::Arc};

/// A slice of a shared buffer.
#[derive(Clone)]
pub struct Text {
    buffer: Arc<Vec<u8>>,
    start: usize,
    end: usize,
}

impl Text {
    /// Creates a slice of a buffer. A range outside the buffer is clamped.
    pub fn slice(buffer: &Arc<Vec<u8>>, range: Range<usize>) -> Self {
        let end = range.end.min(buffer.len());
        Self { buffer: Arc::clone(buffer), start: range.start.min(end), end }
    }

    /// Returns the bytes of the slice.
    pub fn as_bytes(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Returns true if the slice has no bytes.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

impl From<Vec<u8>> for Text {
    fn from(bytes: Vec<u8>) -> Self {
        let end = bytes.len();
        Self { buffer: Arc::new(bytes), start: 0, end }
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.buffer, &other.buffer) && self.start == other.start && self.end == other.end)
            || self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Text {}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&String::from_utf8_lossy(self.as_bytes()), f)
    }
}
