//! Style of text for people: colors, glyphs and width.

use strum::VariantArray;

use super::{document::Piece, escape, escape::wrap};

/// Semantic color of text, in text output and in the explorer. Words and marks convey it too, never the color alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, VariantArray)]
pub enum Ink {
    /// Ordinary text.
    #[default]
    Text,
    /// Less important text.
    Dim,
    /// Headings.
    Title,
    /// Emphasized words within text.
    Bold,
    /// Tab of the visible screen, and heading of the focused pane.
    Active,
    /// Lines between panes.
    Rule,
    /// Border of the focused element.
    Border,
    /// Keys in hints.
    Key,
    /// Letters that match the input.
    Match,
    /// Errors, dead ends.
    Error,
    /// Warnings, escapes.
    Warning,
    /// Notes.
    Note,
    /// Heads, additions and successes.
    Good,
    /// Deprecated items.
    Deprecated,
    /// Skipped or ignored items.
    Skipped,
    /// Edges of `replaces`.
    Replaces,
    /// Edges of `skips`.
    Skips,
    /// Edges of `skipRange`.
    Range,
    /// Removed items.
    Removed,
    /// Name of a removed item in the row that it still has; struck out.
    Gone,
    /// OLM Classic.
    Classic,
    /// OLM v1.
    V1,
    /// Code in a description.
    Code,
    /// URL in a description.
    Link,
    /// Text field.
    Field,
    /// Notice of success, drawn over the screen.
    Toast,
    /// Notice of failure, drawn over the screen.
    ToastFailed,
    /// Selected row of the focused list; patches a row that is already drawn.
    Selection,
    /// Selected row of another list; patches a row that is already drawn.
    SelectionAside,
    /// Text cursor; patches a cell that is already drawn.
    Cursor,
    /// Stale content during a reload; patches what is already drawn.
    Stale,
}

impl Ink {
    /// All inks.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Returns the parameters of the terminal's "select graphic rendition" sequence. They use only
    /// the sixteen colors that every terminal has and that its user can choose. Empty for inks that only
    /// the explorer distinguishes.
    const fn sgr_parameters(self) -> &'static str {
        match self {
            Self::Error => "1;31",
            Self::Warning => "1;33",
            Self::Note => "1;36",
            Self::Good => "32",
            Self::Dim => "2",
            Self::Title | Self::Bold => "1",
            _ => "",
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
        match ink.sgr_parameters() {
            parameters if self.color && !parameters.is_empty() && !text.is_empty() => {
                format!("\x1b[{parameters}m{text}\x1b[0m")
            }
            _ => text.into_owned(),
        }
    }

    /// Colors the pieces of a line.
    pub fn paint_line(&self, line: &[Piece]) -> String {
        line.iter().map(|piece| self.paint(piece.ink, &piece.text)).collect()
    }

    /// Wraps text at the width and colors each line, with an indentation for the first line and one for the others.
    /// Every line has a line break.
    pub fn paint_wrapped(&self, ink: Ink, text: &str, first: &str, rest: &str) -> String {
        let wrapped = wrap::wrap_hanging(text, first, rest, self.width);
        wrapped.lines().map(|line| self.paint(ink, line) + "\n").collect()
    }

    /// Wraps and colors text to the right of a label, which is padded to eight columns.
    pub fn paint_labeled(&self, label: &str, ink: Ink, text: &str) -> String {
        let wrapped = wrap::wrap_sentence(text, "", self.width.saturating_sub(11));
        let labels = std::iter::once(label).chain(std::iter::repeat(""));
        let line = |(line, label)| format!("  {label:<8} {}\n", self.paint(ink, line));
        wrapped.lines().zip(labels).map(line).collect()
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
    fn wrapped_text_is_colored_line_by_line() {
        let style = Style { color: true, width: 8, ..Style::PLAIN };
        let text = style.paint_wrapped(Ink::Dim, "one two", "- ", "  ");
        assert_eq!(text, "\x1b[2m- one\x1b[0m\n\x1b[2m  two\x1b[0m\n");
        let style = Style { width: 14, ..Style::PLAIN };
        assert_eq!(style.paint_labeled("new", Ink::Dim, "one two"), "  new      one\n           two\n");
    }

    #[test]
    fn empty_text_has_no_color_sequences() {
        assert_eq!(Style { color: true, ..Style::PLAIN }.paint(Ink::Error, ""), "");
    }
}
