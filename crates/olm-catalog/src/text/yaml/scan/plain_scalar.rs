//! Plain scalars.

use std::borrow::Cow;

use super::{ScanResult, Scanner, Style, Token, TokenKind};
use crate::text::yaml::unfold;

impl<'a> Scanner<'a> {
    /// Reads the plain scalar at the current position, and the blanks and line breaks after it.
    pub(super) fn scan_plain_scalar(&mut self) -> ScanResult<Token<'a>> {
        let start = self.cursor.at;
        let mut end = start;
        let mut text = "";
        let mut has_breaks = false;
        // True if line breaks follow the text read so far.
        let mut ends_line = false;
        while !self.cursor.is_at_marker() && !self.cursor.is_at(b'#') {
            let before = self.cursor.at;
            self.skip_text();
            if self.cursor.at > before {
                has_breaks |= ends_line;
                ends_line = false;
                end = self.cursor.at;
                text = self.cursor.text_since(start);
            }
            if !self.cursor.is_blank(0) && self.cursor.line_break(0) == 0 {
                break;
            }
            ends_line |= self.skip_gap()?;
            if self.level == 0 && !self.is_indented() {
                break;
            }
        }
        if ends_line {
            self.may_begin_key = true;
        }
        let text = if has_breaks { Cow::Owned(unfold::fold_plain(text)) } else { Cow::Borrowed(text) };
        Ok(Token { kind: TokenKind::Scalar { text, style: Style::Plain }, start, end })
    }

    /// Skips text up to a blank or an indicator.
    fn skip_text(&mut self) {
        let in_flow = self.level > 0;
        while let Some(byte) = self.cursor.byte(0) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => return,
                b':' if self.cursor.is_space(1) => return,
                // Specific to go-yaml: `?` ends the scalar, and `:` may precede any of these.
                b',' | b'?' | b'[' | b']' | b'{' | b'}' if in_flow => return,
                0xC2 | 0xE2 if self.cursor.is_space(0) => return,
                _ => self.cursor.skip(),
            }
        }
    }

    /// Skips blanks and line breaks. Returns true if there was a line break.
    fn skip_gap(&mut self) -> ScanResult<bool> {
        let mut ends_line = false;
        loop {
            if self.cursor.is_blank(0) {
                if ends_line && self.cursor.is_at(b'\t') && !self.is_indented() {
                    let problem = "found a tab character that violates indentation";
                    return Err(self.error("while scanning a plain scalar", problem));
                }
                self.cursor.skip();
            } else if self.cursor.line_break(0) > 0 {
                self.cursor.skip_line_break();
                ends_line = true;
            } else {
                return Ok(ends_line);
            }
        }
    }

    /// Returns true if the column is further right than the list or map around it.
    fn is_indented(&self) -> bool {
        Some(self.cursor.column()) > self.indent
    }
}
