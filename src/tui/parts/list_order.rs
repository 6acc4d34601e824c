//! Sort orders of lists. The Upgrades table has separate ones.

use std::{cmp::Reverse, collections::BTreeMap};

use crate::tui::parts::list::ListId;
use olm_catalog::{ChannelName, PackageName};
use olm_check::{
    Severity,
    review::{PackageState, Snapshot},
};
use olm_upgrade::{ChannelGraph, stuck::StuckReport};
use olmap_report::layout;

/// Sort order of a list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ListOrder {
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
    MostProblems,
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
    FindingLocations,
    /// Deprecations by package.
    DeprecationPackages,
    /// Deprecations by the number of bundles without an upgrade or blocked under v1, most first.
    MostStuck,
    /// Deprecations by the number of affected bundles, most first.
    MostAffected,
}

impl ListOrder {
    /// Returns the orders of a list, the default first. Empty if the list cannot be sorted.
    pub fn for_list(list: ListId) -> &'static [Self] {
        match list {
            ListId::Packages => {
                &[Self::MostStuckPackages, Self::PackageNames, Self::MostBundles, Self::WorstFindings]
            }
            ListId::Overview => &[Self::MostProblems, Self::PackageNames],
            ListId::Channels => &[Self::ChannelNames, Self::NewestHead, Self::MostEntries],
            ListId::Entries => &[Self::NewestFirst, Self::OldestFirst, Self::AsWritten],
            ListId::Problems => {
                &[Self::WorstFirst, Self::FindingPackages, Self::FindingRules, Self::FindingLocations]
            }
            ListId::Deprecations => &[Self::DeprecationPackages, Self::MostStuck, Self::MostAffected],
            _ => &[],
        }
    }

    /// Returns a short description.
    pub fn short_description(self) -> &'static str {
        match self {
            Self::MostStuckPackages => "most stuck first",
            Self::PackageNames | Self::ChannelNames => "by name",
            Self::MostBundles => "most bundles first",
            Self::WorstFindings | Self::WorstFirst => "worst first",
            Self::MostProblems => "most trouble first",
            Self::NewestHead => "newest head first",
            Self::MostEntries => "most entries first",
            Self::NewestFirst => "newest first",
            Self::OldestFirst => "oldest first",
            Self::AsWritten => "as written",
            Self::FindingPackages | Self::DeprecationPackages => "by package",
            Self::FindingRules => "by rule",
            Self::FindingLocations => "by place",
            Self::MostStuck => "most blocked first",
            Self::MostAffected => "most affected first",
        }
    }
}

/// Chosen sort order of each list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChosenOrders(BTreeMap<ListId, ListOrder>);

impl ChosenOrders {
    /// Returns the order of a list; `None` if it cannot be sorted.
    pub fn order_of(&self, list: ListId) -> Option<ListOrder> {
        self.0.get(&list).or(ListOrder::for_list(list).first()).copied()
    }

    /// Switches to the next order of a list.
    pub(in crate::tui) fn select_next_order(&mut self, list: ListId) {
        let all = ListOrder::for_list(list);
        let now = self.order_of(list);
        let at = all.iter().position(|order| Some(*order) == now).unwrap_or_default();
        if let Some(next) = all.get((at + 1) % all.len().max(1)) {
            self.0.insert(list, *next);
        }
    }
}

/// Sorts packages, which must already be sorted by name.
///
/// * `baseline` - catalog before unsaved edits. Its stuck versions count, so that edits do not
///   move rows.
/// * `trouble` - worst finding of a package and the number of its findings.
pub(in crate::tui) fn sort_packages(
    names: &mut [PackageName],
    order: Option<ListOrder>,
    (snapshot, baseline): (&Snapshot, &Snapshot),
    trouble: impl Fn(&PackageName) -> (Option<Severity>, usize),
) {
    let package_state = |name: &PackageName| snapshot.package(name.as_str());
    match order {
        Some(ListOrder::MostStuckPackages) => names.sort_by_cached_key(|name| {
            let known = baseline.package(name.as_str()).or_else(|| package_state(name));
            stuck_sort_key(known.and_then(|it| it.stuck()))
        }),
        Some(ListOrder::MostBundles) => {
            names.sort_by_cached_key(|name| {
                Reverse(package_state(name).map_or(0, |it| it.package().bundles.len()))
            });
        }
        // Packages without findings come last.
        Some(ListOrder::WorstFindings) => names.sort_by_cached_key(|name| {
            let (worst, findings) = trouble(name);
            (worst.is_none(), worst, Reverse(findings))
        }),
        _ => {}
    }
}

/// Returns the sort key of a package: most stuck versions first, then packages with an unknown
/// number.
pub(in crate::tui) fn stuck_sort_key(stuck: Option<&StuckReport>) -> impl Ord + use<> {
    let count = stuck.map_or(0, StuckReport::count_any);
    (Reverse(count), stuck.is_none_or(|stuck| stuck.answer.is_some()))
}

/// Sorts channels, which must already be in their default order.
pub(in crate::tui) fn sort_channels(
    names: &mut [ChannelName],
    order: Option<ListOrder>,
    package_state: &PackageState,
) {
    let graph = |name: &ChannelName| package_state.graph.channel(name.as_str()).map(|it| &it.graph);
    match order {
        Some(ListOrder::MostEntries) => {
            names.sort_by_cached_key(|name| Reverse(graph(name).map_or(0, |it| it.entry_nodes().count())));
        }
        Some(ListOrder::NewestHead) => names.sort_by(|a, b| {
            let version = |name| {
                let graph: &ChannelGraph = graph(name)?;
                package_state.package().bundle_version(graph.head()?.name.as_str())
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
pub(in crate::tui) fn ordered_nodes(
    graph: &ChannelGraph,
    order: Option<ListOrder>,
) -> Vec<petgraph::graph::NodeIndex> {
    if order == Some(ListOrder::AsWritten) {
        return graph.entry_nodes().collect();
    }
    let mut nodes = layout::order_nodes(graph);
    if order == Some(ListOrder::OldestFirst) {
        nodes.reverse();
    }
    nodes
}
