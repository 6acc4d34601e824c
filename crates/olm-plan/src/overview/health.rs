//! State of a channel: its head, and counts of its versions with problems.

use super::ProblemMark;
use olm_catalog::{BundleName, ChannelName};
use olm_upgrade::{
    PackageGraph, UpgradeTable,
    openshift::{ClusterUpdate, OpenShift},
    table::TableSummary,
    v1::Query,
};
use olm_version::VersionRelease;

/// Head of a channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelHead {
    /// Name of the bundle.
    pub bundle: BundleName,
    /// Version of the bundle; `None` if it is missing or invalid.
    pub version: Option<VersionRelease>,
    /// Short name for display.
    pub short_name: String,
}

/// State of a channel. It counts only entries with a bundle, since only these can be installed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelHealth {
    /// Name of the channel.
    pub channel: ChannelName,
    /// Head of the channel; `None` unless there is exactly one.
    pub head: Option<ChannelHead>,
    /// Number of versions: entries with a bundle.
    pub versions: usize,
    /// Numbers of entries that are stuck on OLM Classic and on OLM v1
    /// ([`stuck`](olm_upgrade::stuck)); `None` if unknown.
    pub stuck: Option<(usize, usize)>,
    /// Number of versions that Classic does not upgrade although the head is higher
    /// ([`TableSummary::dead_ends`]).
    pub dead_ends: usize,
    /// Number of versions that v1 upgrades to a bundle outside the channel ([`TableSummary::escapes`]).
    pub escaping: usize,
    /// Number of versions whose next upgrade in at least one OLM is to a deprecated bundle
    /// ([`TableSummary::deprecated`]).
    pub deprecated: usize,
    /// Number of versions for which at least one OLM reports an error ([`TableSummary::errors`]).
    pub unanswered: usize,
    /// Number of versions that block the update of a cluster from the catalog's OpenShift version
    /// to the next ([`ClusterUpdate::count_blockers`]). `None` if the version is unknown.
    pub blocked: Option<usize>,
    /// Number of blocking versions without an upgrade to a version that does not block.
    pub blocked_for_good: usize,
}

impl ChannelHealth {
    /// Computes the state of a channel; `None` if the package does not have it.
    pub fn from_channel(
        graph: &PackageGraph,
        name: &ChannelName,
        openshift: Option<OpenShift>,
    ) -> Option<Self> {
        let channel = graph.channel(name.as_str())?;
        let package = &graph.package;
        let head = channel.graph.head().and_then(|at| channel.graph.node(at)).map(|node| ChannelHead {
            bundle: node.name.clone(),
            version: node.version.clone(),
            short_name: package.short_name(&node.name),
        });
        let table = UpgradeTable::new(graph, name, &Query::default());
        let summary: TableSummary = table.summarize_channel();
        let update = openshift.map(|from| ClusterUpdate::new(package, &table, from));
        let for_good = |update: &ClusterUpdate| {
            let own = table.rows.iter().filter(|row| row.in_channel);
            let blockers = own.filter_map(|row| update.blocker(&row.installed.name));
            blockers.filter(|blocker| blocker.classic.is_none() && blocker.v1.is_none()).count()
        };
        Some(Self {
            channel: name.clone(),
            stuck: graph.stuck().count_in_channel(&channel.graph),
            head,
            versions: summary.total,
            dead_ends: summary.dead_ends,
            escaping: summary.escapes,
            deprecated: summary.deprecated,
            unanswered: summary.errors,
            blocked: update.as_ref().map(|update| update.count_blockers(&table).block),
            blocked_for_good: update.as_ref().map_or(0, for_good),
        })
    }

    /// Returns the number of versions for a mark; 0 for marks that are counted by package.
    pub fn count_marked(&self, mark: ProblemMark) -> usize {
        match mark {
            ProblemMark::Unanswered => self.unanswered,
            ProblemMark::Stuck => self.stuck.map_or(0, |(classic, v1)| classic.max(v1)),
            ProblemMark::BlocksPermanently => self.blocked_for_good,
            ProblemMark::BlocksUntilUpgraded => {
                self.blocked.unwrap_or_default().saturating_sub(self.blocked_for_good)
            }
            ProblemMark::Deprecated => self.deprecated,
            ProblemMark::Errors | ProblemMark::Warnings => 0,
        }
    }
}
