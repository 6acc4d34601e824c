//! Layout of a collection: start and end of each part, in block style or in brackets.
//!
//! Unexpected text between two parts is an error, so that no edit is based on a guess. Expected are blanks,
//! comments and separators.

use std::ops::Range;

use super::{Obstacle, RewriteError, source::Source};
use olm_catalog::{Member, Node, Value};

/// Part of a collection: `- item` or `key: value`.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Offset of the first byte: of the `-`, the key, or an item inside brackets.
    pub start: usize,
    /// Offset after the `-` or the `:`; start of an item inside brackets.
    pub head: usize,
    /// End of the content.
    pub end: usize,
    /// Offset of the comma after it, inside brackets.
    pub comma: Option<usize>,
}

/// A collection in block style.
#[derive(Debug)]
pub(super) struct BlockLayout {
    /// Number of bytes before each part on its line.
    pub column: usize,
    /// True if the first part follows a `-` on its line, as in `- name: x`.
    pub inline: bool,
    /// Offset before which comments do not belong to the first part.
    pub floor: usize,
    /// At least one part.
    pub parts: Vec<Part>,
}

/// A collection in brackets.
#[derive(Debug)]
pub(super) struct FlowLayout {
    /// Offset of the closing bracket.
    pub close: usize,
    /// True if each part begins a line.
    pub lines: bool,
    /// At least one part.
    pub parts: Vec<Part>,
}

/// Returns true if a collection is in brackets.
pub(super) fn is_flow(source: &Source<'_>, node: &Node) -> bool {
    let bracket = match node.value {
        Value::List(_) => b'[',
        Value::Map(_) => b'{',
        _ => return false,
    };
    source.byte_at(node.span.start as usize) == Some(bracket)
}

/// Returns true if a member was merged by `<<`; it then has the location of the alias.
fn is_merged(source: &Source<'_>, member: &Member) -> bool {
    !source.is_json() && source.byte_at(member.key_span.start as usize) == Some(b'*')
}

/// Returns the offset after the colon of a key.
pub(super) fn after_colon(source: &Source<'_>, member: &Member) -> Result<usize, RewriteError> {
    let start = member.key_span.start as usize;
    let end = member.key_span.end as usize;
    if is_merged(source, member) {
        return Err(source.unsupported_syntax(Obstacle::MergeKey, start));
    }
    if !source.is_json() && matches!(source.byte_at(start), Some(b'&' | b'!')) {
        return Err(source.unexpected_syntax(start));
    }
    if source.slice(start..end).contains(&b'\n') {
        return Err(source.unsupported_syntax(Obstacle::UnusualKey, start));
    }
    let colon = if source.is_json() { source.skip_trivia(end) } else { source.skip_blanks(end) };
    if source.byte_at(colon) == Some(b':') {
        Ok(colon + 1)
    } else {
        Err(source.unsupported_syntax(Obstacle::UnusualKey, start))
    }
}

/// Returns the end of a part whose value begins after `head`.
fn content_end_after(source: &Source<'_>, value: &Node, head: usize) -> usize {
    if is_missing_value(value) { head } else { source.content_end(value).max(head) }
}

/// Returns true if a value is not written at all.
pub(super) fn is_missing_value(value: &Node) -> bool {
    value.is_null() && value.span.start >= value.span.end
}

/// Returns the parts of a list or map in block style. `root` is true for the document itself.
pub(super) fn block_layout(
    source: &Source<'_>,
    node: &Node,
    root: bool,
) -> Result<BlockLayout, RewriteError> {
    let first = node.span.start as usize;
    let column = source.column(first);
    let inline = !source.prefix(first).iter().all(|byte| *byte == b' ');
    if inline && !source.prefix(first).iter().all(|byte| matches!(byte, b' ' | b'-')) {
        return Err(source.unexpected_syntax(source.skip_trivia(source.line_start(first))));
    }
    // Comments above the first part of a document belong to the document.
    let floor = if root { first } else { 0 };
    let mut parts: Vec<Part> = Vec::new();
    let mut add = |start: usize, head: usize, value: &Node| {
        let expected = match parts.last() {
            None => first,
            Some(before) => source.skip_trivia(before.end),
        };
        let leads = parts.is_empty() || (source.column(start) == column && source.leads_line(start));
        if start != expected || !leads {
            return Err(source.unexpected_syntax(expected));
        }
        let end = content_end_after(source, value, head);
        if !source.ends_line(end) {
            return Err(source.unexpected_syntax(source.skip_blanks(end)));
        }
        parts.push(Part { start, head, end, comma: None });
        Ok(end)
    };
    match &node.value {
        Value::List(items) => {
            let mut dash = first;
            for item in items {
                if source.byte_at(dash) != Some(b'-') {
                    return Err(source.unexpected_syntax(dash));
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
    Ok(BlockLayout { column, inline, floor, parts })
}

impl BlockLayout {
    /// Returns the bytes to remove with part `at`: whole lines, unless it follows a `-`. They include the lines
    /// of its content, and comment lines directly above in its column. Comment lines directly below with more
    /// indentation also belong to it.
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

/// Returns the parts of a list or map in brackets.
pub(super) fn flow_layout(source: &Source<'_>, node: &Node) -> Result<FlowLayout, RewriteError> {
    let open = node.span.start as usize;
    let close = (node.span.end as usize).saturating_sub(1);
    if !is_flow(source, node) {
        // A pair without braces: `[a: b]`.
        return Err(source.unsupported_syntax(Obstacle::UnusualKey, open));
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut lines = true;
    let mut after = open + 1;
    let mut add = |start: usize, head: usize, value: &Node| {
        if parts.last().is_some_and(|before| before.comma.is_none()) || source.skip_trivia(after) != start {
            return Err(source.unexpected_syntax(source.skip_trivia(after)));
        }
        lines &= source.leads_line(start) && source.line_start(start) > open;
        let end = content_end_after(source, value, head);
        let next = source.skip_trivia(end);
        let comma = (source.byte_at(next) == Some(b',')).then_some(next);
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
        return Err(source.unexpected_syntax(source.skip_trivia(after)));
    }
    Ok(FlowLayout { close, lines, parts })
}
