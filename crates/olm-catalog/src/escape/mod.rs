//! Escaping of catalog text for display: the single place that decides how it appears on a terminal, in a log,
//! or in a picture.
//!
//! - Control characters below a blank are shown as control pictures (`\u{240a}` for a line break, `\u{241b}`
//!   for escape), because multi-line texts are common and a picture takes one column.
//! - All other active or invisible characters are shown by code point, `<U+202E>`: other controls, marks that
//!   reorder, join or vary, and blanks without a width ([`is_invisible`]).
//!
//! The display of a character does not depend on its neighbors, so different names are displayed differently
//! and text can be cut at any point. A name may literally contain `<U+202E>`; the finding `look-alike-names`
//! reports such collisions. Only prose ([`escape_prose`]) omits characters that do not matter to a reader.

pub mod wrap;

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
};

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Escapes a line of catalog text: characters that are active on a terminal or invisible are shown as symbols.
pub fn escape_line(text: &str) -> Cow<'_, str> {
    if is_unchanged(text) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    text.chars().for_each(|c| push_escaped(&mut safe, c));
    Cow::Owned(safe)
}

/// Escapes text of several lines, line by line.
pub fn escape_lines(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    text.split('\n').map(|l| escape_line(l.strip_suffix('\r').unwrap_or(l)))
}

/// Escapes a line of source; tabs become blanks.
pub fn escape_source_line(text: &str) -> Cow<'_, str> {
    if text.contains('\t') {
        escape_line(&text.replace('\t', " ")).into_owned().into()
    } else {
        escape_line(text)
    }
}

/// Escapes a line of prose, such as a description. Prose does not contain names, so it omits characters that
/// select an emoji variant, join emoji, or separate letters of joining scripts. Elsewhere these characters are
/// shown.
pub fn escape_prose(text: &str) -> Cow<'_, str> {
    if is_unchanged(text) {
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
            push_escaped(&mut safe, c);
            before = c;
        }
    }
    Cow::Owned(safe)
}

/// Returns true if a character between two others does not matter to a reader of prose.
fn is_typography(before: char, c: char, after: char) -> bool {
    // Symbols of all kinds, which form emoji.
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

/// Returns true if a character is active on a terminal or invisible.
pub fn is_harmful(c: char) -> bool {
    c.is_control() || is_invisible(c)
}

fn is_unchanged(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || !text.chars().any(is_harmful)
}

/// Appends a character in its displayed form.
pub fn push_escaped(out: &mut String, c: char) {
    match c {
        '\0'..='\u{1f}' => out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
        '\u{7f}' => out.push('\u{2421}'),
        c if is_harmful(c) => {
            let _ = write!(out, "<{}>", CodePoint(c));
        }
        c => out.push(c),
    }
}

/// Returns the number of columns of a displayed line of catalog text.
pub fn display_width(text: &str) -> usize {
    count_columns(&escape_line(text))
}

/// Returns the number of columns of escaped text that is drawn grapheme by grapheme. This may differ from the
/// width of the whole text: width tables treat some sequences as one, but terminals draw each grapheme
/// separately.
pub fn count_columns(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(grapheme_width).sum() }
}

/// Returns the number of columns of one grapheme. Width tables treat the halfwidth voiced sound marks of
/// Katakana as zero-width, but terminals draw them in a column, as ratatui assumes.
pub fn grapheme_width(grapheme: &str) -> usize {
    grapheme.width() + grapheme.chars().filter(|c| matches!(c, '\u{ff9e}' | '\u{ff9f}')).count()
}

/// Returns the longest prefix of an escaped text that fits into `columns` columns.
pub fn fitting_prefix(text: &str, columns: usize) -> &str {
    let length = fitting_length(text.graphemes(true), columns);
    text.get(..length).unwrap_or_default()
}

/// Returns the longest suffix that fits.
pub fn fitting_suffix(text: &str, columns: usize) -> &str {
    let length = fitting_length(text.graphemes(true).rev(), columns);
    text.get(text.len() - length..).unwrap_or_default()
}

/// Returns the byte length of the graphemes that fit.
fn fitting_length<'t>(letters: impl Iterator<Item = &'t str>, columns: usize) -> usize {
    let mut used = 0;
    let fits = |grapheme: &&str| {
        used += grapheme_width(grapheme);
        used <= columns
    };
    letters.take_while(fits).map(str::len).sum()
}

/// Shortens a line of catalog text to a number of columns. A mark of one column replaces its middle, so that
/// versions and names that differ in a date or number remain distinguishable.
pub fn shorten_middle(text: &str, columns: usize, mark: &str) -> String {
    let text = escape_line(text);
    if self::count_columns(&text) <= columns {
        return text.into_owned();
    }
    let Some(left) = columns.checked_sub(1) else { return String::new() };
    let tail = fitting_suffix(&text, left.div_ceil(2));
    format!("{}{mark}{tail}", fitting_prefix(&text, left - self::count_columns(tail)))
}

/// `Default_Ignorable_Code_Point` of Unicode 18.0.0 (`DerivedCoreProperties.txt`), in order. It includes all of
/// `Bidi_Control` (`PropList.txt`). A test compares it with the table of a crate.
const IGNORABLE: &[(char, char)] = &[
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fff8}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Invisible characters without a Unicode property that says so: line and paragraph separators, the blank
/// Braille pattern, annotation marks, blanks and layout of Egyptian hieroglyphs, a Khitan filler, a musical
/// sign without a head.
const BLANK: &[(char, char)] = &[
    ('\u{2028}', '\u{2029}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{fff9}', '\u{fffb}'),
    ('\u{13430}', '\u{13442}'),
    ('\u{16fe4}', '\u{16fe4}'),
    ('\u{1d159}', '\u{1d159}'),
];

/// Returns true if a character is invisible. Blanks with a width and control characters are not included.
pub fn is_invisible(c: char) -> bool {
    // Fast path for almost all text.
    c >= '\u{ad}' && (is_in_table(IGNORABLE, c) || is_in_table(BLANK, c) || is_noncharacter(c))
}

fn is_in_table(table: &[(char, char)], c: char) -> bool {
    let next = table.partition_point(|(_, last)| *last < c);
    table.get(next).is_some_and(|(first, _)| *first <= c)
}

/// Returns true for code points that are never characters in any Unicode version.
fn is_noncharacter(c: char) -> bool {
    matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xfffe == 0xfffe
}

/// A character formatted by its code point, as in Unicode documents: `U+202E`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodePoint(pub char);

impl fmt::Display for CodePoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "U+{:04X}", u32::from(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_active_and_invisible_characters() {
        assert_eq!(escape_line("a\x1b[31mred\u{9b}0m\u{202e}x"), "a\u{241b}[31mred<U+009B>0m<U+202E>x");
        assert_eq!(escape_line("a\tb\n\u{7f}\u{85}"), "a\u{2409}b\u{240a}\u{2421}<U+0085>");
        // The list in the record of attacks.
        let hidden = "\u{61c}\u{ad}\u{34f}\u{115f}\u{180e}\u{2800}\u{3164}\u{fe0f}\u{e0101}\u{200b}\u{200d}\u{2028}\u{e0041}";
        for c in hidden.chars() {
            assert_eq!(escape_line(&format!("stable{c}")), format!("stable<{}>", CodePoint(c)));
        }
    }

    #[test]
    fn different_names_are_displayed_differently() {
        let shown: Vec<_> = ["\u{2764}", "\u{2764}\u{fe0f}", "\u{2764}\u{200d}", "\u{2764}\u{fe0f}\u{200d}"]
            .map(escape_line)
            .into();
        assert!((1..shown.len()).all(|at| !shown[..at].contains(&shown[at])), "{shown:?}");
    }

    #[test]
    fn tabs_indent_source_and_prose() {
        assert_eq!(escape_lines("\ta\r\nb").collect::<Vec<_>>(), ["\u{2409}a", "b"]);
        assert_eq!(
            (escape_source_line("\t\u{1b}"), escape_prose("a\tb")),
            (" \u{241b}".into(), "a b".into())
        );
    }

    #[test]
    fn prose_is_readable_and_hides_nothing() {
        let programmer = "\u{1f469}\u{1f3fd}\u{200d}\u{1f4bb}";
        assert_eq!(escape_prose(&format!("\u{26a0}\u{fe0f} {programmer} 1\u{fe0f}\u{20e3}")), {
            "\u{26a0} \u{1f469}\u{1f3fd}\u{1f4bb} 1\u{20e3}"
        });
        assert_eq!(escape_prose("\u{2764}\u{fe0f}\u{200d}\u{1f525}"), "\u{2764}\u{1f525}");
        assert_eq!(escape_prose("\u{645}\u{6cc}\u{200c}\u{62e}"), "\u{645}\u{6cc}\u{62e}", "Persian");
        assert_eq!(escape_prose("\u{dc1}\u{dca}\u{200d}\u{dbb}"), "\u{dc1}\u{dca}\u{dbb}", "Sinhala");
        for hidden in
            ["a\u{200d}b", "1\u{fe0f}", "a\u{200b}b", "\u{202e}\u{26a0}", "\u{fe0f}", "\u{200d}\u{1f4bb}"]
        {
            assert_eq!(escape_prose(hidden), escape_line(hidden), "{hidden:?}");
        }
    }

    #[test]
    fn width_is_that_of_displayed_text() {
        assert_eq!(
            (display_width("a\u{202e}b"), display_width("\u{1b}"), display_width("\u{6f14}")),
            (10, 1, 2)
        );
    }

    #[test]
    fn shortens_middle() {
        assert_eq!(shorten_middle("1.31.0-nightly-2026-08-22", 20, "~"), "1.31.0-ni~2026-08-22");
        assert_eq!(shorten_middle("운영자운영자", 6, "~"), "운~자");
        assert_eq!(
            (shorten_middle("abc", 3, "~"), shorten_middle("abcd", 1, "~")),
            ("abc".into(), "~".into())
        );
        assert_eq!(shorten_middle("abc", 0, "~"), "");
    }

    #[test]
    fn ordinary_text_of_any_script_is_unchanged() {
        let text = "\u{c6b4}\u{c601}\u{c790} \u{6f14}\u{7b97}\u{5b50} \u{1f469}\u{1f4bb} na\u{ef}ve \u{5d0}\u{5b8}\u{645}\u{64f} \u{928}\u{93f} e\u{301}";
        assert!(matches!(escape_line(text), Cow::Borrowed(same) if same == text));
    }

    mod invisible {
        use unicode_security::confusable_detection::skeleton;

        use super::super::*;

        /// The crate ignores these characters in comparisons, by its own copy of the Unicode table.
        #[test]
        fn table_equals_that_of_unicode() {
            assert_eq!(unicode_security::UNICODE_VERSION, (18, 0, 0), "the table above names its version");
            for c in '\0'..=char::MAX {
                let is_ignored = skeleton(c.encode_utf8(&mut [0; 4])).next().is_none();
                assert_eq!(is_in_table(IGNORABLE, c), is_ignored, "{}", CodePoint(c));
            }
        }

        #[test]
        fn tables_are_sorted() {
            for table in [IGNORABLE, BLANK] {
                assert!(table.iter().all(|(first, last)| first <= last));
                assert!(table.windows(2).all(|pair| pair[0].1 < pair[1].0));
            }
        }

        #[test]
        fn visible_characters_are_not_invisible() {
            for c in "aZ0-. \u{e9}\u{301}\u{a0}\u{3000}\u{6f14}\u{1f600}\u{fffc}\u{fffd}\u{e000}".chars() {
                assert!(!is_invisible(c), "{}", CodePoint(c));
            }
            for c in "\u{ad}\u{202e}\u{2066}\u{200d}\u{fe0f}\u{e0041}\u{2028}\u{2800}\u{3164}\u{fffb}\u{ffff}"
                .chars()
            {
                assert!(is_invisible(c), "{}", CodePoint(c));
            }
            assert_eq!(CodePoint('\u{e0041}').to_string(), "U+E0041");
            assert_eq!(CodePoint('\u{ad}').to_string(), "U+00AD");
        }
    }
}
