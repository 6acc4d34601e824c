//! How a channel is: its head, and what becomes of those who have one of its versions.

use super::Mark;
use crate::{
    catalog::{BundleName, ChannelName},
    upgrade::{
        PackageGraph, UpgradeTable,
        openshift::{ClusterUpdate, OpenShift},
        table::Summary,
        v1::Query,
    },
    version::VersionRelease,
};

/// The head of a channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// The bundle.
    pub bundle: BundleName,
    /// Its version, where it has a good one.
    pub version: Option<VersionRelease>,
    /// What people call it.
    pub short: String,
}

/// A channel, with counts of its entries that have a bundle: of what may be installed from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Health {
    /// The channel.
    pub channel: ChannelName,
    /// Its head; `None` where it has none, or several.
    pub head: Option<Head>,
    /// How many versions there are: entries that have a bundle.
    pub versions: usize,
    /// Entries that are stuck on OLM Classic and on OLM v1 ([`stuck`](crate::upgrade::stuck)). `None` if nobody knows.
    pub stuck: Option<(usize, usize)>,
    /// Versions that Classic never upgrades though the head is higher ([`Summary::dead_ends`]).
    pub dead_ends: usize,
    /// Versions that v1 upgrades to a bundle outside the channel ([`Summary::escapes`]).
    pub escaping: usize,
    /// Versions whose next upgrade, of one OLM or the other, is to a deprecated bundle ([`Summary::deprecated`]).
    pub deprecated: usize,
    /// Versions for which one of the two reports an error ([`Summary::errors`]).
    pub unanswered: usize,
    /// Versions that block the update of a cluster from the catalog's OpenShift version to the next
    /// ([`ClusterUpdate::summary`]); `None` where nobody knows the version.
    pub blocked: Option<usize>,
    /// Of these, those that no upgrade leads to one that does not block.
    pub blocked_for_good: usize,
}

impl Health {
    /// Looks at a channel; `None` where the package has none of the name.
    pub fn of(graph: &PackageGraph, name: &ChannelName, openshift: Option<OpenShift>) -> Option<Self> {
        let channel = graph.channel(name.as_str())?;
        let package = &graph.package;
        let head = channel.graph.head().and_then(|at| channel.graph.node(at)).map(|node| Head {
            bundle: node.name.clone(),
            version: node.version.clone(),
            short: package.short_name(&node.name),
        });
        let table = UpgradeTable::new(graph, name, &Query::default());
        let summary: Summary = table.summary();
        let update = openshift.map(|from| ClusterUpdate::new(package, &table, from));
        let for_good = |update: &ClusterUpdate| {
            let own = table.rows.iter().filter(|row| row.in_channel);
            let blockers = own.filter_map(|row| update.blocker(&row.installed.name));
            blockers.filter(|blocker| blocker.classic.is_none() && blocker.v1.is_none()).count()
        };
        Some(Self {
            channel: name.clone(),
            stuck: graph.stuck().count_in(&channel.graph),
            head,
            versions: summary.total,
            dead_ends: summary.dead_ends,
            escaping: summary.escapes,
            deprecated: summary.deprecated,
            unanswered: summary.errors,
            blocked: update.as_ref().map(|update| update.summary(&table).block),
            blocked_for_good: update.as_ref().map_or(0, for_good),
        })
    }

    /// How many there are of something; 0 for what is counted by package.
    pub fn count(&self, mark: Mark) -> usize {
        match mark {
            Mark::Unanswered => self.unanswered,
            Mark::Stuck => self.stuck.map_or(0, |(classic, v1)| classic.max(v1)),
            Mark::BlockedForGood => self.blocked_for_good,
            Mark::Blocked => self.blocked.unwrap_or_default().saturating_sub(self.blocked_for_good),
            Mark::Deprecated => self.deprecated,
            Mark::Errors | Mark::Warnings => 0,
        }
    }
}
