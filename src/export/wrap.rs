//! Sentences folded to a width.

use super::{plain, style::width};

/// A sentence, made harmless, on as many lines as it needs, each indented and ended. Words longer than a line stay whole.
pub fn wrapped(text: &str, indent: &str, columns: usize) -> String {
    hanging(text, indent, indent, columns)
}

/// The same, with another indentation for the first line.
pub fn hanging(text: &str, first: &str, rest: &str, columns: usize) -> String {
    let mut out = String::from(first);
    let mut used = width(first);
    let mut is_first_word = true;
    let text = plain::line(text);
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let wide = width(word);
        if is_first_word {
            is_first_word = false;
        } else if used + 1 + wide > columns {
            out.push('\n');
            out.push_str(rest);
            used = width(rest);
        } else {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += wide;
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_folded_between_words() {
        assert_eq!(wrapped("one two three", "  ", 9), "  one two\n  three\n");
        assert_eq!(hanging("one two three", "= ", "  ", 9), "= one two\n  three\n");
    }

    #[test]
    fn a_word_that_is_too_long_stays_whole() {
        assert_eq!(wrapped("a example.com/ns/name b", "", 8), "a\nexample.com/ns/name\nb\n");
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(wrapped("演算 演算", "", 8), "演算\n演算\n");
        assert_eq!(wrapped("演算 演算", "", 9), "演算 演算\n");
    }

    #[test]
    fn harmful_text_is_shown_not_sent() {
        assert_eq!(wrapped("a\nb\x1b", "", 80), "a\u{240a}b\u{241b}\n");
    }
}
