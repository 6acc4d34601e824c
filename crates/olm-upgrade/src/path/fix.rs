//! Search for the smallest edit that makes a path arrive. Each edit is tried before it is offered.

use std::{collections::HashMap, sync::Arc};

use petgraph::graph::NodeIndex;

use super::{
    PathOutcome, PickedPath, StopReason, UnreachableReason, UpgradeContext, follow_path, walker::Walker,
};
use crate::{
    answer::ResolveError,
    classic,
    graph::ChannelGraph,
    installed::Installed,
    package::{ChannelUpgrades, PackageGraph},
    table::{self, NextUpgrade},
    v1::Query,
};
use olm_catalog::{BundleName, ChannelName, PackageName, blob::EntrySpec};
use olm_version::VersionRelease;

/// Change of one entry that makes a path arrive.
#[derive(Clone, Debug, PartialEq)]
pub struct PathFix {
    /// Package of the entry.
    pub package: PackageName,
    /// Channel of the entry.
    pub channel: ChannelName,
    /// Changed entry.
    pub entry: BundleName,
    /// All edges of the entry after the change.
    pub spec: EntrySpec,
    /// Bundle that can then be upgraded to the entry.
    pub from: BundleName,
    /// Kind of the added edge.
    pub kind: PathFixKind,
}

/// Edge that an [`PathFix`] adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathFixKind {
    /// Another name in `skips`.
    Skips,
    /// A wider `skipRange`.
    SkipRange {
        /// New range.
        range: String,
    },
}

/// Finds the smallest edit after which a path arrives: one more edge to one entry. `None` if the path arrives already or no
/// edge opens it.
///
/// If the last stop has an ignored way out, the search tries the entry that blocks it first. Next are the goal and the
/// entries below it from which the path reaches the goal. If a skip would strand other bundles behind a bundle that Classic
/// picks, the range is widened by its version instead. Every edit is tried on the package first.
pub(super) fn find_fix(graph: &PackageGraph, path: &PickedPath) -> Option<PathFix> {
    let to = path.to.as_ref()?;
    match &path.outcome {
        // v1 reports these errors for an installed bundle that left the catalog.
        PathOutcome::Error { error: ResolveError::NoMatch(_) | ResolveError::NoEdge { .. }, .. } => {}
        PathOutcome::Arrives | PathOutcome::Never(_) | PathOutcome::Error { .. } => return None,
        // Classic never picks a skipped bundle.
        PathOutcome::PassesBy { skipped_by: Some(_), .. } => return None,
        PathOutcome::PassesBy { .. } | PathOutcome::Stays { .. } | PathOutcome::Cycle { .. } => {}
    }
    let walker = Walker::new(graph, &path.context);
    walker.rank(to)?;
    let search = Search { graph, path, to, preference: walker.preferred_names(), walker };
    search.find_best_fix()
}

struct Search<'a> {
    graph: &'a PackageGraph,
    path: &'a PickedPath,
    to: &'a BundleName,
    walker: Walker<'a>,
    preference: Vec<BundleName>,
}

impl Search<'_> {
    fn find_best_fix(&self) -> Option<PathFix> {
        let mut arrives = HashMap::new();
        let stops = self.path.hops.iter().rev().map(|hop| self.walker.to_installed(&hop.to));
        for stop in stops.chain([self.path.from.clone()]) {
            let next = match self.walker.step(&stop) {
                Err(ResolveError::NoMatch(_) | ResolveError::NoEdge { .. }) => None,
                next => next.ok()?,
            };
            let better_than = match next {
                Some((next, _)) => self.walker.rank(&next),
                // v1 stays if the installed bundle ranks before all candidates with an edge.
                None => match self.path.context {
                    UpgradeContext::Classic(_) => None,
                    UpgradeContext::V1(_) => self.walker.rank(&stop.name),
                },
            };
            for entry in self.list_targets(&stop, better_than) {
                if !self.arrives_from(entry, &mut arrives) {
                    continue;
                }
                if let Some(opening) = self.build_fix(&stop, entry) {
                    return Some(opening);
                }
            }
        }
        None
    }

    /// Returns possible targets of an edge from `stop`, best first.
    fn list_targets<'s>(
        &'s self,
        stop: &'s Installed,
        better_than: Option<usize>,
    ) -> impl Iterator<Item = &'s BundleName> {
        let mut targets: Vec<&BundleName> = Vec::new();
        if let PathOutcome::Stays { why: StopReason::DeadEnd(ignored), .. } = &self.path.outcome {
            targets.extend(ignored.iter().filter_map(|way_out| match &way_out.why {
                crate::Refusal::Skipped { by, .. } => Some(by),
                _ => None,
            }));
        }
        targets.push(self.to);
        // Start at the goal: paths from entries that rank before it do not lead to it.
        targets.extend(self.preference.iter().skip(self.walker.rank(self.to).unwrap_or(0)));
        let mut seen = std::collections::HashSet::new();
        targets.into_iter().filter(move |name| {
            let counts =
                self.walker.rank(name).is_some_and(|rank| better_than.is_none_or(|best| rank < best));
            counts && **name != stop.name && self.is_higher(name, stop) && seen.insert(*name)
        })
    }

    /// Returns true if the entry is higher; olmap never suggests a downgrade.
    fn is_higher(&self, name: &BundleName, than: &Installed) -> bool {
        match (self.graph.package.bundle_version(name.as_str()), &than.version) {
            (Some(there), Some(here)) => there.cmp_precedence(here).is_gt(),
            _ => true,
        }
    }

    /// Returns true if the path from an entry reaches the goal. `known` caches the results of all entries on the path.
    fn arrives_from(&self, entry: &BundleName, known: &mut HashMap<BundleName, bool>) -> bool {
        let mut trail = Vec::new();
        let mut at = entry.clone();
        let arrives = loop {
            if at == *self.to {
                break true;
            }
            if let Some(&arrives) = known.get(&at) {
                break arrives;
            }
            // A path that returns to this entry is a cycle.
            known.insert(at.clone(), false);
            let next = self.walker.next_bundle(&self.walker.to_installed(&at));
            trail.push(at);
            match next {
                Some(next) => at = next,
                None => break false,
            }
        };
        known.extend(trail.into_iter().map(|name| (name, arrives)));
        arrives
    }

    /// Returns the edge from a stop to an entry: a skip if it works, otherwise a range.
    fn build_fix(&self, stop: &Installed, name: &BundleName) -> Option<PathFix> {
        let mut channels: Vec<&ChannelGraph> = self.walker.used_channels().collect();
        let default = self.graph.package.default_channel();
        // A channel with both entries comes first, then the default channel.
        channels.sort_by_key(|graph| {
            (graph.entry_named(stop.name.as_str()).is_none(), Some(graph.name()) != default)
        });
        let with_entry =
            channels.into_iter().filter_map(|graph| Some((graph, graph.entry_named(name.as_str())?)));
        let (graph, entry) = with_entry.into_iter().next()?;
        let opening = |spec: EntrySpec, kind: PathFixKind| PathFix {
            package: self.graph.package.name.clone(),
            channel: graph.name().clone(),
            entry: name.clone(),
            spec,
            from: stop.name.clone(),
            kind,
        };
        let by_skip = (!entry.skips(&stop.name)).then(|| {
            let mut spec = entry.to_spec();
            spec.skips.push(stop.name.clone());
            opening(spec, PathFixKind::Skips)
        });
        let by_range = || {
            let range = extend_range(entry.to_spec().skip_range.as_deref(), stop.version.as_ref()?);
            let spec = EntrySpec { skip_range: Some(range.clone()), ..entry.to_spec() };
            Some(opening(spec, PathFixKind::SkipRange { range }))
        };
        by_skip
            .filter(|opening| self.is_valid_fix(opening, graph.name()))
            .or_else(|| by_range().filter(|opening| self.is_valid_fix(opening, graph.name())))
    }

    /// Returns true if the path arrives after the edit and the edit does not strand other bundles.
    fn is_valid_fix(&self, opening: &PathFix, channel: &ChannelName) -> bool {
        let supposed = self.graph.package.with_entry(channel, &opening.entry, &opening.spec);
        let Some(package) = supposed else { return false };
        let after = PackageGraph::new(&Arc::new(package));
        let way = follow_path(&after, &self.path.context, &self.path.from, Some(self.to));
        let channels = (self.graph.channel(channel.as_str()), after.channel(channel.as_str()));
        way.arrives()
            && match channels {
                (Some(before), Some(after)) => !strands_bundle(before, after, &opening.from),
                _ => false,
            }
    }
}

/// Returns true if the edit harms Classic: it breaks the channel, or strands a bundle that was upgraded to the now skipped
/// `name`.
fn strands_bundle(before: &ChannelUpgrades, after: &ChannelUpgrades, name: &BundleName) -> bool {
    if before.chain.is_err() || after.chain.is_err() {
        return before.chain.is_ok();
    }
    let Some(entry) = before.graph.entry_named(name.as_str()) else { return false };
    let moved = |at: NodeIndex| {
        let node = before.graph.node(at)?;
        let installed = Installed { name: node.name.clone(), version: node.version.clone() };
        classic::edge_kind(entry, &installed)?;
        let was = table::classic_next(before, &installed);
        Some(was.target() == Some(name) && table::classic_next(after, &installed) == NextUpgrade::Stays)
    };
    before.graph.graph().node_indices().any(|at| moved(at).unwrap_or(false))
}

/// Extends a skipRange by one version.
fn extend_range(range: Option<&str>, version: &VersionRelease) -> String {
    // Ranges ignore build metadata.
    let version = version.version.without_build();
    match range.map(str::trim) {
        None | Some("") => format!("={version}"),
        Some(range) => format!("{range} || ={version}"),
    }
}

/// Returns a version constraint with which the path arrives without an edit (v1 only).
pub(super) fn find_constraint(graph: &PackageGraph, path: &PickedPath) -> Option<String> {
    let UpgradeContext::V1(query) = &path.context else { return None };
    let to = path.to.as_ref()?;
    let is_left_out = match &path.outcome {
        PathOutcome::PassesBy { .. } | PathOutcome::Never(UnreachableReason::Constraint { .. }) => true,
        PathOutcome::Stays { why, .. } => matches!(why, StopReason::Highest | StopReason::Constraint { .. }),
        _ => false,
    };
    if !is_left_out {
        return None;
    }
    let version = graph.package.bundle_version(to.as_str())?.version.without_build();
    ["<=", "="].into_iter().map(|sign| format!("{sign}{version}")).find(|text| {
        let query = Query { version: text.clone(), ..query.clone() };
        super::follow_path(graph, &UpgradeContext::V1(query), &path.from, Some(to)).arrives()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::{WalkEnd, walk_picks},
        *,
    };
    use crate::fixture::{self, any_channel_lines};

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn cached_results_agree_with_walk(c in any_channel_lines(), d in any_channel_lines(), to in 0..12_usize) {
            let graph = fixture::graph_from_channels(&[("c", &c), ("d", &d)]);
            let names: Vec<&BundleName> = graph.package.bundles.iter().map(|b| &b.name.value).collect();
            let (to, from) = (names[to % names.len()], Installed::from_package(&graph.package, names[0]));
            for traveller in [UpgradeContext::Classic("c".into()), UpgradeContext::V1(Query::default())] {
                let path = follow_path(&graph, &traveller, &from, Some(to));
                let walker = Walker::new(&graph, &traveller);
                let preference = walker.preferred_names();
                let search = Search { graph: &graph, path: &path, to, walker, preference };
                let mut known = HashMap::new();
                for name in &names {
                    let from = search.walker.to_installed(name);
                    let slow = matches!(walk_picks(&search.walker, &from, Some(to)).1, WalkEnd::Arrives);
                    prop_assert_eq!(search.arrives_from(name, &mut known), slow, "{} to {}", name, to);
                }
            }
        }
    }
}
