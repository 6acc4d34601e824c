//! A place in a text, with what the scanner counts: lines and characters.

/// A place in a text. A text without a line break at its end has one all the same, as it has for opm.
pub(super) struct Cursor<'a> {
    pub text: &'a str,
    /// In bytes.
    pub at: usize,
    /// In characters.
    pub index: usize,
    /// Line breaks passed.
    pub line: usize,
    /// Where, in characters, the line begins.
    line_index: usize,
    /// What ends the text.
    end: &'static [u8],
    /// Whether somebody looked beyond the end.
    pub saw_end: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let end: &[u8] = if text.ends_with('\n') { b"" } else { b"\n" };
        Self { text, at: 0, index: 0, line: 0, line_index: 0, end, saw_end: false }
    }

    /// The byte so many bytes ahead.
    #[inline]
    pub(super) fn byte(&mut self, ahead: usize) -> Option<u8> {
        #[cfg(test)]
        super::cost_tests::look();
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

    /// Whether a byte is here.
    #[inline]
    pub(super) fn is(&mut self, byte: u8) -> bool {
        self.byte(0) == Some(byte)
    }

    /// Whether a space or tab is so many bytes ahead.
    pub(super) fn is_blank(&mut self, ahead: usize) -> bool {
        matches!(self.byte(ahead), Some(b' ' | b'\t'))
    }

    /// How many bytes the line break has that is so many bytes ahead; 0 if there is none. LF, CR LF, CR, NEL, LS and
    /// PS break lines in YAML 1.1.
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

    /// Whether a blank, a line break or the end of the text is so many bytes ahead.
    #[inline]
    pub(super) fn is_space(&mut self, ahead: usize) -> bool {
        match self.byte(ahead) {
            None | Some(b' ' | b'\t' | b'\n' | b'\r') => true,
            Some(0xC2 | 0xE2) => self.line_break(ahead) > 0,
            _ => false,
        }
    }

    /// Whether the line, or the text, ends here.
    pub(super) fn is_line_end(&mut self) -> bool {
        self.byte(0).is_none() || self.line_break(0) > 0
    }

    /// How many characters are before this place on its line.
    #[inline]
    pub(super) fn column(&self) -> usize {
        self.index - self.line_index
    }

    /// Goes over a character that is no line break.
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

    /// Goes over the line break that is here, if there is one.
    pub(super) fn skip_line_break(&mut self) {
        let length = self.line_break(0);
        if length == 0 {
            return;
        }
        self.index += if self.is(b'\r') { length } else { 1 };
        self.at += length;
        self.line += 1;
        self.line_index = self.index;
    }

    /// Goes over spaces and tabs.
    pub(super) fn skip_blanks(&mut self) {
        while self.is_blank(0) {
            self.skip();
        }
    }

    /// Goes to the end of the line.
    pub(super) fn skip_line(&mut self) {
        while !self.is_line_end() {
            self.skip();
        }
    }

    /// Goes over a comment, if one is here.
    pub(super) fn skip_comment(&mut self) {
        if self.is(b'#') {
            self.skip_line();
        }
    }

    /// Whether a line that begins or ends a document begins here.
    pub(super) fn is_at_marker(&mut self) -> bool {
        self.column() == 0 && (self.is_marker(b'-') || self.is_marker(b'.'))
    }

    /// Whether three of a byte with nothing behind them are here.
    pub(super) fn is_marker(&mut self, byte: u8) -> bool {
        (0..3).all(|ahead| self.byte(ahead) == Some(byte)) && self.is_space(3)
    }

    /// The text from a place up to here; what ends the text is no part of it.
    pub(super) fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at.min(self.text.len())).unwrap_or_default()
    }
}
