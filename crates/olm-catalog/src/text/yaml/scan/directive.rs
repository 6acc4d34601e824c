//! Lines that begin with `%`.

use super::{ScanResult, Scanner, Token, TokenKind};

const CONTEXT: &str = "while scanning a directive";
const VERSION: &str = "while scanning a %YAML directive";

impl Scanner<'_> {
    /// Reads a directive at its `%`.
    pub(super) fn scan_directive(&mut self) -> ScanResult<()> {
        self.close_blocks(None);
        self.remove_key_candidate()?;
        self.may_begin_key = false;
        let start = self.cursor.at;
        self.cursor.skip();
        let name = self.scan_word();
        if name.is_empty() {
            return Err(self.error(CONTEXT, "could not find expected directive name"));
        }
        if !self.cursor.is_space(0) {
            return Err(self.error(CONTEXT, "found unexpected non-alphabetical character"));
        }
        let kind = match name {
            "YAML" => {
                let (major, minor) = self.scan_version()?;
                TokenKind::Version { major, minor }
            }
            "TAG" => {
                let (handle, prefix) = self.scan_tag_directive()?;
                TokenKind::TagDirective { handle, prefix }
            }
            _ => return Err(self.error(CONTEXT, "found unknown directive name")),
        };
        let end = self.cursor.at;
        self.cursor.skip_blanks();
        self.cursor.skip_comment();
        if !self.cursor.is_line_end() {
            return Err(self.error(CONTEXT, "did not find expected comment or line break"));
        }
        self.cursor.skip_line_break();
        self.push_token(Token { kind, start, end });
        Ok(())
    }

    fn scan_version(&mut self) -> ScanResult<(u32, u32)> {
        self.cursor.skip_blanks();
        let major = self.scan_version_number()?;
        if !self.cursor.is_at(b'.') {
            return Err(self.error(VERSION, "did not find expected digit or '.' character"));
        }
        self.cursor.skip();
        Ok((major, self.scan_version_number()?))
    }

    fn scan_version_number(&mut self) -> ScanResult<u32> {
        let start = self.cursor.at;
        let mut number = 0;
        while let Some(digit) = self.cursor.byte(0).and_then(|byte| char::from(byte).to_digit(10)) {
            if self.cursor.at - start == 9 {
                return Err(self.error(VERSION, "found extremely long version number"));
            }
            number = number * 10 + digit;
            self.cursor.skip();
        }
        if self.cursor.at == start {
            return Err(self.error(VERSION, "did not find expected version number"));
        }
        Ok(number)
    }
}
