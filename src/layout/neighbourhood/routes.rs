//! Ways for the lines between boxes: each in turn takes the cheapest that is still free, and what finds none is counted.
//!
//! A line leaves boxes at their right side, runs to a lane of the gap there, and from the lane to the boxes it reaches;
//! one that passes a column does so in a row below all boxes. Two lines may cross, and never run in one cell otherwise.

use std::ops::Range;

use super::{
    Ink,
    boxes::BoxKind,
    fit::Plan,
    links::Net,
    pen::{Pen, Stroke},
};
use crate::{
    layout::{channel::StrandId, glyph::Arms},
    upgrade::EdgeKind,
};

/// One cell of the picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// What it shows.
    pub ink: Ink,
    /// The lines it belongs to, by their place in [`super::Neighbourhood::strands`]; of two that cross here the vertical
    /// one is seen.
    pub strands: Vec<StrandId>,
}

/// A line of the picture: upgrades of one kind, from each of its boxes to each of its other boxes. Of a box with several
/// bundles it may concern some only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strand {
    /// What it stands for.
    pub kind: EdgeKind,
    /// Whether Classic ignores it, because what it reaches is skipped.
    pub dead: bool,
    /// The boxes upgrades start from, by their place in [`super::Neighbourhood::boxes`].
    pub from: Vec<usize>,
    /// The boxes they land on.
    pub to: Vec<usize>,
    /// How many edges of the channel it stands for.
    pub edges: usize,
}

/// The cells of a picture.
pub(super) struct Drawing {
    pub(super) cells: Vec<Vec<Cell>>,
    pub(super) strands: Vec<Strand>,
    /// Edges that found no way.
    pub(super) hidden: usize,
}

/// Draws frames and lines.
pub(super) fn draw(plan: &Plan) -> Drawing {
    let mut board = Board::new(plan);
    let (mut strands, mut hidden) = (Vec::new(), plan.left_out);
    for net in &plan.nets {
        if board.draw(net, &mut strands) {
            continue;
        }
        // Boxes whose sides are taken can join no line; the others may still get one, together or each its own.
        let (open, rest) = net.only(|from| board.can_leave(from), |to| board.can_enter(net, to));
        hidden += rest.iter().map(|link| link.edges).sum::<usize>();
        if open.links.is_empty() || !rest.is_empty() && board.draw(&open, &mut strands) {
            continue;
        }
        for part in open.split() {
            if open.links.len() == 1 || !board.draw(&part, &mut strands) {
                hidden += part.edges();
            }
        }
    }
    Drawing { cells: board.finish(), strands, hidden }
}

/// What stands in a cell while ways are looked for.
#[derive(Clone, Debug, Default)]
struct Slot {
    cell: Cell,
    /// Belongs to a box, or bears a mark: nothing can pass.
    closed: bool,
    /// The arms of the line in it; of two lines that cross there is no third.
    arms: Option<Arms>,
}

struct Board<'p> {
    plan: &'p Plan,
    slots: Vec<Vec<Slot>>,
    /// The first row below all boxes.
    body: usize,
}

/// A way, and what it costs.
type Offer = (usize, Pen);

fn cheaper(best: Option<Offer>, offer: Option<Offer>) -> Option<Offer> {
    match (best, offer) {
        (Some(best), Some(offer)) if offer.0 < best.0 => Some(offer),
        (best, offer) => best.or(offer),
    }
}

fn crosses(a: Arms, b: Arms) -> bool {
    (a == Arms::HORIZONTAL && b == Arms::VERTICAL) || (a == Arms::VERTICAL && b == Arms::HORIZONTAL)
}

impl<'p> Board<'p> {
    fn new(plan: &'p Plan) -> Self {
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
                    slot.cell.ink = match one.kind {
                        _ if arms == Arms::default() => Ink::Blank,
                        BoxKind::Centre => Ink::CentreFrame(arms),
                        _ => Ink::Frame(arms),
                    };
                }
            }
        }
        board
    }

    fn slot(&self, y: usize, x: usize) -> Option<&Slot> {
        self.slots.get(y)?.get(x)
    }

    /// The rows of a box at which edges may leave or reach it.
    fn rows(&self, index: usize) -> Range<usize> {
        let lid = usize::from(self.plan.framed);
        self.plan.boxes.get(index).map_or(0..0, |b| b.area.y + lid..b.area.y + b.area.height - lid)
    }

    /// The lanes of a gap: not the columns of stubs, letters and tips.
    fn lanes(&self, gap: usize, enters_right: bool) -> Range<usize> {
        let cells = self.plan.gaps.get(gap).cloned().unwrap_or_default();
        let is_last = gap + 1 == self.plan.gaps.len();
        cells.start + 1 + usize::from(enters_right)..if is_last {
            cells.end
        } else {
            cells.end.saturating_sub(2)
        }
    }

    /// Takes a way for a net, if there is one.
    fn draw(&mut self, net: &Net, strands: &mut Vec<Strand>) -> bool {
        let Some((_, pen)) = self.way(net) else { return false };
        let id = StrandId(strands.len() as u32);
        for (&(y, x), stroke) in pen.cells() {
            let Some(slot) = self.slots.get_mut(y).and_then(|row| row.get_mut(x)) else { continue };
            slot.cell.strands.push(id);
            slot.closed |= stroke.mark.is_some() || slot.arms.is_some();
            slot.arms = Some(stroke.arms);
            let is_below = stroke.arms == Arms::HORIZONTAL && slot.cell.strands.len() > 1;
            if !is_below {
                slot.cell.ink = stroke.mark.unwrap_or(Ink::Line(net.kind, stroke.arms));
            }
        }
        for (&(y, x), stroke) in pen.cells().filter(|(_, stroke)| stroke.arms.left && stroke.mark.is_none()) {
            let frame = x
                .checked_sub(1)
                .and_then(|x| self.slots.get_mut(y)?.get_mut(x))
                .map(|slot| &mut slot.cell.ink);
            if let Some(Ink::Frame(arms) | Ink::CentreFrame(arms)) = frame {
                arms.right |= stroke.arms.left;
            }
        }
        let Net { kind, dead, from, to, .. } = net.clone();
        strands.push(Strand { kind, dead, from, to, edges: net.edges() });
        true
    }

    /// The cheapest free way of a net.
    fn way(&self, net: &Net) -> Option<Offer> {
        let gap = net.gap(&self.plan.columns);
        let mut best = None;
        for choice in 0.. {
            let Some(entries) = self.entries(net, choice) else { break };
            for lane in self.lanes(gap, net.way.enters_right()) {
                let mut pen = self.arrive(net, gap, lane, &entries);
                if net.way.is_long() {
                    for row in self.plan.corridors.clone() {
                        best = cheaper(best, self.long(net, pen.clone(), lane, row));
                    }
                } else if let Some(leaving) = self.leave(net, gap, lane, &entries) {
                    pen.add(&leaving);
                    let rows = || pen.cells().filter(|(at, _)| at.1 == lane).map(|(at, _)| at.0);
                    let (top, bottom) = (rows().min()?, rows().max()?);
                    pen.down(lane, top, bottom);
                    best = cheaper(best, self.offer(pen));
                }
            }
        }
        best
    }

    fn is_free(&self, y: usize, x: usize) -> bool {
        self.slot(y, x).is_some_and(|slot| !slot.closed && slot.arms.is_none())
    }

    /// Whether a row is left at which a net could leave a box.
    fn can_leave(&self, from: usize) -> bool {
        let gap = self.plan.columns.get(from).and_then(|&column| self.plan.gaps.get(column));
        gap.is_some_and(|gap| self.rows(from).any(|y| self.is_free(y, gap.start)))
    }

    /// Whether a row is left at which a net could reach a box.
    fn can_enter(&self, net: &Net, to: usize) -> bool {
        self.ends(net).is_some_and(|[tip, letter]| {
            self.rows(to).any(|y| self.is_free(y, tip) && self.is_free(y, letter))
        })
    }

    /// The columns of the tips and letters of a net.
    fn ends(&self, net: &Net) -> Option<[usize; 2]> {
        let cells = self.plan.gaps.get(net.gap(&self.plan.columns))?;
        if net.way.enters_right() {
            Some([cells.start, cells.start + 1])
        } else {
            Some([cells.end.checked_sub(1)?, cells.end.checked_sub(2)?])
        }
    }

    /// The rows at which a net reaches its boxes; `None` where there is no such choice.
    fn entries(&self, net: &Net, choice: usize) -> Option<Vec<usize>> {
        let [tip, letter] = self.ends(net)?;
        let mut exists = false;
        let mut rows = Vec::with_capacity(net.to.len());
        for &to in &net.to {
            let free: Vec<usize> =
                self.rows(to).filter(|&y| self.is_free(y, tip) && self.is_free(y, letter)).collect();
            exists |= choice < free.len();
            rows.push(free.get(choice).or(free.last()).copied()?);
        }
        exists.then_some(rows)
    }

    /// From a lane into the boxes a net reaches.
    fn arrive(&self, net: &Net, gap: usize, lane: usize, entries: &[usize]) -> Pen {
        let mut pen = Pen::default();
        let cells = self.plan.gaps.get(gap).cloned().unwrap_or_default();
        for &y in entries {
            if net.way.enters_right() {
                pen.across(y, cells.start, lane);
                pen.mark(y, cells.start, Ink::TipLeft);
                pen.mark(y, cells.start + 1, Ink::Letter(net.kind));
            } else {
                pen.across(y, lane, cells.end - 1);
                pen.mark(y, cells.end - 1, Ink::TipRight);
                pen.mark(y, cells.end - 2, Ink::Letter(net.kind));
            }
        }
        pen
    }

    /// From the boxes a net leaves in a gap to a lane of it; `None` where one of them has no row left. Rows near to some
    /// wanted ones are taken first.
    fn leave(&self, net: &Net, gap: usize, lane: usize, wanted: &[usize]) -> Option<Pen> {
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
            // What reaches the box from the same side has a row of its own.
            let own = |y: &usize| net.way.enters_right() && wanted.contains(y) && net.to.contains(&from);
            let rows = self.rows(from).filter(|y| is_free(y) && !own(y));
            let y = rows.min_by_key(|&y| wanted.iter().map(|&wanted| wanted.abs_diff(y)).min())?;
            pen.across(y, start, lane);
            if net.dead {
                pen.mark(y, start, Ink::Dead);
            } else {
                pen.join_left(y, start);
            }
        }
        Some(pen)
    }

    /// A way through a row below the boxes, given the one from there.
    fn long(&self, net: &Net, mut pen: Pen, lane: usize, row: usize) -> Option<Offer> {
        let top = pen.cells().map(|(at, _)| at.0).min()?;
        pen.down(lane, top, row);
        let (mut left, mut right) = (lane, lane);
        let mut gaps: Vec<usize> =
            net.from.iter().filter_map(|&from| self.plan.columns.get(from).copied()).collect();
        gaps.dedup();
        for gap in gaps {
            let parts = self.lanes(gap, false).filter_map(|lane| {
                let mut part = self.leave(net, gap, lane, &[row])?;
                let top = part.cells().map(|(at, _)| at.0).min()?;
                part.down(lane, top, row);
                let (cost, part) = self.offer(part)?;
                Some((cost, lane, part))
            });
            let (_, lane, part) = parts.min_by_key(|part| part.0)?;
            pen.add(&part);
            (left, right) = (left.min(lane), right.max(lane));
        }
        pen.across(row, left, right);
        self.offer(pen)
    }

    /// What a way costs: its length, and more for what it crosses, or where it keeps others from reaching a box from the
    /// right. `None` where it is not free.
    fn offer(&self, pen: Pen) -> Option<Offer> {
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

    /// The cells, without rows at the bottom that no line needed.
    fn finish(self) -> Vec<Vec<Cell>> {
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
