//! Runs of bundles that look the same, for drawings with a node for each run.

use std::collections::HashMap;

use petgraph::{graph::NodeIndex, visit::EdgeRef};

use super::dot::MarkedBundle;
use crate::layout::{FoldOptions, Options, draw_layout};
use olm_upgrade::{ChannelGraph, EdgeKind, PackageGraph, package::ChannelUpgrades};

/// Bundles of a channel with the same look and edges, newest first. Most runs have one bundle.
pub(super) struct BundleRun {
    pub(super) members: Vec<MarkedBundle>,
}

/// Edges between two runs.
pub(super) struct RunEdge {
    /// Index of the run with the installed bundles.
    pub(super) from: usize,
    pub(super) kind: EdgeKind,
    /// Number of edges in the catalog.
    pub(super) count: usize,
}

/// Runs of a channel.
pub(super) struct ChannelRuns {
    pub(super) runs: Vec<BundleRun>,
    /// Run of each node of the graph.
    places: HashMap<NodeIndex, usize>,
}

impl BundleRun {
    /// Returns the newest bundle.
    pub(super) fn newest_member(&self) -> Option<&MarkedBundle> {
        self.members.first()
    }

    /// Returns the name of the newest bundle, and of the oldest if there are several.
    pub(super) fn bundle_names<'a>(&self, graph: &'a ChannelGraph) -> (&'a str, Option<&'a str>) {
        let name = |member: Option<&MarkedBundle>| {
            member.and_then(|member| graph.node(member.at)).map(|node| node.name.as_str())
        };
        let last = self.members.last().filter(|_| self.members.len() > 1);
        (name(self.members.first()).unwrap_or_default(), name(last))
    }

    /// Returns the lines about a run below its names. Empty for a single bundle.
    pub(super) fn describe_members(&self, graph: &ChannelGraph) -> Vec<String> {
        if self.members.len() < 2 {
            return Vec::new();
        }
        let replaces_next = |pair: &[MarkedBundle]| match pair {
            [upper, lower] => graph
                .graph()
                .edges_connecting(lower.at, upper.at)
                .any(|edge| *edge.weight() == EdgeKind::Replaces),
            _ => false,
        };
        let mut lines = vec![format!("{} versions", self.members.len())];
        if self.members.windows(2).all(replaces_next) {
            lines.push("each replaces the next".to_owned());
        }
        lines
    }

    /// Returns the skipRange of the run: its text, or the number of different ones.
    pub(super) fn range_label(&self, graph: &ChannelGraph) -> Option<String> {
        let ranges = self.members.iter().filter_map(|member| graph.entry(member.at)?.skip_range.as_ref());
        let mut texts: Vec<&str> = ranges.map(|range| range.text.value.as_str()).collect();
        let count = texts.len();
        texts.dedup();
        match texts.as_slice() {
            [] => None,
            [text] => Some((*text).to_owned()),
            _ => Some(format!("{count} ranges")),
        }
    }
}

impl ChannelRuns {
    /// Returns the runs in drawing order, newest first. Without folds each bundle is a run.
    pub(super) fn for_channel(package: &PackageGraph, channel: &ChannelUpgrades, is_folded: bool) -> Self {
        let picture = draw_layout(package, channel, &Options::default());
        let lines = picture.fold_lines(FoldOptions { fold_alike: is_folded, ..FoldOptions::default() });
        let member = |row: usize| {
            let row = picture.rows.get(row)?;
            Some(MarkedBundle { at: row.at, marks: row.marks.clone() })
        };
        let runs =
            lines.iter().map(|line| BundleRun { members: line.row_range().filter_map(member).collect() });
        let runs: Vec<BundleRun> = runs.filter(|run| !run.members.is_empty()).collect();
        let members =
            runs.iter().enumerate().flat_map(|(at, run)| run.members.iter().map(move |m| (m.at, at)));
        let places = members.collect();
        Self { runs, places }
    }

    /// Returns the edges to a run from others, in the order of the catalog.
    pub(super) fn incoming_edges(&self, graph: &ChannelGraph, run: usize) -> Vec<RunEdge> {
        let mut edges: Vec<RunEdge> = Vec::new();
        for member in self.runs.get(run).map(|run| run.members.as_slice()).unwrap_or_default() {
            let mut incoming: Vec<_> =
                graph.graph().edges_directed(member.at, petgraph::Direction::Incoming).collect();
            incoming.sort_unstable_by_key(EdgeRef::id);
            for edge in incoming {
                let Some(&from) = self.places.get(&edge.source()) else { continue };
                let kind = *edge.weight();
                if from == run && self.runs.get(run).is_some_and(|run| run.members.len() > 1) {
                    continue;
                }
                match edges.iter_mut().find(|known| known.from == from && known.kind == kind) {
                    Some(known) => known.count += 1,
                    None => edges.push(RunEdge { from, kind, count: 1 }),
                }
            }
        }
        edges
    }

    /// Returns true if a run has neither edges to other runs nor a range.
    pub(super) fn is_isolated(&self, graph: &ChannelGraph, run: usize) -> bool {
        let members = self.runs.get(run).map(|run| run.members.as_slice()).unwrap_or_default();
        let goes_out = |member: &MarkedBundle| {
            graph
                .graph()
                .neighbors_undirected(member.at)
                .any(|other| other == member.at || self.places.get(&other).is_some_and(|place| *place != run))
        };
        !members.iter().any(goes_out)
    }
}

impl RunEdge {
    /// Returns the kind, with the number of edges if there are several.
    pub(super) fn edge_label(&self) -> String {
        match self.count {
            1 => self.kind.as_str().to_owned(),
            count => format!("{count} {}", self.kind.as_str()),
        }
    }
}
