//! Insertion and removal of parts in block style, as whole lines.

use super::{
    RewriteError,
    parts::{BlockLayout, Part},
    source::Source,
    style::{CollectionStyle, Kind},
    walk::{NewPart, PartOperation, Rewriter, ValueSlot},
};
use olm_catalog::Value;

/// A sequence of removed and inserted parts between two kept parts.
#[derive(Default)]
struct EditRun<'o, 'n> {
    /// Kept part before the run.
    before: Option<usize>,
    removed: Vec<usize>,
    inserted: Vec<&'o NewPart<'n>>,
    /// Kept part after the run.
    after: Option<usize>,
}

/// Converts operations on the parts of a block to splices.
pub(super) fn edit_block(
    rewriter: &mut Rewriter<'_, '_>,
    slot: &ValueSlot<'_>,
    block: &BlockLayout,
    ops: &[PartOperation<'_>],
) -> Result<(), RewriteError> {
    let spaced = is_spaced(rewriter.source, block);
    let mut run = EditRun::default();
    for op in ops {
        match op {
            PartOperation::Remove(at) => run.removed.push(*at),
            PartOperation::Insert(new) => run.inserted.push(new),
            PartOperation::Keep(at) => {
                run.after = Some(*at);
                edit_run(rewriter, slot, block, &run, spaced)?;
                run = EditRun { before: Some(*at), ..EditRun::default() };
            }
        }
    }
    edit_run(rewriter, slot, block, &run, spaced)
}

/// Returns true if there are blank lines between all parts.
fn is_spaced(source: &Source<'_>, block: &BlockLayout) -> bool {
    let gaps = block.parts.len().saturating_sub(1);
    gaps > 0 && (0..gaps).all(|at| source.is_blank_line(block.extent(source, at).end))
}

fn edit_run(
    rewriter: &mut Rewriter<'_, '_>,
    slot: &ValueSlot<'_>,
    block: &BlockLayout,
    run: &EditRun<'_, '_>,
    spaced: bool,
) -> Result<(), RewriteError> {
    if run.removed.is_empty() && run.inserted.is_empty() {
        return Ok(());
    }
    let source = rewriter.source;
    let neighbour = run.before.or(run.removed.last().copied()).or(run.after).unwrap_or(0);
    let Some(part) = block.parts.get(neighbour) else { return Err(RewriteError::ForeignTree) };
    let mut texts = Vec::with_capacity(run.inserted.len());
    for new in &run.inserted {
        texts.push(render_part(rewriter, slot, block, new, neighbour, part)?);
    }
    let eol = rewriter.renderer_at(part.start).eol;
    let indentation = " ".repeat(block.column);
    if block.inline && run.before.is_none() {
        return edit_behind_dash(rewriter, block, run, &texts, &format!("{eol}{indentation}"));
    }
    let last_run = run.after.is_none();
    for at in &run.removed {
        let mut lines = block.extent(source, *at);
        if spaced && last_run {
            lines.start = count_blank_lines_before(source, lines.start);
        } else if spaced {
            lines.end = count_blank_lines_after(source, lines.end);
        }
        rewriter.splices.delete(lines);
    }
    if texts.is_empty() {
        return Ok(());
    }
    let at = match run.removed.last().copied().or(run.before) {
        Some(before) if spaced && !last_run && !run.removed.is_empty() => {
            count_blank_lines_after(source, block.extent(source, before).end)
        }
        Some(before) => block.extent(source, before).end,
        // The new part goes before the comments of a first item, but after comments above a first key.
        None if matches!(slot.node.value, Value::List(_)) => block.extent(source, 0).start,
        None => source.line_start(part.start),
    };
    let blank_first = run.before.is_some() && (run.removed.is_empty() || last_run);
    let mut new = String::new();
    for (nth, text) in texts.iter().enumerate() {
        if spaced && (blank_first || (last_run && nth > 0)) {
            new += eol;
        }
        new += &indentation;
        new += text;
        new += eol;
        if spaced && !blank_first && !last_run {
            new += eol;
        }
    }
    rewriter.splices.insert(at, new);
    Ok(())
}

/// Edits the beginning of a block whose first part follows a `-` on its line.
fn edit_behind_dash(
    rewriter: &mut Rewriter<'_, '_>,
    block: &BlockLayout,
    run: &EditRun<'_, '_>,
    texts: &[String],
    new_line: &str,
) -> Result<(), RewriteError> {
    let source = rewriter.source;
    let Some(first) = block.parts.first() else { return Err(RewriteError::ForeignTree) };
    let end = match (run.removed.last(), run.after) {
        (None, _) => first.start,
        // The next part, or the comment above it, moves up after the `-`.
        (Some(last), Some(_)) => {
            source.skip_blanks(count_blank_lines_after(source, block.extent(source, *last).end))
        }
        (Some(last), None) => {
            let after = block.extent(source, *last).end;
            source.line_end(source.line_start(after.saturating_sub(1)))
        }
    };
    let mut new = texts.join(new_line);
    if run.after.is_some() && !texts.is_empty() {
        new += new_line;
    }
    rewriter.splices.replace(first.start..end, new);
    Ok(())
}

/// Returns the text of a new part, without the indentation of its first line and without the last line break.
fn render_part(
    rewriter: &Rewriter<'_, '_>,
    slot: &ValueSlot<'_>,
    block: &BlockLayout,
    new: &NewPart<'_>,
    neighbour: usize,
    part: &Part,
) -> Result<String, RewriteError> {
    let source = rewriter.source;
    let render = rewriter.renderer_at(part.start);
    match new {
        NewPart::Member(key, value) => render.render_member(key, value, &slot.label, block.column),
        NewPart::Item(value) => {
            let like =
                slot.style_of_item(source, neighbour).map(|(kind, look)| (kind, nested_style(kind, look)));
            render.render_item(value, &slot.label, block.column, content_gap(source, part), like)
        }
    }
}

/// Removes the offset of a nested list in block style, which has none after a `-`.
fn nested_style(kind: Kind, look: CollectionStyle) -> CollectionStyle {
    if kind == Kind::List && !look.flow { CollectionStyle { offset: 0, ..look } } else { look }
}

/// Returns the distance from the `-` to the content of an item.
fn content_gap(source: &Source<'_>, part: &Part) -> usize {
    let content = source.skip_blanks(part.head);
    let same_line = content < source.line_end(part.start) && source.byte_at(content) != Some(b'#');
    if same_line && source.slice(part.head..content).iter().all(|byte| *byte == b' ') {
        (content - part.start).max(2)
    } else {
        2
    }
}

fn count_blank_lines_after(source: &Source<'_>, mut at: usize) -> usize {
    while source.is_blank_line(at) {
        at = source.next_line(at);
    }
    at
}

fn count_blank_lines_before(source: &Source<'_>, mut at: usize) -> usize {
    while at > 0 {
        let above = source.line_start(at - 1);
        if above >= at || !source.is_blank_line(above) {
            break;
        }
        at = above;
    }
    at
}
