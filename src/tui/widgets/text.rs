//! Text in columns: measuring, cutting, padding, wrapping and highlighting. Grapheme clusters are
//! never split: Hangul syllables, letters with combining marks, emoji sequences.

pub use crate::tui::parts::text::{format_count, format_entry_count};
pub use olmap_report::escape::{display_width, wrap::wrap_text};

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

use crate::tui::{
    parts::{field::TextField, list},
    widgets::{
        canvas::{Line, Piece, line_width, piece},
        theme::Ink,
    },
};
use olmap_report::escape::{self, count_columns};

fn ellipsis(ascii: bool) -> &'static str {
    if ascii { "~" } else { "…" }
}

/// Cuts text to a width and marks the cut.
pub fn fit(text: &str, max: usize, ascii: bool) -> String {
    let text = escape::escape_line(text);
    // The text may be very long, so it is not measured as a whole.
    if escape::fitting_prefix(&text, max).len() == text.len() {
        return text.into_owned();
    }
    let Some(room) = max.checked_sub(1) else { return String::new() };
    format!("{}{}", escape::fitting_prefix(&text, room), ellipsis(ascii))
}

/// Cuts or pads text to exactly `wanted` columns.
pub fn pad(text: &str, wanted: usize, ascii: bool) -> String {
    let mut fitted = fit(text, wanted, ascii);
    let missing = wanted.saturating_sub(count_columns(&fitted));
    fitted.extend(std::iter::repeat_n(' ', missing));
    fitted
}

/// Cuts or pads text like [`pad`], but cuts its middle: names that begin with the same words stay different.
pub fn pad_middle(text: &str, wanted: usize, ascii: bool) -> String {
    pad(&escape::shorten_middle(text, wanted, if ascii { "~" } else { "…" }), wanted, ascii)
}

/// Cuts text to a width and highlights some of its characters. `matched` holds their indices, in
/// order. A grapheme cluster is highlighted as a whole; the cut mark never is. `ink` is the ink
/// of all other characters.
pub fn highlight_matches(words: &str, matched: &[usize], max: usize, ink: Ink, ascii: bool) -> Line {
    let (words, matched) = display_text(words, matched);
    let is_cut = escape::fitting_prefix(&words, max).len() < words.len();
    let Some(room) = max.checked_sub(usize::from(is_cut)) else { return Line::new() };
    let mut number = 0;
    let mut pieces = highlight_where(escape::fitting_prefix(&words, room), ink, |_, grapheme| {
        let (first, end) = (number, number + grapheme.chars().count());
        number = end;
        let next = matched.partition_point(|at| *at < first);
        matched.get(next).is_some_and(|at| *at < end)
    });
    if is_cut {
        pieces.push(piece(ellipsis(ascii), ink));
    }
    pieces
}

/// Returns the text as displayed, and the indices of some of its characters in that form. An
/// escaped character can take several characters.
fn display_text<'t>(text: &'t str, numbers: &'t [usize]) -> (Cow<'t, str>, Cow<'t, [usize]>) {
    let line = escape::escape_line(text);
    if matches!(line, Cow::Borrowed(_)) {
        return (line, numbers.into());
    }
    let (mut one, mut at, mut moved) = (String::new(), 0, Vec::new());
    for (number, c) in text.chars().enumerate() {
        one.clear();
        escape::push_escaped(&mut one, c);
        let end = at + one.chars().count();
        if numbers.binary_search(&number).is_ok() {
            moved.extend(at..end);
        }
        at = end;
    }
    (line, moved.into())
}

/// Highlights the words of a filter in a text.
pub fn highlight_filter(text: &str, ink: Ink, filter: &str) -> Line {
    let matches = list::match_ranges(filter, text);
    if matches.is_empty() && !text.is_empty() {
        return vec![piece(text, ink)];
    }
    // Both are sorted, so matches that end before this grapheme cannot match later ones.
    let mut rest = matches.as_slice();
    highlight_where(text, ink, |at, grapheme| {
        let passed = rest.iter().take_while(|found| found.end <= at).count();
        rest = rest.get(passed..).unwrap_or_default();
        rest.first().is_some_and(|found| found.start < at + grapheme.len())
    })
}

/// Wraps text of one color into lines.
pub fn wrapped_lines(words: &str, columns: usize, ink: Ink) -> Vec<Line> {
    wrap_text(words, columns).into_iter().map(|line| vec![piece(line, ink)]).collect()
}

/// Wraps text to the right of a head, which only the first line has. The other lines have blanks instead.
pub fn hanging_lines(head: &[Piece], text: &str, columns: usize, ink: Ink) -> Vec<Line> {
    let blanks: Line =
        head.iter().map(|part| piece(" ".repeat(display_width(&part.text)), part.ink)).collect();
    let heads = std::iter::once(head).chain(std::iter::repeat(blanks.as_slice()));
    let wrapped = wrapped_lines(text, columns.saturating_sub(line_width(head)), ink);
    heads.zip(wrapped).map(|(head, line)| [head, &line].concat()).collect()
}

/// Splits text into pieces. `is_lit` gets the byte offset of each grapheme and the grapheme.
fn highlight_where(text: &str, ink: Ink, mut is_lit: impl FnMut(usize, &str) -> bool) -> Line {
    let mut pieces: Line = Vec::new();
    for (at, grapheme) in text.grapheme_indices(true) {
        let ink = if is_lit(at, grapheme) { Ink::Match } else { ink };
        match pieces.last_mut() {
            Some(last) if last.ink == ink => last.text.push_str(grapheme),
            _ => pieces.push(piece(grapheme, ink)),
        }
    }
    pieces
}

/// Visible part of a text field.
pub struct FieldWindow<'a> {
    /// Visible text, from its first grapheme to the end of the text.
    pub shown: &'a str,
    /// Column of the cursor.
    pub cursor: usize,
}

impl<'a> FieldWindow<'a> {
    /// Computes the visible part for `room` columns: the cursor and as much text before it as fits.
    pub fn for_input(input: &'a TextField, room: u16) -> Self {
        let value = input.value();
        let before = byte_offset(value, input.cursor());
        let (head, _) = value.split_at_checked(before).unwrap_or((value, ""));
        let room = usize::from(room).saturating_sub(1);
        let (mut start, mut used) = (head.len(), 0);
        for grapheme in head.graphemes(true).rev() {
            let wide = display_width(grapheme);
            if used + wide > room {
                break;
            }
            used += wide;
            start -= grapheme.len();
        }
        Self { shown: value.get(start..).unwrap_or_default(), cursor: used }
    }

    /// Returns the 0-based column of a character of the text; `None` if it is not visible.
    pub fn column(&self, value: &str, character: usize) -> Option<usize> {
        let before = byte_offset(value, character);
        let hidden = value.len() - self.shown.len();
        Some(display_width(value.get(hidden..before)?))
    }
}

/// Returns the byte offset of the character with the given index.
fn byte_offset(text: &str, characters: usize) -> usize {
    text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at)
}
