//! Overview of catalogs: one row per package, one column per catalog. Each cell has the head of the
//! default channel and counts of problems.
//!
//! Every count equals the one on the Upgrades screen or in `olmap validate` for the package in that
//! catalog alone.

mod health;
mod mark;
#[cfg(test)]
mod tests;

use std::{cmp::Ordering, collections::BTreeSet};

use rayon::prelude::*;

pub use health::{ChannelHead, ChannelHealth};
pub use mark::{ProblemCount, ProblemMark, nonzero_marks};

use olm_catalog::{ChannelName, PackageName};
use olm_check::{
    Finding, Severity,
    review::{PackageState, Snapshot},
};
use olm_upgrade::openshift::OpenShift;

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
        let names: BTreeSet<&PackageName> =
            catalogs.iter().flat_map(|(_, catalog)| catalog.packages().map(|(name, _)| name)).collect();
        let names: Vec<&PackageName> = names.into_iter().filter(|name| is_wanted(name)).collect();
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
        Self { rows: names.into_par_iter().map(row).collect() }
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
            is_pending: judged.deferred_checks().is_none()
                && (catalog.template_source(&package.name).is_some()
                    || !catalog.bundle_directories().is_empty()),
            change: None,
        }
    }

    /// Returns the head of the default channel.
    pub fn head(&self) -> Option<&ChannelHead> {
        self.health.as_ref()?.head.as_ref()
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
