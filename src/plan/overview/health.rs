//! How a channel is: its head, and what becomes of those who have one of its versions.

use super::Mark;
use crate::{
    catalog::{BundleName, ChannelName},
    upgrade::{
        PackageGraph, UpgradeRow, UpgradeTable,
        openshift::{ClusterUpdate, OpenShift},
        table::{PathEnd, Summary},
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
    /// Versions below the head that one of the two OLMs never leads to the head or beyond it, however many upgrades it makes: dead
    /// ends, and what leads to them. Where there is no head, the highest version stands for it.
    pub stranded: usize,
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
    pub stuck: usize,
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
        let stuck = |update: &ClusterUpdate| {
            let own = table.rows.iter().filter(|row| row.in_channel);
            let blockers = own.filter_map(|row| update.blocker(&row.installed.name));
            blockers.filter(|blocker| blocker.classic.is_none() && blocker.v1.is_none()).count()
        };
        Some(Self {
            channel: name.clone(),
            stranded: stranded(graph, &table).count(),
            head,
            versions: summary.total,
            dead_ends: summary.dead_ends,
            escaping: summary.escapes,
            deprecated: summary.deprecated,
            unanswered: summary.errors,
            blocked: update.as_ref().map(|update| update.summary(&table).block),
            stuck: update.as_ref().map_or(0, stuck),
        })
    }

    /// How many there are of something; 0 for what is counted by package.
    pub fn count(&self, mark: Mark) -> usize {
        match mark {
            Mark::Unanswered => self.unanswered,
            Mark::Stranded => self.stranded,
            Mark::DeadEnds => self.dead_ends,
            Mark::Stuck => self.stuck,
            Mark::Blocked => self.blocked.unwrap_or_default().saturating_sub(self.stuck),
            Mark::Escaping => self.escaping,
            Mark::Deprecated => self.deprecated,
            Mark::Errors | Mark::Warnings => 0,
        }
    }
}

/// The rows that [`Health::stranded`] counts, of the table of a channel.
pub fn stranded<'t>(graph: &PackageGraph, table: &'t UpgradeTable) -> impl Iterator<Item = &'t UpgradeRow> {
    let rows = || table.rows.iter().filter(|row| row.in_channel);
    let channel = graph.channel(table.channel.as_str());
    let head = channel.and_then(|channel| channel.graph.node(channel.graph.head()?));
    // Rows come with the highest version first.
    let highest = || rows().find_map(|row| row.installed.version.clone());
    let goal = match head {
        Some(head) => head.version.clone(),
        None => highest(),
    };
    let package = std::sync::Arc::clone(&graph.package);
    rows().filter(move |row| {
        let Some(goal) = &goal else { return false };
        let arrives = |end: &PathEnd| {
            let version = package.version_of(end.name.as_str());
            !end.circular && version.is_some_and(|version| version.cmp_precedence(goal).is_ge())
        };
        let is_below = row.installed.version.as_ref().is_some_and(|own| own.cmp_precedence(goal).is_lt());
        is_below && !(arrives(&row.classic_end) && arrives(&row.v1_end))
    })
}
