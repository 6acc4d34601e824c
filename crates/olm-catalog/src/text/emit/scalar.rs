//! Writes one scalar, and tracks the column that decides where texts fold.

use super::style::{Style, is_break, is_printable};
use memchr::memchr_iter;
use std::fmt::Write as _;

/// A text folds at the first single blank after this many columns.
const WIDTH: usize = 80;

/// Appends blanks, many at a time.
pub(super) fn push_blanks(out: &mut String, mut count: usize) {
    const BLANKS: &str = "                                                                ";
    while count > 0 {
        let now = count.min(BLANKS.len());
        out.push_str(&BLANKS[..now]);
        count -= now;
    }
}

/// Output so far, with the state that libyaml's emitter keeps of its last line.
#[derive(Debug)]
pub(super) struct Printer {
    out: String,
    /// Number of characters on the current line.
    column: usize,
    /// True if the last output was a blank or indentation, so that the next token does not need a blank.
    spaced: bool,
    /// True if the current line has only indentation and block indicators (`-`, `?`, `:`).
    indenting: bool,
}

impl Default for Printer {
    fn default() -> Self {
        Self { out: String::new(), column: 0, spaced: true, indenting: true }
    }
}

impl Printer {
    /// Returns the output.
    pub(super) fn into_string(self) -> String {
        self.out
    }

    /// Returns true if the current line has only indentation and block indicators.
    pub(super) fn is_indenting(&self) -> bool {
        self.indenting
    }

    /// Moves to column `indent`, on a new line unless the current line can still be used.
    pub(super) fn indent(&mut self, indent: usize) {
        if !self.indenting || self.column > indent || self.column == indent && !self.spaced {
            self.write_line_feed();
        }
        push_blanks(&mut self.out, indent.saturating_sub(self.column));
        self.column = self.column.max(indent);
        self.spaced = true;
        self.indenting = true;
    }

    /// Writes a `-`, `?` or `:` that opens a block node.
    pub(super) fn write_block_indicator(&mut self, indicator: char) {
        let indenting = self.indenting;
        self.write_space();
        self.push_char(indicator);
        self.spaced = false;
        self.indenting = indenting;
    }

    /// Writes the `:` right after a key.
    pub(super) fn write_colon(&mut self) {
        self.push_char(':');
        self.spaced = false;
        self.indenting = false;
    }

    /// Writes a token that never folds: a number, a word, `[]`, `{}`.
    pub(super) fn write_token(&mut self, token: &str) {
        self.write_space();
        self.push_word(token);
        self.spaced = false;
        self.indenting = false;
    }

    /// Writes a string. With `fold`, it folds beyond [`WIDTH`] and continues in that column; block scalars are
    /// indented to it.
    pub(super) fn write_text(&mut self, text: &str, style: Style, fold: Option<usize>) {
        if style == Style::Literal {
            return self.write_literal(text, fold.unwrap_or_default());
        }
        self.write_space();
        match style {
            Style::Double => self.write_double(text, fold),
            Style::Single => {
                self.push_char('\'');
                self.indenting = false;
                self.write_folded(text, fold, Self::write_single_word);
                self.push_char('\'');
            }
            Style::Plain | Style::Literal => {
                self.indenting = false;
                self.write_folded(text, fold, |printer, word, _| printer.push_word(word));
            }
        }
        self.spaced = false;
        self.indenting = false;
    }

    fn write_space(&mut self) {
        if !self.spaced {
            self.push_char(' ');
        }
    }

    fn push_char(&mut self, c: char) {
        self.out.push(c);
        self.column += 1;
    }

    fn push_word(&mut self, word: &str) {
        self.out.push_str(word);
        self.column += word.bytes().filter(|byte| byte & 0xC0 != 0x80).count();
    }

    fn write_line_feed(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    /// Writes a line break that is part of the text (such as a line separator); the next line is indented
    /// again.
    fn write_text_break(&mut self, c: char) {
        self.out.push(c);
        self.column = 0;
        self.indenting = true;
    }

    /// Writes words with `word` and the blanks between them, and folds at single blanks.
    fn write_folded(&mut self, text: &str, fold: Option<usize>, word: impl Fn(&mut Self, &str, usize)) {
        let bytes = text.as_bytes();
        let (mut start, mut after_blank) = (0, false);
        for at in memchr_iter(b' ', bytes) {
            if start < at {
                word(self, &text[start..at], fold.unwrap_or_default());
                after_blank = false;
            }
            start = at + 1;
            let foldable = !after_blank && 0 < at && bytes.get(at + 1).is_some_and(|next| *next != b' ');
            match fold {
                Some(indent) if foldable && self.column > WIDTH => self.indent(indent),
                _ => self.push_char(' '),
            }
            after_blank = true;
        }
        if start < text.len() {
            word(self, &text[start..], fold.unwrap_or_default());
        }
    }

    /// Writes a word of a single-quoted text: doubles quotes, and indents after line breaks of the text.
    fn write_single_word(&mut self, word: &str, indent: usize) {
        for piece in word.split_inclusive(|c| c == '\'' || is_break(c)) {
            let (content, end) = match piece.char_indices().next_back() {
                Some((at, end)) if end == '\'' || is_break(end) => (&piece[..at], Some(end)),
                _ => (piece, None),
            };
            if self.indenting && !(content.is_empty() && end.is_some_and(is_break)) {
                self.indent(indent);
            }
            self.push_word(content);
            match end {
                Some('\'') => self.push_word("''"),
                Some(own_break) => {
                    self.write_text_break(own_break);
                    continue;
                }
                None => {}
            }
            self.indenting = false;
        }
    }

    fn write_double(&mut self, text: &str, fold: Option<usize>) {
        self.push_char('"');
        self.indenting = false;
        // libyaml escapes every character of a text that begins with a byte order mark.
        let escape_all = text.starts_with('\u{feff}');
        let mut after_blank = false;
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if escape_all || !is_printable(c) || is_break(c) || matches!(c, '"' | '\\') {
                self.write_escape(c);
                after_blank = false;
            } else if c == ' ' {
                match (fold, chars.peek()) {
                    (Some(indent), Some((_, next))) if !after_blank && self.column > WIDTH && at > 0 => {
                        self.indent(indent);
                        if *next == ' ' {
                            self.push_char('\\');
                        }
                    }
                    _ => self.push_char(' '),
                }
                after_blank = true;
            } else {
                self.push_char(c);
                after_blank = false;
            }
        }
        self.push_char('"');
    }

    fn write_escape(&mut self, c: char) {
        let short = match c {
            '\0' => '0',
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{b}' => 'v',
            '\u{c}' => 'f',
            '\r' => 'r',
            '\u{1b}' => 'e',
            '"' => '"',
            '\\' => '\\',
            '\u{85}' => 'N',
            '\u{a0}' => '_',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            _ => {
                let before = self.out.len();
                let code = u32::from(c);
                // Writing to a string cannot fail.
                let _ = match code {
                    0..=0xFF => write!(self.out, "\\x{code:02X}"),
                    0x100..=0xFFFF => write!(self.out, "\\u{code:04X}"),
                    _ => write!(self.out, "\\U{code:08X}"),
                };
                self.column += self.out.len() - before;
                return;
            }
        };
        self.push_char('\\');
        self.push_char(short);
    }

    /// Writes `|`, the header indicators and the lines. The indicators are `2` if the text begins with a blank
    /// or break, `-` without a final break, and `+` with more than one.
    fn write_literal(&mut self, text: &str, indent: usize) {
        self.write_space();
        self.push_char('|');
        if text.starts_with(|c| c == ' ' || is_break(c)) {
            self.push_char('2');
        }
        let mut ending = text.chars().rev();
        match (ending.next().is_some_and(is_break), ending.next()) {
            (false, _) => self.push_char('-'),
            (true, None) => self.push_char('+'),
            (true, Some(c)) if is_break(c) => self.push_char('+'),
            _ => {}
        }
        self.write_line_feed();
        self.spaced = true;
        self.indenting = true;
        for line in text.split_inclusive(is_break) {
            let content = line.trim_end_matches(is_break);
            if !content.is_empty() {
                self.indent(indent);
                self.push_word(content);
                self.indenting = false;
            }
            if let Some(end) = line[content.len()..].chars().next() {
                self.write_text_break(end);
            }
        }
    }
}
