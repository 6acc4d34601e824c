//! Facts about the bundles of a channel that do not depend on the selection: order, skipping
//! entries, stuck bundles.

use std::{ops::Deref, sync::Arc};

use petgraph::{graph::NodeIndex, visit::EdgeRef};

use super::{coverage::Coverage, order};
use olm_upgrade::{ChannelGraph, EdgeKind, PackageGraph, package::ChannelUpgrades};

/// Channel with the facts about it.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    /// The package.
    pub(super) package: &'a PackageGraph,
    /// The channel.
    pub(super) channel: &'a ChannelUpgrades,
    /// Number of rows of the picture. One per node; more if the channel is drawn beside others.
    pub(super) row_count: usize,
    /// Row of each node.
    pub(super) node_rows: Arc<[usize]>,
    known: Arc<ChannelFacts>,
}

/// Part of [`Facts`] that does not borrow the package or the channel, so that it can be cached.
#[derive(Clone, Debug)]
pub(super) struct CachedFacts {
    row_count: usize,
    node_rows: Arc<[usize]>,
    known: Arc<ChannelFacts>,
}

impl CachedFacts {
    /// Returns the row of each node.
    pub(super) fn node_rows(&self) -> &[usize] {
        &self.node_rows
    }

    /// Renumbers the rows after a restriction to some of them. `rows` is sorted and contains the
    /// row of every node.
    pub(super) fn restrict_to_rows(&self, rows: &[usize]) -> Self {
        let place = |row: &usize| rows.partition_point(|known| known < row);
        Self {
            row_count: rows.len(),
            node_rows: self.node_rows.iter().map(place).collect(),
            known: Arc::clone(&self.known),
        }
    }
}

/// Cacheable facts about one channel. Vectors with one element per node are indexed by
/// [`NodeIndex::index`].
#[derive(Debug)]
pub(super) struct ChannelFacts {
    /// Nodes from the top row to the bottom row.
    pub(super) order: Vec<NodeIndex>,
    /// Nodes by version.
    pub(super) coverage: Coverage,
    /// Position of each node on Classic's chain, 0 for the head; `usize::MAX` if it is not on the
    /// chain.
    chain_position: Vec<usize>,
    /// Entries without a successor by name.
    pub(super) heads: Vec<NodeIndex>,
    /// Last entry of Classic's walk from the head; `None` if Classic does not have a chain.
    pub(super) tail: Option<NodeIndex>,
    /// For each skipped node, the skipping entry that is closest to the head on Classic's chain.
    pub(super) skipped_by: Vec<Option<NodeIndex>>,
    /// Classic's pick for each node. `None` if Classic does not upgrade it or does not have a
    /// chain.
    pub(super) classic_pick: Vec<Option<NodeIndex>>,
    /// For each node, true if Classic does not upgrade the entry although the head is higher.
    pub(super) dead_end: Vec<bool>,
    /// Description of the state of each stuck node: `stuck: ends at 1.2.0: no edge`.
    pub(super) stuck: Vec<Option<String>>,
    /// For each node, true if it is deprecated.
    pub(super) deprecated: Vec<bool>,
    /// For each node, true if it is on a cycle of `replaces`.
    pub(super) on_cycle: Vec<bool>,
}

impl Deref for Facts<'_> {
    type Target = ChannelFacts;

    fn deref(&self) -> &ChannelFacts {
        &self.known
    }
}

impl<'a> Facts<'a> {
    /// Restores facts from the result of [`Facts::to_cached`]; the channel must be the same.
    pub(super) fn from_cached(
        package: &'a PackageGraph,
        channel: &'a ChannelUpgrades,
        cached: &CachedFacts,
    ) -> Self {
        let CachedFacts { row_count: rows, node_rows: row, known } = cached;
        Self { package, channel, row_count: *rows, node_rows: Arc::clone(row), known: Arc::clone(known) }
    }

    /// Returns the cacheable part.
    pub(super) fn to_cached(&self) -> CachedFacts {
        CachedFacts {
            row_count: self.row_count,
            node_rows: Arc::clone(&self.node_rows),
            known: Arc::clone(&self.known),
        }
    }

    /// Computes the facts for a picture of only this channel.
    pub(super) fn new(package: &'a PackageGraph, channel: &'a ChannelUpgrades) -> Self {
        let order = order::order_nodes(&channel.graph);
        let mut row = vec![0; order.len()];
        order.iter().enumerate().for_each(|(index, at)| row[at.index()] = index);
        let rows = order.len();
        Self::with_node_rows(package, channel, row, rows)
    }

    /// Computes the facts for a picture with a given, unique row per node.
    pub(super) fn with_node_rows(
        package: &'a PackageGraph,
        channel: &'a ChannelUpgrades,
        row: Vec<usize>,
        rows: usize,
    ) -> Self {
        let graph = &channel.graph;
        let count = graph.graph().node_count();
        let mut order: Vec<NodeIndex> = graph.graph().node_indices().collect();
        order.sort_unstable_by_key(|at| row[at.index()]);
        let coverage = Coverage::new(graph);
        let position = chain_positions(channel, count);
        let classic = classic_picks(channel, &coverage, &position);
        let skipped_by = skipping_entries(graph, &position);
        let node = |at: NodeIndex| graph.node(at);
        let deprecated = graph
            .graph()
            .node_weights()
            .map(|node| package.package.bundle_deprecation(&node.name).is_some())
            .collect();
        let head = channel.chain.as_ref().ok().and_then(|_| graph.head_node());
        let head_version = head.and_then(|at| node(at)?.version.as_ref());
        let dead_end = graph
            .graph()
            .node_indices()
            .map(|at| {
                let higher =
                    node(at).filter(|n| n.entry.is_some()).and_then(|n| n.version.as_ref()).is_some_and(
                        |version| head_version.is_some_and(|head| head.cmp_precedence(version).is_gt()),
                    );
                higher && classic.get(at.index()).copied().flatten().is_none()
            })
            .collect();
        let states = package.stuck().version_states();
        let stuck = graph.graph().node_weights().map(|node| {
            node.entry?;
            states.get(&node.name).describe_state(&package.package, &node.name)
        });
        let known = ChannelFacts {
            stuck: stuck.collect(),
            coverage,
            chain_position: position,
            heads: graph.head_nodes().to_vec(),
            tail: head.map(|head| find_tail(graph, head)),
            skipped_by,
            classic_pick: classic,
            dead_end,
            deprecated,
            on_cycle: find_cycles(graph),
            order,
        };
        Self { package, channel, row_count: rows, node_rows: row.into(), known: Arc::new(known) }
    }

    /// Returns the graph of the channel.
    pub(super) fn graph(&self) -> &'a ChannelGraph {
        &self.channel.graph
    }
}

impl ChannelFacts {
    /// Returns true if a node is on Classic's chain.
    pub(super) fn is_on_chain(&self, at: NodeIndex) -> bool {
        self.chain_position.get(at.index()).is_some_and(|&p| p != usize::MAX)
    }

    /// Returns true if Classic ignores the edges of an entry, because it is skipped.
    pub(super) fn is_skipped(&self, at: NodeIndex) -> bool {
        self.skipped_by.get(at.index()).copied().flatten().is_some()
    }
}

/// Returns the position of each node on Classic's chain; `usize::MAX` if it is not on the chain.
fn chain_positions(channel: &ChannelUpgrades, count: usize) -> Vec<usize> {
    let mut positions = vec![usize::MAX; count];
    if let Ok(chain) = &channel.chain {
        for (index, at) in chain.order.iter().enumerate() {
            positions[at.index()] = index;
        }
    }
    positions
}

/// Returns Classic's pick for every node: the first entry of the chain that replaces it, skips it
/// or includes its version.
fn classic_picks(
    channel: &ChannelUpgrades,
    coverage: &Coverage,
    position: &[usize],
) -> Vec<Option<NodeIndex>> {
    let graph = &channel.graph;
    let Ok(chain) = &channel.chain else { return vec![None; position.len()] };
    let mut best: Vec<usize> = graph
        .graph()
        .node_indices()
        .map(|at| graph.graph().edges(at).map(|e| position[e.target().index()]).min().unwrap_or(usize::MAX))
        .collect();
    // Processes ranges from the head down. A node in one range is removed from `next`, so each node
    // is visited once.
    let mut next: Vec<usize> = (0..=coverage.len()).collect();
    let find = |next: &mut Vec<usize>, mut at: usize| {
        while next[at] != at {
            next[at] = next[next[at]];
            at = next[at];
        }
        at
    };
    for (index, &owner) in chain.order.iter().enumerate() {
        let Some(Ok(range)) =
            graph.entry(owner).and_then(|e| e.skip_range.as_ref()).map(|r| r.range.as_ref())
        else {
            continue;
        };
        for (slice, alternative) in coverage.slices(range) {
            let mut at = find(&mut next, slice.start);
            while at < slice.end {
                if coverage.includes_position(alternative, at) {
                    if let Some(node) = coverage.node_at(at) {
                        best[node.index()] = best[node.index()].min(index);
                    }
                    next[at] = at + 1;
                }
                at = find(&mut next, at + 1);
            }
        }
    }
    let pick = |(index, &best): (usize, &usize)| {
        // If the range of an entry includes the entry itself, it stays.
        chain.order.get(best).copied().filter(|at| at.index() != index)
    };
    best.iter().enumerate().map(pick).collect()
}

/// Returns, for each skipped node, the skipping entry that is closest to the head.
fn skipping_entries(graph: &ChannelGraph, position: &[usize]) -> Vec<Option<NodeIndex>> {
    let nodes = graph.graph().node_indices();
    nodes
        .map(|at| graph.successors(at, EdgeKind::Skips).min_by_key(|by| (position[by.index()], by.index())))
        .collect()
}

/// Returns the last entry of the walk along `replaces`.
fn find_tail(graph: &ChannelGraph, head: NodeIndex) -> NodeIndex {
    let mut at = head;
    // A chain does not contain a cycle; the limit is only a safeguard.
    for _ in 0..graph.graph().node_count() {
        match graph.replaced_entry(at) {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}

/// Returns, per node, true if it is on a cycle of `replaces`. Every entry replaces at most one
/// other, so a walk is enough.
fn find_cycles(graph: &ChannelGraph) -> Vec<bool> {
    let count = graph.graph().node_count();
    let mut on_circle = vec![false; count];
    let mut walk = vec![usize::MAX; count];
    for start in graph.entry_nodes() {
        let mut at = start;
        while walk[at.index()] == usize::MAX {
            walk[at.index()] = start.index();
            match graph.replaced_entry(at) {
                Some(next) => at = next,
                None => break,
            }
        }
        if walk[at.index()] != start.index() || graph.replaced_entry(at).is_none() {
            continue;
        }
        let mut member = at;
        while !std::mem::replace(&mut on_circle[member.index()], true) {
            let Some(next) = graph.replaced_entry(member) else { break };
            member = next;
        }
    }
    on_circle
}

/// Relation of a row to the selected bundle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relation {
    /// True for the selected bundle.
    pub selected: bool,
    /// Edge from this bundle to the selected one; the first in OLM's order if there are several.
    pub edge_to_selected: Option<EdgeKind>,
    /// True if Classic ignores that edge, because the selected bundle is skipped.
    pub ignored: bool,
    /// Edge from the selected bundle to this one; an OLM may still pick another.
    pub edge_from_selected: Option<EdgeKind>,
}

impl Relation {
    /// Returns a mark of two columns. `r`, `s` or `~` marks an edge to the selected bundle, with `X` if Classic ignores it.
    /// `>r`, `>s` or `>~` marks an edge from it, and `@` the bundle itself.
    pub fn edge_mark(self) -> &'static str {
        match (self.edge_from_selected, self.edge_to_selected, self.ignored) {
            _ if self.selected => "@ ",
            (Some(EdgeKind::Replaces), ..) => ">r",
            (Some(EdgeKind::Skips), ..) => ">s",
            (Some(EdgeKind::SkipRange), ..) => ">~",
            (None, Some(EdgeKind::Replaces), false) => "r ",
            (None, Some(EdgeKind::Skips), false) => "s ",
            (None, Some(EdgeKind::SkipRange), false) => "~ ",
            (None, Some(EdgeKind::Replaces), true) => "rX",
            (None, Some(EdgeKind::Skips), true) => "sX",
            (None, Some(EdgeKind::SkipRange), true) => "~X",
            (None, None, _) => "  ",
        }
    }
}

/// Returns one [`Relation`] per row.
pub(super) fn relations_to(facts: &Facts<'_>, selected: Option<NodeIndex>) -> Vec<Relation> {
    let mut rows = vec![Relation::default(); facts.order.len()];
    let Some(selected) = selected else { return rows };
    let graph = facts.graph();
    let dead = facts.is_skipped(selected);
    let mut from = |at: NodeIndex, kind: EdgeKind| {
        let reach = &mut rows[facts.node_rows[at.index()]];
        reach.edge_to_selected = Some(reach.edge_to_selected.map_or(kind, |before| before.min(kind)));
        reach.ignored = dead;
    };
    for edge in graph.graph().edges_directed(selected, petgraph::Direction::Incoming) {
        from(edge.source(), *edge.weight());
    }
    if let Some(Ok(range)) = graph.entry(selected).and_then(|e| e.skip_range.as_ref()).map(|r| &r.range) {
        facts.coverage.nodes_in_range(range).into_iter().for_each(|at| from(at, EdgeKind::SkipRange));
    }
    let mut to = |at: NodeIndex, kind: EdgeKind| {
        let reach = &mut rows[facts.node_rows[at.index()]];
        reach.edge_from_selected = Some(reach.edge_from_selected.map_or(kind, |before| before.min(kind)));
    };
    for edge in graph.graph().edges(selected) {
        to(edge.target(), *edge.weight());
    }
    if let Some(version) = graph.node(selected).and_then(|node| node.version.as_ref()) {
        graph.range_successors(version).for_each(|at| to(at, EdgeKind::SkipRange));
    }
    rows[facts.node_rows[selected.index()]].selected = true;
    rows
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::graph_from_lines, *};

    #[test]
    fn picks_of_all_bundles_match_the_resolver() {
        use olm_upgrade::{Installed, classic};
        let package = graph_from_lines(
            "5.0.0 replaces=4.0.0 skips=4.5.0 range=>=3.0.0_<4.0.0_!=3.2.0\n4.5.0 skips=1.5.0\n4.0.0 replaces=3.0.0 skips=3.2.0\n\
             3.2.0\n3.0.0 replaces=2.0.0 range=<3.0.0_||_=3.2.0\n2.0.0 replaces=1.0.0\n1.5.0\n1.0.0",
        );
        let channel = &package.channels()[0];
        let facts = Facts::new(&package, channel);
        let chain = channel.chain.as_ref().unwrap();
        for at in channel.graph.entry_nodes() {
            let name = &channel.graph.node(at).unwrap().name;
            let installed = Installed::from_package(&package.package, name);
            assert_eq!(
                facts.classic_pick[at.index()],
                classic::pick_successor(&channel.graph, chain, &installed).filter(|&p| p != at),
                "{name}"
            );
        }
    }

    #[test]
    fn cycle_contains_only_its_members() {
        let package = graph_from_lines(
            "4.0.0 replaces=3.0.0\n3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0 replaces=3.0.0",
        );
        let facts = Facts::new(&package, &package.channels()[0]);
        assert_eq!(facts.on_cycle, [false, true, true, true]);
    }
}
