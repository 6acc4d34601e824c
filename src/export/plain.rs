//! Catalog text made harmless: what may go to a terminal or into a log.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// A line of catalog text with everything that could act on a terminal shown instead of sent: control characters
/// (escape, newline, C1), and the marks that reorder or hide text.
pub fn line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\t' => safe.push(' '),
            c if is_harmful(c) => safe.push(stand_in(c)),
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

/// Text of several lines, made harmless line by line.
pub fn lines(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    text.split('\n').map(|l| line(l.strip_suffix('\r').unwrap_or(l)))
}

/// Columns that text takes where it is drawn letter by letter, which for a reader may be several characters. Not the width
/// of the whole: the tables know of letters that join into one, and a terminal draws each in its own columns.
pub fn columns(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(letter).sum() }
}

/// Columns that one letter takes. The tables hold the halfwidth voiced sound marks of Katakana for marks without a width,
/// but terminals draw them in a column of their own, and ratatui counts so.
pub fn letter(grapheme: &str) -> usize {
    grapheme.width() + grapheme.chars().filter(|c| matches!(c, '\u{ff9e}' | '\u{ff9f}')).count()
}

/// As many letters of a harmless text as so many columns hold.
pub fn cut(text: &str, columns: usize) -> String {
    let mut used = 0;
    let fits = |grapheme: &&str| {
        used += letter(grapheme);
        used <= columns
    };
    text.graphemes(true).take_while(fits).collect()
}

/// A line of catalog text in so many columns: where it is longer its middle gives way to a mark of one column, so that
/// versions and names that begin and end alike but for a date or a number can be told apart.
pub fn without_middle(text: &str, columns: usize, mark: &str) -> String {
    let text = line(text);
    if self::columns(&text) <= columns {
        return text.into_owned();
    }
    let Some(left) = columns.checked_sub(1) else { return String::new() };
    let fitting = |graphemes: &mut dyn Iterator<Item = &str>, columns: usize| {
        let mut used = 0;
        let fits = |grapheme: &&str| {
            used += letter(grapheme);
            used <= columns
        };
        graphemes.take_while(fits).map(str::len).sum::<usize>()
    };
    let tail = fitting(&mut text.graphemes(true).rev(), left.div_ceil(2));
    let tail = text.get(text.len() - tail..).unwrap_or_default();
    let head = fitting(&mut text.graphemes(true), left - self::columns(tail));
    format!("{}{mark}{tail}", text.get(..head).unwrap_or_default())
}

fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
            && c != '\u{200d}'
        || ('\u{e0000}'..='\u{e007f}').contains(&c)
}

/// A visible picture of a control character, or the replacement character.
fn stand_in(c: char) -> char {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        _ => '\u{fffd}',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown_not_sent() {
        assert_eq!(line("a\x1b[31mred\u{9b}0m\u{202e}x"), "a\u{241b}[31mred\u{fffd}0m\u{fffd}x");
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
        let text = "운영자 演算子 👩‍💻 naïve";
        assert!(matches!(line(text), Cow::Borrowed(same) if same == text));
    }
}
