//! Quoted scalars.

use std::borrow::Cow;

use super::{ScanResult, Scanner, Style, Token, TokenKind, error_at};
use crate::text::yaml::unfold;

const CONTEXT: &str = "while scanning a quoted scalar";

impl<'a> Scanner<'a> {
    /// Reads the scalar at its opening quote.
    pub(super) fn scan_quoted(&mut self) -> ScanResult<Token<'a>> {
        let start = self.cursor.at;
        let quote = self.cursor.byte(0).unwrap_or(b'\'');
        self.cursor.skip();
        let is_double = quote == b'"';
        // True if the value differs from the source text.
        let (mut has_breaks, mut has_escapes) = (false, false);
        loop {
            let Some(byte) = self.cursor.byte(0) else {
                return Err(self.error(CONTEXT, "found unexpected end of stream"));
            };
            if byte == quote {
                self.cursor.skip();
                if is_double || !self.cursor.is_at(quote) {
                    break;
                }
                has_escapes = true;
                self.cursor.skip();
            } else if byte == b'\\' && is_double {
                has_escapes = true;
                self.skip_escape()?;
            } else if self.cursor.line_break(0) > 0 {
                has_breaks = true;
                self.cursor.skip_line_break();
            } else {
                self.cursor.skip();
                continue;
            }
            if self.cursor.is_at_marker() {
                return Err(self.error(CONTEXT, "found unexpected document indicator"));
            }
        }
        let source = self.cursor.text_since(start);
        let inner = source.get(1..source.len().saturating_sub(1)).unwrap_or_default();
        let text = match (is_double, has_breaks || has_escapes) {
            (_, false) => Cow::Borrowed(inner),
            (true, true) => Cow::Owned(unfold::unquote_double(source)),
            (false, true) => Cow::Owned(unfold::unquote_single(inner)),
        };
        Ok(Token { kind: TokenKind::Scalar { text, style: Style::Quoted }, start, end: self.cursor.at })
    }

    /// Skips an escape or an escaped line break.
    fn skip_escape(&mut self) -> ScanResult<()> {
        const CONTEXT: &str = "while parsing a quoted scalar";
        if self.cursor.line_break(1) > 0 {
            self.cursor.skip();
            self.cursor.skip_line_break();
            return Ok(());
        }
        let digits = match self.cursor.byte(1) {
            Some(b'0' | b'a' | b'b' | b't' | b'\t' | b'n' | b'v' | b'f' | b'r' | b'e' | b' ') => 0,
            // `\'` is specific to go-yaml, which does not support JSON's `\/`.
            Some(b'"' | b'\'' | b'\\' | b'N' | b'_' | b'L' | b'P') => 0,
            Some(b'x') => 2,
            Some(b'u') => 4,
            Some(b'U') => 8,
            _ => {
                let mut error = self.error(CONTEXT, "found unknown escape character");
                // The backslash and the character after it.
                let letter = error_at(self.cursor.text, self.cursor.at + 1, "", "");
                error.span.end = letter.span.end;
                return Err(error);
            }
        };
        self.cursor.skip();
        self.cursor.skip();
        let mut code = 0u32;
        for ahead in 0..digits {
            let digit = self.cursor.byte(ahead).and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.error(CONTEXT, "did not find expected hexdecimal number"));
            };
            code = code << 4 | digit;
        }
        if char::from_u32(code).is_none() {
            return Err(self.error(CONTEXT, "found invalid Unicode character escape code"));
        }
        (0..digits).for_each(|_| self.cursor.skip());
        Ok(())
    }
}
