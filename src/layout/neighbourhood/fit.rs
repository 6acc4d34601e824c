//! Size of a neighborhood: columns, boxes in them, and space for lines between them.

use std::ops::Range;

use petgraph::graph::NodeIndex;

use super::{
    Area, Options, VersionBox,
    boxes::{Author, BoxKind, Draft},
    hops::{CENTRE, COLUMNS},
    links::{self, Net},
};
use crate::catalog::plain::{
    self,
    wrap::{Long, fill},
};

/// Minimum width of a column of boxes if there are several: `DEAD END` and its frame.
const LEAST_COLUMN: usize = 10;
/// Minimum gap between two columns: a stub, two lanes, a letter and a tip.
const LEAST_GAP: usize = 5;
/// Maximum gap between two columns.
const MOST_GAP: usize = 11;
/// Gap after the last column: a tip, a letter, two lanes.
const LAST_GAP: usize = 4;
/// Maximum number of lines below the title of a box.
const MOST_NOTES: usize = 2;
/// Maximum number of rows to which a box grows for edges at its sides.
const MOST_ROWS: usize = 6;
/// Maximum number of rows below the boxes, for edges that pass a column.
const MOST_CORRIDORS: usize = 4;
/// Minimum number of equally connected bundles that share a box even if there is space for each.
const MANY: usize = 4;

/// Boxes with their positions, and the lines between them.
pub(super) struct Plan {
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
struct Sheet {
    framed: bool,
    columns: Vec<Vec<Draft>>,
    /// True if all boxes fit without a box that counts the rest.
    complete: bool,
}

/// Lays out everything that fits; `None` if not even the center fits.
pub(super) fn fit(author: &Author<'_>, options: &Options) -> Option<Plan> {
    if options.height == 0 || options.width < 3 {
        return None;
    }
    let shown = columns(author, options.width);
    let room = options.width.saturating_sub(shown.len().saturating_sub(1) * LEAST_GAP);
    // The first pass with equal shares determines the preferred width of each column.
    let equal = vec![room / shown.len().max(1); shown.len()];
    let wishes: Vec<usize> =
        sheet(author, &shown, &equal, options.height).columns.iter().map(|c| wish(c)).collect();
    let widths = shares(&wishes, room);
    let sheet = sheet(author, &shown, &widths, options.height);
    let widths: Vec<usize> = sheet.columns.iter().zip(&widths).map(|(c, &w)| taken(c, w)).collect();
    Some(place(author, options, &shown, sheet, &widths))
}

/// Returns the columns that fit, from left to right. Columns close to the center take precedence.
fn columns(author: &Author<'_>, width: usize) -> Vec<usize> {
    let mut shown = vec![CENTRE];
    for column in [CENTRE + 1, CENTRE - 1, CENTRE + 2, CENTRE - 2] {
        let needed = (shown.len() + 1) * LEAST_COLUMN + shown.len() * LEAST_GAP;
        if author.hops.get(column).is_some_and(|c| !c.is_empty()) && needed <= width {
            shown.push(column);
        }
    }
    shown.sort_unstable();
    shown
}

/// Lays out boxes with frames if all fit, otherwise without. Equally connected bundles share a box; if space is short, even
/// small groups do.
fn sheet(author: &Author<'_>, shown: &[usize], widths: &[usize], height: usize) -> Sheet {
    let framed = attempt(author, shown, widths, height, true);
    if framed.complete { framed } else { attempt(author, shown, widths, height, false) }
}

fn attempt(author: &Author<'_>, shown: &[usize], widths: &[usize], height: usize, framed: bool) -> Sheet {
    let mut made: [Vec<Draft>; COLUMNS] = Default::default();
    let mut complete = true;
    for column in [CENTRE, CENTRE + 1, CENTRE - 1, CENTRE + 2, CENTRE - 2] {
        let Some(index) = shown.iter().position(|&c| c == column) else { continue };
        let inner = widths[index].saturating_sub(2);
        let nearer = match column {
            CENTRE => &[],
            column if column < CENTRE => made[column + 1].as_slice(),
            column => made[column - 1].as_slice(),
        };
        let mut drafts = author.drafts(column, nearer, MANY);
        if column_height(&drafts, inner, framed) > height {
            drafts = author.drafts(column, nearer, 2);
        }
        if column_height(&drafts, inner, framed) > height {
            complete = false;
            drafts = with_rest(author, drafts, inner, framed, height);
        }
        made[column] = drafts;
    }
    let columns = shown.iter().map(|&c| std::mem::take(&mut made[c])).collect();
    Sheet { framed, columns, complete }
}

/// Keeps as many boxes as fit together with a box that counts the others.
fn with_rest(
    author: &Author<'_>,
    mut drafts: Vec<Draft>,
    inner: usize,
    framed: bool,
    height: usize,
) -> Vec<Draft> {
    if drafts.iter().all(|d| d.kind == BoxKind::Centre) {
        return drafts;
    }
    for kept in (0..drafts.len()).rev() {
        let mut tried = drafts[..kept].to_vec();
        tried.push(author.more(&drafts[kept..]));
        if column_height(&tried, inner, framed) <= height {
            return tried;
        }
    }
    drafts.clear();
    drafts
}

fn column_height(drafts: &[Draft], inner: usize, framed: bool) -> usize {
    let boxes: usize = drafts.iter().map(|d| box_height(1 + notes(d, inner).len(), framed)).sum();
    boxes + space(framed) * drafts.len().saturating_sub(1)
}

/// Returns the height of a box with this many lines.
fn box_height(lines: usize, framed: bool) -> usize {
    lines + if framed { 2 } else { 0 }
}

/// Returns the number of rows between two boxes of a column.
fn space(framed: bool) -> usize {
    usize::from(!framed)
}

/// Wraps the note of a draft. The last line keeps the excess text, and is truncated with a mark.
fn notes(draft: &Draft, width: usize) -> Vec<String> {
    if draft.note.trim().is_empty() {
        return Vec::new();
    }
    let mut lines = fill(draft.note.split_whitespace(), ("", ""), width, Long::Whole);
    if lines.len() > MOST_NOTES {
        let last = lines.split_off(MOST_NOTES - 1).join(" ");
        lines.push(last);
    }
    lines
}

/// Returns the width that a column needs without truncation or wrapping.
fn wish(drafts: &[Draft]) -> usize {
    drafts.iter().map(|d| plain::width(&d.title).max(plain::width(&d.note)) + 2).max().unwrap_or(0)
}

/// Returns the part of its width that a column uses.
fn taken(drafts: &[Draft], width: usize) -> usize {
    let inner = width.saturating_sub(2);
    let longest = drafts.iter().map(|d| {
        let notes = notes(d, inner).iter().map(|line| plain::width(line)).max().unwrap_or(0);
        notes.max(plain::width(&d.title)) + 2
    });
    longest.max().unwrap_or(0).min(width)
}

/// Distributes a width; columns that need less than an equal share leave the rest to the others.
fn shares(wishes: &[usize], mut room: usize) -> Vec<usize> {
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
struct Placed {
    draft: Draft,
    column: usize,
    notes: Vec<String>,
    rows: usize,
}

fn place(author: &Author<'_>, options: &Options, shown: &[usize], sheet: Sheet, widths: &[usize]) -> Plan {
    let framed = sheet.framed;
    let mut placed: Vec<Placed> = Vec::new();
    for (column, drafts) in sheet.columns.into_iter().enumerate() {
        // If not even a box that counts fits, the column stays empty and all its bundles count as beyond.
        let inner = widths[column].saturating_sub(2);
        let lines = options.height.saturating_sub(box_height(0, framed));
        for draft in drafts {
            let mut notes = notes(&draft, inner);
            notes.truncate(lines.saturating_sub(1));
            let rows = (1 + notes.len()).min(lines).max(1);
            placed.push(Placed { draft, column, notes, rows });
        }
    }
    let members: Vec<&[NodeIndex]> = placed.iter().map(|p| p.draft.members.as_slice()).collect();
    let columns: Vec<usize> = placed.iter().map(|p| p.column).collect();
    let (found, inside) = links::links(author.facts, author.ranges, &members);
    let centre = placed.iter().position(|p| p.draft.kind == BoxKind::Centre);
    let (nets, left_out) = links::nets(&found, &columns, centre);
    let passing = nets.iter().filter(|net| net.way.is_long()).count().min(MOST_CORRIDORS);
    grow(&mut placed, &nets, options.height.saturating_sub(usize::from(passing > 0)), framed);
    let gaps = gaps(widths, &nets, &columns, options.width);
    let mut left = vec![0; widths.len()];
    for column in 1..widths.len() {
        left[column] = gaps[column - 1].end;
    }
    let (mut boxes, mut next, mut body) = (Vec::with_capacity(placed.len()), vec![0; widths.len()], 0);
    for Placed { draft, column, notes, rows } in placed {
        let height = box_height(rows, framed);
        let area = Area { x: left[column], y: next[column], width: widths[column], height };
        body = body.max(area.y + height);
        next[column] = area.y + height + space(framed);
        let Draft { kind, members, title, marks, picked, .. } = draft;
        let hop = shown[column] as isize - CENTRE as isize;
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
    Plan { boxes, columns, gaps, corridors, framed, width, nets, inside, left_out }
}

/// Makes boxes higher if there is space, until each edge has a separate row at their sides.
fn grow(placed: &mut [Placed], nets: &[Net], height: usize, framed: bool) {
    let mut left = vec![height; placed.iter().map(|p| p.column + 1).max().unwrap_or(0)];
    for (index, one) in placed.iter().enumerate() {
        let above = if index > 0 && placed[index - 1].column == one.column { space(framed) } else { 0 };
        left[one.column] = left[one.column].saturating_sub(box_height(one.rows, framed) + above);
    }
    for (index, one) in placed.iter_mut().enumerate() {
        let count = |at_right: bool| {
            let ends = nets.iter().filter(|net| {
                net.from.contains(&index) && at_right
                    || net.to.contains(&index) && net.way.enters_right() == at_right
            });
            ends.count()
        };
        let wanted = count(true).max(count(false)).min(MOST_ROWS);
        let more = wanted.saturating_sub(one.rows).min(left[one.column]);
        one.rows += more;
        left[one.column] -= more;
    }
}

/// Assigns the gaps after the columns; each gets space for its edges if available.
fn gaps(widths: &[usize], nets: &[Net], columns: &[usize], width: usize) -> Vec<Range<usize>> {
    let last = widths.len().saturating_sub(1);
    let mut room: Vec<usize> =
        (0..widths.len()).map(|column| if column < last { LEAST_GAP } else { 0 }).collect();
    let mut spare = width.saturating_sub(widths.iter().sum::<usize>() + last * LEAST_GAP);
    let lanes: Vec<usize> =
        (0..widths.len()).map(|gap| nets.iter().filter(|net| net.uses(gap, columns)).count()).collect();
    if lanes.get(last).is_some_and(|&lanes| lanes > 0) && spare >= LAST_GAP {
        room[last] = LAST_GAP;
        spare -= LAST_GAP;
    }
    let mut grows = true;
    while grows && spare > 0 {
        grows = false;
        for (room, &lanes) in room.iter_mut().zip(&lanes) {
            if *room > 0 && *room < (LEAST_GAP + lanes).min(MOST_GAP) && spare > 0 {
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
