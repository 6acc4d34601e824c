//! Stuck versions among installed bundles, which may no longer be published.

use std::collections::HashMap;

use super::{PickTable, StuckGroup, StuckReason, StuckReport, StuckVersions};
use crate::{Engine, Installed, PackageGraph, classic, v1::Query};
use olm_catalog::BundleName;
use olm_version::Version;

/// End of the upgrades of a stuck version.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StuckEnd {
    /// Bundle at which its upgrades end.
    pub end: BundleName,
    /// Reason why they end there.
    pub reason: StuckReason,
}

/// Ends of all stuck versions of a package, by engine and bundle.
#[derive(Debug)]
pub struct StuckEnds<'g> {
    graph: &'g PackageGraph,
    head: &'g Version,
    groups: HashMap<(Engine, &'g BundleName), &'g StuckGroup>,
}

impl<'g> StuckEnds<'g> {
    /// Indexes the stuck versions of a package; `None` if they are unknown.
    pub fn new(graph: &'g PackageGraph) -> Option<Self> {
        let StuckReport { answer, .. } = graph.stuck();
        let StuckVersions { head, groups, .. } = answer.as_ref()?;
        let named = groups
            .iter()
            .flat_map(|group| group.versions.iter().map(move |version| ((group.engine, version), group)));
        let head = &graph.package.bundle_version(head.as_str())?.version;
        Some(Self { graph, head, groups: named.collect() })
    }

    /// Returns the end of a published bundle. `None` if it is not stuck.
    pub fn of_published(&self, engine: Engine, bundle: &BundleName) -> Option<StuckEnd> {
        let group = self.groups.get(&(engine, bundle))?;
        Some(StuckEnd { end: group.end.clone(), reason: group.reason })
    }

    /// Returns the end of an installed bundle. `None` if it is not stuck: upgrades lead to the goal, or its version is at or
    /// above that of the head. A bundle that is not published is upgraded by its name and its version.
    pub fn of_installed(&self, engine: Engine, installed: &Installed) -> Option<StuckEnd> {
        let package = &self.graph.package;
        if package.bundle(installed.name.as_str()).is_some() {
            return self.of_published(engine, &installed.name);
        }
        if installed.version.as_ref().is_some_and(|v| v.version.cmp_precedence(self.head).is_ge()) {
            return None;
        }
        let picks: Vec<&BundleName> = self
            .next_picks(engine, installed)
            .filter(|pick| package.bundle(pick.as_str()).is_some())
            .collect();
        let mut groups = Vec::new();
        for pick in picks {
            groups.push(self.groups.get(&(engine, pick))?);
        }
        let version = |name: &BundleName| package.bundle_version(name.as_str());
        let highest = groups.into_iter().max_by(|a, b| match (version(&a.end), version(&b.end)) {
            (Some(a), Some(b)) => a.cmp_precedence(b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
        Some(match highest {
            Some(group) => StuckEnd { end: group.end.clone(), reason: group.reason },
            None => StuckEnd {
                end: installed.name.clone(),
                reason: PickTable::find_reason(self.graph, engine, installed),
            },
        })
    }

    /// Returns the upgrade targets of an installed bundle; on OLM Classic, in any channel.
    fn next_picks(&self, engine: Engine, installed: &Installed) -> impl Iterator<Item = &BundleName> {
        let classic = move || {
            self.graph.channels().iter().filter_map(|channel| {
                let pick = classic::pick_successor(&channel.graph, channel.chain.as_ref().ok()?, installed)?;
                Some(&channel.graph.node(pick)?.name)
            })
        };
        let v1 = move || {
            let resolver = self.graph.v1_resolver(&Query::default()).ok()?;
            let pick = resolver.pick(Some(installed)).ok()?;
            // The resolver is shared with the graph, and its bundles are those of the package.
            self.graph.package.bundle(pick.as_str()).map(|bundle| &bundle.name.value)
        };
        let (classic, v1) = match engine {
            Engine::Classic => (Some(classic()), None),
            Engine::V1 => (None, v1()),
        };
        classic.into_iter().flatten().chain(v1).filter(|pick| **pick != installed.name)
    }
}
