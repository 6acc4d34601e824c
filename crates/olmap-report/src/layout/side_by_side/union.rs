//! Common rows of all channels of a package.

use std::{borrow::Cow, collections::HashMap};

use petgraph::graph::{DiGraph, NodeIndex};

use crate::layout::order;
use olm_catalog::BundleName;
use olm_upgrade::{PackageGraph, package::ChannelUpgrades};
use olm_version::VersionRelease;

/// Bundle with the version that determines its row.
struct Member<'a> {
    name: &'a BundleName,
    version: Option<Cow<'a, VersionRelease>>,
}

/// Rows of a package, newest first: its bundles, all names in its channels, and removed bundles.
pub(super) struct CommonRows<'a> {
    /// Names from top to bottom.
    pub(super) names: Vec<&'a BundleName>,
    /// Row of each node, per channel.
    pub(super) rows: Vec<Vec<usize>>,
    /// For each row, true if it is an end of an edge that points down, because the channels
    /// contradict each other.
    pub(super) contradicts: Vec<bool>,
}

impl<'a> CommonRows<'a> {
    /// Sorts the rows, newest first. Edges point up unless they are on a cycle of several channels.
    /// `gone` are removed bundles.
    pub(super) fn new(
        package: &'a PackageGraph,
        channels: &[&'a ChannelUpgrades],
        gone: &'a [(BundleName, Option<VersionRelease>)],
    ) -> Self {
        let mut all: DiGraph<Member<'a>, ()> = DiGraph::new();
        let mut by_name: HashMap<&BundleName, NodeIndex> = HashMap::new();
        let mut members: Vec<Vec<NodeIndex>> = Vec::with_capacity(channels.len());
        for channel in channels {
            let graph = channel.graph.graph();
            let place = |node: &'a olm_upgrade::GraphNode| {
                *by_name.entry(&node.name).or_insert_with(|| {
                    let version = order::version_or_from_name(node.name.as_str(), node.version.as_ref());
                    all.add_node(Member { name: &node.name, version })
                })
            };
            members.push(graph.node_weights().map(place).collect());
        }
        for bundle in &package.package.bundles {
            let name = &bundle.name.value;
            by_name.entry(name).or_insert_with(|| {
                all.add_node(Member {
                    name,
                    version: order::version_or_from_name(name.as_str(), bundle.version.as_ref()),
                })
            });
        }
        for (name, known) in gone {
            by_name.entry(name).or_insert_with(|| {
                all.add_node(Member {
                    name,
                    version: order::version_or_from_name(name.as_str(), known.as_ref()),
                })
            });
        }
        let edges = || {
            channels.iter().zip(&members).flat_map(|(channel, at)| {
                let edges = channel.graph.graph().raw_edges().iter();
                edges.map(|edge| (at[edge.source().index()], at[edge.target().index()]))
            })
        };
        edges().for_each(|(older, newer)| {
            all.add_edge(older, newer, ());
        });
        let order = order::sort_newest_first(&all, |member| member.version.as_deref().map(Cow::Borrowed));
        let mut row = vec![0; order.len()];
        order.iter().enumerate().for_each(|(index, at)| row[at.index()] = index);
        let mut contradicts = vec![false; order.len()];
        for (older, newer) in edges().map(|(older, newer)| (row[older.index()], row[newer.index()])) {
            if older < newer {
                contradicts[older] = true;
                contradicts[newer] = true;
            }
        }
        Self {
            names: order.iter().map(|&at| all[at].name).collect(),
            rows: members.iter().map(|at| at.iter().map(|at| row[at.index()]).collect()).collect(),
            contradicts,
        }
    }
}
