//! Routing of the lines between boxes. Each line takes the cheapest free route; lines without a
//! route are counted.
//!
//! A gap is the space to the right of a column of boxes, and a lane is a column of a gap. A line
//! leaves boxes at their right side and runs to a lane of the gap there. From the lane it runs to
//! its targets. To pass a column of boxes, it uses a row below all boxes. Two lines may cross, but
//! otherwise never share a cell.

use std::{
    collections::{BTreeMap, btree_map},
    ops::Range,
};

use super::{CellGlyph, Net, box_placement::BoxPlan, boxes::BoxKind};
use crate::layout::{channel::StrandId, glyph::Arms};
use olm_upgrade::EdgeKind;

/// Cell of the picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Content of the cell.
    pub glyph: CellGlyph,
    /// Indices in [`super::Neighborhood::strands`] of its lines; if two lines cross, the vertical
    /// line is visible.
    pub strands: Vec<StrandId>,
}

/// Line of the picture: upgrades of one kind from each of its source boxes to each of its target
/// boxes. It may apply to only some bundles of a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strand {
    /// Kind of its edges.
    pub kind: EdgeKind,
    /// True if Classic ignores it, because its targets are skipped.
    pub ignored: bool,
    /// Indices in [`super::Neighborhood::boxes`] of the source boxes.
    pub from: Vec<usize>,
    /// Indices of the target boxes.
    pub to: Vec<usize>,
    /// Number of edges of the channel that it represents.
    pub edges: usize,
}

/// Cells of a picture.
pub(super) struct Drawing {
    pub(super) cells: Vec<Vec<Cell>>,
    pub(super) strands: Vec<Strand>,
    /// Number of edges without a route.
    pub(super) hidden: usize,
}

/// Draws frames and lines.
pub(super) fn draw_plan(plan: &BoxPlan) -> Drawing {
    let mut board = Board::new(plan);
    let (mut strands, mut hidden) = (Vec::new(), plan.left_out);
    for net in &plan.nets {
        if board.draw_net(net, &mut strands) {
            continue;
        }
        // Boxes without a free row cannot be connected; the other boxes may still get a common line
        // or separate ones.
        let (open, rest) = net.restrict_to(|from| board.can_leave(from), |to| board.can_enter(net, to));
        hidden += rest.iter().map(|link| link.edges).sum::<usize>();
        if open.links.is_empty() || !rest.is_empty() && board.draw_net(&open, &mut strands) {
            continue;
        }
        for part in open.split_links() {
            if open.links.len() == 1 || !board.draw_net(&part, &mut strands) {
                hidden += part.count_edges();
            }
        }
    }
    Drawing { cells: board.into_cells(), strands, hidden }
}

/// State of a cell during routing.
#[derive(Clone, Debug, Default)]
struct Slot {
    cell: Cell,
    /// True if a line cannot pass: the cell belongs to a box or has a mark.
    closed: bool,
    /// Arms of its line; a third line cannot cross.
    arms: Option<Arms>,
}

/// Grid of cells during routing.
struct Board<'p> {
    plan: &'p BoxPlan,
    slots: Vec<Vec<Slot>>,
    /// Number of rows with boxes; the rows for long lines start there.
    body: usize,
}

/// Route with its cost.
type RouteCandidate = (usize, Pen);

fn cheaper_route(best: Option<RouteCandidate>, offer: Option<RouteCandidate>) -> Option<RouteCandidate> {
    match (best, offer) {
        (Some(best), Some(offer)) if offer.0 < best.0 => Some(offer),
        (best, offer) => best.or(offer),
    }
}

/// Returns true if one line is horizontal and the other vertical.
fn crosses(a: Arms, b: Arms) -> bool {
    (a == Arms::HORIZONTAL && b == Arms::VERTICAL) || (a == Arms::VERTICAL && b == Arms::HORIZONTAL)
}

impl<'p> Board<'p> {
    fn new(plan: &'p BoxPlan) -> Self {
        let slots = vec![vec![Slot::default(); plan.width]; plan.corridors.end];
        let mut board = Self { plan, slots, body: plan.corridors.start };
        for one in &plan.boxes {
            let (right, bottom) = (one.area.x + one.area.width, one.area.y + one.area.height);
            for y in one.area.y..bottom {
                for x in one.area.x..right {
                    let edge = |at: usize, start: usize, end: usize| (at == start, at + 1 == end);
                    let ((left, right), (top, bottom)) =
                        (edge(x, one.area.x, right), edge(y, one.area.y, bottom));
                    let (top, bottom) = (top && plan.framed, bottom && plan.framed);
                    let arms = Arms {
                        up: (left || right) && !top,
                        down: (left || right) && !bottom,
                        left: (top || bottom) && !left,
                        right: (top || bottom) && !right,
                    };
                    let Some(slot) = board.slots.get_mut(y).and_then(|row| row.get_mut(x)) else { continue };
                    slot.closed = true;
                    slot.cell.glyph = match one.kind {
                        _ if arms == Arms::default() => CellGlyph::Blank,
                        BoxKind::Center => CellGlyph::CenterFrame(arms),
                        _ => CellGlyph::Frame(arms),
                    };
                }
            }
        }
        board
    }

    fn slot(&self, y: usize, x: usize) -> Option<&Slot> {
        self.slots.get(y)?.get(x)
    }

    /// Returns the rows of a box at which edges may leave or reach it.
    fn entry_rows(&self, index: usize) -> Range<usize> {
        let lid = usize::from(self.plan.framed);
        self.plan.boxes.get(index).map_or(0..0, |b| b.area.y + lid..b.area.y + b.area.height - lid)
    }

    /// Returns the lanes of a gap, without the columns of stubs, letters and tips.
    fn lane_columns(&self, gap: usize, enters_right: bool) -> Range<usize> {
        let cells = self.plan.gaps.get(gap).cloned().unwrap_or_default();
        let is_last = gap + 1 == self.plan.gaps.len();
        cells.start + 1 + usize::from(enters_right)..if is_last {
            cells.end
        } else {
            cells.end.saturating_sub(2)
        }
    }

    /// Routes and draws a net; returns false if there is no route.
    fn draw_net(&mut self, net: &Net, strands: &mut Vec<Strand>) -> bool {
        let Some((_, pen)) = self.find_route(net) else { return false };
        let id = StrandId(strands.len() as u32);
        for (&(y, x), stroke) in pen.cells() {
            let Some(slot) = self.slots.get_mut(y).and_then(|row| row.get_mut(x)) else { continue };
            slot.cell.strands.push(id);
            slot.closed |= stroke.mark.is_some() || slot.arms.is_some();
            slot.arms = Some(stroke.arms);
            let is_below = stroke.arms == Arms::HORIZONTAL && slot.cell.strands.len() > 1;
            if !is_below {
                slot.cell.glyph = stroke.mark.unwrap_or(CellGlyph::Line(net.kind, stroke.arms));
            }
        }
        for (&(y, x), stroke) in pen.cells().filter(|(_, stroke)| stroke.arms.left && stroke.mark.is_none()) {
            let frame = x
                .checked_sub(1)
                .and_then(|x| self.slots.get_mut(y)?.get_mut(x))
                .map(|slot| &mut slot.cell.glyph);
            if let Some(CellGlyph::Frame(arms) | CellGlyph::CenterFrame(arms)) = frame {
                arms.right |= stroke.arms.left;
            }
        }
        let Net { kind, dead, from, to, .. } = net.clone();
        strands.push(Strand { kind, ignored: dead, from, to, edges: net.count_edges() });
        true
    }

    /// Returns the cheapest free route of a net.
    fn find_route(&self, net: &Net) -> Option<RouteCandidate> {
        let gap = net.target_gap(&self.plan.columns);
        let mut best = None;
        for choice in 0.. {
            let Some(entries) = self.choose_entry_rows(net, choice) else { break };
            for lane in self.lane_columns(gap, net.route.enters_right()) {
                let mut pen = self.draw_arrival(net, gap, lane, &entries);
                if net.route.is_long() {
                    for row in self.plan.corridors.clone() {
                        best = cheaper_route(best, self.draw_long_route(net, pen.clone(), lane, row));
                    }
                } else if let Some(leaving) = self.draw_departure(net, gap, lane, &entries) {
                    pen.add_strokes(&leaving);
                    let rows = || pen.cells().filter(|(at, _)| at.1 == lane).map(|(at, _)| at.0);
                    let (top, bottom) = (rows().min()?, rows().max()?);
                    pen.draw_vertical(lane, top, bottom);
                    best = cheaper_route(best, self.price_route(pen));
                }
            }
        }
        best
    }

    fn is_free(&self, y: usize, x: usize) -> bool {
        self.slot(y, x).is_some_and(|slot| !slot.closed && slot.arms.is_none())
    }

    /// Returns true if a net can leave a box at a free row.
    fn can_leave(&self, from: usize) -> bool {
        let gap = self.plan.columns.get(from).and_then(|&column| self.plan.gaps.get(column));
        gap.is_some_and(|gap| self.entry_rows(from).any(|y| self.is_free(y, gap.start)))
    }

    /// Returns true if a net can reach a box at a free row.
    fn can_enter(&self, net: &Net, to: usize) -> bool {
        self.end_columns(net).is_some_and(|[tip, letter]| {
            self.entry_rows(to).any(|y| self.is_free(y, tip) && self.is_free(y, letter))
        })
    }

    /// Returns the columns of the tips and letters of a net.
    fn end_columns(&self, net: &Net) -> Option<[usize; 2]> {
        let cells = self.plan.gaps.get(net.target_gap(&self.plan.columns))?;
        if net.route.enters_right() {
            Some([cells.start, cells.start + 1])
        } else {
            Some([cells.end.checked_sub(1)?, cells.end.checked_sub(2)?])
        }
    }

    /// Returns the row at which a net reaches each target box. Higher choices use other free rows.
    /// `None` if there are no more choices.
    fn choose_entry_rows(&self, net: &Net, choice: usize) -> Option<Vec<usize>> {
        let [tip, letter] = self.end_columns(net)?;
        let mut exists = false;
        let mut rows = Vec::with_capacity(net.to.len());
        for &to in &net.to {
            let free: Vec<usize> =
                self.entry_rows(to).filter(|&y| self.is_free(y, tip) && self.is_free(y, letter)).collect();
            exists |= choice < free.len();
            rows.push(free.get(choice).or(free.last()).copied()?);
        }
        exists.then_some(rows)
    }

    /// Draws the line from a lane to the target boxes.
    fn draw_arrival(&self, net: &Net, gap: usize, lane: usize, entries: &[usize]) -> Pen {
        let mut pen = Pen::default();
        let cells = self.plan.gaps.get(gap).cloned().unwrap_or_default();
        for &y in entries {
            if net.route.enters_right() {
                pen.draw_horizontal(y, cells.start, lane);
                pen.set_mark(y, cells.start, CellGlyph::TipLeft);
                pen.set_mark(y, cells.start + 1, CellGlyph::Letter(net.kind));
            } else {
                pen.draw_horizontal(y, lane, cells.end - 1);
                pen.set_mark(y, cells.end - 1, CellGlyph::TipRight);
                pen.set_mark(y, cells.end - 2, CellGlyph::Letter(net.kind));
            }
        }
        pen
    }

    /// Draws the line from the source boxes of a gap to a lane; `None` if a box does not have a
    /// free row. Prefers rows close to the wanted ones.
    fn draw_departure(&self, net: &Net, gap: usize, lane: usize, wanted: &[usize]) -> Option<Pen> {
        let mut pen = Pen::default();
        let start = self.plan.gaps.get(gap)?.start;
        let columns = &self.plan.columns;
        for &from in net.from.iter().filter(|&&from| columns.get(from) == Some(&gap)) {
            let is_free = |y: &usize| {
                (start..=lane).all(|x| {
                    self.slot(*y, x).is_some_and(|slot| {
                        let may_cross =
                            x > start && slot.arms == Some(Arms::VERTICAL) && slot.cell.strands.len() == 1;
                        !slot.closed && (slot.arms.is_none() || may_cross)
                    })
                })
            };
            // A line that reaches the box from the same side needs a separate row.
            let own = |y: &usize| net.route.enters_right() && wanted.contains(y) && net.to.contains(&from);
            let rows = self.entry_rows(from).filter(|y| is_free(y) && !own(y));
            let y = rows.min_by_key(|&y| wanted.iter().map(|&wanted| wanted.abs_diff(y)).min())?;
            pen.draw_horizontal(y, start, lane);
            if net.dead {
                pen.set_mark(y, start, CellGlyph::Ignored);
            } else {
                pen.join_left(y, start);
            }
        }
        Some(pen)
    }

    /// Adds a route through a row below the boxes to a pen that contains the arrival.
    fn draw_long_route(&self, net: &Net, mut pen: Pen, lane: usize, row: usize) -> Option<RouteCandidate> {
        let top = pen.cells().map(|(at, _)| at.0).min()?;
        pen.draw_vertical(lane, top, row);
        let (mut left, mut right) = (lane, lane);
        let mut gaps: Vec<usize> =
            net.from.iter().filter_map(|&from| self.plan.columns.get(from).copied()).collect();
        gaps.dedup();
        for gap in gaps {
            let parts = self.lane_columns(gap, false).filter_map(|lane| {
                let mut part = self.draw_departure(net, gap, lane, &[row])?;
                let top = part.cells().map(|(at, _)| at.0).min()?;
                part.draw_vertical(lane, top, row);
                let (cost, part) = self.price_route(part)?;
                Some((cost, lane, part))
            });
            let (_, lane, part) = parts.min_by_key(|part| part.0)?;
            pen.add_strokes(&part);
            (left, right) = (left.min(lane), right.max(lane));
        }
        pen.draw_horizontal(row, left, right);
        self.price_route(pen)
    }

    /// Returns a route with its cost: its length, plus extra for crossings and for cells that a
    /// letter of another line may need. `None` if a cell is not free.
    fn price_route(&self, pen: Pen) -> Option<RouteCandidate> {
        const CROSSING: usize = 5;
        const LETTER: usize = 2;
        let mut cost = 0;
        for (&(y, x), Stroke { arms, mark }) in pen.cells() {
            let slot = self.slot(y, x)?;
            cost += match slot.arms {
                _ if slot.closed => return None,
                None if arms.up && self.plan.gaps.iter().any(|gap| gap.start + 1 == x) => 1 + LETTER,
                None => 1,
                Some(other) if mark.is_none() && crosses(*arms, other) => CROSSING,
                Some(_) => return None,
            };
        }
        Some((cost, pen))
    }

    /// Returns the cells without unused rows at the bottom.
    fn into_cells(self) -> Vec<Vec<Cell>> {
        let mut cells: Vec<Vec<Cell>> =
            self.slots.into_iter().map(|row| row.into_iter().map(|slot| slot.cell).collect()).collect();
        while cells.len() > self.body
            && cells.last().is_some_and(|row| row.iter().all(|c| c.strands.is_empty()))
        {
            cells.pop();
        }
        cells
    }
}

/// Part of a line in one cell.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stroke {
    pub(super) arms: Arms,
    /// Letter, tip or mark of an ignored edge; replaces the line.
    pub(super) mark: Option<CellGlyph>,
}

/// Drawing of a line, by row and column.
#[derive(Clone, Debug, Default)]
pub(super) struct Pen {
    cells: BTreeMap<(usize, usize), Stroke>,
}

impl Pen {
    /// Draws a line along a row; the order of its ends does not matter.
    pub(super) fn draw_horizontal(&mut self, y: usize, a: usize, b: usize) {
        for x in a.min(b)..a.max(b) {
            self.stroke_mut(y, x).arms.right = true;
            self.stroke_mut(y, x + 1).arms.left = true;
        }
    }

    /// Draws a line along a column; the order of its ends does not matter.
    pub(super) fn draw_vertical(&mut self, x: usize, a: usize, b: usize) {
        for y in a.min(b)..a.max(b) {
            self.stroke_mut(y, x).arms.down = true;
            self.stroke_mut(y + 1, x).arms.up = true;
        }
    }

    /// Connects a cell to the frame on its left.
    pub(super) fn join_left(&mut self, y: usize, x: usize) {
        self.stroke_mut(y, x).arms.left = true;
    }

    /// Sets the mark of a cell.
    pub(super) fn set_mark(&mut self, y: usize, x: usize, mark: CellGlyph) {
        self.stroke_mut(y, x).mark = Some(mark);
    }

    /// Adds the drawing of another pen.
    pub(super) fn add_strokes(&mut self, other: &Self) {
        for (&(y, x), stroke) in &other.cells {
            let own = self.stroke_mut(y, x);
            own.arms = own.arms.union(stroke.arms);
            own.mark = own.mark.or(stroke.mark);
        }
    }

    fn stroke_mut(&mut self, y: usize, x: usize) -> &mut Stroke {
        self.cells.entry((y, x)).or_default()
    }

    /// Returns the cells, with row and column.
    pub(super) fn cells(&self) -> btree_map::Iter<'_, (usize, usize), Stroke> {
        self.cells.iter()
    }
}
