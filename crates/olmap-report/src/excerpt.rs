//! Excerpt of a source line with a mark under the relevant part, as compilers print it.

use std::ops::Range;

use super::{
    escape::{self, display_width},
    style::{Ink, Style},
    table::truncate_columns,
};

/// Columns kept before the mark if the line is too long to show from its beginning.
const CONTEXT: usize = 24;

/// Bytes read on either side of the mark. A catalog may be one line of megabytes, which no terminal
/// can show.
const WINDOW: usize = 4096;

/// Line of text with a marked part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Excerpt {
    before: String,
    marked: String,
    after: String,
}

impl Excerpt {
    /// Returns the line at the start of a byte range. The excerpt ends with that line. A range
    /// outside the text is moved to its end.
    pub fn from_range(text: &[u8], bytes: Range<usize>) -> Self {
        let is_break = |b: &u8| matches!(b, b'\n' | b'\r');
        let start = bytes.start.min(text.len());
        let (before, rest) = text.split_at(start);
        let before = &before[before.len().saturating_sub(WINDOW)..];
        let line_start = before.iter().rposition(is_break).map_or(0, |at| at + 1);
        let rest = &rest[..rest.len().min(2 * WINDOW)];
        let rest = &rest[..rest.iter().position(is_break).unwrap_or(rest.len())];
        let (marked, after) = rest.split_at(bytes.end.saturating_sub(start).min(rest.len()));
        Self {
            before: escape_source(&before[line_start..]),
            marked: escape_source(&marked[..marked.len().min(WINDOW)]),
            after: escape_source(&after[..after.len().min(WINDOW)]),
        }
    }

    /// Returns the line and the mark below it, without the gutter, cut to `columns`.
    pub fn render_marked_line(&self, style: &Style, ink: Ink, columns: usize) -> (String, String) {
        let ellipsis = style.ellipsis();
        let marked = truncate_columns(&self.marked, columns.saturating_sub(CONTEXT), ellipsis);
        let wide = display_width(&marked);
        let room = columns.saturating_sub(wide.max(1));
        let before = if escape::fitting_suffix(&self.before, room).len() == self.before.len() {
            self.before.clone()
        } else {
            cut_start(&self.before, CONTEXT.min(columns), ellipsis)
        };
        let indent = display_width(&before);
        let after = truncate_columns(&self.after, columns.saturating_sub(indent + wide), ellipsis);
        let mark = style.paint(ink, &"^".repeat(wide.max(1)));
        (format!("{before}{marked}{after}"), format!("{}{mark}", " ".repeat(indent)))
    }
}

fn escape_source(bytes: &[u8]) -> String {
    escape::escape_source_line(&String::from_utf8_lossy(bytes)).into_owned()
}

/// Returns the end of a text, cut to a number of columns, with an ellipsis before it.
fn cut_start(text: &str, columns: usize, ellipsis: &str) -> String {
    format!("{ellipsis}{}", escape::fitting_suffix(text, columns.saturating_sub(display_width(ellipsis))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render_excerpt(text: &str, bytes: Range<usize>, columns: usize) -> String {
        let (line, mark) = Excerpt::from_range(text.as_bytes(), bytes).render_marked_line(
            &Style::PLAIN,
            Ink::Error,
            columns,
        );
        format!("{line}\n{mark}")
    }

    #[test]
    fn mark_is_below_the_marked_text() {
        assert_eq!(render_excerpt("a: 1\n- name: foo\nb", 13..16, 80), "- name: foo\n        ^^^");
    }

    #[test]
    fn wide_characters_push_the_mark() {
        assert_eq!(render_excerpt("演算: 子", 8..11, 80), "演算: 子\n      ^^");
    }

    #[test]
    fn tabs_and_escapes_take_one_column() {
        assert_eq!(render_excerpt("\t\x1b: x", 4..5, 80), " \u{241b}: x\n    ^");
    }

    #[test]
    fn empty_range_gets_one_caret() {
        assert_eq!(render_excerpt("abc", 3..3, 80), "abc\n   ^");
        assert_eq!(render_excerpt("", 9..12, 80), "\n^");
    }

    #[test]
    fn only_the_first_line_of_a_range_is_shown() {
        assert_eq!(render_excerpt("a: |\n  b\n", 3..8, 80), "a: |\n   ^");
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        let long = format!("{}name{}", "x".repeat(500), "y".repeat(500));
        let text = render_excerpt(&long, 500..504, 40);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0].chars().count(), 40);
        assert!(lines[0].starts_with('\u{2026}') && lines[0].ends_with('\u{2026}'), "{text}");
        assert_eq!(lines[1].trim_start(), "^^^^");
        let at = lines[0].find("name").unwrap();
        assert_eq!(display_width(&lines[0][..at]), lines[1].find('^').unwrap());
    }

    #[test]
    fn invalid_utf8_is_shown_as_replacement_characters() {
        let (line, mark) =
            Excerpt::from_range(b"a: \xff\xfe", 3..4).render_marked_line(&Style::PLAIN, Ink::Error, 80);
        assert_eq!((line.as_str(), mark.as_str()), ("a: \u{fffd}\u{fffd}", "   ^"));
    }
}
