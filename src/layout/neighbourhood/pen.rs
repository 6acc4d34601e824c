//! The way of one line over cells, before it is known whether the cells are free.

use std::collections::{BTreeMap, btree_map};

use super::Ink;
use crate::layout::glyph::Arms;

/// What a line leaves in a cell.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stroke {
    pub(super) arms: Arms,
    /// A letter, a tip or the mark of a dead edge, in place of the line.
    pub(super) mark: Option<Ink>,
}

/// Draws a line; cells by row and column.
#[derive(Clone, Debug, Default)]
pub(super) struct Pen {
    cells: BTreeMap<(usize, usize), Stroke>,
}

impl Pen {
    /// A line along a row, in both directions.
    pub(super) fn across(&mut self, y: usize, a: usize, b: usize) {
        for x in a.min(b)..a.max(b) {
            self.at(y, x).arms.right = true;
            self.at(y, x + 1).arms.left = true;
        }
    }

    /// A line along a column.
    pub(super) fn down(&mut self, x: usize, a: usize, b: usize) {
        for y in a.min(b)..a.max(b) {
            self.at(y, x).arms.down = true;
            self.at(y + 1, x).arms.up = true;
        }
    }

    /// Joins a cell with the frame on its left.
    pub(super) fn join_left(&mut self, y: usize, x: usize) {
        self.at(y, x).arms.left = true;
    }

    /// Puts a mark into a cell.
    pub(super) fn mark(&mut self, y: usize, x: usize, mark: Ink) {
        self.at(y, x).mark = Some(mark);
    }

    /// All that another drew too.
    pub(super) fn add(&mut self, other: &Self) {
        for (&(y, x), stroke) in &other.cells {
            let own = self.at(y, x);
            own.arms = own.arms.and(stroke.arms);
            own.mark = own.mark.or(stroke.mark);
        }
    }

    fn at(&mut self, y: usize, x: usize) -> &mut Stroke {
        self.cells.entry((y, x)).or_default()
    }

    /// The cells, with row and column.
    pub(super) fn cells(&self) -> btree_map::Iter<'_, (usize, usize), Stroke> {
        self.cells.iter()
    }
}
