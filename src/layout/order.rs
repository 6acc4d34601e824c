//! The order in which a channel's rows stand: newest on top, and never an upgrade that points down.

use std::{borrow::Cow, cmp::Ordering, collections::BinaryHeap};

use petgraph::graph::NodeIndex;

use crate::{
    upgrade::{ChannelGraph, GraphNode},
    version::VersionRelease,
};

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
fn version(node: &GraphNode) -> Option<Cow<'_, VersionRelease>> {
    match &node.version {
        Some(version) => Some(Cow::Borrowed(version)),
        None => VersionRelease::parse(version_in_name(node.name.as_str())?, "").ok().map(Cow::Owned),
    }
}

/// `1.2.3` of `name.v1.2.3`.
pub(super) fn version_in_name(name: &str) -> Option<&str> {
    let mut ends = name.match_indices(".v").filter_map(|(at, _)| name.get(at + 2..));
    ends.find(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Every node of a channel, dangling names too: highest version first, but what an entry replaces or skips always
/// below it. Where edges run in a circle the highest version of what is left goes first.
pub fn order(graph: &ChannelGraph) -> Vec<NodeIndex> {
    let petgraph = graph.graph();
    let count = petgraph.node_count();
    let versions: Vec<_> = petgraph.node_weights().map(version).collect();
    let ready = |at: NodeIndex| Ready { version: versions[at.index()].as_deref(), at };
    // How many successors of a node are not placed yet.
    let mut waiting: Vec<usize> = petgraph.node_indices().map(|at| petgraph.edges(at).count()).collect();
    let mut placed = vec![false; count];
    let mut heap: BinaryHeap<Ready<'_>> =
        petgraph.node_indices().filter(|at| waiting[at.index()] == 0).map(ready).collect();
    let mut by_version: Vec<Ready<'_>> = petgraph.node_indices().map(ready).collect();
    by_version.sort();
    let mut order = Vec::with_capacity(count);
    while order.len() < count {
        let next = match heap.pop() {
            Some(next) => next,
            // A circle: open it at the highest version.
            None => match by_version.pop() {
                Some(next) => next,
                None => break,
            },
        };
        if std::mem::replace(&mut placed[next.at.index()], true) {
            continue;
        }
        order.push(next.at);
        for target in petgraph.neighbors_directed(next.at, petgraph::Direction::Incoming) {
            let left = &mut waiting[target.index()];
            *left = left.saturating_sub(1);
            if *left == 0 && !placed[target.index()] {
                heap.push(ready(target));
            }
        }
    }
    order
}
