//! Lists and maps of a document, by the column in which their entries begin.

use super::{MAX_KEY, Read, Unusual};
use crate::{
    node::{MAX_DEPTH, Node, Parts, Value},
    span::Span,
    text::leading_spaces,
};

/// Parses a text from `start` on.
pub(super) fn read_document(text: &str, start: usize) -> Read<Node<'_>> {
    let lines = Lines { text, at: start };
    let mut reader = Reader { lines, open: Vec::new(), parts: Parts::default(), is_complete: false };
    while let Some(column) = reader.lines.next_content()? {
        reader.read_line(column)?;
    }
    while !reader.open.is_empty() {
        reader.close_collection();
    }
    reader.parts.into_root().ok_or(Unusual)
}

/// A list or map that may continue.
struct Open {
    is_map: bool,
    /// Column of its entries.
    column: usize,
    start: usize,
    /// End of its last entry.
    end: usize,
    /// Mark of its entries in [`Parts`].
    mark: usize,
    /// True if its last entry does not have a value yet.
    is_incomplete: bool,
}

struct Reader<'a> {
    lines: Lines<'a>,
    open: Vec<Open>,
    parts: Parts<'a>,
    /// True if the root list or map has ended.
    is_complete: bool,
}

impl<'a> Reader<'a> {
    /// Reads a line that begins one or more entries (`- - a: 1`). Also reads the value of the last entry if it
    /// begins on the line.
    fn read_line(&mut self, mut column: usize) -> Read<()> {
        let mut is_first = true;
        while self.lines.peek() == Some(b'-') && self.lines.is_blank(self.lines.at + 1) {
            self.enter_collection(false, column)?;
            self.lines.at += 1;
            self.parts.add_item(Node::new(Value::Null, self.empty_span()));
            self.mark_incomplete();
            let blanks = self.lines.spaces();
            if self.lines.is_blank(self.lines.at) {
                return self.lines.end_line();
            }
            column += 1 + blanks;
            is_first = false;
        }
        let start = self.lines.at;
        if !self.read_key(column)? {
            // A line of its own continues the line before, by rules that only the full reader implements.
            return if is_first { Err(Unusual) } else { self.read_value() };
        }
        if self.lines.at - start > MAX_KEY {
            return Err(Unusual);
        }
        self.lines.spaces();
        if self.lines.is_blank(self.lines.at) { self.lines.end_line() } else { self.read_value() }
    }

    /// Returns an empty span at the current position.
    fn empty_span(&self) -> Span {
        Span::new(self.lines.at, self.lines.at)
    }

    /// Makes the list or map in a column the innermost open one. It continues, or begins as the value of the
    /// last entry.
    fn enter_collection(&mut self, is_map: bool, column: usize) -> Read<()> {
        while let Some(top) = self.open.last() {
            if top.column == column && top.is_map == is_map {
                return Ok(());
            }
            // A list may begin in the same column as its key.
            let is_inside = column > top.column || column == top.column && top.is_map;
            if is_inside && top.is_incomplete {
                break;
            }
            if column > top.column {
                return Err(Unusual);
            }
            self.close_collection();
        }
        if self.is_complete || self.open.len() >= MAX_DEPTH {
            return Err(Unusual);
        }
        let start = self.lines.at;
        let mark = self.parts.begin_collection(is_map);
        self.open.push(Open { is_map, column, start, end: start, mark, is_incomplete: false });
        Ok(())
    }

    /// Completes the innermost list or map.
    fn close_collection(&mut self) {
        let Some(Open { is_map, start, end, mark, .. }) = self.open.pop() else { return };
        let value = self.parts.take_collection(is_map, mark);
        self.add_value(Node::new(value, Span::new(start, end)));
    }

    /// Marks the last entry as incomplete; so far it ends here.
    fn mark_incomplete(&mut self) {
        if let Some(top) = self.open.last_mut() {
            top.is_incomplete = true;
            top.end = self.lines.at;
        }
    }

    /// Adds the value of the last entry.
    fn add_value(&mut self, node: Node<'a>) {
        let Some(top) = self.open.last_mut() else {
            self.is_complete = true;
            return self.parts.add_item(node);
        };
        top.is_incomplete = false;
        top.end = node.span.end as usize;
        if top.is_map { self.parts.set_value(node) } else { self.parts.replace_item(node) }
    }

    /// Reads a key with its `:`. Returns false if the text is not a key.
    fn read_key(&mut self, column: usize) -> Read<bool> {
        let start = self.lines.at;
        let key = match self.lines.peek() {
            Some(b'"' | b'\'') => {
                let key = super::read_quoted(&mut self.lines)?;
                if self.lines.peek() != Some(b':') {
                    self.lines.at = start;
                    return Ok(false);
                }
                key
            }
            _ => match super::read_plain_key(&mut self.lines)? {
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
        self.enter_collection(true, column)?;
        self.lines.at = colon + 1;
        let absent = self.empty_span();
        self.parts.add_key(key, key_span, absent);
        self.mark_incomplete();
        Ok(true)
    }

    /// Reads the scalar, or the empty list or map, at the current position, and the rest of the line.
    fn read_value(&mut self) -> Read<()> {
        let start = self.lines.at;
        let column = self.open.last().map_or(0, |top| top.column);
        let (value, end) = match self.lines.peek() {
            Some(b'"' | b'\'') => {
                let text = super::read_quoted(&mut self.lines)?;
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
                let (text, end) = super::read_literal(&mut self.lines, column)?;
                (Value::String(text.into()), end)
            }
            _ => super::read_plain_value(&mut self.lines, column)?,
        };
        self.add_value(Node::new(value, Span::new(start, end)));
        Ok(())
    }
}

pub(super) struct Lines<'a> {
    pub text: &'a str,
    pub at: usize,
}

impl<'a> Lines<'a> {
    pub fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    pub fn peek(&self) -> Option<u8> {
        self.byte(self.at)
    }

    /// Returns a part of the text; an error if it splits a character.
    pub fn slice(&self, start: usize, end: usize) -> Read<&'a str> {
        self.text.get(start..end).ok_or(Unusual)
    }

    /// Returns the bytes from a position on.
    pub fn rest(&self, from: usize) -> &'a [u8] {
        self.text.as_bytes().get(from..).unwrap_or_default()
    }

    /// Returns the end of the line of `from`: its line feed, or the end of the text.
    pub fn line_end(&self, from: usize) -> usize {
        memchr::memchr(b'\n', self.rest(from)).map_or(self.text.len(), |length| from + length)
    }

    /// Returns true if a blank, a line end or the end of the text is at a position.
    pub fn is_blank(&self, at: usize) -> bool {
        matches!(self.byte(at), None | Some(b' ' | b'\n'))
    }

    /// Skips spaces and returns their number.
    pub fn spaces(&mut self) -> usize {
        let count = leading_spaces(self.rest(self.at));
        self.at += count;
        count
    }

    /// Skips spaces and the line break after them; an error if the line has other text.
    pub fn end_line(&mut self) -> Read<()> {
        self.spaces();
        match self.peek() {
            None => Ok(()),
            Some(b'\n') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(Unusual),
        }
    }

    /// Moves from the beginning of a line to the next text that is not blank or a comment, and returns its
    /// column. `None` at the end of the text.
    pub fn next_content(&mut self) -> Read<Option<usize>> {
        loop {
            let column = self.spaces();
            match self.peek() {
                None => return Ok(None),
                Some(b'\n') => self.at += 1,
                Some(b'#') => self.at = (self.line_end(self.at) + 1).min(self.text.len()),
                Some(b'\t') => return Err(Unusual),
                Some(b'-' | b'.') if column == 0 && self.is_marker() => return Err(Unusual),
                Some(_) => return Ok(Some(column)),
            }
        }
    }

    /// Returns true if a line begins with a document marker.
    fn is_marker(&self) -> bool {
        let rest = self.rest(self.at);
        rest.starts_with(b"---") || rest.starts_with(b"...")
    }
}
