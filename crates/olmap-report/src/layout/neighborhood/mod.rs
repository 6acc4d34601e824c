//! Neighborhood of one bundle as boxes and routed edges: older bundles on the left, newer ones on the right, two hops each.
//!
//! Equally connected versions share a box, and a box counts the bundles that do not fit. So even a channel of five hundred
//! entries has a readable picture. Edges are lines between the sides of boxes. Joined lines are upgrades of one kind, from
//! each source box to each target box.

mod box_placement;
mod boxes;
mod ink;
#[cfg(test)]
mod line_decoder;
mod links;
mod routes;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use petgraph::{Direction, graph::NodeIndex};

use super::{facts::Facts, paths};
use olm_catalog::BundleName;
use olm_upgrade::{EdgeKind, PackageGraph, package::ChannelUpgrades, v1::Query};

pub use boxes::{BoxKind, VersionBox};

pub use ink::{Ink, kind_letter};
pub use routes::{Cell, Strand};

/// Options and size of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Maximum number of columns.
    pub width: usize,
    /// Maximum number of rows.
    pub height: usize,
    /// Query for v1.
    pub query: Query,
    /// Marks before the titles of bundles.
    pub marks: HashMap<BundleName, char>,
}

/// Rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// Left column.
    pub x: usize,
    /// Top row.
    pub y: usize,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// Sides of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Bundles that can be upgraded to it.
    Older,
    /// Bundles that it can be upgraded to.
    Newer,
}

/// Picture of a neighborhood. Cells contain frames and lines; the caller draws the text of the
/// boxes.
#[derive(Clone, Debug, Default)]
pub struct Neighborhood {
    /// Rows of cells, all of the same length and within the requested size. Empty if not even one box fits.
    pub cells: Vec<Vec<Cell>>,
    /// Boxes, from top to bottom in each column.
    pub boxes: Vec<VersionBox>,
    /// Drawn lines; cells refer to them by index.
    pub strands: Vec<Strand>,
    /// Number of edges between the bundles of the boxes that do not have a line.
    pub hidden: usize,
    /// Number of edges between bundles of the same box.
    pub inside: usize,
    /// Number of bundles within two hops on the older side, visible or not.
    pub older: usize,
    /// Number of bundles within two hops on the newer side, visible or not.
    pub newer: usize,
    /// Number of bundles of both sides that are in no box, because the picture is too narrow.
    pub beyond: usize,
    /// Preferred neighbor on the older and on the newer side.
    first: [Option<NodeIndex>; 2],
}

impl Neighborhood {
    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.cells.first().map_or(0, Vec::len)
    }

    /// Returns the number of rows.
    pub fn height(&self) -> usize {
        self.cells.len()
    }

    /// Returns the preferred neighbor on a side: OLM's pick, then by `replaces`, `skips` and range.
    pub fn first_neighbor(&self, side: Side) -> Option<NodeIndex> {
        match side {
            Side::Older => self.first[0],
            Side::Newer => self.first[1],
        }
    }

    /// Returns the box of a bundle.
    pub fn box_of_node(&self, at: NodeIndex) -> Option<usize> {
        self.boxes.iter().position(|b| b.members.contains(&at))
    }

    /// Returns the kinds of the drawn lines in OLM's order, and true if Classic ignores one of them. Legends explain these.
    pub fn drawn_kinds(&self) -> (Vec<EdgeKind>, bool) {
        let mut kinds: Vec<EdgeKind> = self.strands.iter().map(|s| s.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        (kinds, self.strands.iter().any(|s| s.ignored))
    }
}

/// Draws the neighborhood of a node of a channel; empty for a node of another graph.
pub fn draw_neighborhood(
    package: &PackageGraph,
    channel: &ChannelUpgrades,
    centre: NodeIndex,
    options: &Options,
) -> Neighborhood {
    let facts = Facts::new(package, channel);
    draw_from_facts(&facts, &RangeIndex::new(&facts), centre, options)
}

/// Draws the neighborhood from prepared facts about a channel.
pub(super) fn draw_from_facts(
    facts: &Facts<'_>,
    ranges: &RangeIndex,
    centre: NodeIndex,
    options: &Options,
) -> Neighborhood {
    if facts.graph().node(centre).is_none() {
        return Neighborhood::default();
    }
    let ways = paths::compute_paths(facts, &options.query, centre);
    let hops = collect_hops(facts, ranges, centre);
    let author = boxes::BoxBuilder {
        facts,
        ranges,
        hops: &hops,
        center: centre,
        ways: &ways,
        title_marks: &options.marks,
    };
    let first = [CENTER - 1, CENTER + 1].map(|column| author.first_neighbor(column));
    let counted = |columns: std::ops::Range<usize>| hops[columns].iter().map(Vec::len).sum();
    let older = counted(0..CENTER);
    let newer = counted(CENTER + 1..COLUMNS);
    let Some(plan) = box_placement::fit_boxes(&author, options) else {
        return Neighborhood { older, newer, beyond: older + newer, first, ..Neighborhood::default() };
    };
    let shown: usize = plan.boxes.iter().map(|b| b.members.len()).sum();
    let routes::Drawing { cells, strands, hidden } = routes::draw_plan(&plan);
    Neighborhood {
        cells,
        strands,
        hidden,
        inside: plan.inside,
        boxes: plan.boxes,
        older,
        newer,
        beyond: (older + newer + 1).saturating_sub(shown),
        first,
    }
}

/// Columns of a complete picture: two hops of older nodes, the center, two hops of newer nodes.
const COLUMNS: usize = 5;

/// Column of the center.
const CENTER: usize = 2;

/// Nodes of each column, in the order of the channel's picture. Each node is in one column, at its shortest distance.
type Hops = [Vec<NodeIndex>; COLUMNS];

/// Positions in the ranges of a channel, for fast queries about many nodes.
#[derive(Debug)]
pub(super) struct RangeIndex {
    /// For each node, the runs of positions in its range.
    runs: Vec<Vec<std::ops::Range<usize>>>,
    /// Node at each position.
    nodes: Vec<NodeIndex>,
    /// Position of each node; `None` without a version.
    position: Vec<Option<usize>>,
}

impl RangeIndex {
    pub(in crate::layout) fn new(facts: &Facts<'_>) -> Self {
        let graph = facts.graph();
        let runs = graph.graph().node_indices().map(|at| {
            let range =
                graph.entry(at).and_then(|e| e.skip_range.as_ref()).and_then(|r| r.range.as_ref().ok());
            range.map(|range| facts.coverage.runs(range)).unwrap_or_default()
        });
        let nodes: Vec<NodeIndex> =
            (0..facts.coverage.len()).filter_map(|p| facts.coverage.node_at(p)).collect();
        let mut position = vec![None; graph.graph().node_count()];
        nodes.iter().enumerate().for_each(|(p, node)| position[node.index()] = Some(p));
        Self { runs: runs.collect(), nodes, position }
    }

    /// Returns the runs of positions in the range of a node.
    fn runs_of(&self, owner: NodeIndex) -> &[std::ops::Range<usize>] {
        self.runs.get(owner.index()).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns true if the range of a node includes the node itself.
    fn includes_itself(&self, owner: NodeIndex) -> bool {
        let position = self.position.get(owner.index()).copied().flatten();
        position.is_some_and(|p| self.runs_of(owner).iter().any(|run| run.contains(&p)))
    }

    /// Returns, per node, true if the range of an owner includes it.
    fn included_by_any(&self, owners: &[NodeIndex]) -> Vec<bool> {
        // Number of ranges that start, minus those that end, at each position.
        let mut change = vec![0_isize; self.nodes.len() + 1];
        for run in owners.iter().flat_map(|&owner| self.runs_of(owner)) {
            change[run.start] += 1;
            change[run.end] -= 1;
        }
        let mut held = vec![false; self.runs.len()];
        let mut depth = 0;
        for (node, change) in self.nodes.iter().zip(change) {
            depth += change;
            held[node.index()] = depth > 0;
        }
        held
    }

    /// Counts the members of a set before each position, for [`Self::count`].
    fn tally_members(&self, is_member: impl Fn(NodeIndex) -> bool) -> Tally {
        let mut before = Vec::with_capacity(self.nodes.len() + 1);
        let mut count = 0;
        before.push(count);
        for &node in &self.nodes {
            count += usize::from(is_member(node));
            before.push(count);
        }
        Tally(before)
    }

    /// Counts the members of a set in the range of a node.
    fn count_in_range(&self, owner: NodeIndex, set: &Tally) -> usize {
        let of = |at: usize| set.0.get(at).copied().unwrap_or_default();
        self.runs_of(owner).iter().map(|run| of(run.end) - of(run.start)).sum()
    }
}

/// Number of members of a set before each position.
#[derive(Debug)]
struct Tally(Vec<usize>);

/// Collects nodes outward from the center along edges of all three kinds.
fn collect_hops(facts: &Facts<'_>, ranges: &RangeIndex, centre: NodeIndex) -> Hops {
    let graph = facts.graph();
    let mut columns = Hops::default();
    let mut placed = vec![false; graph.graph().node_count()];
    placed[centre.index()] = true;
    columns[CENTER].push(centre);
    for hop in 1..=CENTER {
        let older = find_older(facts, ranges, &columns[CENTER + 1 - hop]);
        let newer = find_newer(facts, ranges, &columns[CENTER + hop - 1]);
        for &at in &facts.order {
            let (is_older, is_newer) = (older[at.index()], newer[at.index()]);
            if placed[at.index()] || !(is_older || is_newer) {
                continue;
            }
            placed[at.index()] = true;
            // On a cycle a node is both older and newer; its row in the channel's picture decides.
            let below = facts.node_rows[at.index()] > facts.node_rows[centre.index()];
            let column = if is_older && (below || !is_newer) { CENTER - hop } else { CENTER + hop };
            columns[column].push(at);
        }
    }
    columns
}

/// Returns, per node, true if it can be upgraded to some of the given nodes.
fn find_older(facts: &Facts<'_>, ranges: &RangeIndex, from: &[NodeIndex]) -> Vec<bool> {
    let mut marks = ranges.included_by_any(from);
    for &owner in from {
        for target in facts.graph().graph().neighbors_directed(owner, Direction::Incoming) {
            marks[target.index()] = true;
        }
    }
    marks
}

/// Returns, per node, true if some of the given nodes can be upgraded to it.
fn find_newer(facts: &Facts<'_>, ranges: &RangeIndex, from: &[NodeIndex]) -> Vec<bool> {
    let graph = facts.graph().graph();
    let mut member = vec![false; graph.node_count()];
    for at in from {
        member[at.index()] = true;
    }
    let tally = ranges.tally_members(|at| member[at.index()]);
    let mut marks: Vec<bool> = graph.node_indices().map(|at| ranges.count_in_range(at, &tally) > 0).collect();
    for owner in from.iter().flat_map(|&at| graph.neighbors(at)) {
        marks[owner.index()] = true;
    }
    marks
}
