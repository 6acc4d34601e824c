//! Where things are on the screen: drawn by `ui`, read by `update` for the mouse and for scrolling.

use crate::app::{
    keys::{ActionId, Dialog, Screen},
    parts::{list::ListId, splits::Splitter},
};

/// A rectangle of cells.
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
    /// Whether a cell lies inside.
    pub fn contains(self, x: u16, y: u16) -> bool {
        (self.x..self.x.saturating_add(self.width)).contains(&x)
            && (self.y..self.y.saturating_add(self.height)).contains(&y)
    }
}

/// What a place on the screen does when it is clicked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hit {
    /// A list, anywhere in it; rows are worked out from its first visible one.
    List(ListId),
    /// The scroll bar of a list.
    ScrollBar(ListId),
    /// A line between panes.
    Splitter(Splitter),
    /// The name of an action: in the hint bar, among the keys that can follow.
    Action(ActionId),
    /// What a list is sorted by: the next order.
    Order(ListId),
    /// A name in the header.
    Crumb(Crumb),
    /// A tab.
    Tab(Screen),
    /// A field of the screen, by its number.
    Field(usize),
    /// A box of the zoomed graph.
    Box(usize),
    /// The lines and marks of the graph, left of its words.
    Drawing,
    /// The overview beside a list: a click goes to the row it stands for.
    Ruler(ListId),
    /// A channel among those side by side, by its number; its strip and what stands above it.
    Channel(usize),
    /// What went wrong, over the screen: a click puts it away.
    Toast,
    /// A column title, by its number: sorts by it.
    Sort(usize),
    /// Nowhere: says that a dialog was drawn.
    Asked(Dialog),
}

/// A name in the header: what one is in, from the outside in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Crumb {
    /// The catalog.
    Catalog,
    /// The package.
    Package,
    /// The channel.
    Channel,
}

/// What a pressed button holds on to until it is let go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Drag {
    /// A line between panes.
    Splitter(Splitter),
    /// The scroll bar of a list.
    ScrollBar(ListId),
    /// The overview beside a list.
    Ruler(ListId),
}

/// A line between panes as it was drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawnSplitter {
    /// Which.
    pub splitter: Splitter,
    /// The column or row at which what it divides begins.
    pub from: u16,
    /// Columns or rows of what it divides.
    pub length: u16,
    /// The column or row it is in.
    pub at: u16,
}

/// A list as it was drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawnList {
    /// Which.
    pub id: ListId,
    /// Its rows, without heading or border.
    pub area: Area,
    /// Index of the first visible row.
    pub first: usize,
    /// How many rows there are, those out of sight too.
    pub rows: usize,
}

/// Everything a frame remembers of itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HitMap {
    /// The lists.
    pub lists: Vec<DrawnList>,
    /// The lines between panes that can be moved.
    pub splitters: Vec<DrawnSplitter>,
    /// Other places.
    pub hits: Vec<(Area, Hit)>,
}

impl HitMap {
    /// A list as it was drawn last.
    pub fn list(&self, id: ListId) -> Option<&DrawnList> {
        self.lists.iter().find(|l| l.id == id)
    }

    /// A line between panes as it was drawn last.
    pub fn splitter(&self, splitter: Splitter) -> Option<&DrawnSplitter> {
        self.splitters.iter().find(|drawn| drawn.splitter == splitter)
    }

    /// The channel, of those side by side, in whose strip a cell lies, and the column of the strip.
    pub fn channel_at(&self, x: u16, y: u16) -> Option<(usize, usize)> {
        self.hits.iter().find_map(|&(area, hit)| match hit {
            Hit::Channel(number) if area.contains(x, y) => {
                Some((number, usize::from(x.saturating_sub(area.x))))
            }
            _ => None,
        })
    }

    /// What a cell belongs to; what was drawn last is on top.
    pub fn at(&self, x: u16, y: u16) -> Option<Hit> {
        let hit = || self.hits.iter().rev().filter(|(area, _)| area.contains(x, y)).map(|(_, hit)| *hit);
        // What stands over a list, or at its edge, is meant where it is.
        let above = hit().find(|hit| matches!(hit, Hit::Toast | Hit::ScrollBar(_) | Hit::Action(_)));
        let list = || self.lists.iter().rev().find(|l| l.area.contains(x, y)).map(|l| Hit::List(l.id));
        above.or_else(list).or_else(|| hit().next())
    }

    /// Where a place lies on the screen.
    pub fn area(&self, of: Hit) -> Option<Area> {
        self.hits.iter().rev().find(|(_, hit)| *hit == of).map(|(area, _)| *area)
    }
}
