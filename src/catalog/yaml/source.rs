//! Feeding text to the YAML scanner in small pieces.

use std::io::{BufRead, Read, Result};

/// How much the scanner gets at a time: it decodes all it can see into a queue of characters.
const PIECE: usize = 4096;

/// UTF-8 text with a final newline (added where it is missing, as opm does; the scanner relies on it).
pub(super) struct Source<'a> {
    rest: &'a [u8],
    newline: &'static [u8],
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text.as_bytes(), newline: if text.ends_with('\n') { b"" } else { b"\n" } }
    }

    fn piece(&self) -> &[u8] {
        if self.rest.is_empty() {
            return self.newline;
        }
        let mut end = self.rest.len().min(PIECE);
        // Not between the bytes of one character.
        while end < self.rest.len() && self.rest[end] & 0xC0 == 0x80 {
            end -= 1;
        }
        &self.rest[..end]
    }
}

impl BufRead for Source<'_> {
    fn fill_buf(&mut self) -> Result<&[u8]> {
        Ok(self.piece())
    }

    fn consume(&mut self, amount: usize) {
        match self.rest.get(amount..) {
            Some(rest) if !self.rest.is_empty() => self.rest = rest,
            _ => self.newline = b"",
        }
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let piece = self.piece();
        let size = piece.len().min(buffer.len());
        buffer[..size].copy_from_slice(&piece[..size]);
        self.consume(size);
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::{PIECE, Source};

    #[test]
    fn text_comes_out_whole_with_a_newline_at_its_end() {
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE] {
            let text = "한".repeat(length) + "a";
            let mut out = String::new();
            Source::new(&text).read_to_string(&mut out).unwrap();
            assert_eq!(out, text.clone() + "\n");
            out.clear();
            Source::new(&(text.clone() + "\n")).read_to_string(&mut out).unwrap();
            assert_eq!(out, text + "\n");
        }
    }
}
