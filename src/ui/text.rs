//! Text in columns: measured, cut, filled, wrapped, lit up. What a reader takes for a letter is never cut: a syllable of
//! Hangul, a letter with its marks, an emoji of several.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

pub use crate::export::plain::width;

use super::{
    canvas::{Pieces, piece},
    theme::Role,
};
use crate::{
    app::parts::list,
    export::plain::{self, columns, letter},
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
    lit_where(text, role, |at, grapheme| {
        matches.iter().any(|found| found.start < at + grapheme.len() && at < found.end)
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

/// Breaks text into lines of at most a width, at blanks where there are any. A letter that is wider than that is left
/// away.
pub fn wrap(text: &str, max: usize) -> Vec<String> {
    let max = max.max(1);
    let mut lines = Vec::new();
    for source in plain::lines(text) {
        let indent: String = source.chars().take_while(|c| *c == ' ').take(max / 2).collect();
        let mut line = Line { text: indent.clone(), used: indent.len(), is_empty: true, indent: &indent };
        for word in words(&source) {
            let (gap, wide) = (usize::from(!line.is_empty), columns(word));
            if line.used + gap + wide <= max {
                line.text.extend(std::iter::repeat_n(' ', gap));
                line.push(word, gap + wide);
                continue;
            }
            if !line.is_empty {
                lines.push(line.end());
            }
            for grapheme in word.graphemes(true) {
                let wide = letter(grapheme);
                if line.used + wide > max && !line.is_empty {
                    lines.push(line.end());
                }
                if line.used + wide > max {
                    // Better without its indent than without its letters.
                    line.text.clear();
                    line.used = 0;
                }
                if wide <= max {
                    line.push(grapheme, wide);
                }
            }
        }
        lines.push(line.text);
    }
    lines
}

/// What stands between blanks. A blank with a mark on it is a letter.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let is_blank = |grapheme: &str| grapheme.chars().all(char::is_whitespace);
        let length = |rest: &str, blank: bool| -> usize {
            rest.graphemes(true).take_while(|grapheme| is_blank(grapheme) == blank).map(str::len).sum()
        };
        rest = rest.get(length(rest, true)..)?;
        let (word, after) = rest.split_at_checked(length(rest, false))?;
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

/// A line that is being filled.
struct Line<'a> {
    text: String,
    used: usize,
    /// Whether nothing stands in it but its indent.
    is_empty: bool,
    indent: &'a str,
}

impl Line<'_> {
    fn push(&mut self, text: &str, columns: usize) {
        self.text.push_str(text);
        self.used += columns;
        self.is_empty = false;
    }

    /// The line so far; a new one begins.
    fn end(&mut self) -> String {
        (self.used, self.is_empty) = (self.indent.len(), true);
        std::mem::replace(&mut self.text, self.indent.to_owned())
    }
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
