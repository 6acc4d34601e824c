//! Properties of a value (anchors and tags), and aliases.

use super::{ScanResult, Scanner, Token, TokenKind};

const TAG: &str = "while scanning a tag";
const TAG_PARTS: &str = "while parsing a tag";
const DIRECTIVE: &str = "while parsing a %TAG directive";

impl<'a> Scanner<'a> {
    /// Reads the name after `*` or `&`.
    pub(super) fn scan_name(
        &mut self,
        context: &'static str,
        kind: fn(&'a str) -> TokenKind<'a>,
    ) -> ScanResult<Token<'a>> {
        let start = self.cursor.at;
        self.cursor.skip();
        let name = self.scan_word();
        let may_follow =
            matches!(self.cursor.byte(0), Some(b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`'));
        if name.is_empty() || !(may_follow || self.cursor.is_space(0)) {
            return Err(self.error(context, "did not find expected alphabetic or numeric character"));
        }
        Ok(Token { kind: kind(name), start, end: self.cursor.at })
    }

    /// Reads letters, digits and dashes.
    pub(super) fn scan_word(&mut self) -> &'a str {
        let start = self.cursor.at;
        while matches!(self.cursor.byte(0), Some(b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'-')) {
            self.cursor.skip();
        }
        self.cursor.text_since(start)
    }

    /// Reads a tag at its `!`: `!<uri>`, `!handle!suffix`, `!suffix` or `!`.
    pub(super) fn scan_tag(&mut self) -> ScanResult<Token<'a>> {
        let start = self.cursor.at;
        let (handle, suffix) = if self.cursor.byte(1) == Some(b'<') {
            self.cursor.skip();
            self.cursor.skip();
            let suffix = self.scan_tag_uri("", TAG_PARTS)?;
            if !self.cursor.is_at(b'>') {
                return Err(self.error(TAG, "did not find the expected '>'"));
            }
            self.cursor.skip();
            ("", suffix)
        } else {
            let handle = self.scan_tag_handle(TAG)?;
            if handle.len() > 1 && handle.ends_with('!') {
                (handle, self.scan_tag_uri("", TAG_PARTS)?)
            } else {
                // Not a handle but the beginning of the suffix.
                match self.scan_tag_uri(handle, TAG_PARTS)? {
                    suffix if suffix.is_empty() => ("", "!".to_owned()),
                    suffix => ("!", suffix),
                }
            }
        };
        if !self.cursor.is_space(0) {
            return Err(self.error(TAG, "did not find expected whitespace or line break"));
        }
        Ok(Token { kind: TokenKind::Tag { handle, suffix }, start, end: self.cursor.at })
    }

    /// Reads `!`, `!!` or `!word!`. Also returns `!word`, which is not a handle.
    fn scan_tag_handle(&mut self, context: &'static str) -> ScanResult<&'a str> {
        let start = self.cursor.at;
        if !self.cursor.is_at(b'!') {
            return Err(self.error(context, "did not find expected '!'"));
        }
        self.cursor.skip();
        self.scan_word();
        if self.cursor.is_at(b'!') {
            self.cursor.skip();
        }
        Ok(self.cursor.text_since(start))
    }

    /// Reads the rest of a tag that begins with `head`, without the `!` of `head`. In go-yaml, commas and
    /// brackets are part of a tag, also inside flow collections.
    fn scan_tag_uri(&mut self, head: &str, context: &'static str) -> ScanResult<String> {
        let start = self.cursor.at;
        let mut uri = head.get(1..).unwrap_or_default().to_owned();
        while let Some(byte) = self.cursor.byte(0) {
            match byte {
                b'%' => self.scan_uri_escape(context, &mut uri)?,
                b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {}
                _ if b"_-;/?:@&=+$,.!~*'()[]".contains(&byte) => {}
                _ => break,
            }
            if byte != b'%' {
                uri.push(char::from(byte));
                self.cursor.skip();
            }
        }
        if head.is_empty() && self.cursor.at == start {
            return Err(self.error(context, "did not find expected tag URI"));
        }
        Ok(uri)
    }

    /// Reads a character whose bytes are written as `%xx`.
    fn scan_uri_escape(&mut self, context: &'static str, uri: &mut String) -> ScanResult<()> {
        let mut bytes = Vec::new();
        let mut left = 1;
        while left > 0 {
            let digits =
                [1, 2].map(|ahead| self.cursor.byte(ahead).and_then(|byte| char::from(byte).to_digit(16)));
            let (true, [Some(high), Some(low)]) = (self.cursor.is_at(b'%'), digits) else {
                return Err(self.error(context, "did not find URI escaped octet"));
            };
            let byte = (high << 4 | low) as u8;
            left = match (bytes.len(), byte) {
                (0, 0..=0x7F) => 1,
                (0, 0xC0..=0xDF) => 2,
                (0, 0xE0..=0xEF) => 3,
                (0, 0xF0..=0xF7) => 4,
                (0, _) => return Err(self.error(context, "found an incorrect leading UTF-8 octet")),
                (_, 0x80..=0xBF) => left,
                _ => return Err(self.error(context, "found an incorrect trailing UTF-8 octet")),
            };
            bytes.push(byte);
            left -= 1;
            (0..3).for_each(|_| self.cursor.skip());
        }
        uri.push_str(&String::from_utf8_lossy(&bytes));
        Ok(())
    }

    /// Reads the handle and prefix of a `%TAG` directive.
    pub(super) fn scan_tag_directive(&mut self) -> ScanResult<(&'a str, String)> {
        const SCANNING: &str = "while scanning a %TAG directive";
        self.cursor.skip_blanks();
        let handle = self.scan_tag_handle("while scanning a tag directive")?;
        if handle != "!" && !(handle.len() > 1 && handle.ends_with('!')) {
            return Err(self.error("while parsing a tag directive", "did not find expected '!'"));
        }
        if !self.cursor.is_blank(0) {
            return Err(self.error(SCANNING, "did not find expected whitespace"));
        }
        self.cursor.skip_blanks();
        let prefix = self.scan_tag_uri("", DIRECTIVE)?;
        if !self.cursor.is_space(0) {
            return Err(self.error(SCANNING, "did not find expected whitespace or line break"));
        }
        Ok((handle, prefix))
    }
}
