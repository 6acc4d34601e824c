//! Number of versions that upgrades skip.

use std::collections::HashSet;

use super::{PickTable, StuckGroup};
use crate::{PackageGraph, graph::EdgeKind};
use olm_catalog::{BundleName, blob::Entry, package::Package};
use olm_version::VersionRelease;

/// Longest upgrade that a remedy adds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Jump {
    /// Lowest version that the edit upgrades directly to the entry.
    pub from: BundleName,
    /// Number of versions of the package between that version and the entry.
    pub skipped: usize,
    /// True if the entry has another major version.
    pub changes_major: bool,
}

impl Jump {
    /// Returns the longest upgrade from a group that an edit of a field of `entry` adds.
    pub(super) fn find_longest(
        graph: &PackageGraph,
        group: &StuckGroup,
        entry: &Entry,
        field: EdgeKind,
    ) -> Self {
        let version = |name: &BundleName| graph.package.bundle_version(name.as_str());
        let lowest = || {
            let all = group.versions.iter().filter_map(|name| Some((name, version(name)?)));
            all.min_by(|a, b| a.1.cmp_precedence(b.1)).map(|(name, _)| name)
        };
        let from = if field == EdgeKind::SkipRange { lowest() } else { None };
        let from = from.unwrap_or(&group.end);
        let (skipped, changes_major) = match version(from).zip(version(&entry.name.value)) {
            Some((low, high)) => {
                let sorted = sort_versions(&graph.package);
                (count_between(&sorted, low, high), low.version.major() != high.version.major())
            }
            None => (0, false),
        };
        Self { from: from.clone(), skipped, changes_major }
    }
}

/// Returns the number of versions that the longest upgrade of a package skips: the longest pick of
/// either engine. 0 if the default channel does not have a single head.
pub fn count_longest_skip(graph: &PackageGraph) -> usize {
    let Some(picks) = PickTable::new(graph) else { return 0 };
    let sorted = sort_versions(&graph.package);
    let version = |at: usize| graph.package.bundle_version(picks.names.get(at)?.as_str());
    let skipped = |from: usize, to: usize| Some(count_between(&sorted, version(from)?, version(to)?));
    let all = (0..picks.names.len()).flat_map(|from| {
        let steps = picks.classic_picks(from).chain(picks.v1_picks(from));
        steps.map(move |to| (from, to))
    });
    all.filter_map(|(from, to)| skipped(from, to)).max().unwrap_or(0)
}

/// Returns the versions of all bundles of a package, lowest first.
pub fn sort_versions(package: &Package) -> Vec<&VersionRelease> {
    let names: HashSet<&BundleName> = package.bundles.iter().map(|bundle| &bundle.name.value).collect();
    let mut versions: Vec<_> =
        names.into_iter().filter_map(|name| package.bundle_version(name.as_str())).collect();
    versions.sort_by(|a, b| a.cmp_precedence(b));
    versions
}

/// Returns the number of sorted versions between two versions.
pub fn count_between(sorted: &[&VersionRelease], low: &VersionRelease, high: &VersionRelease) -> usize {
    let at_most_low = sorted.partition_point(|version| version.cmp_precedence(low).is_le());
    let below_high = sorted.partition_point(|version| version.cmp_precedence(high).is_lt());
    below_high.saturating_sub(at_most_low)
}
