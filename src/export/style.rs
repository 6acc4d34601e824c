//! How text for people looks: colours or none, which glyphs, how wide.

use super::plain;

/// What a piece of text is, not which colour it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// An error.
    Error,
    /// A warning.
    Warning,
    /// A note.
    Note,
    /// Good news: an upgrade, a match.
    Good,
    /// What can be passed over.
    Dim,
    /// What the eye should find first.
    Bold,
    /// Nothing special.
    Text,
}

impl Ink {
    /// The parameters of the terminal's "select graphic rendition" sequence. Only the sixteen colours that every
    /// terminal has and lets its user choose.
    const fn sgr(self) -> &'static str {
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

/// How to write text for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether colours may be used.
    pub colour: bool,
    /// Whether only ASCII may be used, in what is ours; catalog text stays what it is.
    pub ascii: bool,
    /// Columns that sentences are folded to.
    pub width: usize,
    /// Whether cells are cut so that rows fit the width: on a terminal, never in a pipe.
    pub cut: bool,
}

impl Style {
    /// For files and pipes: no colours, nothing cut, sentences folded at 80 columns.
    pub const PLAIN: Self = Self { colour: false, ascii: false, width: 80, cut: false };

    /// Text made harmless, in its colour.
    pub fn paint(&self, ink: Ink, text: &str) -> String {
        let text = plain::line(text);
        if self.colour && ink != Ink::Text && !text.is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", ink.sgr())
        } else {
            text.into_owned()
        }
    }

    /// The sign that something was left out.
    pub const fn ellipsis(&self) -> &'static str {
        if self.ascii { "..." } else { "\u{2026}" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn painted_text_is_harmless_text_between_our_own_sequences() {
        let colour = Style { colour: true, ..Style::PLAIN };
        assert_eq!(colour.paint(Ink::Bold, "a\x1b[2Jb"), "\x1b[1ma\u{241b}[2Jb\x1b[0m");
        assert_eq!(Style::PLAIN.paint(Ink::Bold, "a\x1b[2Jb"), "a\u{241b}[2Jb");
    }

    #[test]
    fn nothing_is_painted_as_nothing() {
        assert_eq!(Style { colour: true, ..Style::PLAIN }.paint(Ink::Error, ""), "");
    }
}
