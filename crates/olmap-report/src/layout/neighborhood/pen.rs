//! Path of one line over cells, before its cells are known to be free.

use std::collections::{BTreeMap, btree_map};

use super::Ink;
use crate::layout::glyph::Arms;

/// Part of a line in one cell.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stroke {
    pub(super) arms: Arms,
    /// Letter, tip or mark of an ignored edge; replaces the line.
    pub(super) mark: Option<Ink>,
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
    pub(super) fn set_mark(&mut self, y: usize, x: usize, mark: Ink) {
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
