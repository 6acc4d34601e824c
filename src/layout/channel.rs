//! The picture of one channel: a row a bundle, newest on top; skips, spine and ranges beside it.

use std::{ops::Range, sync::Arc};

use petgraph::graph::NodeIndex;

use super::{
    glyph::Glyph,
    ground::Ground,
    reach::Reach,
    strand::{Place, Strand},
    ways::{Stops, Ways},
};
use crate::{
    catalog::BundleName,
    upgrade::{EdgeKind, PackageGraph, ResolveError, package::ChannelUpgrades, v1::Query},
};

/// What a picture is to show.
#[derive(Clone, Debug)]
pub struct Options {
    /// The bundle whose edges come first and which [`Row::reach`] is about.
    pub selected: Option<NodeIndex>,
    /// What v1 is asked.
    pub query: Query,
    /// Lanes for combs of `skips`, two columns each.
    pub max_skip_lanes: usize,
    /// Lanes for `replaces`, two columns each.
    pub max_spine_lanes: usize,
    /// Lanes for ranges, two columns each.
    pub max_range_lanes: usize,
    /// Whether lanes that one kind does not need go to those that need more.
    pub shared: bool,
    /// Whether to keep room for [`Layout::labels`] above the columns.
    pub labels: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            selected: None,
            query: Query::default(),
            max_skip_lanes: 4,
            max_spine_lanes: 4,
            max_range_lanes: 3,
            shared: false,
            labels: false,
        }
    }
}

impl Options {
    /// As many lanes as fit into a width in columns: the spine first, then skips, then ranges.
    pub fn within(width: usize) -> Self {
        let lanes = width.saturating_sub(2) / 2;
        let max_spine_lanes = lanes.div_ceil(3).min(6);
        let max_skip_lanes = (lanes - max_spine_lanes).div_ceil(2).min(8);
        let max_range_lanes = (lanes - max_spine_lanes - max_skip_lanes).min(6);
        Self { max_skip_lanes, max_spine_lanes, max_range_lanes, ..Self::default() }
    }

    /// The lanes of a drawing that leaves most of a page or screen of a width to words: edges are left out only where all
    /// of them are taken.
    pub fn page(width: usize) -> Self {
        Self { shared: true, ..Self::within(width / 3) }
    }

    /// The same with a bundle selected.
    #[must_use]
    pub fn with_selected(self, selected: Option<NodeIndex>) -> Self {
        Self { selected, ..self }
    }
}

const SKIPS: &str = "skips";
const SPINE: &str = "spine";
const RANGE: &str = "range";

/// The number of a strand in [`Layout::strands`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StrandId(pub u32);

/// One cell of the drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// What it shows.
    pub glyph: Glyph,
    /// The lines it belongs to; also those that pass below a vertical line and are not seen here.
    pub strands: Vec<StrandId>,
}

/// Which columns of the drawing belong to what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// Combs of `skips`.
    pub skips: Range<usize>,
    /// The bundles.
    pub node: usize,
    /// `replaces`.
    pub spine: Range<usize>,
    /// Ranges; the first column is empty.
    pub ranges: Range<usize>,
}

impl Columns {
    pub(super) fn new([skips, spine, ranges]: [usize; 3], labels: bool) -> Self {
        let room = |lanes: usize, columns: usize, label: usize| match (lanes, labels) {
            (0, _) => 0,
            (_, true) => columns.max(label),
            (_, false) => columns,
        };
        let node = room(skips, 2 * skips, SKIPS.len() + 1);
        // The bundles stand above the label of the spine.
        let spine = node + 1..node + 1 + room(spine, 2 * spine, SPINE.len());
        let ranges = spine.end..spine.end + room(ranges, 1 + 2 * ranges, 1 + RANGE.len());
        Self { skips: 0..node, node, spine, ranges }
    }

    /// Whether a column stands beside a lane, towards the bundles: tips, teeth and the ways of the spine.
    fn is_beside(&self, column: usize) -> bool {
        match self.node.checked_sub(column) {
            Some(distance) => distance % 2 == 1,
            None if self.spine.contains(&column) => (column - self.spine.start).is_multiple_of(2),
            None => column.checked_sub(self.ranges.start).is_some_and(|n| n % 2 == 1),
        }
    }

    /// Columns of the whole drawing.
    pub fn width(&self) -> usize {
        self.ranges.end
    }
}

/// Edges that found no lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// `replaces` edges.
    pub replaces: usize,
    /// `skips` edges.
    pub skips: usize,
    /// Ranges; each one, however many versions it holds.
    pub ranges: usize,
}

impl Hidden {
    pub(super) fn add(&mut self, kind: EdgeKind, edges: usize) {
        match kind {
            EdgeKind::Replaces => self.replaces += edges,
            EdgeKind::Skips => self.skips += edges,
            EdgeKind::SkipRange => self.ranges += 1,
        }
    }

    /// All of them: the `+n` of a row.
    pub fn total(self) -> usize {
        self.replaces + self.skips + self.ranges
    }
}

/// What holds of a bundle in this channel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // independent marks, not states
pub struct Marks {
    /// Nothing in the channel replaces or skips it.
    pub head: bool,
    /// Classic's walk from the head ends here.
    pub tail: bool,
    /// An entry that skips it: Classic never lands here.
    pub skipped_by: Option<BundleName>,
    /// A deprecation names it.
    pub deprecated: bool,
    /// Classic stays here though the head is higher.
    pub dead_end: bool,
    /// State in words if it is stuck: upgrades never lead from it to the current version of the package.
    pub stuck: Option<String>,
    /// It is replaced or skipped but no entry of the channel.
    pub dangling: bool,
    /// It replaces or skips a higher version: an upgrade that goes down in `SemVer`.
    pub below: bool,
    /// It is on a circle of `replaces`.
    pub circle: bool,
    /// It is an entry, but the package has no such bundle.
    pub no_bundle: bool,
}

impl Marks {
    /// Whether somebody who looks for what is wrong, or soon will be, stops here.
    pub fn has_news(&self) -> bool {
        self.dead_end || self.deprecated || self.below || self.circle || self.no_bundle
    }
}

/// One bundle.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its node in the channel's graph.
    pub at: NodeIndex,
    /// Its name, as written: make it harmless before it meets a terminal.
    pub name: BundleName,
    /// Its version, or what its name tells of it.
    pub version: String,
    /// The drawing, [`Layout::width`] cells.
    pub cells: Vec<Cell>,
    /// What holds of it.
    pub marks: Marks,
    /// What the ways of the selected bundle do here.
    pub stops: Stops,
    /// What Classic upgrades it to; `None` where it stays, and where Classic has no chain.
    pub classic: Option<BundleName>,
    /// How it stands to the selected bundle.
    pub reach: Reach,
    /// What to say of it; empty where all is well. Contains catalog text as written.
    pub note: String,
    /// Its edges that are not drawn.
    pub hidden: Hidden,
}

/// An edge, from what is installed to what it can be upgraded to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// What is installed.
    pub from: NodeIndex,
    /// What it can be upgraded to.
    pub to: NodeIndex,
    /// Who says so.
    pub kind: EdgeKind,
}

/// The picture of a channel.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Rows, newest on top.
    pub rows: Vec<Row>,
    /// Which columns belong to what.
    pub columns: Columns,
    /// The lines that are drawn.
    pub strands: Vec<Arc<Strand>>,
    /// All that is not drawn.
    pub hidden: Hidden,
    /// Where the selected bundle goes; `None` where none is selected.
    pub ways: Option<Ways>,
    /// Why Classic has no chain in this channel, where it has none; then no row is a dead end.
    pub error: Option<ResolveError>,
}

impl Layout {
    /// Columns of the drawing.
    pub fn width(&self) -> usize {
        self.columns.width()
    }

    /// The row of a node.
    pub fn row_of(&self, at: NodeIndex) -> Option<usize> {
        self.rows.iter().position(|row| row.at == at)
    }

    /// The line with a number.
    pub fn strand(&self, id: StrandId) -> Option<&Strand> {
        self.strands.get(id.0 as usize).map(Arc::as_ref)
    }

    /// The edges whose way leads through a cell; none for a bundle's own cell.
    pub fn edges_at(&self, row: usize, column: usize) -> Vec<Edge> {
        let teeth = self.columns.is_beside(column);
        let edges = self.strands_at(row, column).flat_map(|strand| {
            let kind = strand.kind;
            strand.edges_in(row, teeth).map(move |(from, to)| Edge { from: from.1, to: to.1, kind })
        });
        edges.collect()
    }

    /// Whether the way of an edge from or to a bundle leads through a cell: what to highlight when it is selected.
    pub fn carries(&self, row: usize, column: usize, at: Place) -> bool {
        let teeth = self.columns.is_beside(column);
        self.strands_at(row, column).any(|strand| strand.carries(at, row, teeth))
    }

    fn strands_at(&self, row: usize, column: usize) -> impl Iterator<Item = &Strand> {
        let cell = self.rows.get(row).and_then(|r| r.cells.get(column));
        cell.into_iter().flat_map(|cell| &cell.strands).filter_map(|&id| self.strand(id))
    }

    /// What to write above the columns, from left to right, where [`Options::labels`] kept the room for it.
    pub fn labels(&self) -> Vec<(usize, &'static str)> {
        let Columns { skips, node, spine, ranges } = &self.columns;
        let all = [(skips, 0, SKIPS), (spine, *node, SPINE), (ranges, ranges.start + 1, RANGE)];
        all.into_iter().filter(|(room, ..)| !room.is_empty()).map(|(_, at, label)| (at, label)).collect()
    }

    /// Returns the number of stuck entries.
    pub fn stuck(&self) -> usize {
        self.rows.iter().filter(|row| row.marks.stuck.is_some()).count()
    }

    /// How many bundles Classic leaves behind.
    pub fn dead_ends(&self) -> usize {
        self.rows.iter().filter(|row| row.marks.dead_end).count()
    }
}

/// Draws a channel of a package. Who draws it again for another bundle keeps its `Ground`.
pub fn layout(package: &PackageGraph, channel: &ChannelUpgrades, options: &Options) -> Layout {
    let ground = Ground::of(package, channel, options);
    ground.draw(&ground.facts(package, channel), options.selected)
}
