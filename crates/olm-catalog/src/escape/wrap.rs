//! Line breaking: sentences for files and pipes, where names stay whole, and text for a screen, where nothing
//! may overflow.

use unicode_segmentation::UnicodeSegmentation;

use super::{display_width, escape_line, escape_lines, grapheme_width};

/// Treatment of a word that is longer than a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LongWord {
    /// The word stays whole.
    Whole,
    /// The word is broken between graphemes. A grapheme wider than a line is omitted.
    Broken,
}

/// Fills lines of `columns` columns with words, separated by a blank. The first line and the others have
/// separate indentations. Always returns at least one line.
pub fn fill_lines<'w>(
    words: impl IntoIterator<Item = &'w str>,
    (first, rest): (&str, &str),
    columns: usize,
    long: LongWord,
) -> Vec<String> {
    let mut filling = LineFiller {
        lines: Vec::new(),
        line: first.to_owned(),
        used: display_width(first),
        is_empty: true,
        indent: (rest, display_width(rest)),
    };
    for word in words {
        let (gap, wide) = (usize::from(!filling.is_empty), display_width(word));
        if filling.used + gap + wide <= columns {
            filling.line.extend(std::iter::repeat_n(' ', gap));
            filling.push_word(word, gap + wide);
            continue;
        }
        if !filling.is_empty {
            filling.end_line();
        }
        match long {
            LongWord::Whole => filling.push_word(word, wide),
            LongWord::Broken => filling.push_letters(word, columns),
        }
    }
    filling.end_line();
    filling.lines
}

/// State of filling lines.
struct LineFiller<'a> {
    lines: Vec<String>,
    line: String,
    used: usize,
    /// True if the line has only its indentation.
    is_empty: bool,
    /// Indentation of a new line, with its width in columns.
    indent: (&'a str, usize),
}

impl LineFiller<'_> {
    fn push_word(&mut self, text: &str, columns: usize) {
        self.line.push_str(text);
        self.used += columns;
        self.is_empty = false;
    }

    fn push_letters(&mut self, word: &str, columns: usize) {
        for grapheme in word.graphemes(true) {
            let wide = grapheme_width(grapheme);
            if self.used + wide > columns && !self.is_empty {
                self.end_line();
            }
            if self.used + wide > columns {
                // The indentation is less important than the text.
                self.line.clear();
                self.used = 0;
            }
            if wide <= columns {
                self.push_word(grapheme, wide);
            }
        }
    }

    /// Begins a new line.
    fn end_line(&mut self) {
        let (indent, columns) = self.indent;
        self.lines.push(std::mem::replace(&mut self.line, indent.to_owned()));
        (self.used, self.is_empty) = (columns, true);
    }
}

/// Escapes and wraps a sentence into lines with an indentation and a final line break. Words longer than a line
/// stay whole.
pub fn wrap_sentence(text: &str, indent: &str, columns: usize) -> String {
    wrap_hanging(text, indent, indent, columns)
}

/// Wraps like [`wrap_sentence`], with another indentation for the first line.
pub fn wrap_hanging(text: &str, first: &str, rest: &str, columns: usize) -> String {
    let text = escape_line(text);
    let words = text.split(' ').filter(|word| !word.is_empty());
    let mut out = fill_lines(words, (first, rest), columns, LongWord::Whole).join("\n");
    out.push('\n');
    out
}

/// Breaks text into lines of a maximum width, at blanks if possible, and keeps the indentation.
pub fn wrap_text(text: &str, max: usize) -> Vec<String> {
    let max = max.max(1);
    let mut out = Vec::new();
    for source in escape_lines(text) {
        let indent: String = source.chars().take_while(|c| *c == ' ').take(max / 2).collect();
        out.extend(fill_lines(split_words(&source), (&indent, &indent), max, LongWord::Broken));
    }
    out
}

/// Returns the words between blanks. A blank with a combining mark counts as part of a word.
fn split_words(line: &str) -> impl Iterator<Item = &str> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_sentences_between_words() {
        assert_eq!(wrap_sentence("one two three", "  ", 9), "  one two\n  three\n");
        assert_eq!(wrap_hanging("one two three", "= ", "  ", 9), "= one two\n  three\n");
    }

    #[test]
    fn long_word_stays_whole() {
        assert_eq!(wrap_sentence("a example.com/ns/name b", "", 8), "a\nexample.com/ns/name\nb\n");
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(wrap_sentence("演算 演算", "", 8), "演算\n演算\n");
        assert_eq!(wrap_sentence("演算 演算", "", 9), "演算 演算\n");
    }

    #[test]
    fn wrap_breaks_long_words_and_keeps_indentation() {
        assert_eq!(wrap_text("  abcdefgh ij\nk", 6), ["  abcd", "  efgh", "  ij", "k"]);
        assert_eq!(fill_lines(["abcdef"], ("", ""), 4, LongWord::Whole), ["abcdef"]);
        assert_eq!(fill_lines([], ("", ""), 4, LongWord::Whole), [""]);
    }

    #[test]
    fn escapes_harmful_text() {
        assert_eq!(wrap_sentence("a\nb\x1b", "", 80), "a\u{240a}b\u{241b}\n");
    }
}
