//! Block scalars (`|` and `>`) and quoted scalars.

use std::borrow::Cow;

use super::{ScanResult, Scanner, Style, Token, TokenKind, error_at};
use crate::text::yaml::unfold;

const BLOCK: &str = "while scanning a block scalar";

/// Treatment of the line breaks at the end.
#[derive(Clone, Copy, PartialEq)]
enum Chomp {
    /// Keeps one line break.
    Clip,
    Strip,
    Keep,
}

impl Scanner<'_> {
    /// Reads the scalar at its `|` or `>`. Its span ends with the last line that has content, or with its
    /// indicators.
    pub(super) fn scan_block_scalar(&mut self) -> ScanResult<()> {
        self.remove_key_candidate()?;
        self.may_begin_key = true;
        let start = self.cursor.at;
        let is_folded = self.cursor.is_at(b'>');
        self.cursor.skip();
        let (chomp, digit) = self.scan_block_header()?;
        let mut end = self.cursor.at;
        self.cursor.skip_blanks();
        self.cursor.skip_comment();
        if !self.cursor.is_line_end() {
            return Err(self.error(BLOCK, "did not find expected comment or line break"));
        }
        self.cursor.skip_line_break();

        let mut text = String::new();
        // Break of the last line with content, and breaks of blank lines after it.
        let mut line_break = "";
        let mut blank_lines = String::new();
        let mut begins_blank = false;
        let mut indentation = digit.map(|digit| self.indent.unwrap_or(0) + digit);
        self.skip_blank_lines(&mut indentation, &mut blank_lines)?;
        while Some(self.cursor.column()) == indentation && self.cursor.byte(0).is_some() {
            let is_blank = self.cursor.is_blank(0);
            if is_folded && line_break == "\n" && !begins_blank && !is_blank {
                if blank_lines.is_empty() {
                    text.push(' ');
                }
            } else {
                text.push_str(line_break);
            }
            text.push_str(&blank_lines);
            blank_lines.clear();
            begins_blank = is_blank;
            let line = self.cursor.at;
            self.cursor.skip_line();
            end = self.cursor.at;
            text.push_str(self.cursor.text_since(line));
            line_break = self.take_line_break();
            self.skip_blank_lines(&mut indentation, &mut blank_lines)?;
        }
        if chomp != Chomp::Strip {
            text.push_str(line_break);
        }
        if chomp == Chomp::Keep {
            text.push_str(&blank_lines);
        }
        self.push_token(Token {
            kind: TokenKind::Scalar { text: text.into(), style: Style::Block },
            start,
            end,
        });
        Ok(())
    }

    /// Reads the indicators `-` or `+` and the indentation digit, in any order.
    fn scan_block_header(&mut self) -> ScanResult<(Chomp, Option<usize>)> {
        let mut chomp = None;
        let mut digit = None;
        loop {
            match self.cursor.byte(0) {
                Some(b'+') if chomp.is_none() => chomp = Some(Chomp::Keep),
                Some(b'-') if chomp.is_none() => chomp = Some(Chomp::Strip),
                Some(b'0') if digit.is_none() => {
                    return Err(self.error(BLOCK, "found an indentation indicator equal to 0"));
                }
                Some(byte @ b'1'..=b'9') if digit.is_none() => digit = Some(usize::from(byte - b'0')),
                _ => return Ok((chomp.unwrap_or(Chomp::Clip), digit)),
            }
            self.cursor.skip();
        }
    }

    /// Skips blank lines and the indentation of the next line. If the indentation is not known yet, it is that
    /// of the most indented line.
    fn skip_blank_lines(&mut self, indentation: &mut Option<usize>, breaks: &mut String) -> ScanResult<()> {
        let mut most = 0;
        loop {
            let is_before = |column: usize| indentation.is_none_or(|indentation| column < indentation);
            while is_before(self.cursor.column()) && self.cursor.is_at(b' ') {
                self.cursor.skip();
            }
            most = most.max(self.cursor.column());
            if is_before(self.cursor.column()) && self.cursor.is_at(b'\t') {
                let problem = "found a tab character where an indentation space is expected";
                return Err(self.error(BLOCK, problem));
            }
            if self.cursor.line_break(0) == 0 {
                break;
            }
            breaks.push_str(self.take_line_break());
        }
        let least = self.indent.map_or(1, |indent| indent + 1);
        indentation.get_or_insert(most.max(least));
        Ok(())
    }

    /// Skips a line break and returns its value.
    fn take_line_break(&mut self) -> &'static str {
        let line_break = match self.cursor.line_break(0) {
            0 => "",
            3 if self.cursor.byte(2) == Some(0xA8) => "\u{2028}",
            3 => "\u{2029}",
            _ => "\n",
        };
        self.cursor.skip_line_break();
        line_break
    }
}

const QUOTED: &str = "while scanning a quoted scalar";

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
                return Err(self.error(QUOTED, "found unexpected end of stream"));
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
                return Err(self.error(QUOTED, "found unexpected document indicator"));
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
        const QUOTED: &str = "while parsing a quoted scalar";
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
                let mut error = self.error(QUOTED, "found unknown escape character");
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
                return Err(self.error(QUOTED, "did not find expected hexdecimal number"));
            };
            code = code << 4 | digit;
        }
        if char::from_u32(code).is_none() {
            return Err(self.error(QUOTED, "found invalid Unicode character escape code"));
        }
        (0..digits).for_each(|_| self.cursor.skip());
        Ok(())
    }
}
