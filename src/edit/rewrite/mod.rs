//! Makes one document mean something else while touching as few bytes as possible.
//!
//! The old tree and the new one are compared; what differs becomes splices at the places the old tree knows.
//! Everything else stays as it is: comments, the order of keys, quotes, indentation, brackets, line endings, the byte
//! order mark, a missing final newline. What is new is written as the document writes its like.
//!
//! # Comments
//!
//! A comment on a line of an entry's content belongs to the entry; so do comment lines right above it that begin in its
//! own column, and comment lines right below it that are indented deeper. They go when it goes. A blank line, or another
//! column, parts a comment from it, and such a comment stays. Comments above the first key of a document are about the
//! document. Inside brackets, the comments above an item and behind it belong to it.
//!
//! # New keys
//!
//! They go where the alphabet wants them if the keys of the map are sorted, otherwise behind the key that precedes them in
//! opm's types (`name`, `replaces`, `skips`, `skipRange`), otherwise to the end.
//!
//! # Safety
//!
//! What cannot be changed surely (anchors, aliases, merge keys, tags, unusual layouts, where the edit touches them)
//! is an error with a place. The result is read again and compared with what was asked for before anyone sees it.

mod block;
mod diff;
mod error;
mod flow;
mod order;
mod parts;
mod plain;
mod render;
mod scalar;
mod source;
mod style;
#[cfg(test)]
mod tests;
mod value;
mod walk;

use std::ops::Range;

pub use error::{Obstacle, RewriteError};
pub use plain::Plain;

use self::{
    diff::{Change, diff},
    source::{Source, Splices},
    walk::Rewriter,
};
use crate::catalog::{
    Node,
    text::split::{Format, parse},
};

/// Bytes of a text that are replaced by others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Splice {
    /// Where, in the old text.
    pub at: Range<usize>,
    /// By what.
    pub with: Vec<u8>,
}

/// A document that means something else now.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rewritten {
    /// The new text.
    pub text: Vec<u8>,
    /// How it came from the old text: in order, none touching another. None at all if nothing had to change.
    pub splices: Vec<Splice>,
}

/// Rewrites `text` (a document as [`crate::catalog::text::split`] cuts it out of a file, with its `---` line) so that it means
/// `new`. `old` is the tree that was read from `text`.
///
/// # Errors
///
/// See [`RewriteError`]; the text is never guessed at.
pub fn rewrite(format: Format, text: &[u8], old: &Node, new: &Plain) -> Result<Rewritten, RewriteError> {
    let before = Plain::from(old);
    let change = diff(&before, new).map_err(|diff::TooDeep| RewriteError::TooDeep)?;
    let map = match &change {
        Change::Same => return Ok(Rewritten { text: text.to_vec(), splices: Vec::new() }),
        Change::Map(map) => map,
        Change::Replace(_) | Change::List(_) => return Err(RewriteError::NotAMap),
    };
    if old.span.start > old.span.end || old.span.end as usize > text.len() {
        return Err(RewriteError::ForeignTree);
    }
    let source = Source::new(text, format == Format::Json);
    let attempt = |blocks: bool, keep_end: bool| {
        let splices = Rewriter::new(&source, old, blocks).document(map)?;
        finish(format, text, &source, splices, keep_end, new)
    };
    let mut done = attempt(true, true);
    if !text.ends_with(b"\n") {
        // A block scalar that has become the last thing in the text may need the newline that was missing.
        done = done.or_else(|error| again(error, || attempt(true, false)));
    }
    // A new block scalar may have taken in a comment below it that is indented as deep.
    done = done.or_else(|error| again(error, || attempt(false, true)));
    done.map_err(|error| shared_elsewhere(&source, old, &error).unwrap_or(error))
}

/// Tries something else after a mistake; any other error is final.
fn again(
    error: RewriteError,
    other: impl FnOnce() -> Result<Rewritten, RewriteError>,
) -> Result<Rewritten, RewriteError> {
    if is_mistake(&error) { other().map_err(|_| error) } else { Err(error) }
}

/// Whether a rewrite came out wrong, rather than not at all.
fn is_mistake(error: &RewriteError) -> bool {
    matches!(error, RewriteError::WrongMeaning | RewriteError::Unreadable(_))
}

/// Applies the splices and makes sure that the result means what was asked for.
fn finish(
    format: Format,
    text: &[u8],
    source: &Source<'_>,
    splices: Splices,
    keep_end: bool,
    new: &Plain,
) -> Result<Rewritten, RewriteError> {
    let splices = splices.finish(source, keep_end).ok_or(RewriteError::WrongMeaning)?;
    let text = apply(text, &splices).ok_or(RewriteError::WrongMeaning)?;
    let meaning = Plain::from(&parse(format, &text).map_err(RewriteError::Unreadable)?);
    if meaning.same_meaning(new) { Ok(Rewritten { text, splices }) } else { Err(RewriteError::WrongMeaning) }
}

/// The text after the splices; `None` if they are not in order or reach beyond it.
pub fn apply(text: &[u8], splices: &[Splice]) -> Option<Vec<u8>> {
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

/// When an edit comes out wrong in a document with anchors, they are why: what was changed is used elsewhere too.
fn shared_elsewhere(source: &Source<'_>, old: &Node, error: &RewriteError) -> Option<RewriteError> {
    if source.is_json() || !is_mistake(error) {
        return None;
    }
    let range = old.span.range();
    let text = source.get(range.clone());
    let sigil = |sigil: u8| {
        memchr::memchr_iter(sigil, text).find(|at| {
            let before = at.checked_sub(1).and_then(|before| text.get(before));
            before.is_none_or(|byte| b" \t\n[{,".contains(byte))
                && text.get(at + 1).is_some_and(u8::is_ascii_alphanumeric)
        })
    };
    let (anchor, _) = sigil(b'&').zip(sigil(b'*'))?;
    Some(source.unsupported(Obstacle::Anchor, range.start + anchor))
}
