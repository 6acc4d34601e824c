//! Insertion and removal of parts inside brackets, with their separators.

use super::{
    RewriteError,
    parts::{FlowLayout, Part},
    source::Source,
    walk::{NewPart, PartOperation, Rewriter, ValueSlot, blanks_to_string},
};

/// Converts operations on the parts of a bracketed collection to splices. At least one part must stay.
pub(super) fn edit_flow(
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
        NewPart::Item(value) => render.render_flow(value, &super::style::item_label(&slot.label), base, like),
        NewPart::Member(key, value) => render.render_flow_member(key, value, &slot.label, base),
    };
    inserted.iter().map(write).collect()
}
