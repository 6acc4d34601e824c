//! Sort orders of lists. The Upgrades table has separate ones.

use std::{cmp::Reverse, collections::BTreeMap};

use crate::{
    app::parts::list::ListId,
    catalog::{ChannelName, PackageName},
    layout,
    review::{Judged, Snapshot},
    upgrade::{ChannelGraph, stuck::PackageStuck},
    validate::Severity,
};

/// Sort order of a list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Order {
    /// Packages with the most stuck versions first.
    MostStuckPackages,
    /// Packages by name.
    PackageNames,
    /// Packages with the most bundles first.
    MostBundles,
    /// Packages with the worst findings first, then by their number.
    WorstFindings,
    /// The default channel, then the others by name.
    ChannelNames,
    /// Packages with the most errors and dead ends first.
    MostTrouble,
    /// Channels with the newest head first.
    NewestHead,
    /// Channels with the most entries first.
    MostEntries,
    /// Entries in upgrade order, newest first.
    NewestFirst,
    /// Entries in upgrade order, oldest first.
    OldestFirst,
    /// Entries in the order of the channel blob.
    AsWritten,
    /// Findings by severity.
    WorstFirst,
    /// Findings by package.
    FindingPackages,
    /// Findings by rule.
    FindingRules,
    /// Findings by file and line.
    FindingPlaces,
    /// Deprecations by package.
    DeprecationPackages,
    /// Deprecations by the number of bundles without an upgrade or blocked under v1, most first.
    MostStuck,
    /// Deprecations by the number of affected bundles, most first.
    MostConcerned,
}

impl Order {
    /// Returns the orders of a list, the default first. Empty if the list cannot be sorted.
    pub fn all(list: ListId) -> &'static [Self] {
        match list {
            ListId::Packages => {
                &[Self::MostStuckPackages, Self::PackageNames, Self::MostBundles, Self::WorstFindings]
            }
            ListId::Overview => &[Self::MostTrouble, Self::PackageNames],
            ListId::Channels => &[Self::ChannelNames, Self::NewestHead, Self::MostEntries],
            ListId::Entries => &[Self::NewestFirst, Self::OldestFirst, Self::AsWritten],
            ListId::Problems => {
                &[Self::WorstFirst, Self::FindingPackages, Self::FindingRules, Self::FindingPlaces]
            }
            ListId::Deprecations => &[Self::DeprecationPackages, Self::MostStuck, Self::MostConcerned],
            _ => &[],
        }
    }

    /// Returns a short description.
    pub fn words(self) -> &'static str {
        match self {
            Self::MostStuckPackages => "most stuck first",
            Self::PackageNames | Self::ChannelNames => "by name",
            Self::MostBundles => "most bundles first",
            Self::WorstFindings | Self::WorstFirst => "worst first",
            Self::MostTrouble => "most trouble first",
            Self::NewestHead => "newest head first",
            Self::MostEntries => "most entries first",
            Self::NewestFirst => "newest first",
            Self::OldestFirst => "oldest first",
            Self::AsWritten => "as written",
            Self::FindingPackages | Self::DeprecationPackages => "by package",
            Self::FindingRules => "by rule",
            Self::FindingPlaces => "by place",
            Self::MostStuck => "most blocked first",
            Self::MostConcerned => "most affected first",
        }
    }
}

/// Chosen sort order of each list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Orders(BTreeMap<ListId, Order>);

impl Orders {
    /// Returns the order of a list; `None` if it cannot be sorted.
    pub fn of(&self, list: ListId) -> Option<Order> {
        self.0.get(&list).or(Order::all(list).first()).copied()
    }

    /// Switches to the next order of a list.
    pub(in crate::app) fn turn(&mut self, list: ListId) {
        let all = Order::all(list);
        let now = self.of(list);
        let at = all.iter().position(|order| Some(*order) == now).unwrap_or_default();
        if let Some(next) = all.get((at + 1) % all.len().max(1)) {
            self.0.insert(list, *next);
        }
    }
}

/// Sorts packages, which must already be sorted by name.
///
/// * `baseline` - catalog before unsaved edits. Stuck versions are counted there, so that edits do
/// not move rows.
/// * `trouble` - worst finding of a package and the number of its findings.
pub(in crate::app) fn packages(
    names: &mut [PackageName],
    order: Option<Order>,
    (snapshot, baseline): (&Snapshot, &Snapshot),
    trouble: impl Fn(&PackageName) -> (Option<Severity>, usize),
) {
    let judged = |name: &PackageName| snapshot.package(name.as_str());
    match order {
        Some(Order::MostStuckPackages) => names.sort_by_cached_key(|name| {
            let known = baseline.package(name.as_str()).or_else(|| judged(name));
            stuck_rank(known.and_then(|it| it.stuck()))
        }),
        Some(Order::MostBundles) => {
            names.sort_by_cached_key(|name| Reverse(judged(name).map_or(0, |it| it.package().bundles.len())));
        }
        // Packages without findings come last.
        Some(Order::WorstFindings) => names.sort_by_cached_key(|name| {
            let (worst, findings) = trouble(name);
            (worst.is_none(), worst, Reverse(findings))
        }),
        _ => {}
    }
}

/// Returns the sort key of a package: most stuck versions first, then packages with an unknown
/// number.
pub(in crate::app) fn stuck_rank(stuck: Option<&PackageStuck>) -> impl Ord + use<> {
    let count = stuck.map_or(0, PackageStuck::count_any);
    (Reverse(count), stuck.is_none_or(|stuck| stuck.answer.is_some()))
}

/// Sorts channels, which must already be in their default order.
pub(in crate::app) fn channels(names: &mut [ChannelName], order: Option<Order>, judged: &Judged) {
    let graph = |name: &ChannelName| judged.graph.channel(name.as_str()).map(|it| &it.graph);
    match order {
        Some(Order::MostEntries) => {
            names.sort_by_cached_key(|name| Reverse(graph(name).map_or(0, |it| it.entries().count())));
        }
        Some(Order::NewestHead) => names.sort_by(|a, b| {
            let version = |name| {
                let graph: &ChannelGraph = graph(name)?;
                judged.package().version_of(graph.node(graph.head()?)?.name.as_str())
            };
            match (version(a), version(b)) {
                (Some(a), Some(b)) => b.cmp_precedence(a),
                (a, b) => Reverse(a.is_some()).cmp(&Reverse(b.is_some())),
            }
        }),
        _ => {}
    }
}

/// Returns the nodes of a channel in the given order.
pub(in crate::app) fn entries(graph: &ChannelGraph, order: Option<Order>) -> Vec<petgraph::graph::NodeIndex> {
    if order == Some(Order::AsWritten) {
        return graph.entries().collect();
    }
    let mut nodes = layout::order(graph);
    if order == Some(Order::OldestFirst) {
        nodes.reverse();
    }
    nodes
}
