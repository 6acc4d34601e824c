//! Upgrade tables whose answers of v1 are those over the catalogs of a cluster.

use std::{collections::HashSet, sync::Arc};

use super::{CatalogProperties, ClusterAnswer, ClusterError, ClusterResolver, InstalledMetadata};
use crate::{
    answer::ResolveError,
    fresh_install::{FirstInstall, FreshInstalls},
    install_blockers::InstallBlockerKind,
    package::PackageGraph,
    table::{NextUpgrade, PathEnd, UpgradeRow, UpgradeTable, find_path_ends},
};
use olm_catalog::{BundleName, ChannelName, blob::BundleBlob};

/// Next upgrade of an installed bundle.
struct Step {
    next: NextUpgrade,
    /// Picked bundle, unless the installed one stays.
    target: Option<Arc<BundleBlob>>,
    catalog: Option<Arc<CatalogProperties>>,
    /// Channel with the edge to the pick.
    channel: Option<ChannelName>,
    is_deprecated: bool,
    refused: Option<InstallBlockerKind>,
}

impl Step {
    fn from_answer(answer: &ClusterAnswer) -> Self {
        let installed = answer.installed.as_ref().map(|installed| &installed.name);
        let pick = answer.pick.as_ref();
        let target = pick.filter(|pick| Some(pick.bundle_name()) != installed);
        let (next, refused) = match (&answer.error, target) {
            (None, None) => (NextUpgrade::Stays, None),
            // As for a single catalog: the pick is known, and v1 refuses it.
            (Some(ClusterError::Dependencies(_)), None) => (NextUpgrade::Stays, None),
            (Some(ClusterError::Dependencies(_)), Some(pick)) => {
                (NextUpgrade::To(pick.bundle_name().clone()), Some(InstallBlockerKind::Dependency))
            }
            (Some(error), _) => (NextUpgrade::Error(error.into()), None),
            (None, Some(pick)) => (
                NextUpgrade::To(pick.bundle_name().clone()),
                answer.blocked.first().map(|blocker| blocker.kind),
            ),
        };
        Self {
            target: target.filter(|_| next.target().is_some()).map(|pick| Arc::clone(&pick.bundle)),
            catalog: pick.map(|pick| Arc::clone(&pick.catalog)),
            channel: pick.and_then(|pick| pick.admission.as_ref()?.channel().cloned()),
            is_deprecated: target.is_some_and(|pick| pick.is_deprecated),
            next,
            refused,
        }
    }
}

impl ClusterResolver {
    fn resolve_step(&self, installed: &InstalledMetadata) -> Step {
        Step::from_answer(&self.resolve(Some(installed)))
    }

    /// Replaces the answers of v1 in rows. The bundles on the paths may be in any catalog of the cluster.
    pub fn fill_rows(&self, rows: &mut [UpgradeRow], graph: &PackageGraph, channel: &ChannelName) {
        let package = &graph.package;
        let upgrades = graph.channel(channel.as_str());
        let is_entry =
            |name: &BundleName| upgrades.is_some_and(|c| c.graph.entry_named(name.as_str()).is_some());
        let mut known: HashSet<BundleName> = rows.iter().map(|row| row.installed.name.clone()).collect();
        let mut to_follow = Vec::new();
        for row in &mut *rows {
            let name = &row.installed.name;
            let mut installed = InstalledMetadata::from_package(package, name);
            if let Some(version) = row.installed.version.as_ref().filter(|_| installed.version.is_empty()) {
                installed.version = version.version.to_string();
            }
            let step = self.resolve_step(&installed);
            let is_deprecated = |target: &BundleName| package.bundle_deprecation(target).is_some();
            row.lands_on_deprecated = step.is_deprecated || row.classic.target().is_some_and(is_deprecated);
            // The channel of another catalog may have the pick.
            row.leaves_channel = row.in_channel
                && step.channel.as_ref() != Some(channel)
                && step.next.target().is_some_and(|to| !is_entry(to));
            row.refused = step.refused;
            row.v1 = step.next;
            row.v1_catalog = step.catalog;
            to_follow.extend(step.target);
        }
        let mut beyond: Vec<(BundleName, NextUpgrade)> = Vec::new();
        while let Some(bundle) = to_follow.pop() {
            if !known.insert(bundle.name.value.clone()) {
                continue;
            }
            let step = self.resolve_step(&InstalledMetadata::from_bundle(&bundle));
            beyond.push((bundle.name.value.clone(), step.next));
            to_follow.extend(step.target);
        }
        let own = rows.iter().map(|row| (&row.installed.name, &row.v1));
        let steps: Vec<_> = own.chain(beyond.iter().map(|(name, next)| (name, next))).collect();
        let ends = find_path_ends(&steps);
        for (row, end) in rows.iter_mut().zip(ends) {
            row.v1_end = end;
        }
    }

    /// Follows v1 from an installed bundle to the end of its path.
    fn find_path_end(&self, from: &BundleBlob) -> PathEnd {
        let mut end = PathEnd { name: from.name.value.clone(), hops: 0, circular: false };
        let mut visited = HashSet::from([end.name.clone()]);
        let mut step = self.resolve_step(&InstalledMetadata::from_bundle(from));
        while let Some(bundle) = step.target {
            end = PathEnd { name: bundle.name.value.clone(), hops: end.hops + 1, circular: false };
            if !visited.insert(end.name.clone()) {
                end.circular = true;
                break;
            }
            step = self.resolve_step(&InstalledMetadata::from_bundle(&bundle));
        }
        end
    }
}

impl UpgradeTable {
    /// Returns the table with the answers of v1 over the catalogs of a cluster. The rows are still the bundles of
    /// one catalog.
    #[must_use]
    pub fn with_cluster(&self, graph: &PackageGraph, resolver: &ClusterResolver) -> Self {
        let mut table = self.clone();
        resolver.fill_rows(&mut table.rows, graph, &self.channel);
        table.query_error = resolver.query_error().map(ResolveError::from);
        table
    }
}

impl FreshInstalls {
    /// Returns the results with that of v1 over the catalogs of a cluster.
    #[must_use]
    pub fn with_cluster(self, resolver: &ClusterResolver) -> Self {
        let answer = resolver.resolve(None);
        let step = Step::from_answer(&answer);
        let v1 = match (step.next, step.target) {
            (NextUpgrade::Error(error), _) => Err(error),
            (_, Some(bundle)) => {
                Ok(FirstInstall { end: resolver.find_path_end(&bundle), bundle: bundle.name.value.clone() })
            }
            (_, None) => Err(ResolveError::NoMatch(String::new())),
        };
        Self { v1, v1_blocker: step.refused, ..self }
    }
}
