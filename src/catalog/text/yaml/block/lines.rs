//! A place in a text, and what lines are made of.

use super::{Read, Unusual};
use crate::catalog::text::blanks::leading_spaces;

/// A place in a text.
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

    /// A part of the text, cut between characters.
    pub fn slice(&self, start: usize, end: usize) -> Read<&'a str> {
        self.text.get(start..end).ok_or(Unusual)
    }

    /// The bytes from a place on.
    pub fn rest(&self, from: usize) -> &'a [u8] {
        self.text.as_bytes().get(from..).unwrap_or_default()
    }

    /// Where the line ends that `from` is on: at its line feed, or at the end of the text.
    pub fn line_end(&self, from: usize) -> usize {
        memchr::memchr(b'\n', self.rest(from)).map_or(self.text.len(), |length| from + length)
    }

    /// Whether a blank, a line's end or the end of the text is at a place.
    pub fn is_blank(&self, at: usize) -> bool {
        matches!(self.byte(at), None | Some(b' ' | b'\n'))
    }

    /// Goes over spaces; gives back how many.
    pub fn spaces(&mut self) -> usize {
        let count = leading_spaces(self.rest(self.at));
        self.at += count;
        count
    }

    /// Goes over spaces to the beginning of the next line, where nothing else is left on this one.
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

    /// From the beginning of a line, goes to the first thing that is no blank and not in a comment, and gives back its
    /// column; `None` at the end of the text.
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

    /// Whether a line begins with what begins or ends a document.
    fn is_marker(&self) -> bool {
        let rest = self.rest(self.at);
        rest.starts_with(b"---") || rest.starts_with(b"...")
    }
}
