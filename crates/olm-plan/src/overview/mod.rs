//! Overview of catalogs: one row per package, one column per catalog. Each cell has the head of the
//! default channel and counts of problems.
//!
//! Every count equals the one on the Upgrades screen or in `olmap validate` for the package in that
//! catalog alone.

#[cfg(test)]
mod tests;

use std::{cmp::Ordering, collections::BTreeSet, ops::Add};

use rayon::prelude::*;

use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_check::{
    Finding, Severity,
    review::{PackageState, Snapshot},
};
use olm_upgrade::{
    PackageGraph, UpgradeTable,
    openshift::{ClusterUpdate, OpenShift},
    table::TableSummary,
    v1::Query,
};
use olm_version::VersionRelease;

/// Overview of catalogs. See the module docs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Overview {
    /// Packages, sorted by name.
    pub rows: Vec<OverviewRow>,
}

/// Row of a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OverviewRow {
    /// Name of the package.
    pub package: PackageName,
    /// Cell per catalog; `None` if the catalog does not have the package.
    pub cells: Vec<Option<OverviewCell>>,
    /// For each catalog, true if it and the previous catalog have known, different OpenShift
    /// versions.
    follows: Vec<bool>,
}

/// Package in one catalog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OverviewCell {
    /// Channel of a `Subscription` without a channel.
    pub default_channel: Option<ChannelName>,
    /// State of the default channel; `None` if it does not exist.
    pub health: Option<ChannelHealth>,
    /// Numbers of versions of the package that are stuck on OLM Classic and on OLM v1; `None` if
    /// unknown.
    pub stuck: Option<(usize, usize)>,
    /// Number of versions that are stuck on at least one engine.
    pub stuck_any: usize,
    /// Number of bundles of the package, in any channel or none.
    pub bundles: usize,
    /// Number of errors of `validate` in the package.
    pub errors: usize,
    /// Number of warnings of `validate` in the package.
    pub warnings: usize,
    /// Number of errors of `validate` outside of packages. Objects of this package may be dropped
    /// because of them.
    pub outside_errors: usize,
    /// True if some checks of the package are pending: of its template, or of the steps between its
    /// bundle directories.
    pub is_pending: bool,
    /// True if the safety of at least one upgrade step is not known, and no check is pending that could change that.
    pub has_unjudged_steps: bool,
    /// Difference to the previous catalog.
    pub change: Option<Change>,
}

/// Difference to the previous catalog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// The previous catalog does not have the package.
    New,
    /// The head of the default channel is lower than in the previous catalog.
    Lower,
}

impl Overview {
    /// Computes the overview of the selected packages. `catalogs` are in the order of cluster
    /// updates, each with its OpenShift version if known.
    pub fn new(
        catalogs: &[(Option<OpenShift>, &Snapshot)],
        is_wanted: impl Fn(&PackageName) -> bool + Sync,
    ) -> Self {
        let names = catalogs.iter().flat_map(|(_, catalog)| catalog.packages().map(|(name, _)| name));
        Self::with_packages(catalogs, &names.filter(|name| is_wanted(name)).collect())
    }

    /// Computes the overview of all packages of the catalogs, with empty rows for further packages.
    pub fn with_further_packages(
        catalogs: &[(Option<OpenShift>, &Snapshot)],
        further: &BTreeSet<PackageName>,
    ) -> Self {
        let names = catalogs.iter().flat_map(|(_, catalog)| catalog.packages().map(|(name, _)| name));
        Self::with_packages(catalogs, &names.chain(further).collect())
    }

    fn with_packages(catalogs: &[(Option<OpenShift>, &Snapshot)], names: &BTreeSet<&PackageName>) -> Self {
        let versions = || catalogs.iter().map(|(openshift, _)| *openshift);
        let before = std::iter::once(None).chain(versions());
        let follows: Vec<bool> = versions()
            .zip(before)
            .map(|(own, before)| own.zip(before).is_some_and(|(own, before)| own != before))
            .collect();
        let row = |name: &PackageName| {
            let cell = |(openshift, catalog): &(Option<OpenShift>, &Snapshot)| {
                Some(OverviewCell::new(catalog.package(name.as_str())?, catalog, *openshift))
            };
            OverviewRow::new(name.clone(), catalogs.iter().map(cell).collect(), follows.clone())
        };
        Self { rows: names.par_iter().map(|name| row(name)).collect() }
    }

    /// Returns the number of packages with severe problems in at least one catalog.
    pub fn count_troubled(&self) -> usize {
        self.rows.iter().filter(|row| row.trouble().severe > 0).count()
    }
}

impl OverviewRow {
    fn new(package: PackageName, cells: Vec<Option<OverviewCell>>, follows: Vec<bool>) -> Self {
        let mut row = Self { package, cells, follows };
        let heads: Vec<_> = row
            .cells
            .iter()
            .map(|cell| Some(cell.as_ref()?.head().map(|head| head.version.clone())))
            .collect();
        let before = std::iter::once(None).chain(heads.iter().map(Some));
        for (nth, (cell, before)) in row.cells.iter_mut().zip(before).enumerate() {
            let follows = row.follows.get(nth).copied().unwrap_or_default();
            let Some(cell) = cell.as_mut().filter(|_| follows) else { continue };
            let own = cell.head().and_then(|head| head.version.as_ref());
            let known = before.and_then(Option::as_ref).map(|head| head.as_ref().and_then(Option::as_ref));
            let is_lower = |before: Option<&olm_version::VersionRelease>| {
                own.zip(before).is_some_and(|(own, before)| own.cmp_precedence(before) == Ordering::Less)
            };
            cell.change = match known {
                None => Some(Change::New),
                Some(before) => is_lower(before).then_some(Change::Lower),
            };
        }
        row
    }

    /// Returns true if a catalog does not have the package but the previous catalog does.
    pub fn is_removed(&self, nth: usize) -> bool {
        let has = |nth: usize| self.cells.get(nth).is_some_and(Option::is_some);
        let follows = self.follows.get(nth).copied().unwrap_or_default();
        follows && nth > 0 && nth < self.cells.len() && !has(nth) && has(nth - 1)
    }

    /// Returns the number of problems in all catalogs. A removed package counts as a severe
    /// problem.
    pub fn trouble(&self) -> ProblemCount {
        let gone = (0..self.cells.len()).filter(|nth| self.is_removed(*nth)).count();
        let gone = ProblemCount { severe: gone, minor: 0 };
        self.cells.iter().flatten().map(OverviewCell::trouble).fold(gone, std::ops::Add::add)
    }
}

impl OverviewCell {
    fn new(judged: &PackageState, snapshot: &Snapshot, openshift: Option<OpenShift>) -> Self {
        let (package, catalog) = (judged.package(), &snapshot.catalog);
        let outside =
            snapshot.outside_findings().iter().filter(|finding| finding.severity() == Severity::Error);
        let default_channel = package.default_channel();
        let stuck = judged.graph.stuck();
        let count = |severity| {
            let those = judged.findings.iter().filter(|finding| finding.severity() == severity);
            those.map(Finding::finding_count).sum()
        };
        let is_pending = judged.deferred_checks().is_none()
            && (catalog.template_source(&package.name).is_some() || !catalog.bundle_directories().is_empty());
        Self {
            health: default_channel
                .and_then(|channel| ChannelHealth::from_channel(&judged.graph, channel, openshift)),
            stuck: stuck.answer.as_ref().map(|answer| (answer.classic.len(), answer.v1.len())),
            stuck_any: stuck.count_any(),
            default_channel: default_channel.cloned(),
            bundles: package.bundles.len(),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            outside_errors: outside.map(Finding::finding_count).sum(),
            is_pending,
            has_unjudged_steps: !is_pending && judged.has_unjudged_steps(),
            change: None,
        }
    }

    /// Returns the head of the default channel.
    pub fn head(&self) -> Option<&ChannelHead> {
        self.health.as_ref()?.head.as_ref()
    }

    /// See [`ChannelHealth::head_label`].
    pub fn head_label(&self) -> String {
        self.health.as_ref().map_or_else(|| "no head".to_owned(), ChannelHealth::head_label)
    }

    /// Returns the number of versions or findings for a mark; 0 if the mark does not apply.
    pub fn count_marked(&self, mark: ProblemMark) -> usize {
        match mark {
            ProblemMark::Errors => self.errors,
            ProblemMark::Warnings => self.warnings,
            ProblemMark::Stuck => self.stuck_any,
            _ => self.health.as_ref().map_or(0, |health| health.count_marked(mark)),
        }
    }

    /// Returns the number of problems.
    pub fn trouble(&self) -> ProblemCount {
        let lower = ProblemCount { severe: usize::from(self.change == Some(Change::Lower)), minor: 0 };
        ProblemMark::ALL
            .iter()
            .map(|mark| mark.weigh(self.count_marked(*mark)))
            .fold(lower, std::ops::Add::add)
    }
}

/// Returns the state of each channel of a package: the default channel first, then the others in
/// source order.
pub fn channel_health(judged: &PackageState, openshift: Option<OpenShift>) -> Vec<ChannelHealth> {
    let default = judged.package().default_channel();
    let mut names: Vec<&ChannelName> =
        judged.graph.channels().iter().map(|channel| channel.graph.name()).collect();
    names.sort_by_key(|name| Some(*name) != default);
    names.dedup();
    names.into_iter().filter_map(|name| ChannelHealth::from_channel(&judged.graph, name, openshift)).collect()
}

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
    /// Number of heads.
    pub heads: usize,
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
        let head = channel.graph.head().map(|node| ChannelHead {
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
            heads: channel.graph.head_nodes().len(),
            versions: summary.total,
            dead_ends: summary.dead_ends,
            escaping: summary.escapes,
            deprecated: summary.deprecated,
            unanswered: summary.errors,
            blocked: update.as_ref().map(|update| update.count_blockers(&table).block),
            blocked_for_good: update.as_ref().map_or(0, for_good),
        })
    }

    /// Returns the short name of the head, or `no head`, or the number of heads.
    pub fn head_label(&self) -> String {
        match &self.head {
            Some(head) => head.short_name.clone(),
            None if self.heads > 1 => format!("{} heads", self.heads),
            None => "no head".to_owned(),
        }
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

/// Mark for a kind of problem, most severe first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ProblemMark {
    /// Errors of `validate`.
    Errors,
    /// Versions with a resolver error.
    Unanswered,
    /// Stuck versions: upgrades never lead to the current version of the package.
    Stuck,
    /// Versions that block the next OpenShift version and cannot be upgraded to a version that does
    /// not.
    BlocksPermanently,
    /// Versions that block the next OpenShift version until they are upgraded.
    BlocksUntilUpgraded,
    /// Versions whose next upgrade is to a deprecated bundle.
    Deprecated,
    /// Warnings of `validate`.
    Warnings,
}

/// Returns the marks with a count above zero; `count` returns the count of a mark.
pub fn nonzero_marks(count: impl Fn(ProblemMark) -> usize) -> impl Iterator<Item = (ProblemMark, usize)> {
    let marks = ProblemMark::ALL.into_iter().map(move |mark| (mark, count(mark)));
    marks.filter(|(_, count)| *count > 0)
}

/// Numbers of severe and minor problems. Severe problems are compared first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ProblemCount {
    /// Number of problems for which [`ProblemMark::is_severe`] is true.
    pub severe: usize,
    /// Number of minor problems.
    pub minor: usize,
}

impl Add for ProblemCount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            severe: self.severe.saturating_add(other.severe),
            minor: self.minor.saturating_add(other.minor),
        }
    }
}

impl ProblemMark {
    /// All marks, most severe first.
    pub const ALL: [Self; 7] = [
        Self::Errors,
        Self::Unanswered,
        Self::Stuck,
        Self::BlocksPermanently,
        Self::BlocksUntilUpgraded,
        Self::Deprecated,
        Self::Warnings,
    ];

    /// Returns the sign before the count in a cell.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Errors => "E",
            Self::Unanswered => "?",
            Self::Stuck => "stuck",
            Self::BlocksPermanently => "B",
            Self::BlocksUntilUpgraded => "b",
            Self::Deprecated => "o",
            Self::Warnings => "!",
        }
    }

    /// Formats a count for a list: `3 stuck`, `1 error`.
    pub fn format_count(self, count: usize) -> String {
        let (one, many) = match self {
            Self::Errors => ("error", "errors"),
            Self::Unanswered => ("without an answer", "without an answer"),
            Self::Stuck => ("stuck", "stuck"),
            Self::BlocksPermanently => ("blocks without an upgrade", "block without an upgrade"),
            Self::BlocksUntilUpgraded => ("blocks until upgraded", "block until upgraded"),
            Self::Deprecated => ("lands on deprecated", "land on deprecated"),
            Self::Warnings => ("warning", "warnings"),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }

    /// Describes the mark in a legend.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Errors => "errors that olmap validate finds in the package",
            Self::Unanswered => "without an answer: Classic or v1 reports an error for them",
            Self::Stuck => "no upgrade path leads from them to the head of the default channel or higher",
            Self::BlocksPermanently => {
                "block the cluster's update to the next OpenShift version (olm.maxOpenShiftVersion), and no \
                 upgrade in this catalog leads to one that does not"
            }
            Self::BlocksUntilUpgraded => {
                "block the cluster's update to the next OpenShift version until they are upgraded"
            }
            Self::Deprecated => "land on deprecated: their next upgrade is to a deprecated bundle",
            Self::Warnings => "warnings of olmap validate in the package",
        }
    }

    /// Returns true for errors and for problems that leave versions without a further upgrade.
    pub fn is_severe(self) -> bool {
        matches!(self, Self::Errors | Self::Unanswered | Self::Stuck | Self::BlocksPermanently)
    }

    /// Converts a count to a number of problems.
    pub fn weigh(self, count: usize) -> ProblemCount {
        if self.is_severe() {
            ProblemCount { severe: count, minor: 0 }
        } else {
            ProblemCount { severe: 0, minor: count }
        }
    }
}
