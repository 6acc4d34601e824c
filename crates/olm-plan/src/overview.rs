//! Overview of catalogs: one row per package, one column per catalog. Each cell has the head of the
//! default channel and counts of problems.
//!
//! Every count equals the one on the Upgrades screen or in `olmap validate` for the package in that
//! catalog alone.

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
    /// See [`OverviewRow::is_removed`].
    follows: Vec<bool>,
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
        Self { rows: names.into_par_iter().map(row).collect(), follows }
    }

    /// Adds rows without cells for the packages that no catalog has.
    pub fn add_absent_packages(&mut self, packages: &BTreeSet<PackageName>) {
        for package in packages {
            if let Err(at) = self.rows.binary_search_by(|row| row.package.cmp(package)) {
                let cells = vec![None; self.follows.len()];
                self.rows.insert(at, OverviewRow::new(package.clone(), cells, self.follows.clone()));
            }
        }
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
            Self::Stuck => {
                "upgrades never lead from them to the head of the default channel or a higher version"
            }
            Self::BlocksPermanently => {
                "block the cluster's update to the next OpenShift version (olm.maxOpenShiftVersion), and no \
                 upgrade in this catalog leads to one that does not"
            }
            Self::BlocksUntilUpgraded => {
                "block the cluster's update to the next OpenShift version until they are upgraded"
            }
            Self::Deprecated => "land on deprecated: their next upgrade is to a deprecated bundle",
            Self::Warnings => {
                "warnings of olmap validate in the package; those about templates follow when the templates are read"
            }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use olm_catalog::{Catalog, load};
    use olm_upgrade::{
        UpgradeTable,
        fixture::{self, any_channel_lines},
        openshift::ClusterUpdate,
        table::TableSummary,
        v1::Query,
    };

    fn parse_openshift(text: &str) -> Option<OpenShift> {
        OpenShift::parse(text).ok()
    }

    fn build_overview(catalogs: Vec<(&str, Catalog)>) -> Overview {
        let catalogs: Vec<_> = catalogs
            .into_iter()
            .map(|(name, catalog)| (parse_openshift(name), Snapshot::new(catalog)))
            .collect();
        let catalogs: Vec<_> = catalogs.iter().map(|(version, catalog)| (*version, catalog)).collect();
        Overview::new(&catalogs, |_| true)
    }

    fn empty_catalog() -> Catalog {
        load::from_bytes(Vec::new())
    }

    fn one_channel_catalog(lines: &str) -> Catalog {
        fixture::catalog_from_channels(&[("c", lines)])
    }

    #[test]
    fn absent_packages_have_rows_without_cells() {
        let mut overview = build_overview(vec![
            ("4.18", one_channel_catalog("- name: b.v1.0.0\n")),
            ("4.19", empty_catalog()),
        ]);
        let own = overview.rows[0].package.clone();
        let absent = [own.clone(), PackageName::from("zebra"), PackageName::from("aardvark")];
        overview.add_absent_packages(&absent.into_iter().collect());
        let names: Vec<&str> = overview.rows.iter().map(|row| row.package.as_str()).collect();
        assert_eq!(names, ["aardvark", own.as_str(), "zebra"]);
        assert!(overview.rows[1].is_removed(1), "its row is unchanged");
        assert_eq!(overview.rows[2].cells, [None, None]);
        assert!(!overview.rows[2].is_removed(1), "no open catalog had it");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        /// The counts equal those of the Upgrades table and those of the findings.
        #[test]
        fn cell_counts_match_the_upgrades_table(lines in any_channel_lines(), other in any_channel_lines()) {
            let catalog = fixture::catalog_from_channels(&[("c", &lines), ("other", &other)]);
            let snapshot = Snapshot::new(catalog);
            let judged = snapshot.package("p").unwrap();
            let at = parse_openshift("4.18");
            let overview = Overview::new(&[(at, &snapshot)], |_| true);
            let cell = overview.rows[0].cells[0].as_ref().unwrap();
            let health = cell.health.as_ref().unwrap();
            let table = UpgradeTable::new(&judged.graph, &"c".into(), &Query::default());
            let TableSummary { total, dead_ends, escapes, deprecated, errors, .. } = table.summarize_channel();
            prop_assert_eq!(
                (health.versions, health.dead_ends, health.escaping, health.deprecated, health.unanswered),
                (total, dead_ends, escapes, deprecated, errors)
            );
            let update = ClusterUpdate::new(judged.package(), &table, at.unwrap());
            prop_assert_eq!(health.blocked, Some(update.count_blockers(&table).block));
            prop_assert!(Some(health.blocked_for_good) <= health.blocked);
            let found = |severity| snapshot.findings().filter(|finding| finding.severity() == severity).map(Finding::finding_count).sum::<usize>();
            prop_assert!(snapshot.outside_findings().is_empty());
            prop_assert_eq!((cell.errors, cell.warnings), (found(Severity::Error), found(Severity::Warning)));
            let stuck = judged.graph.stuck();
            prop_assert_eq!(cell.stuck, stuck.answer.as_ref().map(|answer| (answer.classic.len(), answer.v1.len())));
            prop_assert_eq!(cell.count_marked(ProblemMark::Stuck), stuck.count_any());
            prop_assert_eq!(health.stuck, stuck.count_in_channel(&judged.graph.channel("c").unwrap().graph));
            let all = channel_health(judged, at);
            prop_assert_eq!(all.first(), Some(health));
            prop_assert_eq!(all.len(), 2);
        }
    }

    /// Returns the number of severe problems without errors, since these small fixtures have errors.
    fn severe_without_errors(row: &OverviewRow) -> usize {
        row.trouble().severe - row.cells.iter().flatten().map(|cell| cell.errors).sum::<usize>()
    }

    #[test]
    fn change_reports_new_removed_and_lower_packages() {
        let (low, high) = ("1.0.0", "1.1.0 replaces=1.0.0\n1.0.0");
        let found = build_overview(vec![
            ("4.18", one_channel_catalog(high)),
            ("4.19", one_channel_catalog(low)),
            ("4.20", empty_catalog()),
            ("4.21", one_channel_catalog(low)),
        ]);
        let row = &found.rows[0];
        let changes: Vec<_> =
            row.cells.iter().map(|cell| cell.as_ref().and_then(|cell| cell.change)).collect();
        assert_eq!(changes, [None, Some(Change::Lower), None, Some(Change::New)]);
        assert_eq!(
            (0..5).map(|nth| row.is_removed(nth)).collect::<Vec<_>>(),
            [false, false, true, false, false]
        );
        assert_eq!(severe_without_errors(row), 2);
        assert_eq!(found.count_troubled(), 1);
    }

    #[test]
    fn first_catalog_and_equal_heads_have_no_change() {
        let found = build_overview(vec![
            ("4.18", one_channel_catalog("1.0.0")),
            ("4.20", one_channel_catalog("1.0.0")),
        ]);
        assert!(found.rows[0].cells.iter().flatten().all(|cell| cell.change.is_none()));
        assert_eq!(severe_without_errors(&found.rows[0]), 0);
    }

    #[test]
    fn stuck_versions_are_counted_to_the_end_of_the_path() {
        // Only a skipped entry upgrades 1.1.0 and 1.0.0: v1 uses it, Classic does not.
        let found = build_overview(vec![(
            "4.18",
            one_channel_catalog(
                "3.0.0 replaces=2.0.0 skips=2.5.0\n2.5.0 skips=1.1.0,1.0.0\n2.0.0\n1.1.0\n1.0.0",
            ),
        )]);
        let cell = found.rows[0].cells[0].as_ref().unwrap();
        let health = cell.health.as_ref().unwrap();
        assert_eq!((cell.stuck, health.stuck), (Some((2, 0)), Some((2, 0))));
        assert_eq!((health.dead_ends, health.escaping), (2, 0));
        let told: Vec<ProblemMark> =
            nonzero_marks(|mark| health.count_marked(mark)).map(|(mark, _)| mark).collect();
        assert_eq!(told, [ProblemMark::Stuck]);
        assert_eq!(cell.trouble().severe, cell.errors + 2);
    }

    #[test]
    fn head_of_an_old_channel_is_stuck_and_no_head_is_unknown() {
        let catalog =
            fixture::catalog_from_channels(&[("c", "2.0.0"), ("old", "1.1.0 replaces=1.0.0\n1.0.0")]);
        let found = build_overview(vec![("4.18", catalog), ("4.20", one_channel_catalog("2.0.0\n1.0.0"))]);
        let [old, no_head] = found.rows[0].cells.as_slice() else { panic!("{found:?}") };
        assert_eq!(old.as_ref().unwrap().stuck, Some((2, 2)));
        assert_eq!(no_head.as_ref().unwrap().stuck, None);
    }

    #[test]
    fn blocking_versions_are_unknown_without_openshift_version() {
        let lines = "1.1.0 replaces=1.0.0\n1.0.0 max='4.18'";
        let count = |name| {
            let found = build_overview(vec![(name, one_channel_catalog(lines))]);
            let health = found.rows[0].cells[0].as_ref().unwrap().health.clone().unwrap();
            (health.blocked, health.blocked_for_good)
        };
        assert_eq!((count("4.18"), count("4.17"), count("mine")), ((Some(1), 0), (Some(0), 0), (None, 0)));
        let found = build_overview(vec![("4.18", one_channel_catalog("1.0.0 max='4.18'"))]);
        assert_eq!(found.rows[0].cells[0].as_ref().unwrap().count_marked(ProblemMark::BlocksPermanently), 1);
    }

    #[test]
    fn missing_default_channel_has_no_counts() {
        let yaml = "schema: olm.package\nname: p\ndefaultChannel: gone\n";
        let found = build_overview(vec![("4.18", load::from_bytes(yaml.into()))]);
        let cell = found.rows[0].cells[0].as_ref().unwrap();
        assert!(cell.health.is_none() && cell.errors > 0 && cell.head().is_none());
    }

    #[test]
    fn signs_are_all_different() {
        let signs: BTreeSet<&str> = ProblemMark::ALL.iter().map(|mark| mark.sign()).collect();
        assert_eq!(signs.len(), ProblemMark::ALL.len());
    }
}
