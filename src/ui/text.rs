//! Text in columns: measured, cut, filled, wrapped, lit up. What a reader takes for a letter is never cut: a syllable of
//! Hangul, a letter with its marks, an emoji of several.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

pub use crate::{
    app::parts::text::{entries, plural},
    export::plain::{width, wrap::wrap},
};

use super::{
    canvas::{Pieces, piece},
    theme::Role,
};
use crate::{
    app::parts::list,
    export::plain::{self, columns},
};

fn mark(ascii: bool) -> &'static str {
    if ascii { "~" } else { "…" }
}

/// A text cut to a width, with a mark where something was cut.
pub fn fit(text: &str, max: usize, ascii: bool) -> String {
    let text = plain::line(text);
    // Not measured as a whole: it may be far longer.
    if plain::head(&text, max).len() == text.len() {
        return text.into_owned();
    }
    let Some(room) = max.checked_sub(1) else { return String::new() };
    format!("{}{}", plain::head(&text, room), mark(ascii))
}

/// A text cut or filled up to a width.
pub fn pad(text: &str, wanted: usize, ascii: bool) -> String {
    let mut fitted = fit(text, wanted, ascii);
    let missing = wanted.saturating_sub(columns(&fitted));
    fitted.extend(std::iter::repeat_n(' ', missing));
    fitted
}

/// A text cut to a width with some of its characters lit up. `matched`: their numbers, in order. A letter of several
/// characters is lit up as a whole; the mark where something was cut never is.
/// `role`: that of the others.
pub fn highlighted(words: &str, matched: &[usize], max: usize, role: Role, ascii: bool) -> Pieces {
    let (words, matched) = shown(words, matched);
    let is_cut = plain::head(&words, max).len() < words.len();
    let Some(room) = max.checked_sub(usize::from(is_cut)) else { return Pieces::new() };
    let mut number = 0;
    let mut pieces = lit_where(plain::head(&words, room), role, |_, grapheme| {
        let (first, end) = (number, number + grapheme.chars().count());
        number = end;
        let next = matched.partition_point(|at| *at < first);
        matched.get(next).is_some_and(|at| *at < end)
    });
    if is_cut {
        pieces.push(piece(mark(ascii), role));
    }
    pieces
}

/// A text as it is shown, and the numbers of some of its characters there: one may be shown by several.
fn shown<'t>(text: &'t str, numbers: &'t [usize]) -> (Cow<'t, str>, Cow<'t, [usize]>) {
    let line = plain::line(text);
    if matches!(line, Cow::Borrowed(_)) {
        return (line, numbers.into());
    }
    let (mut one, mut at, mut moved) = (String::new(), 0, Vec::new());
    for (number, c) in text.chars().enumerate() {
        one.clear();
        plain::push(&mut one, c);
        let end = at + one.chars().count();
        if numbers.binary_search(&number).is_ok() {
            moved.extend(at..end);
        }
        at = end;
    }
    (line, moved.into())
}

/// A text with the words of a filter lit up.
pub fn lit(text: &str, role: Role, filter: &str) -> Pieces {
    let matches = list::matches(filter, text);
    if matches.is_empty() && !text.is_empty() {
        return vec![piece(text, role)];
    }
    // Both are in order: what ends before a letter is behind all that follow.
    let mut rest = matches.as_slice();
    lit_where(text, role, |at, grapheme| {
        let passed = rest.iter().take_while(|found| found.end <= at).count();
        rest = rest.get(passed..).unwrap_or_default();
        rest.first().is_some_and(|found| found.start < at + grapheme.len())
    })
}

/// A text in pieces: `is_lit` is asked of every letter and where it begins, in bytes.
fn lit_where(text: &str, role: Role, mut is_lit: impl FnMut(usize, &str) -> bool) -> Pieces {
    let mut pieces: Pieces = Vec::new();
    for (at, grapheme) in text.grapheme_indices(true) {
        let role = if is_lit(at, grapheme) { Role::Match } else { role };
        match pieces.last_mut() {
            Some(last) if last.role == role => last.text.push_str(grapheme),
            _ => pieces.push(piece(grapheme, role)),
        }
    }
    pieces
}

/// The part of a text field that is seen.
pub struct Window<'a> {
    /// What is seen, from its first letter to the end of the text.
    pub shown: &'a str,
    /// The column of the cursor.
    pub cursor: usize,
}

impl<'a> Window<'a> {
    /// What is seen of a field of so many columns: as much before the cursor as fits, and the cursor.
    pub fn of(input: &'a tui_input::Input, room: u16) -> Self {
        let value = input.value();
        let before = bytes_before(value, input.cursor());
        let (head, _) = value.split_at_checked(before).unwrap_or((value, ""));
        let room = usize::from(room).saturating_sub(1);
        let (mut start, mut used) = (head.len(), 0);
        for grapheme in head.graphemes(true).rev() {
            let wide = width(grapheme);
            if used + wide > room {
                break;
            }
            used += wide;
            start -= grapheme.len();
        }
        Self { shown: value.get(start..).unwrap_or_default(), cursor: used }
    }

    /// The column of a character of the text, counted from 0; `None` where it is not seen.
    pub fn column(&self, value: &str, character: usize) -> Option<usize> {
        let before = bytes_before(value, character);
        let hidden = value.len() - self.shown.len();
        Some(width(value.get(hidden..before)?))
    }
}

/// Bytes of so many characters.
fn bytes_before(text: &str, characters: usize) -> usize {
    text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at)
}
