//! Text of a document with access by bytes, lines and columns, and a collection of splices.

use std::{borrow::Cow, ops::Range};

use super::{Obstacle, RewriteError, Splice};
use olm_catalog::{Node, Span, Value};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Text of a document. If the final newline is missing, a virtual newline is added (see [`Splices::into_splices`]).
pub(super) struct Source<'t> {
    text: Cow<'t, [u8]>,
    original_len: usize,
    /// Offsets of newlines, because a JSON document may be one long line.
    newlines: Vec<usize>,
    eol: &'static [u8],
    json: bool,
}

impl<'t> Source<'t> {
    pub fn new(text: &'t [u8], json: bool) -> Self {
        let crlf = memchr::memchr(b'\n', text).is_some_and(|at| at > 0 && text[at - 1] == b'\r');
        let eol: &[u8] = if crlf { b"\r\n" } else { b"\n" };
        let given = text.len();
        let text = if text.is_empty() || text.ends_with(b"\n") {
            Cow::Borrowed(text)
        } else {
            Cow::Owned([text, eol].concat())
        };
        let newlines = memchr::memchr_iter(b'\n', &text).collect();
        Self { text, original_len: given, newlines, eol, json }
    }

    /// Returns the length with the virtual final newline.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns true for JSON.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Returns the bytes of a range, as far as they exist.
    pub fn slice(&self, range: Range<usize>) -> &[u8] {
        self.text.get(range).unwrap_or_default()
    }

    pub fn byte_at(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    /// Returns the line break around `at`.
    pub fn line_break_near(&self, at: usize) -> &'static [u8] {
        let end = self.next_line(at);
        match self.slice(0..end) {
            line if line.ends_with(b"\r\n") => b"\r\n",
            line if line.ends_with(b"\n") => b"\n",
            _ => self.eol,
        }
    }

    /// Returns the start of the line at `at`, after a byte order mark.
    pub fn line_start(&self, at: usize) -> usize {
        let above = self.newlines.partition_point(|newline| *newline < at).checked_sub(1);
        let start = above.and_then(|above| self.newlines.get(above)).map_or(0, |newline| newline + 1);
        if self.slice(start..at).starts_with(BOM) { start + BOM.len() } else { start }
    }

    /// Returns the start of the next line.
    pub fn next_line(&self, at: usize) -> usize {
        let end = self.newlines.partition_point(|newline| *newline < at);
        self.newlines.get(end).map_or(self.len(), |newline| newline + 1)
    }

    /// Returns the end of the line at `at`, before its line break.
    pub fn line_end(&self, at: usize) -> usize {
        let next = self.next_line(at);
        let line = self.slice(at.min(next)..next);
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        at.min(next) + line.strip_suffix(b"\r").unwrap_or(line).len()
    }

    /// Returns the number of bytes before `at` on its line.
    pub fn column(&self, at: usize) -> usize {
        at - self.line_start(at)
    }

    /// Returns the bytes before `at` on its line.
    pub fn prefix(&self, at: usize) -> &[u8] {
        self.slice(self.line_start(at)..at)
    }

    /// Returns the blanks at the beginning of a line.
    pub fn indentation(&self, at: usize) -> &[u8] {
        let start = self.line_start(at);
        self.slice(start..self.skip_blanks(start))
    }

    /// Returns true if only blanks precede `at` on its line.
    pub fn leads_line(&self, at: usize) -> bool {
        self.prefix(at).iter().all(|byte| is_blank(*byte))
    }

    /// Returns the first offset from `at` on that is not a space or tab.
    pub fn skip_blanks(&self, mut at: usize) -> usize {
        while self.byte_at(at).is_some_and(is_blank) {
            at += 1;
        }
        at
    }

    /// Returns the first offset from `at` on that is not a blank, a newline or a comment.
    pub fn skip_trivia(&self, mut at: usize) -> usize {
        loop {
            match self.byte_at(at) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => at += 1,
                Some(b'#') if !self.json && self.may_begin_comment(at) => at = self.line_end(at),
                _ => return at,
            }
        }
    }

    fn may_begin_comment(&self, at: usize) -> bool {
        at == self.line_start(at) || self.byte_at(at - 1).is_some_and(is_blank)
    }

    /// Returns true if only blanks and a comment follow `at` on its line.
    pub fn ends_line(&self, at: usize) -> bool {
        let next = self.skip_blanks(at);
        match self.byte_at(next) {
            None | Some(b'\n') => true,
            Some(b'\r') => self.byte_at(next + 1) == Some(b'\n'),
            Some(b'#') => !self.json && self.may_begin_comment(next),
            Some(_) => false,
        }
    }

    /// Returns true if the line that begins at `start` is blank.
    pub fn is_blank_line(&self, start: usize) -> bool {
        start < self.len() && self.skip_blanks(start) == self.line_end(start)
    }

    /// Returns the column of a comment that is alone on the line beginning at `start`.
    pub fn comment_line(&self, start: usize) -> Option<usize> {
        let at = self.skip_blanks(start);
        (!self.json && self.byte_at(at) == Some(b'#')).then(|| at - start)
    }

    /// Returns the end of a node's content: its span, and blank lines below that belong to a block scalar
    /// (`|+`).
    pub fn content_end(&self, node: &Node) -> usize {
        let mut end = (node.span.end as usize).min(self.len());
        if self.ends_with_kept_lines(node) {
            let mut below = self.next_line(end);
            while self.is_blank_line(below) {
                end = self.line_end(below);
                below = self.next_line(below);
            }
        }
        end
    }

    /// Returns true if a node ends with a block scalar that includes the blank lines below (`|+`).
    fn ends_with_kept_lines(&self, node: &Node) -> bool {
        let mut last = node;
        loop {
            last = match &last.value {
                Value::List(items) if !items.is_empty() => match items.last() {
                    Some(item) => item,
                    None => return false,
                },
                Value::Map(members) if !members.is_empty() => match members.last() {
                    Some(member) => &member.value,
                    None => return false,
                },
                _ => break,
            };
        }
        let start = last.span.start as usize;
        !self.json
            && matches!(self.byte_at(start), Some(b'|' | b'>'))
            && self.slice(start + 1..self.line_end(start).min(start + 3)).contains(&b'+')
    }

    /// Returns the error for unexpected syntax at `at`.
    pub fn unexpected_syntax(&self, at: usize) -> RewriteError {
        let what = match self.byte_at(at) {
            Some(b'&') => Obstacle::Anchor,
            Some(b'*') => Obstacle::Alias,
            Some(b'!') => Obstacle::Tag,
            Some(b'?') => Obstacle::UnusualKey,
            Some(b'<') if self.slice(at..at + 2) == b"<<" => Obstacle::MergeKey,
            _ => Obstacle::UnusualLayout,
        };
        self.unsupported_syntax(what, at)
    }

    /// Returns the error for a known obstacle at `at`.
    pub fn unsupported_syntax(&self, what: Obstacle, at: usize) -> RewriteError {
        let at = at.min(self.original_len);
        RewriteError::Unsupported {
            what,
            span: Span::new(at, self.line_end(at).min(self.original_len).max(at)),
        }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Collected replacements; ranges refer to the old text.
#[derive(Clone, Default)]
pub(super) struct Splices(Vec<Splice>);

impl Splices {
    pub fn replace(&mut self, at: Range<usize>, with: impl Into<Vec<u8>>) {
        let with = with.into();
        if !at.is_empty() || !with.is_empty() {
            self.0.push(Splice { at, with });
        }
    }

    pub fn delete(&mut self, at: Range<usize>) {
        self.replace(at, []);
    }

    pub fn insert(&mut self, at: usize, with: impl Into<Vec<u8>>) {
        self.replace(at..at, with);
    }

    /// Returns the sorted splices, with adjacent ones joined. With `keep_end`, the text ends with a newline if
    /// and only if it did before; otherwise the virtual final newline becomes real. `None` if two splices
    /// overlap, which is a bug.
    pub fn into_splices(self, source: &Source<'_>, keep_end: bool) -> Option<Vec<Splice>> {
        let mut splices = self.0;
        // An insertion goes before a replacement at the same offset.
        splices.sort_by_key(|splice| (splice.at.start, !splice.at.is_empty()));
        let mut splices = join_adjacent(splices)?;
        if splices.last().is_some_and(|last| last.at.end > source.len() || last.at.start > last.at.end) {
            return None;
        }
        if source.original_len < source.len() {
            remove_virtual_newline(&mut splices, source, keep_end);
        }
        join_adjacent(splices)
    }
}

/// Joins adjacent splices; `None` if any overlap.
fn join_adjacent(splices: Vec<Splice>) -> Option<Vec<Splice>> {
    let mut joined: Vec<Splice> = Vec::with_capacity(splices.len());
    for splice in splices {
        match joined.last_mut() {
            Some(last) if last.at.end > splice.at.start => return None,
            Some(last) if last.at.end == splice.at.start => {
                last.at.end = splice.at.end;
                last.with.extend(splice.with);
            }
            _ => joined.push(splice),
        }
    }
    Some(joined)
}

/// Converts splices of the text with its virtual newline to splices of the given text.
fn remove_virtual_newline(splices: &mut [Splice], source: &Source<'_>, keep_end: bool) {
    let Some(last) = splices.last_mut() else { return };
    if last.at.end <= source.original_len {
        return;
    }
    let eol = source.slice(source.original_len..source.len());
    if last.at.start >= source.original_len {
        // Text is added after the last line, so this line needs a line break now.
        last.at = source.original_len..source.original_len;
        last.with = [eol, &last.with].concat();
    } else {
        last.at.end = source.original_len;
    }
    if !keep_end {
        return;
    }
    for ending in [&b"\r\n"[..], b"\n"] {
        if last.with.ends_with(ending) {
            last.with.truncate(last.with.len() - ending.len());
            return;
        }
    }
    // The last lines are removed, and the line before them now ends without a line break.
    if last.with.is_empty() && source.slice(0..last.at.start).ends_with(b"\n") {
        last.at.start -= 1;
        if source.slice(0..last.at.start).ends_with(b"\r") {
            last.at.start -= 1;
        }
    }
}
