//! Lines filled with pieces of text.

use unicode_segmentation::UnicodeSegmentation;

use super::{Kind, Line, Span};
use crate::export::plain;

/// Text that is being gathered, up to the next break between blocks.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Its pieces, line by line: where a break is asked for a new one begins.
    lines: Vec<Line>,
    /// Bytes of all of it.
    bytes: usize,
    /// Whether blanks stay as they are: in code.
    pub keeps_blanks: bool,
}

impl Block {
    pub fn push(&mut self, text: &str, kind: Kind) {
        if text.is_empty() {
            return;
        }
        let text = match kind {
            Kind::Link => plain::line(text),
            Kind::Code => plain::blank_tabs(text),
            Kind::Text | Kind::Strong | Kind::Aside => plain::prose(text),
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

    /// Text of several lines.
    pub fn push_lines(&mut self, text: &str, kind: Kind) {
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.end_line();
            }
            self.push(line.strip_suffix('\r').unwrap_or(line), kind);
        }
    }

    /// What follows stands on a line of its own.
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

    /// The text of the present line from so many bytes of the block on.
    pub fn text_from(&self, from: usize) -> String {
        let whole: String = self.lines.iter().flatten().map(|span| span.text.as_str()).collect();
        whole.get(from..).unwrap_or_default().trim().to_owned()
    }

    /// Lines of at most so many columns.
    pub fn lines(mut self, columns: usize) -> Vec<Line> {
        while self.lines.last().is_some_and(|line| line.iter().all(|span| span.text.trim().is_empty())) {
            self.lines.pop();
        }
        let mut filled = Vec::new();
        for line in &self.lines {
            if self.keeps_blanks {
                cut(line, columns, &mut filled);
            } else if line.iter().any(|span| !span.text.trim().is_empty()) {
                fill(line, columns, &mut filled);
            }
        }
        filled
    }
}

/// A line that is being filled.
#[derive(Default)]
struct Filling {
    line: Line,
    used: usize,
}

impl Filling {
    fn push(&mut self, text: &str, kind: Kind, columns: usize) {
        self.used += columns;
        match self.line.last_mut() {
            Some(last) if last.kind == kind => last.text.push_str(text),
            _ => self.line.push(Span { text: text.to_owned(), kind }),
        }
    }

    fn end(&mut self, lines: &mut Vec<Line>) {
        lines.push(std::mem::take(self).line);
    }

    /// Letter by letter, on as many lines as that takes. A letter wider than a line is left away.
    fn push_letters(&mut self, text: &str, kind: Kind, columns: usize, lines: &mut Vec<Line>) {
        for letter in text.graphemes(true) {
            let wide = plain::letter(letter);
            if wide > columns {
                continue;
            }
            if self.used + wide > columns {
                self.end(lines);
            }
            self.push(letter, kind, wide);
        }
    }
}

/// Breaks a line where it must be.
fn cut(line: &Line, columns: usize, lines: &mut Vec<Line>) {
    let mut filling = Filling::default();
    for span in line {
        filling.push_letters(&span.text, span.kind, columns, lines);
    }
    filling.end(lines);
}

/// Breaks a line at blanks where there are any. What stands together stays so, whatever its pieces are.
fn fill(line: &Line, columns: usize, lines: &mut Vec<Line>) {
    let mut filling = Filling::default();
    for word in words(line) {
        let wide: usize = word.iter().map(|span| plain::columns(&span.text)).sum();
        let gap = usize::from(filling.used > 0);
        if filling.used + gap + wide <= columns {
            if let Some(first) = word.first().filter(|_| gap > 0) {
                // A blank between two pieces of a kind is one of theirs.
                let before = filling.line.last().map(|span| span.kind);
                let kind = if before == Some(first.kind) { first.kind } else { Kind::Text };
                filling.push(" ", kind, 1);
            }
            for span in &word {
                filling.push(&span.text, span.kind, plain::columns(&span.text));
            }
            continue;
        }
        if filling.used > 0 {
            filling.end(lines);
        }
        for span in &word {
            filling.push_letters(&span.text, span.kind, columns, lines);
        }
    }
    if filling.used > 0 {
        filling.end(lines);
    }
}

/// What stands between blanks, in its pieces.
fn words(line: &Line) -> Vec<Line> {
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
