//! Neighborhood of one bundle as boxes and routed edges: older bundles on the left, newer ones on the right, two hops each.
//!
//! Equally connected versions share a box, and a box counts the bundles that do not fit. So even a channel of five hundred
//! entries has a readable picture. Edges are lines between the sides of boxes. Joined lines are upgrades of one kind, from
//! each source box to each target box.

mod box_placement;
mod boxes;
mod cell_glyph;
#[cfg(test)]
mod line_decoder;
mod routes;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use petgraph::{Direction, graph::NodeIndex, visit::EdgeRef};

use super::{facts::Facts, paths};
use olm_catalog::BundleName;
use olm_upgrade::{EdgeKind, PackageGraph, package::ChannelUpgrades, v1::Query};

pub use boxes::{BoxKind, VersionBox};

pub use cell_glyph::{CellGlyph, kind_letter};
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

/// Edges of one kind from one box to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Link {
    from: usize,
    to: usize,
    kind: EdgeKind,
    /// True if Classic ignores them, because it never picks the entries.
    ignored: bool,
    /// Number of edges of the channel that it represents.
    edges: usize,
}

/// Kind of route from box to box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RouteKind {
    /// To the next column.
    NextColumn,
    /// To another box of the same column.
    SameColumn,
    /// Across one or more columns.
    AcrossColumns,
    /// To a column on the left: on cycles, and from nodes that are closer on the other side.
    Backward,
}

impl RouteKind {
    fn between_columns(from: usize, to: usize) -> Self {
        match to.cmp(&from) {
            std::cmp::Ordering::Less => Self::Backward,
            std::cmp::Ordering::Equal => Self::SameColumn,
            std::cmp::Ordering::Greater if to == from + 1 => Self::NextColumn,
            std::cmp::Ordering::Greater => Self::AcrossColumns,
        }
    }

    /// Returns true if it needs a row below the boxes.
    fn is_long(self) -> bool {
        matches!(self, Self::AcrossColumns | Self::Backward)
    }

    /// Returns true if it reaches its boxes from the right.
    fn enters_right(self) -> bool {
        matches!(self, Self::SameColumn | Self::Backward)
    }
}

/// Edges that share a line: upgrades of one kind from each of some boxes to each of some others.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Net {
    kind: EdgeKind,
    dead: bool,
    route: RouteKind,
    from: Vec<usize>,
    /// Target boxes, all in one column.
    to: Vec<usize>,
    links: Vec<Link>,
}

impl Net {
    /// Returns the gap through which it reaches its boxes; a gap has the index of the column on its left.
    fn target_gap(&self, columns: &[usize]) -> usize {
        let column = self.to.first().map_or(0, |&to| columns[to]);
        if self.route.enters_right() { column } else { column.saturating_sub(1) }
    }

    /// Returns true if it has a line in a gap.
    fn uses_gap(&self, gap: usize, columns: &[usize]) -> bool {
        self.target_gap(columns) == gap || self.from.iter().any(|&from| columns[from] == gap)
    }

    /// Splits it into one net per link.
    fn split_links(&self) -> Vec<Self> {
        let one =
            |link: &Link| Self { from: vec![link.from], to: vec![link.to], links: vec![*link], ..*self };
        self.links.iter().map(one).collect()
    }

    /// Restricts it to some boxes; also returns the remaining edges.
    fn restrict_to(&self, from: impl Fn(usize) -> bool, to: impl Fn(usize) -> bool) -> (Self, Vec<Link>) {
        let (links, rest) = self.links.iter().partition(|link| from(link.from) && to(link.to));
        let keep = |boxes: &[usize], holds: &dyn Fn(usize) -> bool| {
            boxes.iter().copied().filter(|&b| holds(b)).collect()
        };
        (Self { from: keep(&self.from, &from), to: keep(&self.to, &to), links, ..*self }, rest)
    }

    /// Returns the number of edges of the channel that it represents.
    fn count_edges(&self) -> usize {
        self.links.iter().map(|link| link.edges).sum()
    }
}

/// Returns the edges between boxes with these members, and the number of edges inside boxes.
fn collect_links(facts: &Facts<'_>, ranges: &RangeIndex, members: &[&[NodeIndex]]) -> (Vec<Link>, usize) {
    let graph = facts.graph().graph();
    let mut place = vec![None; graph.node_count()];
    for (index, members) in members.iter().enumerate() {
        members.iter().for_each(|at| place[at.index()] = Some(index));
    }
    let mut counts: BTreeMap<(usize, usize, EdgeKind, bool), usize> = BTreeMap::new();
    let tallies: Vec<_> =
        (0..members.len()).map(|index| ranges.tally_members(|at| place[at.index()] == Some(index))).collect();
    for (to, owners) in members.iter().enumerate() {
        for &owner in *owners {
            let dead = facts.is_skipped(owner);
            let mut add = |from: usize, kind, edges: usize| {
                if edges > 0 {
                    *counts.entry((from, to, kind, dead)).or_default() += edges;
                }
            };
            for edge in graph.edges_directed(owner, Direction::Incoming) {
                if let Some(from) = place[edge.source().index()] {
                    add(from, *edge.weight(), 1);
                }
            }
            for (from, tally) in tallies.iter().enumerate() {
                // A range that includes its own version is not an upgrade.
                let own = usize::from(from == to && ranges.includes_itself(owner));
                add(from, EdgeKind::SkipRange, ranges.count_in_range(owner, tally).saturating_sub(own));
            }
        }
    }
    let inside = counts.iter().filter(|(key, _)| key.0 == key.1).map(|(_, edges)| edges).sum();
    let link = |((from, to, kind, dead), edges)| Link { from, to, kind, ignored: dead, edges };
    (counts.into_iter().map(link).filter(|link| link.from != link.to).collect(), inside)
}

/// Returns true if a link is a redundant range. It connects boxes of one column, or it passes
/// columns and the range also includes the center.
fn is_redundant_range(link: &Link, way: RouteKind, links: &[Link], centre: Option<usize>) -> bool {
    let holds_centre =
        |other: &Link| Some(other.from) == centre && (other.to, other.kind) == (link.to, link.kind);
    link.kind == EdgeKind::SkipRange
        && match way {
            RouteKind::SameColumn => true,
            RouteKind::AcrossColumns => links.iter().any(holds_centre),
            RouteKind::NextColumn | RouteKind::Backward => false,
        }
}

/// Groups links that share a line: those from several boxes to a common target, and those from the
/// same boxes to several targets in one column. `columns` has the column of each box. Nets are in
/// routing order: those at the center first.
///
/// Also returns the number of edges that are left out.
fn group_links(links: &[Link], columns: &[usize], centre: Option<usize>) -> (Vec<Net>, usize) {
    let mut left_out = 0;
    let mut into: BTreeMap<(usize, EdgeKind, bool, RouteKind), Vec<Link>> = BTreeMap::new();
    for link in links {
        let way = RouteKind::between_columns(columns[link.from], columns[link.to]);
        if is_redundant_range(link, way, links, centre) {
            left_out += link.edges;
        } else {
            into.entry((link.to, link.kind, link.ignored, way)).or_default().push(*link);
        }
    }
    let mut nets: Vec<Net> = Vec::new();
    for ((to, kind, dead, way), links) in into {
        let from: Vec<usize> = links.iter().map(|link| link.from).collect();
        let same = nets.iter_mut().find(|net| {
            (net.kind, net.dead, net.route) == (kind, dead, way)
                && net.from == from
                && net.to.first().is_some_and(|&other| columns[other] == columns[to])
        });
        match same {
            Some(net) => {
                net.to.push(to);
                net.links.extend(links);
            }
            None => nets.push(Net { kind, dead, route: way, from, to: vec![to], links }),
        }
    }
    nets.sort_by_key(|net| {
        let touches = centre.is_some_and(|centre| net.from.contains(&centre) || net.to.contains(&centre));
        (!touches, net.route, net.kind, net.to.first().copied(), net.from.first().copied())
    });
    (nets, left_out)
}
