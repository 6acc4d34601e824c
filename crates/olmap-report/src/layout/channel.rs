//! Picture of one channel: one row per bundle, newest first. Combs of `skips` are on the left of
//! the bundles; the spine of `replaces` and the ranges are on the right. `paint` explains these
//! shapes.

use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

use petgraph::graph::NodeIndex;

use super::{
    facts::{self, CachedFacts, Facts, Relation},
    glyph::Glyph,
    neighborhood::{self, Neighborhood},
    note,
    paint::{Drawing, paint_channel},
    paths::{self, RowStops, SelectedPaths},
    strand::{NodePosition, Strand, Strands},
};
use olm_catalog::BundleName;
use olm_upgrade::{EdgeKind, PackageGraph, ResolveError, package::ChannelUpgrades, v1::Query};

/// Options of a channel picture.
#[derive(Clone, Debug)]
pub struct Options {
    /// Bundle whose edges take precedence and to which [`Row::relation`] refers.
    pub selected: Option<NodeIndex>,
    /// Query for v1.
    pub query: Query,
    /// Maximum number of lanes for combs of `skips`, two columns each.
    pub max_skip_lanes: usize,
    /// Maximum number of lanes for `replaces`, two columns each.
    pub max_spine_lanes: usize,
    /// Maximum number of lanes for ranges, two columns each.
    pub max_range_lanes: usize,
    /// True if kinds that need more lanes can use lanes that other kinds do not need.
    pub share_lanes: bool,
    /// True to reserve space for [`Layout::labels`] above the columns.
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
            share_lanes: false,
            labels: false,
        }
    }
}

impl Options {
    /// Returns options with as many lanes as fit into a width in columns: spine first, then skips,
    /// then ranges.
    pub fn for_width(width: usize) -> Self {
        let lanes = width.saturating_sub(2) / 2;
        let max_spine_lanes = lanes.div_ceil(3).min(6);
        let max_skip_lanes = (lanes - max_spine_lanes).div_ceil(2).min(8);
        let max_range_lanes = (lanes - max_spine_lanes - max_skip_lanes).min(6);
        Self { max_skip_lanes, max_spine_lanes, max_range_lanes, ..Self::default() }
    }

    /// Returns options that leave most of the width of a page or screen to text. An edge is omitted
    /// only if all lanes of the picture are taken.
    pub fn for_page_width(width: usize) -> Self {
        Self { share_lanes: true, ..Self::for_width(width / 3) }
    }

    /// Returns the options with a selected bundle.
    #[must_use]
    pub fn with_selected(self, selected: Option<NodeIndex>) -> Self {
        Self { selected, ..self }
    }
}

const SKIPS: &str = "skips";
const SPINE: &str = "spine";
const RANGE: &str = "range";

/// Index of a strand in [`Layout::strands`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StrandId(pub u32);

/// Cell of the drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Content of the cell.
    pub glyph: Glyph,
    /// Strands that pass through the cell, including hidden ones below a vertical line.
    pub strands: Vec<StrandId>,
}

/// Columns of the drawing by purpose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// Combs of `skips`.
    pub skips: Range<usize>,
    /// Column of the bundles.
    pub node: usize,
    /// Spine: lanes of `replaces`.
    pub spine: Range<usize>,
    /// Columns of ranges; the first column is empty.
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
        // The label of the spine starts above the bundles.
        let spine = node + 1..node + 1 + room(spine, 2 * spine, SPINE.len());
        let ranges = spine.end..spine.end + room(ranges, 1 + 2 * ranges, 1 + RANGE.len());
        Self { skips: 0..node, node, spine, ranges }
    }

    /// Returns true if a column is next to a lane, on the side of the bundles. It contains tips,
    /// teeth, or connections from the spine to bundles.
    fn is_tooth_column(&self, column: usize) -> bool {
        match self.node.checked_sub(column) {
            Some(distance) => distance % 2 == 1,
            None if self.spine.contains(&column) => (column - self.spine.start).is_multiple_of(2),
            None => column.checked_sub(self.ranges.start).is_some_and(|n| n % 2 == 1),
        }
    }

    /// Returns the width of the drawing in columns.
    pub fn width(&self) -> usize {
        self.ranges.end
    }
}

/// Numbers of edges without a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HiddenEdges {
    /// Number of `replaces` edges.
    pub replaces: usize,
    /// Number of `skips` edges.
    pub skips: usize,
    /// Number of ranges, regardless of the number of versions in them.
    pub ranges: usize,
}

impl HiddenEdges {
    pub(super) fn add_edges(&mut self, kind: EdgeKind, edges: usize) {
        match kind {
            EdgeKind::Replaces => self.replaces += edges,
            EdgeKind::Skips => self.skips += edges,
            EdgeKind::SkipRange => self.ranges += 1,
        }
    }

    /// Returns the total, the `+n` of a row.
    pub fn total(self) -> usize {
        self.replaces + self.skips + self.ranges
    }
}

/// Properties of a bundle in this channel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // independent marks, not states
pub struct Marks {
    /// True if no entry of the channel replaces or skips it.
    pub head: bool,
    /// True if Classic's walk from the head ends here.
    pub tail: bool,
    /// Entry that skips it, so that Classic never installs it.
    pub skipped_by: Option<BundleName>,
    /// True if it is deprecated.
    pub deprecated: bool,
    /// True if Classic does not upgrade it although the head is higher.
    pub dead_end: bool,
    /// Description of the state if upgrades never lead from it to the current version of the
    /// package.
    pub stuck: Option<String>,
    /// True if it is replaced or skipped but is not an entry of the channel.
    pub dangling: bool,
    /// True if it replaces or skips a higher version: a downgrade in `SemVer`.
    pub downgrade: bool,
    /// True if it is on a cycle of `replaces`.
    pub on_cycle: bool,
    /// True if it is an entry without a bundle in the package.
    pub missing_bundle: bool,
}

impl Marks {
    /// Returns true if the bundle has or will soon have a problem.
    pub fn has_problem(&self) -> bool {
        self.dead_end || self.deprecated || self.downgrade || self.on_cycle || self.missing_bundle
    }
}

/// Row of a bundle.
#[derive(Clone, Debug)]
pub struct Row {
    /// Node in the graph of the channel.
    pub at: NodeIndex,
    /// Name as written; it may not be safe to print.
    pub name: BundleName,
    /// Version of the bundle, or the version in its name.
    pub version: String,
    /// Cells of the drawing, [`Layout::width`] in number.
    pub cells: Vec<Cell>,
    /// Properties of the bundle.
    pub marks: Marks,
    /// Role of the row on the upgrade paths of the selected bundle.
    pub stops: RowStops,
    /// Bundle to which Classic upgrades it; `None` if Classic does not upgrade it or does not have
    /// a chain.
    pub classic_target: Option<BundleName>,
    /// Relation to the selected bundle.
    pub relation: Relation,
    /// Remarks on the bundle; empty if there are none. Contains catalog text as written.
    pub note: String,
    /// Edges of the bundle that are not drawn.
    pub hidden: HiddenEdges,
}

/// Edge from an installed bundle to an upgrade target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// Installed bundle.
    pub from: NodeIndex,
    /// Upgrade target.
    pub to: NodeIndex,
    /// Field of the entry that defines the edge.
    pub kind: EdgeKind,
}

/// Picture of a channel.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Rows, newest first.
    pub rows: Vec<Row>,
    /// Columns by purpose.
    pub columns: Columns,
    /// Drawn strands.
    pub strands: Vec<Arc<Strand>>,
    /// Numbers of all edges that are not drawn.
    pub hidden: HiddenEdges,
    /// Upgrade paths of the selected bundle; `None` without a selection.
    pub paths: Option<SelectedPaths>,
    /// Reason why Classic does not have a chain in this channel. If set, no row is a dead end.
    pub error: Option<ResolveError>,
}

impl Layout {
    /// Returns the width of the drawing in columns.
    pub fn width(&self) -> usize {
        self.columns.width()
    }

    /// Returns the row of a node.
    pub fn row_of_node(&self, at: NodeIndex) -> Option<usize> {
        self.rows.iter().position(|row| row.at == at)
    }

    /// Returns the strand with an ID.
    pub fn strand(&self, id: StrandId) -> Option<&Strand> {
        self.strands.get(id.0 as usize).map(Arc::as_ref)
    }

    /// Returns the edges that pass through a cell; empty for the cell of a bundle.
    pub fn edges_at(&self, row: usize, column: usize) -> Vec<Edge> {
        let teeth = self.columns.is_tooth_column(column);
        let edges = self.strands_at_cell(row, column).flat_map(|strand| {
            let kind = strand.kind;
            strand.edges_through(row, teeth).map(move |(from, to)| Edge { from: from.1, to: to.1, kind })
        });
        edges.collect()
    }

    /// Returns true if an edge from or to a bundle passes through a cell, so that it is highlighted
    /// if the bundle is selected.
    pub fn shows_edge_of(&self, row: usize, column: usize, at: NodePosition) -> bool {
        let teeth = self.columns.is_tooth_column(column);
        self.strands_at_cell(row, column).any(|strand| strand.has_edge_through(at, row, teeth))
    }

    fn strands_at_cell(&self, row: usize, column: usize) -> impl Iterator<Item = &Strand> {
        let cell = self.rows.get(row).and_then(|r| r.cells.get(column));
        cell.into_iter().flat_map(|cell| &cell.strands).filter_map(|&id| self.strand(id))
    }

    /// Returns the labels above the columns, from left to right. Empty unless [`Options::labels`]
    /// is set.
    pub fn labels(&self) -> Vec<(usize, &'static str)> {
        let Columns { skips, node, spine, ranges } = &self.columns;
        let all = [(skips, 0, SKIPS), (spine, *node, SPINE), (ranges, ranges.start + 1, RANGE)];
        all.into_iter().filter(|(room, ..)| !room.is_empty()).map(|(_, at, label)| (at, label)).collect()
    }

    /// Returns the number of stuck entries.
    pub fn count_stuck(&self) -> usize {
        self.rows.iter().filter(|row| row.marks.stuck.is_some()).count()
    }

    /// Returns the number of dead ends in Classic.
    pub fn count_dead_ends(&self) -> usize {
        self.rows.iter().filter(|row| row.marks.dead_end).count()
    }
}

/// Draws a channel of a package. Callers that redraw it for other selections keep a
/// [`PreparedChannel`].
pub fn draw_layout(package: &PackageGraph, channel: &ChannelUpgrades, options: &Options) -> Layout {
    let ground = PreparedLayout::for_channel(package, channel, options);
    ground.draw_selection(&ground.restore_facts(package, channel), options.selected)
}

/// Prepared channel that can be drawn for any selected bundle.
#[derive(Debug)]
pub struct PreparedChannel {
    package: PackageGraph,
    /// Index of the channel in the package.
    channel: usize,
    ground: PreparedLayout,
    /// Positions in its ranges, for neighborhoods.
    ranges: OnceLock<neighborhood::RangeIndex>,
}

impl PreparedChannel {
    /// Prepares a channel by name; the first if there are several. Ignores [`Options::selected`].
    pub fn new(package: &PackageGraph, channel: &str, options: &Options) -> Option<Self> {
        let (channel, upgrades) =
            package.channels().iter().enumerate().find(|(_, upgrades)| upgrades.graph.name() == channel)?;
        let ground = PreparedLayout::for_channel(package, upgrades, options);
        Some(Self { ground, package: package.clone(), channel, ranges: OnceLock::new() })
    }

    /// Draws the same as [`super::draw_layout()`], with a bundle selected.
    pub fn draw_layout(&self, selected: Option<&BundleName>) -> Option<Layout> {
        let facts = self.facts()?;
        let selected = selected.and_then(|name| facts.graph().find_node(name.as_str()));
        Some(self.ground.draw_selection(&facts, selected))
    }

    /// Draws the same as [`neighborhood::draw_neighborhood`]; `None` if the channel does not contain the bundle.
    pub fn draw_neighborhood(
        &self,
        centre: &BundleName,
        options: &neighborhood::Options,
    ) -> Option<Neighborhood> {
        let facts = self.facts()?;
        let centre = facts.graph().find_node(centre.as_str())?;
        let ranges = self.ranges.get_or_init(|| neighborhood::RangeIndex::new(&facts));
        Some(neighborhood::draw_from_facts(&facts, ranges, centre, options))
    }

    fn facts(&self) -> Option<Facts<'_>> {
        Some(self.ground.restore_facts(&self.package, self.package.channels().get(self.channel)?))
    }
}

/// Prepared channel for callers that have the channel itself.
#[derive(Debug)]
pub(super) struct PreparedLayout {
    options: Options,
    cached: CachedFacts,
    strands: Strands,
    /// Rows without the parts that depend on the selection.
    rows: Vec<Row>,
}

impl PreparedLayout {
    pub(super) fn for_channel(package: &PackageGraph, channel: &ChannelUpgrades, options: &Options) -> Self {
        let facts = Facts::new(package, channel);
        let mut words = note::NoteWriter::new(&facts, &options.query);
        let name = |at| facts.graph().node(at).map(|node| node.name.clone());
        let row = |&at: &NodeIndex| {
            let marks = note::node_marks(&facts, at);
            Row {
                at,
                name: name(at).unwrap_or_default(),
                version: facts.version_label(at),
                cells: Vec::new(),
                stops: RowStops::default(),
                classic_target: facts.classic_pick[at.index()].and_then(name),
                relation: Relation::default(),
                note: words.write_note(at, &marks),
                hidden: HiddenEdges::default(),
                marks,
            }
        };
        let rows = facts.order.iter().map(row).collect();
        Self { options: options.clone(), strands: Strands::new(&facts), rows, cached: facts.to_cached() }
    }

    /// Recreates its facts; the channel must be the same.
    pub(super) fn restore_facts<'a>(
        &self,
        package: &'a PackageGraph,
        channel: &'a ChannelUpgrades,
    ) -> Facts<'a> {
        Facts::from_cached(package, channel, &self.cached)
    }

    pub(super) fn draw_selection(&self, facts: &Facts<'_>, selected: Option<NodeIndex>) -> Layout {
        let selected = selected.filter(|&at| facts.graph().node(at).is_some());
        let options = self.options.clone().with_selected(selected);
        let Drawing { cells, columns, strands, hidden } = paint_channel(facts, &self.strands, &options);
        let reach = facts::relations_to(facts, selected);
        let ways = selected.map(|from| paths::compute_paths(facts, &options.query, from));
        let stops = selected.zip(ways.as_ref()).map_or_else(
            || vec![RowStops::default(); facts.order.len()],
            |(from, ways)| paths::row_stops(facts, from, ways),
        );
        let mut total = HiddenEdges::default();
        let mut rows = Vec::with_capacity(self.rows.len());
        let drawn = cells.into_iter().zip(reach).zip(stops).zip(hidden);
        for (row, (((cells, reach), stops), hidden)) in self.rows.iter().zip(drawn) {
            total.replaces += hidden.replaces;
            total.skips += hidden.skips;
            total.ranges += hidden.ranges;
            rows.push(Row { cells, stops, relation: reach, hidden, ..row.clone() });
        }
        let error = facts.channel.chain.as_ref().err().cloned();
        Layout { rows, columns, strands, hidden: total, paths: ways, error }
    }
}
