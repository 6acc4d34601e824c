//! Minimal edits of one document's text that give it a new content.
//!
//! The old and the new tree are compared, and the differences become splices at locations in the old tree.
//! Everything else stays: comments, order of keys, quotes, indentation, brackets, line endings, the byte order
//! mark, and a missing final newline. New parts follow the style of the document.
//!
//! # Comments
//!
//! A comment belongs to an entry if it is on a line of the entry's content. The same holds for comment lines
//! directly above in the same column, and directly below with more indentation. They are removed with the
//! entry. A blank line or another column separates a comment from the entry, so the comment stays. Comments
//! above the first key belong to the document. Inside brackets, the comments above and after an item belong to
//! it.
//!
//! # New keys
//!
//! In a map with sorted keys, a new key goes to its sorted position. Otherwise it follows the preceding key in
//! opm's types (`name`, `replaces`, `skips`, `skipRange`), or goes to the end.
//!
//! # Safety
//!
//! Syntax that cannot be edited safely (anchors, aliases, merge keys, tags, unusual layouts at the edited
//! place) is an error with a location. The result is parsed again and compared with the requested content.

mod block;
mod diff;
mod parts;
mod render;
mod scalar;
mod source;
mod style;
#[cfg(test)]
mod tests;
mod value;
mod value_tree;
mod walk;

use std::{fmt, ops::Range};

use self::{
    diff::{ValueChange, diff_trees},
    source::{Source, Splices},
    walk::Rewriter,
};
use olm_catalog::{
    Node, ReadError, Span,
    text::split::{Format, parse_chunk},
};
use parts::{FlowLayout, Part};
use walk::{NewPart, PartOperation, ValueSlot, blanks_to_string};

pub use value_tree::ValueTree;

/// Replacement of bytes in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Splice {
    /// Range in the old text.
    pub at: Range<usize>,
    /// New bytes.
    pub with: Vec<u8>,
}

/// Result of rewriting a document.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rewritten {
    /// The new text.
    pub text: Vec<u8>,
    /// Splices of the old text: sorted and not adjacent. Empty if nothing had to change.
    pub splices: Vec<Splice>,
}

/// Rewrites `text` so that its content is `new`. `text` is a document as [`olm_catalog::text::split`] cuts
/// it from a file, with its `---` line. `old` is the tree parsed from `text`.
///
/// # Errors
///
/// See [`RewriteError`].
pub fn rewrite_text(
    format: Format,
    text: &[u8],
    old: &Node,
    new: &ValueTree,
) -> Result<Rewritten, RewriteError> {
    let before = ValueTree::from(old);
    let change = diff_trees(&before, new).map_err(|diff::TooDeep| RewriteError::TooDeep)?;
    let map = match &change {
        ValueChange::Unchanged => return Ok(Rewritten { text: text.to_vec(), splices: Vec::new() }),
        ValueChange::Map(map) => map,
        ValueChange::Replace(_) | ValueChange::List(_) => return Err(RewriteError::NotAMap),
    };
    if old.span.start > old.span.end || old.span.end as usize > text.len() {
        return Err(RewriteError::ForeignTree);
    }
    let source = Source::new(text, format == Format::Json);
    let attempt = |blocks: bool, keep_end: bool| {
        let splices = Rewriter::new(&source, old, blocks).rewrite_root(map)?;
        apply_and_verify(format, text, &source, splices, keep_end, new)
    };
    let mut done = attempt(true, true);
    if !text.ends_with(b"\n") {
        // A block scalar that is now at the end of the text may need the missing newline.
        done = done.or_else(|error| retry_after_bug(error, || attempt(true, false)));
    }
    // A new block scalar may have absorbed a comment below with the same indentation.
    done = done.or_else(|error| retry_after_bug(error, || attempt(false, true)));
    done.map_err(|error| explain_shared_anchor(&source, old, &error).unwrap_or(error))
}

/// Tries another way after a wrong result; any other error is final.
fn retry_after_bug(
    error: RewriteError,
    other: impl FnOnce() -> Result<Rewritten, RewriteError>,
) -> Result<Rewritten, RewriteError> {
    if is_bug(&error) { other().map_err(|_| error) } else { Err(error) }
}

/// Returns true if a rewrite gave a wrong result, instead of an early error.
fn is_bug(error: &RewriteError) -> bool {
    matches!(error, RewriteError::WrongMeaning | RewriteError::Unreadable(_))
}

/// Applies the splices and checks that the result has the requested content.
fn apply_and_verify(
    format: Format,
    text: &[u8],
    source: &Source<'_>,
    splices: Splices,
    keep_end: bool,
    new: &ValueTree,
) -> Result<Rewritten, RewriteError> {
    let splices = splices.into_splices(source, keep_end).ok_or(RewriteError::WrongMeaning)?;
    let text = apply_splices(text, &splices).ok_or(RewriteError::WrongMeaning)?;
    let meaning = ValueTree::from(&parse_chunk(format, &text).map_err(RewriteError::Unreadable)?);
    if meaning.has_same_content(new) {
        Ok(Rewritten { text, splices })
    } else {
        Err(RewriteError::WrongMeaning)
    }
}

/// Applies splices to a text; `None` if they are not in order or out of range.
pub fn apply_splices(text: &[u8], splices: &[Splice]) -> Option<Vec<u8>> {
    let added: usize = splices.iter().map(|splice| splice.with.len()).sum();
    let mut out = Vec::with_capacity(text.len() + added);
    let mut done = 0;
    for splice in splices {
        out.extend_from_slice(text.get(done..splice.at.start)?);
        out.extend_from_slice(&splice.with);
        done = splice.at.end;
    }
    out.extend_from_slice(text.get(done..)?);
    Some(out)
}

/// Explains a wrong result in a document with anchors: the changed part is used elsewhere too.
fn explain_shared_anchor(source: &Source<'_>, old: &Node, error: &RewriteError) -> Option<RewriteError> {
    if source.is_json() || !is_bug(error) {
        return None;
    }
    let range = old.span.range();
    let text = source.slice(range.clone());
    let sigil = |sigil: u8| {
        memchr::memchr_iter(sigil, text).find(|at| {
            let before = at.checked_sub(1).and_then(|before| text.get(before));
            before.is_none_or(|byte| b" \t\n[{,".contains(byte))
                && text.get(at + 1).is_some_and(u8::is_ascii_alphanumeric)
        })
    };
    let (anchor, _) = sigil(b'&').zip(sigil(b'*'))?;
    Some(source.unsupported_syntax(Obstacle::Anchor, range.start + anchor))
}

/// Reason why a document cannot be rewritten. The text stays unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RewriteError {
    /// The form of the affected part cannot be edited safely.
    #[error("{what} here cannot be edited in place")]
    Unsupported {
        /// Kind of obstacle.
        what: Obstacle,
        /// Location in the text of the document.
        span: Span,
    },
    /// The change is deeper than any catalog.
    #[error("the change is nested too deep")]
    TooDeep,
    /// The document would not be a map with members.
    #[error("a document must stay a map and not be empty")]
    NotAMap,
    /// The tree does not belong to the text.
    #[error("internal error: the tree does not belong to the text")]
    ForeignTree,
    /// The result cannot be parsed, which is a bug. The edit is not applied.
    #[error("internal error: the edited document cannot be read: {0}")]
    Unreadable(#[source] ReadError),
    /// The result differs from the requested content, which is a bug. The edit is not applied.
    #[error("internal error: the edited document would not match the edit")]
    WrongMeaning,
}

/// Syntax that cannot be edited in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// `&name`, which other places may refer to.
    Anchor,
    /// `*name`, which refers to another place.
    Alias,
    /// `<<`, which includes keys of another place.
    MergeKey,
    /// `!tag`.
    Tag,
    /// `? key`, a multi-line key, or a pair without braces inside brackets.
    UnusualKey,
    /// Any other unexpected syntax.
    UnusualLayout,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anchor => "an anchor (&)",
            Self::Alias => "an alias (*)",
            Self::MergeKey => "a merge key (<<)",
            Self::Tag => "a tag (!)",
            Self::UnusualKey => "an unusual key",
            Self::UnusualLayout => "an unusual layout",
        })
    }
}

impl RewriteError {
    /// Returns the location in the text of the document, if there is one.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Unsupported { span, .. } => Some(*span),
            _ => None,
        }
    }

    /// Returns a suggestion for the user as a sentence.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unsupported { .. } | Self::TooDeep => "Make this edit in $EDITOR.",
            Self::NotAMap => "Remove the whole document instead.",
            Self::ForeignTree => "Reload the catalog.",
            Self::Unreadable(_) | Self::WrongMeaning => {
                "Nothing was changed. Make this edit in $EDITOR, and please report the document."
            }
        }
    }
}

/// Converts operations on the parts of a bracketed collection to splices. At least one part must stay.
fn edit_flow(
    rewriter: &mut Rewriter<'_, '_>,
    slot: &ValueSlot<'_>,
    flow: &FlowLayout,
    ops: &[PartOperation<'_>],
) -> Result<(), RewriteError> {
    let mut kept: Option<usize> = None;
    let mut removed: Option<(usize, usize)> = None;
    let mut inserted: Vec<&NewPart<'_>> = Vec::new();
    for op in ops {
        match op {
            PartOperation::Remove(at) => removed = Some((removed.map_or(*at, |(first, _)| first), *at)),
            PartOperation::Insert(new) => inserted.push(new),
            PartOperation::Keep(at) => {
                edit_gap_before(rewriter, slot, flow, removed.take(), &std::mem::take(&mut inserted), *at)?;
                kept = Some(*at);
            }
        }
    }
    let (Some(kept), Some(last)) = (kept, flow.parts.len().checked_sub(1)) else {
        return Err(RewriteError::ForeignTree);
    };
    edit_end(rewriter, slot, flow, kept, last, removed.is_some(), &inserted)
}

/// Edits the gap before part `next`, which stays.
fn edit_gap_before(
    rewriter: &mut Rewriter<'_, '_>,
    slot: &ValueSlot<'_>,
    flow: &FlowLayout,
    removed: Option<(usize, usize)>,
    inserted: &[&NewPart<'_>],
    next: usize,
) -> Result<(), RewriteError> {
    let source = rewriter.source;
    let at = part_start(source, flow, next);
    if let Some((first, _)) = removed {
        rewriter.splices.delete(part_start(source, flow, first)..at);
    }
    let Some(part) = flow.parts.get(next) else { return Err(RewriteError::ForeignTree) };
    let mut new = String::new();
    for part_text in render_parts(rewriter, slot, flow, inserted, next)? {
        let render = rewriter.renderer_at(part.start);
        if flow.lines {
            new += &blanks_to_string(source.indentation(part.start));
        }
        new += &part_text;
        new.push(',');
        new +=
            if flow.lines { render.eol } else { usual_gap(source, flow).unwrap_or(render.style.comma_gap) };
    }
    rewriter.splices.insert(at, new);
    Ok(())
}

/// Edits the end after part `kept`, after which no part stays; `last` is the last of all parts.
fn edit_end(
    rewriter: &mut Rewriter<'_, '_>,
    slot: &ValueSlot<'_>,
    flow: &FlowLayout,
    kept: usize,
    last: usize,
    removed: bool,
    inserted: &[&NewPart<'_>],
) -> Result<(), RewriteError> {
    let source = rewriter.source;
    let (Some(kept_part), Some(last_part)) = (flow.parts.get(kept), flow.parts.get(last)) else {
        return Err(RewriteError::ForeignTree);
    };
    let trailing_comma = last_part.comma.is_some();
    let end = part_end(source, flow, last_part);
    // The comma after the part that is now last is removed, kept or added.
    match kept_part.comma {
        Some(comma) if removed && inserted.is_empty() && !trailing_comma => {
            rewriter.splices.delete(comma..comma + 1);
        }
        None if !inserted.is_empty() => rewriter.splices.insert(kept_part.end, ","),
        _ => {}
    }
    if removed {
        rewriter.splices.delete(part_end(source, flow, kept_part)..end);
    }
    let texts = render_parts(rewriter, slot, flow, inserted, kept)?;
    if texts.is_empty() {
        return Ok(());
    }
    let render = rewriter.renderer_at(kept_part.start);
    let separator = if flow.lines {
        format!("{}{}", render.eol, blanks_to_string(source.indentation(kept_part.start)))
    } else {
        usual_gap(source, flow).unwrap_or(render.style.comma_gap).to_owned()
    };
    let mut new = String::new();
    for (nth, part_text) in texts.iter().enumerate() {
        if nth > 0 {
            new.push(',');
        }
        new += &separator;
        new += part_text;
    }
    if trailing_comma {
        new.push(',');
    }
    rewriter.splices.insert(end, new);
    Ok(())
}

/// Returns the start of a part with the comments above that belong to it.
fn part_start(source: &Source<'_>, flow: &FlowLayout, at: usize) -> usize {
    let Some(part) = flow.parts.get(at) else { return flow.close };
    if !flow.lines {
        return part.start;
    }
    let mut start = source.line_start(part.start);
    while start > 0 {
        let above = source.line_start(start - 1);
        if above >= start || source.comment_line(above).is_none() {
            break;
        }
        start = above;
    }
    start
}

/// Returns the end of a part with its comma, and with its comment if each part has its own line.
fn part_end(source: &Source<'_>, flow: &FlowLayout, part: &Part) -> usize {
    let end = part.comma.map_or(part.end, |comma| comma + 1);
    if flow.lines && source.ends_line(end) { source.line_end(end) } else { end }
}

/// Returns the blanks between a comma and the next part on the same line.
fn usual_gap(source: &Source<'_>, flow: &FlowLayout) -> Option<&'static str> {
    flow.parts.windows(2).find_map(|pair| {
        let [first, second] = pair else { return None };
        match source.slice(first.comma? + 1..second.start) {
            b"" => Some(""),
            b" " => Some(" "),
            _ => None,
        }
    })
}

fn render_parts(
    rewriter: &Rewriter<'_, '_>,
    slot: &ValueSlot<'_>,
    flow: &FlowLayout,
    inserted: &[&NewPart<'_>],
    neighbour: usize,
) -> Result<Vec<String>, RewriteError> {
    let source = rewriter.source;
    let Some(part) = flow.parts.get(neighbour) else { return Err(RewriteError::ForeignTree) };
    let render = rewriter.renderer_at(part.start);
    let like = slot.style_of_item(source, neighbour);
    let base = blanks_to_string(source.indentation(part.start));
    let base = (flow.lines || like.is_some_and(|(_, look)| look.lines)).then_some(base.as_str());
    let write = |new: &&NewPart<'_>| match new {
        NewPart::Item(value) => render.render_flow(value, &style::item_label(&slot.label), base, like),
        NewPart::Member(key, value) => render.render_flow_member(key, value, &slot.label, base),
    };
    inserted.iter().map(write).collect()
}
