//! Distances of nodes from the center, in upgrades.

use petgraph::{Direction, graph::NodeIndex};

use crate::layout::facts::Facts;

/// Columns of a complete picture: two hops of older nodes, the center, two hops of newer nodes.
pub(super) const COLUMNS: usize = 5;
/// Column of the center.
pub(super) const CENTER: usize = 2;

/// Nodes of each column, in the order of the channel's picture. Each node is in one column, at its shortest distance.
pub(super) type Hops = [Vec<NodeIndex>; COLUMNS];

/// Positions in the ranges of a channel, for fast queries about many nodes.
#[derive(Debug)]
pub(in crate::layout) struct RangeIndex {
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
    pub(super) fn includes_itself(&self, owner: NodeIndex) -> bool {
        let position = self.position.get(owner.index()).copied().flatten();
        position.is_some_and(|p| self.runs_of(owner).iter().any(|run| run.contains(&p)))
    }

    /// Returns, per node, true if the range of an owner includes it.
    pub(super) fn included_by_any(&self, owners: &[NodeIndex]) -> Vec<bool> {
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
    pub(super) fn tally_members(&self, is_member: impl Fn(NodeIndex) -> bool) -> Tally {
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
    pub(super) fn count_in_range(&self, owner: NodeIndex, set: &Tally) -> usize {
        let of = |at: usize| set.0.get(at).copied().unwrap_or_default();
        self.runs_of(owner).iter().map(|run| of(run.end) - of(run.start)).sum()
    }
}

/// Number of members of a set before each position.
#[derive(Debug)]
pub(super) struct Tally(Vec<usize>);

/// Collects nodes outward from the center along edges of all three kinds.
pub(super) fn collect_hops(facts: &Facts<'_>, ranges: &RangeIndex, centre: NodeIndex) -> Hops {
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
