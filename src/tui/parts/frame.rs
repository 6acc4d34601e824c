//! The last drawn frame, written by the view and read by `update` for mouse events and scrolling: size,
//! clickable areas, and lines between panes that the user moved.

use std::collections::BTreeMap;

use crate::tui::{
    keys::{ActionId, Dialog, Screen},
    parts::list::ListId,
};

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

/// Minimum columns to show explanations beside the lists instead of below.
const MIN_WIDTH_FOR_SIDE: u16 = 160;

impl Frame {
    /// Returns true if the terminal is wide enough for explanations beside the lists.
    pub fn has_side_pane(&self) -> bool {
        self.size.0 >= MIN_WIDTH_FOR_SIDE
    }

    /// Returns the columns before the line to the explanations at the right.
    pub fn columns_before_side(&self, splitter: Splitter) -> u16 {
        let width = self.size.0;
        self.splits.size_before(splitter, width - (width / 3).clamp(50, 90) - 1, width)
    }

    /// Returns the line to the explanations: `side` in wide terminals, otherwise `below`.
    pub fn explanation_splitter(&self, below: Splitter, side: Splitter) -> Splitter {
        if self.has_side_pane() { side } else { below }
    }

    /// Returns columns and rows of the screens: the terminal without the tour.
    pub fn screen_size(&self) -> (u16, u16) {
        (self.size.0, self.size.1.saturating_sub(self.tour_rows))
    }
}

/// Movable line between two panes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Splitter {
    /// Right of the package list.
    Packages,
    /// Right of the channel list.
    Channels,
    /// Above the details of the Packages screen.
    Details,
    /// Above the answers of the Graph screen.
    Graph,
    /// Above the reasons of the Upgrades screen.
    Upgrades,
    /// Above the details of a finding.
    Problems,
    /// Above the details of a deprecation.
    Deprecations,
    /// Above the details of a row of a bundle.
    Inside,
    /// Above the details of a template's image.
    Template,
    /// Above the resolution by OLM Classic.
    Resolve,
    /// Above the channels of a package in the table of several catalogs.
    PackageTable,
    /// Above the steps of a plan.
    Plan,
    /// Between the lists and the details of the Packages screen in wide terminals.
    DetailsSide,
    /// Between the table of several catalogs and the channels of a package in wide terminals.
    PackageTableSide,
    /// Between the graph and the text in wide terminals.
    GraphSide,
    /// Between the table and the reasons of the Upgrades screen in wide terminals.
    UpgradesSide,
    /// Between the findings and the details of a finding in wide terminals.
    ProblemsSide,
    /// Between the deprecations and the details of one in wide terminals.
    DeprecationsSide,
}

impl Splitter {
    /// Returns true for a vertical line, which moves left and right.
    pub fn is_vertical(self) -> bool {
        matches!(self, Self::Packages | Self::Channels) || self.is_side()
    }

    /// Returns true for a line to the explanations at the right of a wide terminal.
    fn is_side(self) -> bool {
        matches!(
            self,
            Self::DetailsSide
                | Self::PackageTableSide
                | Self::GraphSide
                | Self::UpgradesSide
                | Self::ProblemsSide
                | Self::DeprecationsSide
        )
    }

    /// Returns the minimum numbers of columns or rows before and behind the line.
    fn min_sizes(self) -> (u16, u16) {
        match self {
            // Channels and entries are behind the line.
            Self::Packages => (14, 31),
            Self::Channels => (14, 15),
            _ if self.is_side() => (60, 30),
            _ => (3, 4),
        }
    }
}

/// Share of the pane before each moved line, in thousandths of the divided area. Shares keep their
/// meaning if the terminal is resized.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SplitterPositions(BTreeMap<Splitter, u16>);

impl SplitterPositions {
    /// Moves a line to `at` columns or rows behind the start of the divided area of the given
    /// length.
    pub fn set_position(&mut self, splitter: Splitter, at: u16, length: u16) {
        let share = u32::from(at.min(length)) * 1000 / u32::from(length.max(1));
        self.0.insert(splitter, u16::try_from(share).unwrap_or(1000));
    }

    /// Returns the number of columns or rows before a line; `usual` if the user did not move it.
    /// Both panes stay visible if the length permits.
    pub fn size_before(&self, splitter: Splitter, usual: u16, length: u16) -> u16 {
        let Some(share) = self.0.get(&splitter) else { return usual };
        let (least, behind) = splitter.min_sizes();
        let most = length.saturating_sub(behind);
        if most < least {
            return usual;
        }
        let wanted = (u32::from(*share) * u32::from(length) + 500) / 1000;
        u16::try_from(wanted).unwrap_or(most).clamp(least, most)
    }

    /// Restores the default positions of all lines.
    pub fn reset(&mut self) {
        self.0.clear();
    }

    /// Returns true if any line was moved.
    pub fn has_moved(&self) -> bool {
        !self.0.is_empty()
    }
}

/// Rectangle of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Area {
    /// Left column.
    pub x: u16,
    /// Top row.
    pub y: u16,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

impl Area {
    /// Returns true if the cell is inside.
    pub fn contains(self, x: u16, y: u16) -> bool {
        (self.x..self.x.saturating_add(self.width)).contains(&x)
            && (self.y..self.y.saturating_add(self.height)).contains(&y)
    }
}

/// Clickable part of the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hit {
    /// List. The clicked row follows from the first visible one.
    List(ListId),
    /// Scroll bar of a list.
    ScrollBar(ListId),
    /// Line between panes.
    Splitter(Splitter),
    /// Name of an action in the hint bar or among the keys that can follow.
    Action(ActionId),
    /// Sort order of a list. A click selects the next order.
    Order(ListId),
    /// Name in the header.
    Crumb(Breadcrumb),
    /// Tab of a screen.
    Tab(Screen),
    /// Field of the screen, by its index.
    Field(usize),
    /// Node of the zoomed graph, by its index.
    Box(usize),
    /// Lines and symbols of the graph, left of the text.
    Drawing,
    /// Overview ruler next to a list. A click goes to the corresponding row.
    Ruler(ListId),
    /// Channel in the side-by-side view, by its index: its strip and heading.
    Channel(usize),
    /// Notice over the screen. A click dismisses it.
    Toast,
    /// Column title, by its index. A click sorts by the column.
    Sort(usize),
    /// Marker for a drawn dialog, without an area to click.
    DrawnDialog(Dialog),
}

/// Name in the header, from the outermost to the innermost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breadcrumb {
    /// Name of the catalog.
    Catalog,
    /// Name of the package.
    Package,
    /// Name of the channel.
    Channel,
}

/// Part of the screen that the pressed mouse button drags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Drag {
    /// Line between panes.
    Splitter(Splitter),
    /// Scroll bar of a list.
    ScrollBar(ListId),
    /// Overview ruler next to a list.
    Ruler(ListId),
}

/// Position of a drawn line between panes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawnSplitter {
    /// Line between panes.
    pub splitter: Splitter,
    /// First column or row of the divided area.
    pub start: u16,
    /// Number of columns or rows of the divided area.
    pub length: u16,
    /// Column or row of the line.
    pub position: u16,
}

/// Position of a drawn list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawnList {
    /// Drawn list.
    pub id: ListId,
    /// Area of the rows, without heading or border.
    pub area: Area,
    /// Index of the first visible row.
    pub first: usize,
    /// Number of rows, including invisible ones.
    pub rows: usize,
}

/// Layout of a frame.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HitMap {
    /// Drawn lists.
    pub lists: Vec<DrawnList>,
    /// Drawn lines between panes that can be moved.
    pub splitters: Vec<DrawnSplitter>,
    /// Other clickable areas.
    pub hits: Vec<(Area, Hit)>,
}

impl HitMap {
    /// Returns the position of a list in the last frame.
    pub fn drawn_list(&self, id: ListId) -> Option<&DrawnList> {
        self.lists.iter().find(|l| l.id == id)
    }

    /// Returns the position of a line between panes in the last frame.
    pub fn drawn_splitter(&self, splitter: Splitter) -> Option<&DrawnSplitter> {
        self.splitters.iter().find(|drawn| drawn.splitter == splitter)
    }

    /// Returns the index of the side-by-side channel at a cell, and the column in its strip.
    pub fn channel_at(&self, x: u16, y: u16) -> Option<(usize, usize)> {
        self.hits.iter().find_map(|&(area, hit)| match hit {
            Hit::Channel(number) if area.contains(x, y) => {
                Some((number, usize::from(x.saturating_sub(area.x))))
            }
            _ => None,
        })
    }

    /// Returns the part of the screen at a cell. Parts drawn later are on top.
    pub fn hit_at(&self, x: u16, y: u16) -> Option<Hit> {
        let hit = || self.hits.iter().rev().filter(|(area, _)| area.contains(x, y)).map(|(_, hit)| *hit);
        // Parts on top of a list or at its edge have precedence over the list.
        let above = hit().find(|hit| matches!(hit, Hit::Toast | Hit::ScrollBar(_) | Hit::Action(_)));
        let list = || self.lists.iter().rev().find(|l| l.area.contains(x, y)).map(|l| Hit::List(l.id));
        above.or_else(list).or_else(|| hit().next())
    }

    /// Returns the area of a part of the screen.
    pub fn area_of(&self, of: Hit) -> Option<Area> {
        self.hits.iter().rev().find(|(_, hit)| *hit == of).map(|(area, _)| *area)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn unmoved_line_has_default_position() {
        assert_eq!(SplitterPositions::default().size_before(Splitter::Graph, 7, 30), 7);
    }

    proptest! {
        #[test]
        fn moved_line_keeps_position_and_leaves_room_for_both_panes(at in 0u16..300, length in 0u16..300) {
            let mut splits = SplitterPositions::default();
            for splitter in [Splitter::Packages, Splitter::Details] {
                splits.set_position(splitter, at, length);
                let (least, behind) = splitter.min_sizes();
                let before = splits.size_before(splitter, 5, length);
                if length >= least + behind {
                    prop_assert!(before >= least && length - before >= behind);
                    if (least..=length - behind).contains(&at) {
                        prop_assert!(before.abs_diff(at) <= 1, "{before} for {at} of {length}");
                    }
                } else {
                    prop_assert_eq!(before, 5);
                }
            }
        }
    }
}
