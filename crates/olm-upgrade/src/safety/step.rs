//! Upgrade steps that clusters may take in a package: its edges and the picks of the resolvers.

use std::collections::{BTreeMap, BTreeSet};

use crate::{EdgeKind, Engine, PackageGraph, UpgradeTable, v1::Query};
use olm_catalog::{BundleName, ChannelName};

/// Upgrade from one bundle to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Installed bundle.
    pub from: BundleName,
    /// Target of the upgrade.
    pub to: BundleName,
    /// Reasons why a cluster may take the step.
    pub reasons: BTreeSet<StepReason>,
}

/// Reason why a cluster may take a step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StepReason {
    /// Edge of an entry in a channel.
    Edge(EdgeKind, ChannelName),
    /// Next pick of OLM Classic with a Subscription to the channel.
    Classic(ChannelName),
    /// Next pick of OLM v1 with only this channel, or with all channels if `None`.
    V1(Option<ChannelName>),
}

impl StepReason {
    /// Returns the resolver that takes the step; `None` for an edge.
    pub fn engine(&self) -> Option<Engine> {
        match self {
            Self::Edge(..) => None,
            Self::Classic(_) => Some(Engine::Classic),
            Self::V1(_) => Some(Engine::V1),
        }
    }
}

impl std::fmt::Display for StepReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Edge(kind, channel) => write!(f, "{} in {channel}", kind.as_str()),
            Self::Classic(channel) => write!(f, "Classic in {channel}"),
            Self::V1(None) => f.write_str("v1"),
            Self::V1(Some(channel)) => write!(f, "v1 in {channel}"),
        }
    }
}

/// Returns all steps between two bundles of a package: `replaces` and `skips` of each channel, and the next picks of Classic
/// and v1. Steps by `skipRange` count only if a resolver picks them.
pub fn find_steps(graph: &PackageGraph) -> Vec<Step> {
    let mut found: BTreeMap<(BundleName, BundleName), BTreeSet<StepReason>> = BTreeMap::new();
    let has = |name: &BundleName| graph.package.bundle(name.as_str()).is_some();
    let mut add = |from: &BundleName, to: &BundleName, way: StepReason| {
        if from != to && has(from) && has(to) {
            found.entry((from.clone(), to.clone())).or_default().insert(way);
        }
    };
    for upgrades in graph.channels() {
        let channel = upgrades.graph.name();
        for entry in upgrades.graph.entry_nodes().filter_map(|at| upgrades.graph.entry(at)) {
            let to = &entry.name.value;
            let replaced = entry.replaces.iter().map(|from| (from, EdgeKind::Replaces));
            let skipped = entry.skips.iter().map(|from| (from, EdgeKind::Skips));
            for (from, kind) in replaced.chain(skipped) {
                add(&from.value, to, StepReason::Edge(kind, channel.clone()));
            }
        }
        let only = Query { channels: vec![channel.clone()], ..Query::default() };
        for (query, of) in [(Query::default(), None), (only, Some(channel.clone()))] {
            for row in UpgradeTable::new(graph, channel, &query).rows {
                let from = &row.installed.name;
                if let Some(to) = row.v1.target().filter(|_| of.is_none() || row.in_channel) {
                    add(from, to, StepReason::V1(of.clone()));
                }
                if let Some(to) = row.classic.target().filter(|_| of.is_none() && row.in_channel) {
                    add(from, to, StepReason::Classic(channel.clone()));
                }
            }
        }
    }
    found.into_iter().map(|((from, to), ways)| Step { from, to, reasons: ways }).collect()
}
