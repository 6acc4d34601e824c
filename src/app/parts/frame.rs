//! The last frame: how large it is, and where things are on it.

use super::{hit::Drag, hit::HitMap, splits::Splits};

/// See the module.
#[derive(Debug, Default)]
pub struct Frame {
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Rows of them that the tour takes, above the hint bar.
    pub tour_rows: u16,
    /// Where things are.
    pub hits: HitMap,
    /// Where the lines between panes are.
    pub splits: Splits,
    /// What the pressed mouse button holds on to.
    pub dragging: Option<Drag>,
    /// Whether the mouse is ours.
    pub captures_mouse: bool,
}

impl Frame {
    /// Columns and rows that the screens have: the terminal's but for those of the tour.
    pub fn room(&self) -> (u16, u16) {
        (self.size.0, self.size.1.saturating_sub(self.tour_rows))
    }
}
