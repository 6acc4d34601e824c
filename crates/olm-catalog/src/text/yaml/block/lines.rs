//! Position in a text, and the parts of lines.

use super::{Read, Unusual};
use crate::text::blanks::leading_spaces;

pub(super) struct Lines<'a> {
    pub text: &'a str,
    pub at: usize,
}

impl<'a> Lines<'a> {
    pub fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    pub fn peek(&self) -> Option<u8> {
        self.byte(self.at)
    }

    /// Returns a part of the text; an error if it splits a character.
    pub fn slice(&self, start: usize, end: usize) -> Read<&'a str> {
        self.text.get(start..end).ok_or(Unusual)
    }

    /// Returns the bytes from a position on.
    pub fn rest(&self, from: usize) -> &'a [u8] {
        self.text.as_bytes().get(from..).unwrap_or_default()
    }

    /// Returns the end of the line of `from`: its line feed, or the end of the text.
    pub fn line_end(&self, from: usize) -> usize {
        memchr::memchr(b'\n', self.rest(from)).map_or(self.text.len(), |length| from + length)
    }

    /// Returns true if a blank, a line end or the end of the text is at a position.
    pub fn is_blank(&self, at: usize) -> bool {
        matches!(self.byte(at), None | Some(b' ' | b'\n'))
    }

    /// Skips spaces and returns their number.
    pub fn spaces(&mut self) -> usize {
        let count = leading_spaces(self.rest(self.at));
        self.at += count;
        count
    }

    /// Skips spaces and the line break after them; an error if the line has other text.
    pub fn end_line(&mut self) -> Read<()> {
        self.spaces();
        match self.peek() {
            None => Ok(()),
            Some(b'\n') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(Unusual),
        }
    }

    /// Moves from the beginning of a line to the next text that is not blank or a comment, and returns its
    /// column. `None` at the end of the text.
    pub fn next_content(&mut self) -> Read<Option<usize>> {
        loop {
            let column = self.spaces();
            match self.peek() {
                None => return Ok(None),
                Some(b'\n') => self.at += 1,
                Some(b'#') => self.at = (self.line_end(self.at) + 1).min(self.text.len()),
                Some(b'\t') => return Err(Unusual),
                Some(b'-' | b'.') if column == 0 && self.is_marker() => return Err(Unusual),
                Some(_) => return Ok(Some(column)),
            }
        }
    }

    /// Returns true if a line begins with a document marker.
    fn is_marker(&self) -> bool {
        let rest = self.rest(self.at);
        rest.starts_with(b"---") || rest.starts_with(b"...")
    }
}
