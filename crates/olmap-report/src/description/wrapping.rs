//! Line wrapping of styled text.

use unicode_segmentation::UnicodeSegmentation;

use super::{Kind, Line, Span};
use crate::escape;

/// Paragraph or other block whose text is being collected.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Lines before wrapping. Only a hard line break starts a new line.
    lines: Vec<Line>,
    /// Total number of bytes.
    bytes: usize,
    /// True if white space is preserved, as in code.
    pub keeps_blanks: bool,
}

impl Block {
    pub fn push(&mut self, text: &str, kind: Kind) {
        if text.is_empty() {
            return;
        }
        let text = match kind {
            Kind::Link => escape::escape_line(text),
            Kind::Code => escape::escape_source_line(text),
            Kind::Text | Kind::Strong | Kind::Aside => escape::escape_prose(text),
        };
        self.bytes += text.len();
        if self.lines.is_empty() {
            self.lines.push(Vec::new());
        }
        let Some(line) = self.lines.last_mut() else { return };
        match line.last_mut() {
            Some(last) if last.kind == kind => last.text.push_str(&text),
            _ => line.push(Span { text: text.into_owned(), kind }),
        }
    }

    /// Appends text of several lines.
    pub fn push_lines(&mut self, text: &str, kind: Kind) {
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.end_line();
            }
            self.push(line.strip_suffix('\r').unwrap_or(line), kind);
        }
    }

    /// Starts a new line.
    pub fn end_line(&mut self) {
        if !self.lines.is_empty() {
            self.lines.push(Vec::new());
        }
    }

    pub fn len(&self) -> usize {
        self.bytes
    }

    pub fn is_empty(&self) -> bool {
        self.lines.iter().flatten().all(|span| span.text.trim().is_empty())
    }

    /// Returns the text from byte offset `from` of the block, without blanks at its ends.
    pub fn text_from(&self, from: usize) -> String {
        let whole: String = self.lines.iter().flatten().map(|span| span.text.as_str()).collect();
        whole.get(from..).unwrap_or_default().trim().to_owned()
    }

    /// Returns the lines, wrapped to at most `columns` columns.
    pub fn wrap_lines(mut self, columns: usize) -> Vec<Line> {
        while self.lines.last().is_some_and(|line| line.iter().all(|span| span.text.trim().is_empty())) {
            self.lines.pop();
        }
        let mut filled = Vec::new();
        for line in &self.lines {
            if self.keeps_blanks {
                wrap_anywhere(line, columns, &mut filled);
            } else if line.iter().any(|span| !span.text.trim().is_empty()) {
                wrap_at_blanks(line, columns, &mut filled);
            }
        }
        filled
    }
}

/// Output line that is being filled.
#[derive(Default)]
struct LineBuilder {
    line: Line,
    used: usize,
}

impl LineBuilder {
    fn push_span(&mut self, text: &str, kind: Kind, columns: usize) {
        self.used += columns;
        match self.line.last_mut() {
            Some(last) if last.kind == kind => last.text.push_str(text),
            _ => self.line.push(Span { text: text.to_owned(), kind }),
        }
    }

    fn finish_line(&mut self, lines: &mut Vec<Line>) {
        lines.push(std::mem::take(self).line);
    }

    /// Appends text character by character, with line breaks as needed. Drops characters wider than
    /// a line.
    fn push_letters(&mut self, text: &str, kind: Kind, columns: usize, lines: &mut Vec<Line>) {
        for letter in text.graphemes(true) {
            let wide = escape::grapheme_width(letter);
            if wide > columns {
                continue;
            }
            if self.used + wide > columns {
                self.finish_line(lines);
            }
            self.push_span(letter, kind, wide);
        }
    }
}

/// Wraps a line at the maximum width, also inside of words.
fn wrap_anywhere(line: &Line, columns: usize, lines: &mut Vec<Line>) {
    let mut filling = LineBuilder::default();
    for span in line {
        filling.push_letters(&span.text, span.kind, columns, lines);
    }
    filling.finish_line(lines);
}

/// Wraps a line at white space. A word is broken only if it is wider than a line; the border of
/// two spans does not break a word.
fn wrap_at_blanks(line: &Line, columns: usize, lines: &mut Vec<Line>) {
    let mut filling = LineBuilder::default();
    for word in split_words(line) {
        let wide: usize = word.iter().map(|span| escape::count_columns(&span.text)).sum();
        let gap = usize::from(filling.used > 0);
        if filling.used + gap + wide <= columns {
            if let Some(first) = word.first().filter(|_| gap > 0) {
                // A blank between two spans of one kind joins them.
                let before = filling.line.last().map(|span| span.kind);
                let kind = if before == Some(first.kind) { first.kind } else { Kind::Text };
                filling.push_span(" ", kind, 1);
            }
            for span in &word {
                filling.push_span(&span.text, span.kind, escape::count_columns(&span.text));
            }
            continue;
        }
        if filling.used > 0 {
            filling.finish_line(lines);
        }
        for span in &word {
            filling.push_letters(&span.text, span.kind, columns, lines);
        }
    }
    if filling.used > 0 {
        filling.finish_line(lines);
    }
}

/// Splits a line into words, each with its spans.
fn split_words(line: &Line) -> Vec<Line> {
    let mut words: Vec<Line> = Vec::new();
    let mut is_open = false;
    for span in line {
        for letter in span.text.graphemes(true) {
            if letter.chars().all(char::is_whitespace) {
                is_open = false;
                continue;
            }
            if !is_open {
                words.push(Vec::new());
                is_open = true;
            }
            let Some(word) = words.last_mut() else { continue };
            match word.last_mut() {
                Some(last) if last.kind == span.kind => last.text.push_str(letter),
                _ => word.push(Span { text: letter.to_owned(), kind: span.kind }),
            }
        }
    }
    words
}
