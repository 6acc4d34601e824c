//! How a collection is laid out: where each of its parts begins and ends, in block or in brackets.
//!
//! Nothing is taken for granted: between two parts there may be blanks, comments and what separates them, and
//! whatever else is found there is an error, so that no edit is built on a guess.

use std::ops::Range;

use super::{
    error::{Obstacle, RewriteError},
    source::Source,
};
use crate::catalog::{Member, Node, Value};

/// One `- item` or `key: value`.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Its first byte: the `-`, the key, or the item itself inside brackets.
    pub start: usize,
    /// One past the `-` or the `:`; the start of an item inside brackets.
    pub head: usize,
    /// Where its content ends.
    pub end: usize,
    /// The comma after it, inside brackets.
    pub comma: Option<usize>,
}

/// A collection in block style.
#[derive(Debug)]
pub(super) struct Block {
    /// How many bytes stand before each part.
    pub column: usize,
    /// The first part stands behind a `-` on its line: `- name: x`.
    pub inline: bool,
    /// Comments before this do not belong to the first part.
    pub floor: usize,
    /// The parts, at least one.
    pub parts: Vec<Part>,
}

/// A collection in brackets.
#[derive(Debug)]
pub(super) struct Flow {
    /// The closing bracket.
    pub close: usize,
    /// Each part begins a line of its own.
    pub lines: bool,
    /// The parts, at least one.
    pub parts: Vec<Part>,
}

/// Whether a collection is written in brackets.
pub(super) fn is_flow(source: &Source<'_>, node: &Node) -> bool {
    let bracket = match node.value {
        Value::List(_) => b'[',
        Value::Map(_) => b'{',
        _ => return false,
    };
    source.byte(node.span.start as usize) == Some(bracket)
}

/// Whether a member was merged in by `<<`: it has the place of the alias.
fn is_merged(source: &Source<'_>, member: &Member) -> bool {
    !source.is_json() && source.byte(member.key_span.start as usize) == Some(b'*')
}

/// One past the colon after a key.
pub(super) fn after_colon(source: &Source<'_>, member: &Member) -> Result<usize, RewriteError> {
    let start = member.key_span.start as usize;
    let end = member.key_span.end as usize;
    if is_merged(source, member) {
        return Err(source.unsupported(Obstacle::MergeKey, start));
    }
    if !source.is_json() && matches!(source.byte(start), Some(b'&' | b'!')) {
        return Err(source.unexpected(start));
    }
    if source.get(start..end).contains(&b'\n') {
        return Err(source.unsupported(Obstacle::UnusualKey, start));
    }
    let colon = if source.is_json() { source.skip_trivia(end) } else { source.skip_blanks(end) };
    if source.byte(colon) == Some(b':') {
        Ok(colon + 1)
    } else {
        Err(source.unsupported(Obstacle::UnusualKey, start))
    }
}

/// Where a part ends whose value begins somewhere after `head`.
fn end_of(source: &Source<'_>, value: &Node, head: usize) -> usize {
    if is_nothing(value) { head } else { source.content_end(value).max(head) }
}

/// Whether a value is not written at all.
pub(super) fn is_nothing(value: &Node) -> bool {
    value.is_null() && value.span.start >= value.span.end
}

/// Finds the parts of a list or map in block style. `root` says that it is the document itself.
pub(super) fn block(source: &Source<'_>, node: &Node, root: bool) -> Result<Block, RewriteError> {
    let first = node.span.start as usize;
    let column = source.column(first);
    let inline = !source.prefix(first).iter().all(|byte| *byte == b' ');
    if inline && !source.prefix(first).iter().all(|byte| matches!(byte, b' ' | b'-')) {
        return Err(source.unexpected(source.skip_trivia(source.line_start(first))));
    }
    // Comments above the first part of a document are about the document.
    let floor = if root { first } else { 0 };
    let mut parts: Vec<Part> = Vec::new();
    let mut add = |start: usize, head: usize, value: &Node| {
        let expected = match parts.last() {
            None => first,
            Some(before) => source.skip_trivia(before.end),
        };
        let leads = parts.is_empty() || (source.column(start) == column && source.leads_line(start));
        if start != expected || !leads {
            return Err(source.unexpected(expected));
        }
        let end = end_of(source, value, head);
        if !source.ends_line(end) {
            return Err(source.unexpected(source.skip_blanks(end)));
        }
        parts.push(Part { start, head, end, comma: None });
        Ok(end)
    };
    match &node.value {
        Value::List(items) => {
            let mut dash = first;
            for item in items {
                if source.byte(dash) != Some(b'-') {
                    return Err(source.unexpected(dash));
                }
                let end = add(dash, dash + 1, item)?;
                dash = source.skip_trivia(end);
            }
        }
        Value::Map(members) => {
            for member in members {
                let head = after_colon(source, member)?;
                add(member.key_span.start as usize, head, &member.value)?;
            }
        }
        _ => return Err(RewriteError::ForeignTree),
    }
    Ok(Block { column, inline, floor, parts })
}

impl Block {
    /// The bytes that go when part `at` goes: whole lines, unless it stands behind a `-`. To a part belong the lines of
    /// its content; comment lines right above it in its own column; comment lines right below it that are indented
    /// deeper. A blank line, or another column, parts a comment from it.
    pub fn extent(&self, source: &Source<'_>, at: usize) -> Range<usize> {
        let Some(part) = self.parts.get(at) else { return 0..0 };
        let floor = match at.checked_sub(1).and_then(|before| self.parts.get(before)) {
            Some(before) => source.next_line(before.end),
            None => self.floor,
        };
        let mut start = part.start;
        if at > 0 || !self.inline {
            start = source.line_start(start);
            while start > floor {
                let above = source.line_start(start - 1);
                if above < floor || source.comment_line(above) != Some(self.column) {
                    break;
                }
                start = above;
            }
        }
        let mut end = source.next_line(part.end);
        while source.comment_line(end).is_some_and(|column| column > self.column) {
            end = source.next_line(end);
        }
        start..end
    }
}

/// Finds the parts of a list or map in brackets.
pub(super) fn flow(source: &Source<'_>, node: &Node) -> Result<Flow, RewriteError> {
    let open = node.span.start as usize;
    let close = (node.span.end as usize).saturating_sub(1);
    if !is_flow(source, node) {
        // A pair without braces: `[a: b]`.
        return Err(source.unsupported(Obstacle::UnusualKey, open));
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut lines = true;
    let mut after = open + 1;
    let mut add = |start: usize, head: usize, value: &Node| {
        if parts.last().is_some_and(|before| before.comma.is_none()) || source.skip_trivia(after) != start {
            return Err(source.unexpected(source.skip_trivia(after)));
        }
        lines &= source.leads_line(start) && source.line_start(start) > open;
        let end = end_of(source, value, head);
        let next = source.skip_trivia(end);
        let comma = (source.byte(next) == Some(b',')).then_some(next);
        after = comma.map_or(end, |comma| comma + 1);
        parts.push(Part { start, head, end, comma });
        Ok(())
    };
    match &node.value {
        Value::List(items) => {
            for item in items {
                let start = item.span.start as usize;
                add(start, start, item)?;
            }
        }
        Value::Map(members) => {
            for member in members {
                let head = after_colon(source, member)?;
                add(member.key_span.start as usize, head, &member.value)?;
            }
        }
        _ => return Err(RewriteError::ForeignTree),
    }
    if source.skip_trivia(after) != close {
        return Err(source.unexpected(source.skip_trivia(after)));
    }
    Ok(Flow { close, lines, parts })
}
