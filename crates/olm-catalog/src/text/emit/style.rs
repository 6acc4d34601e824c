//! Style of a string: plain, quoted, or a block.

use super::lookalike;
use super::scalar::Printer;

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
        } else if lookalike::is_read_as_string(text) {
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
pub(super) fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}

/// Writes a string as one YAML scalar on one line, for insertion into an existing file. It is plain if every
/// reader of YAML 1.1 and 1.2 reads the same string, also inside `[]` and `{}`, otherwise quoted.
pub fn write_inline_scalar(text: &str) -> String {
    let allowed = Allowed::analyze(text);
    let style = if allowed.multiline || !lookalike::is_read_as_string_everywhere(text) {
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
