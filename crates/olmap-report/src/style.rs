//! Style of text for people: colors, glyphs and width.

use super::escape;

/// Semantic color of a piece of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// Error message.
    Error,
    /// Warning.
    Warning,
    /// Note.
    Note,
    /// Good news, such as an upgrade or a match.
    Good,
    /// Secondary text.
    Dim,
    /// Emphasized text.
    Bold,
    /// Ordinary text.
    Text,
}

impl Ink {
    /// Returns the parameters of the terminal's "select graphic rendition" sequence. They use only
    /// the sixteen colors that every terminal has and that its user can choose.
    const fn sgr_parameters(self) -> &'static str {
        match self {
            Self::Error => "1;31",
            Self::Warning => "1;33",
            Self::Note => "1;36",
            Self::Good => "32",
            Self::Dim => "2",
            Self::Bold => "1",
            Self::Text => "",
        }
    }
}

/// Style of text for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// True if colors are allowed.
    pub color: bool,
    /// True if our own text must be ASCII; catalog text is not changed.
    pub ascii: bool,
    /// Width in columns at which sentences wrap.
    pub width: usize,
    /// True if cells are cut to fit the width: on a terminal, never in a pipe.
    pub cuts_cells: bool,
}

impl Style {
    /// Style for files and pipes: no colors, no cut cells, sentences wrapped at 80 columns.
    pub const PLAIN: Self = Self { color: false, ascii: false, width: 80, cuts_cells: false };

    /// Colors a text and removes control characters.
    pub fn paint(&self, ink: Ink, text: &str) -> String {
        let text = escape::escape_line(text);
        if self.color && ink != Ink::Text && !text.is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", ink.sgr_parameters())
        } else {
            text.into_owned()
        }
    }

    /// Returns the omission sign.
    pub const fn ellipsis(&self) -> &'static str {
        if self.ascii { "..." } else { "\u{2026}" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn painted_text_is_harmless_text_between_our_own_sequences() {
        let colour = Style { color: true, ..Style::PLAIN };
        assert_eq!(colour.paint(Ink::Bold, "a\x1b[2Jb"), "\x1b[1ma\u{241b}[2Jb\x1b[0m");
        assert_eq!(Style::PLAIN.paint(Ink::Bold, "a\x1b[2Jb"), "a\u{241b}[2Jb");
    }

    #[test]
    fn empty_text_has_no_color_sequences() {
        assert_eq!(Style { color: true, ..Style::PLAIN }.paint(Ink::Error, ""), "");
    }
}
