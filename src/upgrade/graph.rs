//! The upgrade graph of one channel.
//!
//! An edge leads from what is installed to what it can be upgraded to. `replaces` and `skips` are edges of a
//! [`petgraph`] graph; a `skipRange` stays a range, because a wide one stands for as many edges as there are
//! versions.

use std::{collections::HashMap, sync::Arc};

use petgraph::{
    Direction,
    graph::{DiGraph, EdgeIndex, NodeIndex},
    visit::EdgeRef,
};

use crate::{
    catalog::{
        BundleName, ChannelName,
        blob::{ChannelBlob, Entry},
        package::Package,
    },
    version::VersionRelease,
};

/// The three ways in which an entry says what it can be upgraded to from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EdgeKind {
    /// `replaces`: the one it comes after.
    Replaces,
    /// `skips`: those that nobody should stay on or land on.
    Skips,
    /// `skipRange`: every version in a range.
    SkipRange,
}

impl EdgeKind {
    /// The field's name in a catalog.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Replaces => "replaces",
            Self::Skips => "skips",
            Self::SkipRange => "skipRange",
        }
    }
}

/// A bundle name in the graph of a channel.
#[derive(Clone, Debug)]
pub struct GraphNode {
    /// The name.
    pub name: BundleName,
    /// Position of its entry in [`ChannelBlob::entries`]; `None` when the name is dangling: something of the channel
    /// replaces or skips it, but it is no entry.
    pub entry: Option<usize>,
    /// The version of its bundle, where there is one.
    pub version: Option<VersionRelease>,
}

/// The upgrade graph of one channel: its entries in source order, then the dangling names.
#[derive(Clone, Debug)]
pub struct ChannelGraph {
    /// The channel it was made from.
    pub channel: Arc<ChannelBlob>,
    graph: DiGraph<GraphNode, EdgeKind>,
    by_name: HashMap<BundleName, NodeIndex>,
    heads: Vec<NodeIndex>,
}

impl ChannelGraph {
    /// Builds the graph. Where an entry is there twice, the first counts.
    pub fn new(package: &Package, channel: &Arc<ChannelBlob>) -> Self {
        let mut graph = DiGraph::with_capacity(channel.entries.len(), channel.entries.len() * 2);
        let mut by_name = HashMap::with_capacity(channel.entries.len());
        let node = |name: &BundleName, entry| GraphNode {
            name: name.clone(),
            entry,
            version: package.version_of(name.as_str()).cloned(),
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

    /// The channel's name.
    pub fn name(&self) -> &ChannelName {
        &self.channel.name.value
    }

    /// The graph itself, for algorithms.
    pub fn graph(&self) -> &DiGraph<GraphNode, EdgeKind> {
        &self.graph
    }

    /// The node of a bundle name, an entry or dangling.
    pub fn find(&self, name: &str) -> Option<NodeIndex> {
        self.by_name.get(name).copied()
    }

    /// A node. The index must come from this graph; another gives `None`.
    pub fn node(&self, at: NodeIndex) -> Option<&GraphNode> {
        self.graph.node_weight(at)
    }

    /// The entry of a node; `None` for a dangling name.
    pub fn entry(&self, at: NodeIndex) -> Option<&Entry> {
        self.channel.entries.get(self.graph.node_weight(at)?.entry?)
    }

    /// The entry of a bundle.
    pub fn entry_named(&self, name: &str) -> Option<&Entry> {
        self.entry(self.find(name)?)
    }

    /// The nodes that are entries, in source order, each name once.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = NodeIndex> + '_ {
        self.graph.node_indices().filter(|&at| self.graph[at].entry.is_some())
    }

    /// The names that are replaced or skipped but are no entries.
    pub fn dangling(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.graph.node_indices().filter(|&at| self.graph[at].entry.is_none())
    }

    /// The entries that replace (or skip) a node.
    pub fn successors(&self, at: NodeIndex, kind: EdgeKind) -> impl Iterator<Item = NodeIndex> + '_ {
        self.graph.edges(at).filter(move |e| *e.weight() == kind).map(|e| e.target())
    }

    /// What a node replaces (or skips), dangling names too, in the order of the entry.
    pub fn targets(&self, at: NodeIndex, kind: EdgeKind) -> Vec<NodeIndex> {
        let edges = self.graph.edges_directed(at, Direction::Incoming).filter(|e| *e.weight() == kind);
        let mut found: Vec<(EdgeIndex, NodeIndex)> = edges.map(|e| (e.id(), e.source())).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, source)| source).collect()
    }

    /// The entries whose skipRange holds a version.
    pub fn range_successors<'a>(
        &'a self,
        version: &'a VersionRelease,
    ) -> impl Iterator<Item = NodeIndex> + 'a {
        self.entries().filter(|&at| self.entry(at).is_some_and(|e| e.range_matches(&version.version)))
    }

    /// Whether some entry skips the node: Classic then never lands on it, and ignores its own edges.
    pub fn is_skipped(&self, at: NodeIndex) -> bool {
        self.successors(at, EdgeKind::Skips).next().is_some()
    }

    /// The entries that nothing in the channel replaces or skips. A good channel has one.
    pub fn heads(&self) -> &[NodeIndex] {
        &self.heads
    }

    /// The head, where there is exactly one.
    pub fn head(&self) -> Option<NodeIndex> {
        match self.heads() {
            [head] => Some(*head),
            _ => None,
        }
    }

    /// The entry that a present entry replaces, when that is an entry too.
    pub fn replaced_entry(&self, at: NodeIndex) -> Option<NodeIndex> {
        let name = &self.entry(at)?.replaces.as_ref()?.value;
        self.find(name.as_str()).filter(|&target| self.graph[target].entry.is_some())
    }
}
