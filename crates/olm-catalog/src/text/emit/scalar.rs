//! Writes one scalar, and tracks the column that decides where texts fold.

use std::fmt::Write as _;

use memchr::memchr_iter;

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

/// Styles of strings in canonical YAML.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// `text`
    Plain,
    /// `'text'`
    Single,
    /// `"text"`
    Double,
    /// `|-` and lines
    Literal,
}

/// Styles that the characters of a text allow (libyaml's `yaml_emitter_analyze_scalar`).
// Independent facts, not a state machine.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowed {
    /// True if the text has line breaks of any kind.
    pub multiline: bool,
    /// Plain style outside `[]` and `{}`.
    plain: bool,
    /// Plain style inside `[]` and `{}`.
    plain_in_flow: bool,
    single: bool,
    literal: bool,
}

impl Allowed {
    /// Examines every character once.
    pub(super) fn analyze(text: &str) -> Self {
        let bytes = text.as_bytes();
        if bytes.is_empty() {
            return Self {
                multiline: false,
                plain: true,
                plain_in_flow: false,
                single: true,
                literal: false,
            };
        }
        // Document markers are rejected at every position, not only where they could be mistaken for one.
        let marker = text.starts_with("---") || text.starts_with("...");
        let (mut indicator, mut flow_indicator, mut special) = (marker, marker, false);
        let (mut breaks, mut break_blank, mut blank_break) = (false, false, false);
        let mut before = None;
        for (at, c) in text.char_indices() {
            let after_blank = before.is_none_or(|c: char| c == ' ' || c == '\t' || c == '\0' || is_break(c));
            let before_blank = || matches!(bytes.get(at + c.len_utf8()), None | Some(b' ' | b'\t'));
            match c {
                ',' | '[' | ']' | '{' | '}' => {
                    flow_indicator = true;
                    indicator |= at == 0;
                }
                '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' if at == 0 => indicator = true,
                '#' if after_blank => indicator = true,
                '-' if at == 0 && before_blank() => indicator = true,
                '?' | ':' => {
                    flow_indicator = true;
                    indicator |= (at == 0 || c == ':') && before_blank();
                }
                _ => special |= !is_printable(c),
            }
            if c == ' ' {
                break_blank |= before.is_some_and(is_break);
            } else if is_break(c) {
                breaks = true;
                blank_break |= before == Some(' ');
            }
            before = Some(c);
        }
        let at_edge = |c: Option<char>| c.is_some_and(|c| c == ' ' || is_break(c));
        let edges = at_edge(text.chars().next()) || at_edge(before);
        let inside = !(edges || breaks || break_blank || blank_break || special);
        // A block that ends with such a separator lacks a line feed, so it would swallow the next `---`. opm
        // writes it nevertheless.
        let separator_ends = before.is_some_and(|c| c != '\n' && is_break(c));
        Self {
            multiline: breaks,
            plain: inside && !indicator,
            plain_in_flow: inside && !indicator && !flow_indicator,
            single: !(break_blank || blank_break || special),
            literal: !(before == Some(' ') || blank_break || special || separator_ends),
        }
    }

    /// Returns the style that opm chooses for a value or a key. A text with a line feed is a block, a lookalike
    /// of another type is in double quotes, and any other text is plain. A multi-line key is in double quotes.
    /// Plain text that is not allowed uses single quotes; otherwise double quotes are the fallback.
    pub(super) fn style(self, text: &str, simple_key: bool) -> Style {
        let mut style = if text.contains('\n') {
            Style::Literal
        } else if super::is_read_as_string(text) {
            Style::Plain
        } else {
            Style::Double
        };
        if simple_key && self.multiline {
            style = Style::Double;
        }
        if style == Style::Plain && !self.plain || simple_key && text == "<<" {
            style = Style::Single;
        }
        if style == Style::Single && !self.single || style == Style::Literal && (simple_key || !self.literal)
        {
            style = Style::Double;
        }
        style
    }
}

/// Returns true for the line breaks of YAML 1.1.
pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns true for characters that libyaml writes unescaped. Characters beyond the basic plane are escaped.
fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}

/// Writes a string as one YAML scalar on one line, for insertion into an existing file. It is plain if every
/// reader of YAML 1.1 and 1.2 reads the same string, also inside `[]` and `{}`, otherwise quoted.
pub fn write_inline_scalar(text: &str) -> String {
    let allowed = Allowed::analyze(text);
    let style = if allowed.multiline || !super::is_read_as_string_everywhere(text) {
        Style::Double
    } else if allowed.plain_in_flow {
        Style::Plain
    } else if allowed.single {
        Style::Single
    } else {
        Style::Double
    };
    let mut printer = Printer::default();
    printer.write_text(text, style, None);
    printer.into_string()
}
