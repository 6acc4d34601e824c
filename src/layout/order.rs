//! The order in which a channel's rows stand: newest on top, and never an upgrade that points down.

use std::{borrow::Cow, cmp::Ordering, collections::BinaryHeap};

use petgraph::{
    Direction,
    algo::kosaraju_scc,
    graph::{DiGraph, NodeIndex},
};

use crate::{catalog::package::version_in_name, upgrade::ChannelGraph, version::VersionRelease};

/// Something that can be placed because everything that comes after it is.
struct Ready<'a> {
    version: Option<&'a VersionRelease>,
    at: NodeIndex,
}

impl Ord for Ready<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let versions = match (self.version, other.version) {
            (Some(a), Some(b)) => a.cmp_precedence(b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        };
        // Among equals the later entry is the newer one.
        versions.then(self.at.cmp(&other.at))
    }
}

impl PartialOrd for Ready<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ready<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ready<'_> {}

/// The version of a bundle; where there is no such bundle, the one in its name.
pub(super) fn version<'a>(
    name: &str,
    version: Option<&'a VersionRelease>,
) -> Option<Cow<'a, VersionRelease>> {
    match version {
        Some(version) => Some(Cow::Borrowed(version)),
        None => VersionRelease::parse(version_in_name(name)?, "").ok().map(Cow::Owned),
    }
}

/// Every node of a channel, dangling names too: highest version first, but what an entry replaces or skips always
/// below it. Where edges run in a circle its highest version goes first.
pub fn order(graph: &ChannelGraph) -> Vec<NodeIndex> {
    newest_first(graph.graph(), |node| version(node.name.as_str(), node.version.as_ref()))
}

/// The nodes of a graph whose edges lead to what is newer: highest version first, but the start of an edge always
/// below its end, unless both are on one circle. Among equals the later node goes first.
pub(super) fn newest_first<'g, N, E>(
    graph: &'g DiGraph<N, E>,
    version: impl Fn(&'g N) -> Option<Cow<'g, VersionRelease>>,
) -> Vec<NodeIndex> {
    let count = graph.node_count();
    let versions: Vec<_> = graph.node_weights().map(version).collect();
    let ready = |at: NodeIndex| Ready { version: versions[at.index()].as_deref(), at };
    // How many newer nodes a node waits for.
    let newer = |at: NodeIndex| graph.neighbors(at).filter(move |&to| to != at);
    let mut waiting: Vec<usize> = graph.node_indices().map(|at| newer(at).count()).collect();
    let mut placed = vec![false; count];
    let mut heap: BinaryHeap<Ready<'_>> =
        graph.node_indices().filter(|at| waiting[at.index()] == 0).map(ready).collect();
    let mut circles: Option<Circles> = None;
    // Nodes that wait for nothing but their own circle.
    let mut openings: BinaryHeap<Ready<'_>> = BinaryHeap::new();
    let mut order = Vec::with_capacity(count);
    while order.len() < count {
        let next = match heap.pop().or_else(|| openings.pop()) {
            Some(next) => next,
            None if circles.is_none() => {
                let found = circles.insert(Circles::new(graph, &placed));
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
            } else if circles.as_mut().is_some_and(|circles| circles.opens(older, next.at)) {
                openings.push(ready(older));
            }
        }
    }
    order
}

/// Which nodes are on one circle, and what else they wait for.
struct Circles {
    circle: Vec<usize>,
    /// For each node that is not placed, how many of its edges lead to others that are neither placed nor on its circle.
    outside: Vec<usize>,
}

impl Circles {
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

    /// One newer node is placed: whether the older now waits for its own circle only.
    fn opens(&mut self, older: NodeIndex, newer: NodeIndex) -> bool {
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
    fn what_a_circle_leads_to_waits_for_all_of_it() {
        // 9.0.0 is the highest, but members of the circle replace and skip it.
        let package = fixture::channel(
            "3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0 skips=9.0.0\n1.0.0 replaces=3.0.0\n9.0.0 replaces=0.1.0\n0.1.0",
        );
        let graph = &package.channels()[0].graph;
        let names: Vec<&str> =
            order(graph).into_iter().map(|at| graph.node(at).unwrap().name.as_str()).collect();
        assert_eq!(names, ["p.v3.0.0", "p.v2.0.0", "p.v9.0.0", "p.v1.0.0", "p.v0.1.0"]);
    }
}
