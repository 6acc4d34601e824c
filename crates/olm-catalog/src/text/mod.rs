//! Text of catalog documents: splits files, parses YAML and JSON into trees, and writes trees.
//!
//! `split` splits a file as opm does and classifies each piece. `yaml` and `json` parse a piece into a
//! [`Node`](super::Node). `emit` writes trees; `canonical` writes them as `opm render` does.

pub mod canonical;
pub mod emit;
pub mod json;
pub mod split;
pub mod yaml;

use std::{fmt, ops::Range, sync::Arc};

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
