//! Position in a text, with the counters of the scanner: lines and characters.

/// Position in a text. A line break is appended if the text does not end with one, as in opm.
pub(super) struct Cursor<'a> {
    pub text: &'a str,
    /// Offset in bytes.
    pub at: usize,
    /// Offset in characters.
    pub index: usize,
    /// Number of line breaks passed.
    pub line: usize,
    /// Offset of the line in characters.
    line_index: usize,
    /// Bytes appended to the text.
    end: &'static [u8],
    /// True if the scanner tried to read beyond the end.
    pub saw_end: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let end: &[u8] = if text.ends_with('\n') { b"" } else { b"\n" };
        Self { text, at: 0, index: 0, line: 0, line_index: 0, end, saw_end: false }
    }

    /// Returns the byte at `ahead` bytes from here.
    #[inline]
    pub(super) fn byte(&mut self, ahead: usize) -> Option<u8> {
        #[cfg(test)]
        super::cost_tests::count_access();
        let at = self.at + ahead;
        match self.text.as_bytes().get(at) {
            Some(byte) => Some(*byte),
            None => self.byte_at_end(at),
        }
    }

    #[cold]
    fn byte_at_end(&mut self, at: usize) -> Option<u8> {
        let byte = self.end.get(at - self.text.len()).copied();
        self.saw_end |= byte.is_none();
        byte
    }

    /// Returns true if this byte is at the current position.
    #[inline]
    pub(super) fn is_at(&mut self, byte: u8) -> bool {
        self.byte(0) == Some(byte)
    }

    /// Returns true if a space or tab is at `ahead` bytes from here.
    pub(super) fn is_blank(&mut self, ahead: usize) -> bool {
        matches!(self.byte(ahead), Some(b' ' | b'\t'))
    }

    /// Returns the length of the line break at `ahead` bytes from here, or 0. LF, CR LF, CR, NEL, LS and PS
    /// break lines in YAML 1.1.
    #[inline]
    pub(super) fn line_break(&mut self, ahead: usize) -> usize {
        match self.byte(ahead) {
            Some(b'\n') => 1,
            Some(b'\r') => 1 + usize::from(self.byte(ahead + 1) == Some(b'\n')),
            Some(0xC2) if self.byte(ahead + 1) == Some(0x85) => 2,
            Some(0xE2) if self.byte(ahead + 1) == Some(0x80) => {
                if matches!(self.byte(ahead + 2), Some(0xA8 | 0xA9)) { 3 } else { 0 }
            }
            _ => 0,
        }
    }

    /// Returns true if a blank, a line break or the end of the text is at `ahead` bytes from here.
    #[inline]
    pub(super) fn is_space(&mut self, ahead: usize) -> bool {
        match self.byte(ahead) {
            None | Some(b' ' | b'\t' | b'\n' | b'\r') => true,
            Some(0xC2 | 0xE2) => self.line_break(ahead) > 0,
            _ => false,
        }
    }

    /// Returns true at the end of a line or of the text.
    pub(super) fn is_line_end(&mut self) -> bool {
        self.byte(0).is_none() || self.line_break(0) > 0
    }

    /// Returns the number of characters before this position on its line.
    #[inline]
    pub(super) fn column(&self) -> usize {
        self.index - self.line_index
    }

    /// Skips a character that is not a line break.
    #[inline]
    pub(super) fn skip(&mut self) {
        self.at += match self.byte(0) {
            Some(0xF0..) => 4,
            Some(0xE0..) => 3,
            Some(0xC0..) => 2,
            _ => 1,
        };
        self.index += 1;
    }

    /// Skips the line break at the current position, if any.
    pub(super) fn skip_line_break(&mut self) {
        let length = self.line_break(0);
        if length == 0 {
            return;
        }
        self.index += if self.is_at(b'\r') { length } else { 1 };
        self.at += length;
        self.line += 1;
        self.line_index = self.index;
    }

    /// Skips spaces and tabs.
    pub(super) fn skip_blanks(&mut self) {
        while self.is_blank(0) {
            self.skip();
        }
    }

    /// Skips to the end of the line.
    pub(super) fn skip_line(&mut self) {
        while !self.is_line_end() {
            self.skip();
        }
    }

    /// Skips a comment at the current position.
    pub(super) fn skip_comment(&mut self) {
        if self.is_at(b'#') {
            self.skip_line();
        }
    }

    /// Returns true at the beginning of a line that begins or ends a document.
    pub(super) fn is_at_marker(&mut self) -> bool {
        self.column() == 0 && (self.is_marker(b'-') || self.is_marker(b'.'))
    }

    /// Returns true if a byte occurs three times here, followed by a space or line end.
    pub(super) fn is_marker(&mut self, byte: u8) -> bool {
        (0..3).all(|ahead| self.byte(ahead) == Some(byte)) && self.is_space(3)
    }

    /// Returns the text from `start` to the current position, without appended bytes.
    pub(super) fn text_since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at.min(self.text.len())).unwrap_or_default()
    }
}
