//! Upgrade graph of one channel.
//!
//! An edge leads from an installed bundle to a possible upgrade. `replaces` and `skips` are edges of a [`petgraph`] graph.
//! A `skipRange` stays a range, because a wide range would need an edge for each version. Algorithms find the types and traits
//! of the graph in the re-exported [`petgraph`].

use std::{collections::HashMap, fmt, sync::Arc};

use petgraph::{Direction, graph::EdgeIndex, visit::EdgeRef};

pub use petgraph::{
    self,
    graph::{DiGraph, NodeIndex},
};

use olm_catalog::{
    BundleName, ChannelName,
    blob::{ChannelBlob, Entry},
    package::Package,
};
use olm_version::VersionRelease;

/// Kinds of edges from an entry to older bundles.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EdgeKind {
    /// `replaces`: the predecessor of the entry.
    Replaces,
    /// `skips`: bundles that clusters should not run or upgrade to.
    Skips,
    /// `skipRange`: all versions in a range.
    SkipRange,
}

impl EdgeKind {
    /// Returns the name of the field in a catalog.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Replaces => "replaces",
            Self::Skips => "skips",
            Self::SkipRange => "skipRange",
        }
    }
}

impl fmt::Display for EdgeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Bundle name in the graph of a channel.
#[derive(Clone, Debug)]
pub struct GraphNode {
    /// Name of the bundle.
    pub name: BundleName,
    /// Index of its entry in [`ChannelBlob::entries`]. `None` for a dangling name: an entry replaces or skips it, but it is
    /// not an entry.
    pub entry: Option<usize>,
    /// Version of its bundle; `None` if the package does not have the bundle or its version.
    pub version: Option<VersionRelease>,
}

/// Upgrade graph of one channel: its entries in source order, then the dangling names.
#[derive(Clone, Debug)]
pub struct ChannelGraph {
    /// Source channel.
    pub channel: Arc<ChannelBlob>,
    graph: DiGraph<GraphNode, EdgeKind>,
    by_name: HashMap<BundleName, NodeIndex>,
    heads: Vec<NodeIndex>,
}

impl ChannelGraph {
    /// Builds the graph. Of several entries with the same name, the first counts.
    pub fn new(package: &Package, channel: &Arc<ChannelBlob>) -> Self {
        let mut graph = DiGraph::with_capacity(channel.entries.len(), channel.entries.len() * 2);
        let mut by_name = HashMap::with_capacity(channel.entries.len());
        let node = |name: &BundleName, entry| GraphNode {
            name: name.clone(),
            entry,
            version: package.bundle_version(name.as_str()).cloned(),
        };
        let mut sources = Vec::with_capacity(channel.entries.len());
        for (index, entry) in channel.entries.iter().enumerate() {
            let name = &entry.name.value;
            if !by_name.contains_key(name) {
                let at = graph.add_node(node(name, Some(index)));
                by_name.insert(name.clone(), at);
                sources.push((at, entry));
            }
        }
        for (to, entry) in sources {
            let replaces = entry.replaces.iter().map(|name| (&name.value, EdgeKind::Replaces));
            let skips = entry.skips.iter().map(|name| (&name.value, EdgeKind::Skips));
            for (target, kind) in replaces.chain(skips) {
                let from =
                    *by_name.entry(target.clone()).or_insert_with(|| graph.add_node(node(target, None)));
                graph.add_edge(from, to, kind);
            }
        }
        let is_head = |at: &NodeIndex| graph[*at].entry.is_some() && graph.edges(*at).next().is_none();
        let heads = graph.node_indices().filter(is_head).collect();
        Self { channel: Arc::clone(channel), graph, by_name, heads }
    }

    /// Returns the name of the channel.
    pub fn name(&self) -> &ChannelName {
        &self.channel.name.value
    }

    /// Returns the underlying graph, for algorithms.
    pub fn graph(&self) -> &DiGraph<GraphNode, EdgeKind> {
        &self.graph
    }

    /// Returns the node of a bundle name; the name may be dangling.
    pub fn find_node(&self, name: &str) -> Option<NodeIndex> {
        self.by_name.get(name).copied()
    }

    /// Returns a node. The index must come from this graph.
    pub fn node(&self, at: NodeIndex) -> Option<&GraphNode> {
        self.graph.node_weight(at)
    }

    /// Returns the entry of a node; `None` for a dangling name.
    pub fn entry(&self, at: NodeIndex) -> Option<&Entry> {
        self.channel.entries.get(self.graph.node_weight(at)?.entry?)
    }

    /// Returns the entry of a bundle.
    pub fn entry_named(&self, name: &str) -> Option<&Entry> {
        self.entry(self.find_node(name)?)
    }

    /// Returns the nodes of entries, in source order, each name once.
    pub fn entry_nodes(&self) -> impl DoubleEndedIterator<Item = NodeIndex> + '_ {
        self.graph.node_indices().filter(|&at| self.graph[at].entry.is_some())
    }

    /// Returns the nodes of replaced or skipped names that are not entries.
    pub fn dangling_nodes(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.graph.node_indices().filter(|&at| self.graph[at].entry.is_none())
    }

    /// Returns the entries that replace (or skip) a node.
    pub fn successors(&self, at: NodeIndex, kind: EdgeKind) -> impl Iterator<Item = NodeIndex> + '_ {
        self.graph.edges(at).filter(move |e| *e.weight() == kind).map(|e| e.target())
    }

    /// Returns the nodes that a node replaces (or skips), in the order of the entry. Includes dangling names.
    pub fn targets(&self, at: NodeIndex, kind: EdgeKind) -> Vec<NodeIndex> {
        let edges = self.graph.edges_directed(at, Direction::Incoming).filter(|e| *e.weight() == kind);
        let mut found: Vec<(EdgeIndex, NodeIndex)> = edges.map(|e| (e.id(), e.source())).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, source)| source).collect()
    }

    /// Returns the entries whose skipRange includes a version.
    pub fn range_successors<'a>(
        &'a self,
        version: &'a VersionRelease,
    ) -> impl Iterator<Item = NodeIndex> + 'a {
        self.entry_nodes().filter(|&at| self.entry(at).is_some_and(|e| e.range_matches(&version.version)))
    }

    /// Returns all edges between an entry and its possible upgrades, in source order. A skipRange is an edge from each entry
    /// whose version it includes.
    pub fn edges(&self) -> impl Iterator<Item = (&GraphNode, &GraphNode, EdgeKind)> {
        self.entry_nodes().flat_map(move |from| {
            let named = [EdgeKind::Replaces, EdgeKind::Skips]
                .into_iter()
                .flat_map(move |kind| self.successors(from, kind).map(move |to| (to, kind)));
            let version = self.node(from).and_then(|node| node.version.as_ref());
            let by_range = version.into_iter().flat_map(|version| self.range_successors(version));
            let edges = named.chain(by_range.map(|to| (to, EdgeKind::SkipRange)));
            edges.filter_map(move |(to, kind)| Some((self.node(from)?, self.node(to)?, kind)))
        })
    }

    /// Returns the entries that other entries skip. Classic never installs them.
    pub fn skipped_entries(&self) -> impl Iterator<Item = &GraphNode> {
        self.entry_nodes().filter(|&at| self.is_skipped(at)).filter_map(|at| self.node(at))
    }

    /// Returns true if an entry skips the node. Classic then never picks it and ignores its edges.
    pub fn is_skipped(&self, at: NodeIndex) -> bool {
        self.successors(at, EdgeKind::Skips).next().is_some()
    }

    /// Returns the entries that no other entry replaces or skips. A valid channel has exactly one.
    pub fn head_nodes(&self) -> &[NodeIndex] {
        &self.heads
    }

    /// Returns the head if there is exactly one.
    pub fn head(&self) -> Option<&GraphNode> {
        self.node(self.head_node()?)
    }

    /// Returns the index of the head if there is exactly one.
    pub fn head_node(&self) -> Option<NodeIndex> {
        match self.head_nodes() {
            [head] => Some(*head),
            _ => None,
        }
    }

    /// Returns the entry that another entry replaces; `None` if the replaced name is dangling.
    pub fn replaced_entry(&self, at: NodeIndex) -> Option<NodeIndex> {
        let name = &self.entry(at)?.replaces.as_ref()?.value;
        self.find_node(name.as_str()).filter(|&target| self.graph[target].entry.is_some())
    }
}
