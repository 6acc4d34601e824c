//! Characters that nobody sees: they hide in a name, join or reorder what stands beside them, or look like nothing.

use std::fmt;

/// `Default_Ignorable_Code_Point` of Unicode 18.0.0 (`DerivedCoreProperties.txt`), in order: it holds all of `Bidi_Control`
/// (`PropList.txt`) too. A test compares it with the table of a crate.
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

/// What no property of Unicode calls invisible, and is: separators of lines and paragraphs, a blank pattern of Braille, marks
/// around annotations, blanks and layout of Egyptian hieroglyphs, a filler of Khitan, a musical sign without a head.
const BLANK: &[(char, char)] = &[
    ('\u{2028}', '\u{2029}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{fff9}', '\u{fffb}'),
    ('\u{13430}', '\u{13442}'),
    ('\u{16fe4}', '\u{16fe4}'),
    ('\u{1d159}', '\u{1d159}'),
];

/// Whether a character is one that nobody sees though it is there. Blanks that take room and control characters are not
/// meant.
pub fn is_invisible(c: char) -> bool {
    // Nearly all text ends the question here.
    c >= '\u{ad}' && (is_in(IGNORABLE, c) || is_in(BLANK, c) || is_noncharacter(c))
}

fn is_in(table: &[(char, char)], c: char) -> bool {
    let next = table.partition_point(|(_, last)| *last < c);
    table.get(next).is_some_and(|(first, _)| *first <= c)
}

/// Code points that are never characters, whatever Unicode becomes.
fn is_noncharacter(c: char) -> bool {
    matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xfffe == 0xfffe
}

/// A character by its code point, as Unicode writes it: `U+202E`.
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

    /// The crate drops what may be ignored from what it compares, by its own copy of the table of Unicode.
    #[test]
    fn the_table_is_that_of_unicode() {
        assert_eq!(unicode_security::UNICODE_VERSION, (18, 0, 0), "the table above names its version");
        for c in '\0'..=char::MAX {
            let is_ignored = skeleton(c.encode_utf8(&mut [0; 4])).next().is_none();
            assert_eq!(is_in(IGNORABLE, c), is_ignored, "{}", CodePoint(c));
        }
    }

    #[test]
    fn tables_are_in_order() {
        for table in [IGNORABLE, BLANK] {
            assert!(table.iter().all(|(first, last)| first <= last));
            assert!(table.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }

    #[test]
    fn what_is_seen_is_left_alone() {
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
