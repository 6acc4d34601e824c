//! Catalog text made harmless: the one place that decides what people see of it, on a terminal, in a log, in a picture.
//!
//! - Control characters below a blank are shown as their pictures (`\u{240a}` for a line break, `\u{241b}` for escape): texts
//!   of several lines are ordinary, and a picture takes one column.
//! - All else that acts or hides is shown by its code point, `<U+202E>`, wherever it stands: the rest of the controls, marks
//!   that reorder, join or vary, blanks without room ([`is_invisible`]).
//!
//! What is shown never depends on what stands beside it, so two names that differ are shown differently, and text may be
//! cut anywhere before or after. A name may hold `<U+202E>` as it stands here, letter by letter; that it looks like another
//! is a finding (`look-alike-names`). Only in prose ([`prose`]) does what changes nothing for a reader go without a trace.

mod invisible;
pub mod wrap;

use std::{borrow::Cow, fmt::Write as _};

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

pub use invisible::{CodePoint, is_invisible};

/// A line of catalog text with everything that could act on a terminal or hide shown instead of sent.
pub fn line(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    text.chars().for_each(|c| push(&mut safe, c));
    Cow::Owned(safe)
}

/// Text of several lines, made harmless line by line.
pub fn lines(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    text.split('\n').map(|l| line(l.strip_suffix('\r').unwrap_or(l)))
}

/// A line of source: tabs, which indent, become blanks.
pub fn blank_tabs(text: &str) -> Cow<'_, str> {
    if text.contains('\t') { line(&text.replace('\t', " ")).into_owned().into() } else { line(text) }
}

/// A line of prose, such as a description: nothing in it is a name, so what only chooses between two looks of an emoji, joins
/// several to one, or tells letters of a script that joins them where not to, is left out. Elsewhere the same characters are
/// shown.
pub fn prose(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let after = rest.clone().next().unwrap_or(' ');
        if c == '\t' {
            safe.push(' ');
        } else if !is_typography(before, c, after) {
            push(&mut safe, c);
            before = c;
        }
    }
    Cow::Owned(safe)
}

/// Whether a character changes nothing for a reader of prose, where it stands between two others.
fn is_typography(before: char, c: char, after: char) -> bool {
    // Signs of all kinds, not letters: what emoji are made of.
    let is_sign = |c: char| !c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace() && !is_harmful(c);
    // Scripts from Arabic to Sinhala, with their marks.
    let joins = |c: char| matches!(c, '\u{600}'..='\u{dff}') && !is_harmful(c);
    match c {
        '\u{fe0e}' | '\u{fe0f}' => is_sign(before) || after == '\u{20e3}',
        '\u{200c}' | '\u{200d}' if joins(before) => joins(after) || after == ' ',
        '\u{200d}' => is_sign(before) && is_sign(after),
        _ => false,
    }
}

/// Whether a character could act on a terminal or hide.
pub fn is_harmful(c: char) -> bool {
    c.is_control() || is_invisible(c)
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || !text.chars().any(is_harmful)
}

/// Adds a character as it is shown.
pub fn push(out: &mut String, c: char) {
    match c {
        '\0'..='\u{1f}' => out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
        '\u{7f}' => out.push('\u{2421}'),
        c if is_harmful(c) => {
            let _ = write!(out, "<{}>", CodePoint(c));
        }
        c => out.push(c),
    }
}

/// Columns that a line of catalog text takes as it is shown.
pub fn width(text: &str) -> usize {
    columns(&line(text))
}

/// Columns that harmless text takes where it is drawn letter by letter, which for a reader may be several characters. Not the width
/// of the whole: the tables know of letters that join into one, and a terminal draws each in its own columns.
pub fn columns(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(letter).sum() }
}

/// Columns that one letter takes. The tables hold the halfwidth voiced sound marks of Katakana for marks without a width,
/// but terminals draw them in a column of their own, and ratatui counts so.
pub fn letter(grapheme: &str) -> usize {
    grapheme.width() + grapheme.chars().filter(|c| matches!(c, '\u{ff9e}' | '\u{ff9f}')).count()
}

/// As many letters from the beginning of a harmless text as so many columns hold.
pub fn head(text: &str, columns: usize) -> &str {
    let length = fitting(text.graphemes(true), columns);
    text.get(..length).unwrap_or_default()
}

/// As many letters from its end.
pub fn tail(text: &str, columns: usize) -> &str {
    let length = fitting(text.graphemes(true).rev(), columns);
    text.get(text.len() - length..).unwrap_or_default()
}

/// Bytes of as many letters as so many columns hold.
fn fitting<'t>(letters: impl Iterator<Item = &'t str>, columns: usize) -> usize {
    let mut used = 0;
    let fits = |grapheme: &&str| {
        used += letter(grapheme);
        used <= columns
    };
    letters.take_while(fits).map(str::len).sum()
}

/// A line of catalog text in so many columns: where it is longer its middle gives way to a mark of one column, so that
/// versions and names that begin and end alike but for a date or a number can be told apart.
pub fn without_middle(text: &str, columns: usize, mark: &str) -> String {
    let text = line(text);
    if self::columns(&text) <= columns {
        return text.into_owned();
    }
    let Some(left) = columns.checked_sub(1) else { return String::new() };
    let tail = tail(&text, left.div_ceil(2));
    format!("{}{mark}{tail}", head(&text, left - self::columns(tail)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_act_or_hide_is_shown_not_sent() {
        assert_eq!(line("a\x1b[31mred\u{9b}0m\u{202e}x"), "a\u{241b}[31mred<U+009B>0m<U+202E>x");
        assert_eq!(line("a\tb\n\u{7f}\u{85}"), "a\u{2409}b\u{240a}\u{2421}<U+0085>");
        // The list of the record of attacks.
        let hidden = "\u{61c}\u{ad}\u{34f}\u{115f}\u{180e}\u{2800}\u{3164}\u{fe0f}\u{e0101}\u{200b}\u{200d}\u{2028}\u{e0041}";
        for c in hidden.chars() {
            assert_eq!(line(&format!("stable{c}")), format!("stable<{}>", CodePoint(c)));
        }
    }

    #[test]
    fn names_that_differ_are_shown_differently_whatever_stands_beside_them() {
        let shown: Vec<_> =
            ["\u{2764}", "\u{2764}\u{fe0f}", "\u{2764}\u{200d}", "\u{2764}\u{fe0f}\u{200d}"].map(line).into();
        assert!((1..shown.len()).all(|at| !shown[..at].contains(&shown[at])), "{shown:?}");
    }

    #[test]
    fn tabs_indent_source_and_prose() {
        assert_eq!(lines("\ta\r\nb").collect::<Vec<_>>(), ["\u{2409}a", "b"]);
        assert_eq!((blank_tabs("\t\u{1b}"), prose("a\tb")), (" \u{241b}".into(), "a b".into()));
    }

    #[test]
    fn prose_is_readable_and_hides_nothing() {
        let programmer = "\u{1f469}\u{1f3fd}\u{200d}\u{1f4bb}";
        assert_eq!(prose(&format!("\u{26a0}\u{fe0f} {programmer} 1\u{fe0f}\u{20e3}")), {
            "\u{26a0} \u{1f469}\u{1f3fd}\u{1f4bb} 1\u{20e3}"
        });
        assert_eq!(prose("\u{2764}\u{fe0f}\u{200d}\u{1f525}"), "\u{2764}\u{1f525}");
        assert_eq!(prose("\u{645}\u{6cc}\u{200c}\u{62e}"), "\u{645}\u{6cc}\u{62e}", "Persian");
        assert_eq!(prose("\u{dc1}\u{dca}\u{200d}\u{dbb}"), "\u{dc1}\u{dca}\u{dbb}", "Sinhala");
        for hidden in
            ["a\u{200d}b", "1\u{fe0f}", "a\u{200b}b", "\u{202e}\u{26a0}", "\u{fe0f}", "\u{200d}\u{1f4bb}"]
        {
            assert_eq!(prose(hidden), line(hidden), "{hidden:?}");
        }
    }

    #[test]
    fn the_width_is_that_of_what_is_shown() {
        assert_eq!((width("a\u{202e}b"), width("\u{1b}"), width("\u{6f14}")), (10, 1, 2));
    }

    #[test]
    fn the_middle_gives_way() {
        assert_eq!(without_middle("1.31.0-nightly-2026-08-22", 20, "~"), "1.31.0-ni~2026-08-22");
        assert_eq!(without_middle("운영자운영자", 6, "~"), "운~자");
        assert_eq!(
            (without_middle("abc", 3, "~"), without_middle("abcd", 1, "~")),
            ("abc".into(), "~".into())
        );
        assert_eq!(without_middle("abc", 0, "~"), "");
    }

    #[test]
    fn ordinary_text_of_any_script_is_left_alone() {
        let text = "\u{c6b4}\u{c601}\u{c790} \u{6f14}\u{7b97}\u{5b50} \u{1f469}\u{1f4bb} na\u{ef}ve \u{5d0}\u{5b8}\u{645}\u{64f} \u{928}\u{93f} e\u{301}";
        assert!(matches!(line(text), Cow::Borrowed(same) if same == text));
    }
}
