//! Size of a neighborhood: columns, boxes in them, and space for lines between them.

use std::ops::Range;

use petgraph::graph::NodeIndex;

use super::{
    Area, CENTER, COLUMNS, Net, Options, VersionBox,
    boxes::{BoxBuilder, BoxDraft, BoxKind},
};
use olm_catalog::escape::{
    self,
    wrap::{LongWord, fill_lines},
};

/// Minimum width of a column of boxes if there are several: a short version and its frame.
const MIN_COLUMN_WIDTH: usize = 10;
/// Minimum gap between two columns: a stub, two lanes, a letter and a tip.
const MIN_GAP: usize = 5;
/// Maximum gap between two columns.
const MAX_GAP: usize = 11;
/// Gap after the last column: a tip, a letter, two lanes.
const LAST_GAP: usize = 4;
/// Maximum number of lines below the title of a box.
const MAX_NOTES: usize = 2;
/// Maximum number of rows to which a box grows for edges at its sides.
const MAX_BOX_ROWS: usize = 6;
/// Maximum number of rows below the boxes, for edges that pass a column.
const MAX_CORRIDORS: usize = 4;
/// Minimum number of equally connected bundles that share a box even if there is space for each.
const MIN_GROUP_SIZE: usize = 4;

/// Boxes with their positions, and the lines between them.
pub(super) struct BoxPlan {
    pub(super) boxes: Vec<VersionBox>,
    /// Column of each box, from the left.
    pub(super) columns: Vec<usize>,
    /// Cells to the right of each column.
    pub(super) gaps: Vec<Range<usize>>,
    /// Rows below all boxes.
    pub(super) corridors: Range<usize>,
    pub(super) framed: bool,
    pub(super) width: usize,
    /// Lines in the order in which they are routed.
    pub(super) nets: Vec<Net>,
    pub(super) inside: usize,
    /// Number of edges that are not routed.
    pub(super) left_out: usize,
}

/// Boxes of the visible columns.
struct ColumnDrafts {
    framed: bool,
    columns: Vec<Vec<BoxDraft>>,
    /// True if all boxes fit without a box that counts the rest.
    complete: bool,
}

/// Lays out everything that fits; `None` if not even the center fits.
pub(super) fn fit_boxes(author: &BoxBuilder<'_>, options: &Options) -> Option<BoxPlan> {
    if options.height == 0 || options.width < 3 {
        return None;
    }
    let shown = visible_columns(author, options.width);
    let room = options.width.saturating_sub(shown.len().saturating_sub(1) * MIN_GAP);
    // The first pass with equal shares determines the preferred width of each column.
    let equal = vec![room / shown.len().max(1); shown.len()];
    let wishes: Vec<usize> = draft_columns(author, &shown, &equal, options.height)
        .columns
        .iter()
        .map(|c| preferred_width(c))
        .collect();
    let widths = distribute_width(&wishes, room);
    let sheet = draft_columns(author, &shown, &widths, options.height);
    let widths: Vec<usize> = sheet.columns.iter().zip(&widths).map(|(c, &w)| used_width(c, w)).collect();
    Some(place_boxes(author, options, &shown, sheet, &widths))
}

/// Returns the columns that fit, from left to right. Columns close to the center take precedence.
fn visible_columns(author: &BoxBuilder<'_>, width: usize) -> Vec<usize> {
    let mut shown = vec![CENTER];
    for column in [CENTER + 1, CENTER - 1, CENTER + 2, CENTER - 2] {
        let needed = (shown.len() + 1) * MIN_COLUMN_WIDTH + shown.len() * MIN_GAP;
        if author.hops.get(column).is_some_and(|c| !c.is_empty()) && needed <= width {
            shown.push(column);
        }
    }
    shown.sort_unstable();
    shown
}

/// Lays out boxes with frames if all fit, otherwise without. Equally connected bundles share a box; if space is short, even
/// small groups do.
fn draft_columns(author: &BoxBuilder<'_>, shown: &[usize], widths: &[usize], height: usize) -> ColumnDrafts {
    let framed = try_draft_columns(author, shown, widths, height, true);
    if framed.complete { framed } else { try_draft_columns(author, shown, widths, height, false) }
}

fn try_draft_columns(
    author: &BoxBuilder<'_>,
    shown: &[usize],
    widths: &[usize],
    height: usize,
    framed: bool,
) -> ColumnDrafts {
    let mut made: [Vec<BoxDraft>; COLUMNS] = Default::default();
    let mut complete = true;
    for column in [CENTER, CENTER + 1, CENTER - 1, CENTER + 2, CENTER - 2] {
        let Some(index) = shown.iter().position(|&c| c == column) else { continue };
        let inner = widths[index].saturating_sub(2);
        let nearer = match column {
            CENTER => &[],
            column if column < CENTER => made[column + 1].as_slice(),
            column => made[column - 1].as_slice(),
        };
        let mut drafts = author.draft_column(column, nearer, MIN_GROUP_SIZE);
        if column_height(&drafts, inner, framed) > height {
            drafts = author.draft_column(column, nearer, 2);
        }
        if column_height(&drafts, inner, framed) > height {
            complete = false;
            drafts = limit_to_height(author, drafts, inner, framed, height);
        }
        made[column] = drafts;
    }
    let columns = shown.iter().map(|&c| std::mem::take(&mut made[c])).collect();
    ColumnDrafts { framed, columns, complete }
}

/// Keeps as many boxes as fit together with a box that counts the others.
fn limit_to_height(
    author: &BoxBuilder<'_>,
    mut drafts: Vec<BoxDraft>,
    inner: usize,
    framed: bool,
    height: usize,
) -> Vec<BoxDraft> {
    if drafts.iter().all(|d| d.kind == BoxKind::Center) {
        return drafts;
    }
    for kept in (0..drafts.len()).rev() {
        let mut tried = drafts[..kept].to_vec();
        tried.push(author.draft_rest(&drafts[kept..]));
        if column_height(&tried, inner, framed) <= height {
            return tried;
        }
    }
    drafts.clear();
    drafts
}

fn column_height(drafts: &[BoxDraft], inner: usize, framed: bool) -> usize {
    let boxes: usize = drafts.iter().map(|d| box_height(1 + wrap_note(d, inner).len(), framed)).sum();
    boxes + box_spacing(framed) * drafts.len().saturating_sub(1)
}

/// Returns the height of a box with this many lines.
fn box_height(lines: usize, framed: bool) -> usize {
    lines + if framed { 2 } else { 0 }
}

/// Returns the number of rows between two boxes of a column.
fn box_spacing(framed: bool) -> usize {
    usize::from(!framed)
}

/// Wraps the note of a draft. The last line keeps the excess text, and is truncated with a mark.
fn wrap_note(draft: &BoxDraft, width: usize) -> Vec<String> {
    if draft.note.trim().is_empty() {
        return Vec::new();
    }
    let mut lines = fill_lines(draft.note.split_whitespace(), ("", ""), width, LongWord::Whole);
    if lines.len() > MAX_NOTES {
        let last = lines.split_off(MAX_NOTES - 1).join(" ");
        lines.push(last);
    }
    lines
}

/// Returns the width that a column needs without truncation or wrapping.
fn preferred_width(drafts: &[BoxDraft]) -> usize {
    drafts
        .iter()
        .map(|d| escape::display_width(&d.title).max(escape::display_width(&d.note)) + 2)
        .max()
        .unwrap_or(0)
}

/// Returns the part of its width that a column uses.
fn used_width(drafts: &[BoxDraft], width: usize) -> usize {
    let inner = width.saturating_sub(2);
    let longest = drafts.iter().map(|d| {
        let notes = wrap_note(d, inner).iter().map(|line| escape::display_width(line)).max().unwrap_or(0);
        notes.max(escape::display_width(&d.title)) + 2
    });
    longest.max().unwrap_or(0).min(width)
}

/// Distributes a width; columns that need less than an equal share leave the rest to the others.
fn distribute_width(wishes: &[usize], mut room: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..wishes.len()).collect();
    order.sort_by_key(|&index| wishes[index]);
    let mut shares = vec![0; wishes.len()];
    for (done, index) in order.into_iter().enumerate() {
        let equal = room / (wishes.len() - done);
        shares[index] = wishes[index].min(equal);
        room -= shares[index];
    }
    shares
}

/// Box with its position.
struct PlacedBox {
    draft: BoxDraft,
    column: usize,
    notes: Vec<String>,
    rows: usize,
}

fn place_boxes(
    author: &BoxBuilder<'_>,
    options: &Options,
    shown: &[usize],
    sheet: ColumnDrafts,
    widths: &[usize],
) -> BoxPlan {
    let framed = sheet.framed;
    let mut placed: Vec<PlacedBox> = Vec::new();
    for (column, drafts) in sheet.columns.into_iter().enumerate() {
        // If not even a box that counts fits, the column stays empty and all its bundles count as beyond.
        let inner = widths[column].saturating_sub(2);
        let lines = options.height.saturating_sub(box_height(0, framed));
        for draft in drafts {
            let mut notes = wrap_note(&draft, inner);
            notes.truncate(lines.saturating_sub(1));
            let rows = (1 + notes.len()).min(lines).max(1);
            placed.push(PlacedBox { draft, column, notes, rows });
        }
    }
    let members: Vec<&[NodeIndex]> = placed.iter().map(|p| p.draft.members.as_slice()).collect();
    let columns: Vec<usize> = placed.iter().map(|p| p.column).collect();
    let (found, inside) = super::collect_links(author.facts, author.ranges, &members);
    let centre = placed.iter().position(|p| p.draft.kind == BoxKind::Center);
    let (nets, left_out) = super::group_links(&found, &columns, centre);
    let passing = nets.iter().filter(|net| net.route.is_long()).count().min(MAX_CORRIDORS);
    grow_boxes(&mut placed, &nets, options.height.saturating_sub(usize::from(passing > 0)), framed);
    let gaps = assign_gaps(widths, &nets, &columns, options.width);
    let mut left = vec![0; widths.len()];
    for column in 1..widths.len() {
        left[column] = gaps[column - 1].end;
    }
    let (mut boxes, mut next, mut body) = (Vec::with_capacity(placed.len()), vec![0; widths.len()], 0);
    for PlacedBox { draft, column, notes, rows } in placed {
        let height = box_height(rows, framed);
        let area = Area { x: left[column], y: next[column], width: widths[column], height };
        body = body.max(area.y + height);
        next[column] = area.y + height + box_spacing(framed);
        let BoxDraft { kind, members, title, marks, picked, .. } = draft;
        let hop = shown[column] as isize - CENTER as isize;
        let room = Area {
            x: area.x + 1,
            y: area.y + usize::from(framed),
            width: area.width.saturating_sub(2),
            height: rows,
        };
        boxes.push(VersionBox { kind, hop, members, area, room, title, notes, marks, picked });
    }
    let corridors = body..(body + passing).min(options.height);
    let width = gaps.last().map_or(0, |gap| gap.end);
    BoxPlan { boxes, columns, gaps, corridors, framed, width, nets, inside, left_out }
}

/// Makes boxes higher if there is space, until each edge has a separate row at their sides.
fn grow_boxes(placed: &mut [PlacedBox], nets: &[Net], height: usize, framed: bool) {
    let mut left = vec![height; placed.iter().map(|p| p.column + 1).max().unwrap_or(0)];
    for (index, one) in placed.iter().enumerate() {
        let above = if index > 0 && placed[index - 1].column == one.column { box_spacing(framed) } else { 0 };
        left[one.column] = left[one.column].saturating_sub(box_height(one.rows, framed) + above);
    }
    for (index, one) in placed.iter_mut().enumerate() {
        let count = |at_right: bool| {
            let ends = nets.iter().filter(|net| {
                net.from.contains(&index) && at_right
                    || net.to.contains(&index) && net.route.enters_right() == at_right
            });
            ends.count()
        };
        let wanted = count(true).max(count(false)).min(MAX_BOX_ROWS);
        let more = wanted.saturating_sub(one.rows).min(left[one.column]);
        one.rows += more;
        left[one.column] -= more;
    }
}

/// Assigns the gaps after the columns; each gets space for its edges if available.
fn assign_gaps(widths: &[usize], nets: &[Net], columns: &[usize], width: usize) -> Vec<Range<usize>> {
    let last = widths.len().saturating_sub(1);
    let mut room: Vec<usize> =
        (0..widths.len()).map(|column| if column < last { MIN_GAP } else { 0 }).collect();
    let mut spare = width.saturating_sub(widths.iter().sum::<usize>() + last * MIN_GAP);
    let lanes: Vec<usize> =
        (0..widths.len()).map(|gap| nets.iter().filter(|net| net.uses_gap(gap, columns)).count()).collect();
    if lanes.get(last).is_some_and(|&lanes| lanes > 0) && spare >= LAST_GAP {
        room[last] = LAST_GAP;
        spare -= LAST_GAP;
    }
    let mut grows = true;
    while grows && spare > 0 {
        grows = false;
        for (room, &lanes) in room.iter_mut().zip(&lanes) {
            if *room > 0 && *room < (MIN_GAP + lanes).min(MAX_GAP) && spare > 0 {
                *room += 1;
                spare -= 1;
                grows = true;
            }
        }
    }
    let mut x = 0;
    let gap = |(&column, room): (&usize, usize)| {
        let start = x + column;
        x = start + room;
        start..x
    };
    widths.iter().zip(room).map(gap).collect()
}
