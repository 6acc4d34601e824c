//! Layout of the last frame: written by the view, read by `update` for mouse events and scrolling.

use crate::tui::{
    keys::{ActionId, Dialog, Screen},
    parts::{list::ListId, splitters::Splitter},
};

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
