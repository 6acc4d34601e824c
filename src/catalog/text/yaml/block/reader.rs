//! The lists and maps of a document, by the columns in which their entries begin.

use super::{LONGEST_KEY, Read, Unusual, lines::Lines, literal, plain, quoted};
use crate::catalog::{
    node::{MAX_DEPTH, Node, Parts, Value},
    span::Span,
};

/// Reads a text from `start` on.
pub(super) fn read(text: &str, start: usize) -> Read<Node<'_>> {
    let lines = Lines { text, at: start };
    let mut reader = Reader { lines, open: Vec::new(), parts: Parts::default(), is_complete: false };
    while let Some(column) = reader.lines.next_content()? {
        reader.line(column)?;
    }
    while !reader.open.is_empty() {
        reader.close();
    }
    reader.parts.root().ok_or(Unusual)
}

/// A list or map that may go on.
struct Open {
    is_map: bool,
    /// Where its entries begin.
    column: usize,
    start: usize,
    /// The end of its last entry.
    end: usize,
    /// Where [`Parts`] has its entries.
    mark: usize,
    /// Whether its last entry has no value yet.
    waits: bool,
}

struct Reader<'a> {
    lines: Lines<'a>,
    open: Vec<Open>,
    parts: Parts<'a>,
    /// Whether the document's own list or map has ended.
    is_complete: bool,
}

impl<'a> Reader<'a> {
    /// Reads a line that begins one entry or several (`- - a: 1`), with all of the last one's value if it begins there
    /// too.
    fn line(&mut self, mut column: usize) -> Read<()> {
        let mut is_first = true;
        while self.lines.peek() == Some(b'-') && self.lines.is_blank(self.lines.at + 1) {
            self.enter(false, column)?;
            self.lines.at += 1;
            self.parts.item(Node::new(Value::Null, self.here()));
            self.wait();
            let blanks = self.lines.spaces();
            if self.lines.is_blank(self.lines.at) {
                return self.lines.end_line();
            }
            column += 1 + blanks;
            is_first = false;
        }
        let start = self.lines.at;
        if !self.key(column)? {
            // What stands on a line of its own belongs to the line before, in ways the full reader knows.
            return if is_first { Err(Unusual) } else { self.value() };
        }
        if self.lines.at - start > LONGEST_KEY {
            return Err(Unusual);
        }
        self.lines.spaces();
        if self.lines.is_blank(self.lines.at) { self.lines.end_line() } else { self.value() }
    }

    /// An empty place right here.
    fn here(&self) -> Span {
        Span::new(self.lines.at, self.lines.at)
    }

    /// Makes the list or map in a column the innermost that is open: one that goes on, or one that begins because its
    /// value is waited for.
    fn enter(&mut self, is_map: bool, column: usize) -> Read<()> {
        while let Some(top) = self.open.last() {
            if top.column == column && top.is_map == is_map {
                return Ok(());
            }
            // A list may stand in the very column of its key.
            let is_inside = column > top.column || column == top.column && top.is_map;
            if is_inside && top.waits {
                break;
            }
            if column > top.column {
                return Err(Unusual);
            }
            self.close();
        }
        if self.is_complete || self.open.len() >= MAX_DEPTH {
            return Err(Unusual);
        }
        let start = self.lines.at;
        let mark = self.parts.mark(is_map);
        self.open.push(Open { is_map, column, start, end: start, mark, waits: false });
        Ok(())
    }

    /// Completes the innermost list or map.
    fn close(&mut self) {
        let Some(Open { is_map, start, end, mark, .. }) = self.open.pop() else { return };
        let value = self.parts.take(is_map, mark);
        self.fill(Node::new(value, Span::new(start, end)));
    }

    /// From now on the last entry waits for its value, which so far ends here.
    fn wait(&mut self) {
        if let Some(top) = self.open.last_mut() {
            top.waits = true;
            top.end = self.lines.at;
        }
    }

    /// Gives the last entry its value.
    fn fill(&mut self, node: Node<'a>) {
        let Some(top) = self.open.last_mut() else {
            self.is_complete = true;
            return self.parts.item(node);
        };
        top.waits = false;
        top.end = node.span.end as usize;
        if top.is_map { self.parts.value(node) } else { self.parts.instead(node) }
    }

    /// Reads a key with its `:`, if one begins here.
    fn key(&mut self, column: usize) -> Read<bool> {
        let start = self.lines.at;
        let key = match self.lines.peek() {
            Some(b'"' | b'\'') => {
                let key = quoted::read(&mut self.lines)?;
                if self.lines.peek() != Some(b':') {
                    self.lines.at = start;
                    return Ok(false);
                }
                key
            }
            _ => match plain::key(&mut self.lines)? {
                Some(key) => key,
                None => return Ok(false),
            },
        };
        let key_span = Span::new(start, self.lines.at);
        let has_breaks = self.lines.line_end(start) < self.lines.at;
        if key == "<<" || has_breaks || !self.lines.is_blank(self.lines.at + 1) {
            return Err(Unusual);
        }
        let colon = self.lines.at;
        self.lines.at = start;
        self.enter(true, column)?;
        self.lines.at = colon + 1;
        let absent = self.here();
        self.parts.key(key, key_span, absent);
        self.wait();
        Ok(true)
    }

    /// Reads the scalar, or the empty list or map, that begins here; and the line to its end.
    fn value(&mut self) -> Read<()> {
        let start = self.lines.at;
        let column = self.open.last().map_or(0, |top| top.column);
        let (value, end) = match self.lines.peek() {
            Some(b'"' | b'\'') => {
                let text = quoted::read(&mut self.lines)?;
                let end = self.lines.at;
                self.lines.end_line()?;
                (Value::String(text), end)
            }
            Some(b'[' | b'{') => {
                let value = match self.lines.rest(start) {
                    [b'[', b']', ..] => Value::List(Vec::new()),
                    [b'{', b'}', ..] => Value::Map(Vec::new()),
                    _ => return Err(Unusual),
                };
                self.lines.at += 2;
                self.lines.end_line()?;
                (value, start + 2)
            }
            Some(b'|' | b'>') => {
                let (text, end) = literal::read(&mut self.lines, column)?;
                (Value::String(text.into()), end)
            }
            _ => plain::value(&mut self.lines, column)?,
        };
        self.fill(Node::new(value, Span::new(start, end)));
        Ok(())
    }
}
