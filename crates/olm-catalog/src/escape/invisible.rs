//! Invisible characters: they hide in a name, join or reorder neighboring characters, or look like nothing.

use std::fmt;

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
    use unicode_security::confusable_detection::skeleton;

    use super::*;

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
        for c in
            "\u{ad}\u{202e}\u{2066}\u{200d}\u{fe0f}\u{e0041}\u{2028}\u{2800}\u{3164}\u{fffb}\u{ffff}".chars()
        {
            assert!(is_invisible(c), "{}", CodePoint(c));
        }
        assert_eq!(CodePoint('\u{e0041}').to_string(), "U+E0041");
        assert_eq!(CodePoint('\u{ad}').to_string(), "U+00AD");
    }
}
