//! State of the last drawn frame: size and layout.

use super::{hit::Drag, hit::HitMap, splitters::SplitterPositions};

/// State of the last drawn frame.
#[derive(Debug, Default)]
pub struct Frame {
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Rows used by the tour, above the hint bar.
    pub tour_rows: u16,
    /// Clickable areas.
    pub hits: HitMap,
    /// Positions of the lines between panes.
    pub splits: SplitterPositions,
    /// Part of the screen that is being dragged.
    pub drag: Option<Drag>,
    /// True if olmap captures the mouse.
    pub captures_mouse: bool,
}

impl Frame {
    /// Returns columns and rows of the screens: the terminal without the tour.
    pub fn screen_size(&self) -> (u16, u16) {
        (self.size.0, self.size.1.saturating_sub(self.tour_rows))
    }
}
