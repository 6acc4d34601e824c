//! Differences between the edges of a channel.
//!
//! A range represents an edge from each entry in it, and nested ranges represent quadratically many. So a range that is
//! equal on both sides is evaluated only for changed entries.

use std::collections::HashSet;

use petgraph::graph::NodeIndex;

use super::channel::is_same_range;
use olm_catalog::{BundleName, blob::Entry};
use olm_upgrade::{ChannelGraph, EdgeKind};

/// Maximum number of listed edges per direction.
const MAX_EDGES: usize = 1_000_000;

/// Edge of a channel: `from` can be upgraded to `to`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Installed bundle; it may not be an entry.
    pub from: BundleName,
    /// Entry that it can be upgraded to.
    pub to: BundleName,
    /// `replaces`, `skips` or `skipRange`.
    pub kind: &'static str,
}

/// Edge that borrows from its graph.
type GraphEdge<'a> = (&'a BundleName, &'a BundleName, EdgeKind);

/// Edges that only one side has.
pub(super) struct ExtraEdges {
    /// Edges, sorted and unique.
    pub edges: Vec<Edge>,
    /// True if there are more edges than listed.
    pub is_cut: bool,
}

/// Returns the edges of `own` that `other` lacks. A range has an edge from each entry whose version it includes.
pub(super) fn find_extra_edges(own: Option<&ChannelGraph>, other: Option<&ChannelGraph>) -> ExtraEdges {
    let Some(own) = own else { return ExtraEdges { edges: Vec::new(), is_cut: false } };
    let known = other.map(explicit_edges).unwrap_or_default();
    let mut edges: Vec<GraphEdge<'_>> = explicit_edges(own).difference(&known).copied().collect();
    let mut is_cut = false;
    let held = RangeEdges::new(own, other);
    for to in own.entry_nodes() {
        is_cut |= !held.add_edges(to, &mut edges);
    }
    let edge =
        |(from, to, kind): GraphEdge<'_>| Edge { from: from.clone(), to: to.clone(), kind: kind.as_str() };
    let mut edges: Vec<Edge> = edges.into_iter().map(edge).collect();
    edges.sort();
    ExtraEdges { edges, is_cut }
}

/// Returns the explicit edges: `replaces` and `skips`.
fn explicit_edges(graph: &ChannelGraph) -> HashSet<GraphEdge<'_>> {
    let name = |at| graph.node(at).map(|node| &node.name);
    let edges = graph.graph().raw_edges().iter();
    edges.filter_map(|edge| Some((name(edge.source())?, name(edge.target())?, edge.weight))).collect()
}

/// Evaluation of ranges on one side that the other side lacks.
struct RangeEdges<'a> {
    own: &'a ChannelGraph,
    other: Option<&'a ChannelGraph>,
    /// Entries of this side, each with its counterpart.
    entries: Vec<(NodeIndex, Option<NodeIndex>)>,
    /// Entries without a counterpart or with a different version.
    moved: Vec<(NodeIndex, Option<NodeIndex>)>,
}

impl<'a> RangeEdges<'a> {
    fn new(own: &'a ChannelGraph, other: Option<&'a ChannelGraph>) -> Self {
        let counterpart = |at: NodeIndex| {
            let (other, name) = (other?, &own.node(at)?.name);
            other.find_node(name.as_str()).filter(|there| other.entry(*there).is_some())
        };
        let entries: Vec<_> = own.entry_nodes().map(|at| (at, counterpart(at))).collect();
        let version = |graph: Option<&'a ChannelGraph>, at| graph?.node(at)?.version.as_ref();
        let is_moved = |&(at, there): &(NodeIndex, Option<NodeIndex>)| {
            there.is_none_or(|there| version(Some(own), at) != version(other, there))
        };
        let moved = entries.iter().copied().filter(is_moved).collect();
        Self { own, other, entries, moved }
    }

    /// Adds the edges of an entry's range; returns false if not all of them fit.
    fn add_edges(&self, to: NodeIndex, edges: &mut Vec<GraphEdge<'a>>) -> bool {
        let Some((entry, node)) = self.own.entry(to).zip(self.own.node(to)) else { return true };
        if entry.skip_range.is_none() {
            return true;
        }
        let there = self.other.and_then(|other| other.entry_named(node.name.as_str()));
        let is_same = there.is_some_and(|there| is_same_range(range_text(entry), range_text(there)));
        let candidates = if is_same { &self.moved } else { &self.entries };
        for &(from, before) in candidates {
            let holds = |graph: &ChannelGraph, entry: &Entry, at| {
                let version = graph.node(at).and_then(|node| node.version.as_ref());
                version.is_some_and(|version| entry.range_matches(&version.version))
            };
            let was_held = || {
                let (other, there, before) = (self.other?, there?, before?);
                Some(holds(other, there, before))
            };
            if from != to && holds(self.own, entry, from) && was_held() != Some(true) {
                if edges.len() >= MAX_EDGES {
                    return false;
                }
                edges.extend(self.own.node(from).map(|from| (&from.name, &node.name, EdgeKind::SkipRange)));
            }
        }
        true
    }
}

fn range_text(entry: &Entry) -> Option<&str> {
    entry.skip_range.as_ref().map(|range| range.text.value.as_str())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use olm_catalog::{Catalog, load};
    use olm_upgrade::fixture::{self, any_channel_lines};

    /// Returns all edges, with ranges expanded.
    fn all_edges(graph: Option<&ChannelGraph>) -> BTreeSet<Edge> {
        let Some(graph) = graph else { return BTreeSet::new() };
        let mut all = BTreeSet::new();
        let name = |at| graph.node(at).unwrap().name.clone();
        for to in graph.entry_nodes() {
            for kind in [EdgeKind::Replaces, EdgeKind::Skips] {
                let edge = |from| Edge { from: name(from), to: name(to), kind: kind.as_str() };
                all.extend(graph.targets(to, kind).into_iter().map(edge));
            }
            for from in graph.entry_nodes().filter(|from| *from != to) {
                let version = graph.node(from).unwrap().version.as_ref();
                if version.is_some_and(|v| graph.entry(to).unwrap().range_matches(&v.version)) {
                    all.insert(Edge { from: name(from), to: name(to), kind: "skipRange" });
                }
            }
        }
        all
    }

    fn graph_of(of: &Catalog) -> ChannelGraph {
        let package = of.package("p").unwrap();
        ChannelGraph::new(package, &package.channels[0])
    }

    /// Creates a channel where the version of one bundle differs from its name.
    fn graph_with_version(lines: &str, number: usize, version: u8) -> ChannelGraph {
        let catalog = fixture::catalog_from_channels(&[("c", lines)]);
        let text = String::from_utf8(catalog.files()[0].current_bytes()).unwrap();
        let written = "{packageName: p, version: ";
        let at = text.match_indices(written).nth(number).map(|(at, _)| at + written.len());
        let Some((head, tail)) = at.map(|at| text.split_at(at)) else { return graph_of(&catalog) };
        let (_, tail) = tail.split_once('}').unwrap();
        graph_of(&load::from_bytes(format!("{head}1.{version}.0}}{tail}").into_bytes()))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn lacking_edges_are_the_set_difference(
            (old, other) in (any_channel_lines(), any_channel_lines()), same in 0..12usize, (at, version) in (0..16usize, 0..4u8),
        ) {
            let new: Vec<&str> = old.lines().take(same).chain(other.lines().skip(same)).collect();
            let (old, new) = (graph_of(&fixture::catalog_from_channels(&[("c", &old)])), graph_with_version(&new.join("\n"), at, version));
            let (old, new) = (Some(&old), Some(&new));
            for (own, other) in [(new, old), (old, new), (new, None), (None, old)] {
                let found = find_extra_edges(own, other);
                let expected: Vec<Edge> = all_edges(own).difference(&all_edges(other)).cloned().collect();
                prop_assert_eq!(found.edges, expected);
                prop_assert!(!found.is_cut);
            }
        }
    }

    /// Nested ranges have quadratically many edges: a million of two million edges are listed.
    #[test]
    fn limits_edges_of_new_channel_with_nested_ranges() {
        let entry = |number: usize| format!("- {{name: p.v1.{number}.0, skipRange: '<1.{number}.0'}}\n");
        let bundle = |number: usize| {
            format!(
                "---\nschema: olm.bundle\npackage: p\nname: p.v1.{number}.0\nproperties:\n- type: olm.package\n  value: \
                 {{packageName: p, version: 1.{number}.0}}\n"
            )
        };
        let entries: String = (0..2_000).map(entry).collect();
        let bundles: String = (0..2_000).map(bundle).collect();
        let head = "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n";
        let whole = graph_of(&load::from_bytes(format!("{head}{entries}{bundles}").into_bytes()));
        let found = find_extra_edges(Some(&whole), None);
        assert_eq!((found.edges.len(), found.is_cut), (MAX_EDGES, true));
        assert!(find_extra_edges(Some(&whole), Some(&whole)).edges.is_empty());
    }
}
