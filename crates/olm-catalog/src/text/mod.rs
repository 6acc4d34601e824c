//! Text of catalog documents: splits files, parses YAML and JSON into trees, and writes trees.
//!
//! `split` splits a file as opm does and classifies each piece. `yaml` and `json` parse a piece into a
//! [`Node`](super::Node). `emit` writes trees; `canonical` writes them as `opm render` does.

pub mod canonical;
pub mod emit;
pub mod json;
pub mod split;
pub mod yaml;

use std::{
    fmt,
    ops::Range,
    sync::{Arc, OnceLock},
};

/// Returns the number of spaces at the beginning of a text.
fn leading_spaces(text: &[u8]) -> usize {
    let (steps, rest) = text.as_chunks::<16>();
    for (index, step) in steps.iter().enumerate() {
        let other = u128::from_le_bytes(*step) ^ u128::from_le_bytes([b' '; 16]);
        if other != 0 {
            return index * 16 + other.trailing_zeros() as usize / 8;
        }
    }
    text.len() - rest.len() + rest.iter().take_while(|byte| **byte == b' ').count()
}

/// A slice of a shared buffer, or of a file.
#[derive(Clone)]
pub struct Text {
    source: TextSource,
    start: usize,
    end: usize,
}

#[derive(Clone)]
enum TextSource {
    Buffer(Arc<Vec<u8>>),
    File(Arc<FileText>),
}

/// Text of a file that is not in memory. It is read again when it is needed.
pub(crate) struct FileText {
    /// Reads the file; `None` if it is not the same any more.
    read: Box<dyn Fn() -> Option<Vec<u8>> + Send + Sync>,
    bytes: OnceLock<Option<Vec<u8>>>,
}

impl FileText {
    /// Creates the text of a file that `read` reads. It returns `None` if the file is not the same any more.
    pub(crate) fn read_later(read: impl Fn() -> Option<Vec<u8>> + Send + Sync + 'static) -> Self {
        Self { read: Box::new(read), bytes: OnceLock::new() }
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes.get_or_init(|| (self.read)()).as_deref().unwrap_or_default()
    }
}

impl Text {
    /// Creates a slice of a buffer. A range outside the buffer is clamped.
    pub fn slice(buffer: &Arc<Vec<u8>>, range: Range<usize>) -> Self {
        let end = range.end.min(buffer.len());
        Self { source: TextSource::Buffer(Arc::clone(buffer)), start: range.start.min(end), end }
    }

    /// Creates a slice of a file.
    pub(crate) fn slice_file(file: &Arc<FileText>, range: Range<usize>) -> Self {
        Self {
            source: TextSource::File(Arc::clone(file)),
            start: range.start,
            end: range.end.max(range.start),
        }
    }

    /// Returns the bytes of the slice. Those of a file that changed are empty.
    pub fn as_bytes(&self) -> &[u8] {
        let bytes = match &self.source {
            TextSource::Buffer(buffer) => buffer.as_slice(),
            TextSource::File(file) => file.as_bytes(),
        };
        bytes.get(self.start..self.end).unwrap_or_default()
    }

    /// Returns true if the bytes were needed, but the file had changed.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(&self.source, TextSource::File(file) if file.bytes.get() == Some(&None))
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Returns true if the slice has no bytes.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Returns true if both are slices of the same buffer or file.
    fn shares_source(&self, other: &Self) -> bool {
        match (&self.source, &other.source) {
            (TextSource::Buffer(own), TextSource::Buffer(other)) => Arc::ptr_eq(own, other),
            (TextSource::File(own), TextSource::File(other)) => Arc::ptr_eq(own, other),
            _ => false,
        }
    }
}

impl From<Vec<u8>> for Text {
    fn from(bytes: Vec<u8>) -> Self {
        let end = bytes.len();
        Self { source: TextSource::Buffer(Arc::new(bytes)), start: 0, end }
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        (self.shares_source(other) && self.start == other.start && self.end == other.end)
            || self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Text {}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&String::from_utf8_lossy(self.as_bytes()), f)
    }
}

#[cfg(test)]
mod tests {
    use super::leading_spaces;

    #[test]
    fn counts_spaces_before_first_other_byte() {
        for count in 0..40 {
            for rest in ["", "a", "\u{A0}", "\n   ", "!       x"] {
                assert_eq!(leading_spaces(format!("{}{rest}", " ".repeat(count)).as_bytes()), count);
            }
        }
    }
}
