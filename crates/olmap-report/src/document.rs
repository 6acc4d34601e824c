//! Styled text as data: pieces, lines, and items with a mark.
//!
//! The module of a topic builds it once. [`Style`](crate::Style) writes it for terminals, pipes and files, the explorer
//! draws it, and comments and pages write the text of its pieces as Markdown and HTML.

use crate::{
    escape::{display_width, wrap},
    style::Ink,
};

/// Text with a semantic color.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Text of the piece. Text from a catalog is not escaped; the writers do that.
    pub text: String,
    /// Color of the piece.
    pub ink: Ink,
}

/// Line of text.
pub type Line = Vec<Piece>;

/// Builds a piece.
pub fn piece(text: impl Into<String>, ink: Ink) -> Piece {
    Piece { text: text.into(), ink }
}

/// Builds a piece of ordinary text.
pub fn text_piece(text: impl Into<String>) -> Piece {
    piece(text, Ink::Text)
}

/// Returns the width of a line in columns. The text must be escaped.
pub fn line_width(line: &[Piece]) -> usize {
    line.iter().map(|piece| display_width(&piece.text)).sum()
}

/// Wraps text of one color, with an indentation for the first line and one for the others. A line is wider than `columns`
/// only if a word is too long.
pub fn wrap_lines(text: &str, ink: Ink, [first, rest]: [&str; 2], columns: usize) -> Vec<Line> {
    wrap::wrap_hanging(text, first, rest, columns).lines().map(|line| vec![piece(line, ink)]).collect()
}

/// Formats a number with the singular or plural noun.
pub fn count_noun(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Paragraph of a list, with a mark before its first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Indentation level.
    pub indent: usize,
    /// Mark or label, such as `+`; may be empty.
    pub mark: &'static str,
    /// Color of the mark.
    pub ink: Ink,
    /// Text of the item. Text from a catalog is not escaped.
    pub text: String,
}
