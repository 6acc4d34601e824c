//! Order of a channel's rows: newest first, and upgrades never point down.

use std::{borrow::Cow, cmp::Ordering, collections::BinaryHeap};

use petgraph::{
    Direction,
    algo::kosaraju_scc,
    graph::{DiGraph, NodeIndex},
};

use olm_catalog::package::version_in_name;
use olm_upgrade::ChannelGraph;
use olm_version::VersionRelease;

/// Node whose newer nodes all have a row.
struct ReadyNode<'a> {
    version: Option<&'a VersionRelease>,
    at: NodeIndex,
}

impl Ord for ReadyNode<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let versions = match (self.version, other.version) {
            (Some(a), Some(b)) => a.cmp_precedence(b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        };
        // Of equal versions, the later entry is the newer one.
        versions.then(self.at.cmp(&other.at))
    }
}

impl PartialOrd for ReadyNode<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ReadyNode<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for ReadyNode<'_> {}

/// Returns the version of a bundle, or the version in its name if the bundle is missing.
pub(super) fn version_or_from_name<'a>(
    name: &str,
    version: Option<&'a VersionRelease>,
) -> Option<Cow<'a, VersionRelease>> {
    match version {
        Some(version) => Some(Cow::Borrowed(version)),
        None => VersionRelease::parse(version_in_name(name)?, "").ok().map(Cow::Owned),
    }
}

/// Returns all nodes of a channel, highest version first, including dangling names. Replaced and skipped nodes are always
/// below their successor. In a cycle the highest version comes first.
pub fn order_nodes(graph: &ChannelGraph) -> Vec<NodeIndex> {
    sort_newest_first(graph.graph(), |node| version_or_from_name(node.name.as_str(), node.version.as_ref()))
}

/// Sorts the nodes of a graph whose edges lead to newer nodes: highest version first. The start of an edge is always below
/// its end unless both are on a cycle. Of equal versions, the later node comes first.
pub(super) fn sort_newest_first<'g, N, E>(
    graph: &'g DiGraph<N, E>,
    version: impl Fn(&'g N) -> Option<Cow<'g, VersionRelease>>,
) -> Vec<NodeIndex> {
    let count = graph.node_count();
    let versions: Vec<_> = graph.node_weights().map(version).collect();
    let ready = |at: NodeIndex| ReadyNode { version: versions[at.index()].as_deref(), at };
    // Number of newer nodes without a row, per node.
    let newer = |at: NodeIndex| graph.neighbors(at).filter(move |&to| to != at);
    let mut waiting: Vec<usize> = graph.node_indices().map(|at| newer(at).count()).collect();
    let mut placed = vec![false; count];
    let mut heap: BinaryHeap<ReadyNode<'_>> =
        graph.node_indices().filter(|at| waiting[at.index()] == 0).map(ready).collect();
    let mut circles: Option<Cycles> = None;
    // Nodes that wait only for nodes on their own cycle.
    let mut openings: BinaryHeap<ReadyNode<'_>> = BinaryHeap::new();
    let mut order = Vec::with_capacity(count);
    while order.len() < count {
        let next = match heap.pop().or_else(|| openings.pop()) {
            Some(next) => next,
            None if circles.is_none() => {
                let found = circles.insert(Cycles::new(graph, &placed));
                let open =
                    graph.node_indices().filter(|at| !placed[at.index()] && found.outside[at.index()] == 0);
                openings.extend(open.map(ready));
                continue;
            }
            None => break,
        };
        if std::mem::replace(&mut placed[next.at.index()], true) {
            continue;
        }
        order.push(next.at);
        for older in graph.neighbors_directed(next.at, Direction::Incoming).filter(|&older| older != next.at)
        {
            let left = &mut waiting[older.index()];
            *left = left.saturating_sub(1);
            if placed[older.index()] {
                continue;
            }
            if *left == 0 {
                heap.push(ready(older));
            } else if circles.as_mut().is_some_and(|circles| circles.release_node(older, next.at)) {
                openings.push(ready(older));
            }
        }
    }
    order
}

/// Cycle of each node, and the other nodes that it waits for.
struct Cycles {
    circle: Vec<usize>,
    /// For each node without a row, the number of edges to other such nodes outside its cycle.
    outside: Vec<usize>,
}

impl Cycles {
    fn new<N, E>(graph: &DiGraph<N, E>, placed: &[bool]) -> Self {
        let mut circle = vec![0; graph.node_count()];
        for (number, members) in kosaraju_scc(graph).into_iter().enumerate() {
            for at in members {
                circle[at.index()] = number;
            }
        }
        let waits =
            |at: NodeIndex, to: NodeIndex| !placed[to.index()] && circle[to.index()] != circle[at.index()];
        let outside = graph.node_indices().map(|at| graph.neighbors(at).filter(|&to| waits(at, to)).count());
        let outside = outside.collect();
        Self { circle, outside }
    }

    /// Records that a newer node has a row. Returns true if the older one now waits only for its own cycle.
    fn release_node(&mut self, older: NodeIndex, newer: NodeIndex) -> bool {
        if self.circle[older.index()] == self.circle[newer.index()] {
            return false;
        }
        let outside = &mut self.outside[older.index()];
        *outside = outside.saturating_sub(1);
        *outside == 0
    }
}

#[cfg(test)]
mod tests {
    use super::{super::fixture, *};

    #[test]
    fn node_below_a_cycle_comes_after_the_whole_cycle() {
        // 9.0.0 is the highest version, but members of the cycle replace and skip it.
        let package = fixture::graph_from_lines(
            "3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0 skips=9.0.0\n1.0.0 replaces=3.0.0\n9.0.0 replaces=0.1.0\n0.1.0",
        );
        let graph = &package.channels()[0].graph;
        let names: Vec<&str> =
            order_nodes(graph).into_iter().map(|at| graph.node(at).unwrap().name.as_str()).collect();
        assert_eq!(names, ["p.v3.0.0", "p.v2.0.0", "p.v9.0.0", "p.v1.0.0", "p.v0.1.0"]);
    }
}
