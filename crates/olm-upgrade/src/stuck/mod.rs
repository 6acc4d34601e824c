//! Stuck versions: published bundles from which upgrades never lead to the current version of the
//! package.
//!
//! The current version is the head of the default channel. Paths are followed to their end, so a
//! version that leads to a stuck version is stuck, too. OLM Classic is evaluated in every channel,
//! OLM v1 without a channel. Only the picks of the resolvers count, not dependencies, install modes
//! and limits of OpenShift versions.

mod jump;
mod reason;
mod remedy;
mod state;
#[cfg(test)]
mod tests;

use std::{
    cmp::Ordering,
    collections::{HashMap, HashSet},
};

use petgraph::{algo::tarjan_scc, graph::DiGraph};

use super::{
    Engine, Installed, PackageGraph, classic,
    install_blockers::{InstallBlockerKind, v1_pick_blockers},
    v1::Query,
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_version::Version;

use reason::ReasonFinder;

pub use jump::{Jump, count_between, count_longest_skip, sort_versions};
pub use reason::StuckReason;
pub use remedy::Remedy;
pub use state::{VersionState, VersionStates, find_channel_changes, format_counts, format_counts_briefly};

/// Stuck versions of a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StuckReport {
    /// Name of the package.
    pub package: PackageName,
    /// Number of published bundles.
    pub versions: usize,
    /// Stuck versions; `None` (unknown) if the default channel does not have a single head with a
    /// bundle.
    pub answer: Option<StuckVersions>,
}

/// Stuck versions of a package whose default channel has a single head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StuckVersions {
    /// Head of the default channel.
    pub head: BundleName,
    /// Bundles that are stuck on OLM Classic, by name.
    pub classic: Vec<BundleName>,
    /// Bundles that are not stuck on OLM Classic, but reach the head only if the channel of the
    /// Subscription changes, by name.
    pub needs_channel_change: Vec<BundleName>,
    /// Bundles that are stuck on OLM v1, by name.
    pub v1: Vec<BundleName>,
    /// Stuck bundles, grouped by the bundle at which their upgrades end.
    pub groups: Vec<StuckGroup>,
    /// Indexes in `groups` of the group on OLM Classic and of that on OLM v1, by version. A version
    /// is in at most one group of an engine.
    index: HashMap<BundleName, [Option<usize>; 2]>,
}

/// Versions whose upgrades end at the same bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StuckGroup {
    /// Engine on which they are stuck.
    pub engine: Engine,
    /// Bundle at which their upgrades end. It is one of them.
    pub end: BundleName,
    /// Reason why upgrades end there.
    pub reason: StuckReason,
    /// v1: reason why v1 refuses what it picks there, which is the bundle itself unless the reason is a cycle.
    pub v1_refusal: Option<InstallBlockerKind>,
    /// Versions, newest first.
    pub versions: Vec<BundleName>,
    /// True if each version is only in pre-release channels.
    pub is_prerelease: bool,
}

impl StuckReport {
    /// Finds the stuck versions of a package.
    pub fn find_stuck(graph: &PackageGraph) -> Self {
        let names: HashSet<&BundleName> =
            graph.package.bundles.iter().map(|bundle| &bundle.name.value).collect();
        Self {
            package: graph.package.name.clone(),
            versions: names.len(),
            answer: PickTable::new(graph).map(|picks| picks.find_stuck_versions()),
        }
    }

    /// Returns the groups of versions that are stuck on an engine, largest first. Empty if unknown.
    pub fn groups_on(&self, engine: Engine) -> impl Iterator<Item = &StuckGroup> {
        self.answer.iter().flat_map(|answer| &answer.groups).filter(move |group| group.engine == engine)
    }

    /// Returns the number of versions that are stuck on an engine; 0 if unknown.
    pub fn count_stuck(&self, engine: Engine) -> usize {
        self.answer.as_ref().map_or(0, |answer| answer.on_engine(engine).len())
    }

    /// Returns the number of versions that are stuck on at least one engine.
    pub fn count_any(&self) -> usize {
        self.answer.as_ref().map_or(0, |answer| answer.index.len())
    }

    /// Returns the group of a version. `None` if it is not stuck on the engine.
    pub fn group_of(&self, engine: Engine, bundle: &BundleName) -> Option<&StuckGroup> {
        let answer = self.answer.as_ref()?;
        answer.groups.get(answer.group_index(engine, bundle.as_str())?)
    }
}

impl StuckVersions {
    /// Returns the bundles that are stuck on an engine, by name.
    pub fn on_engine(&self, engine: Engine) -> &[BundleName] {
        match engine {
            Engine::Classic => &self.classic,
            Engine::V1 => &self.v1,
        }
    }

    /// Returns the index of the group of a version. `None` if it is not stuck on the engine.
    pub fn group_index(&self, engine: Engine, version: &str) -> Option<usize> {
        let [classic, v1] = self.index.get(version)?;
        match engine {
            Engine::Classic => *classic,
            Engine::V1 => *v1,
        }
    }
}

/// Returns true if a channel name is typical for pre-releases.
pub fn is_prerelease_channel(name: &ChannelName) -> bool {
    let name = name.as_str();
    ["alpha", "beta"].contains(&name)
        || name.contains("candidate")
        || name.contains("nightly")
        || ["dev-preview", "pre-ga"].iter().any(|start| name.starts_with(start))
}

impl PackageGraph {
    /// Returns true if OLM Classic upgrades a bundle in one channel to the head of the default channel or to a higher
    /// version. False if the head is unknown.
    pub fn arrives_in_channel(&self, channel: &ChannelName, bundle: &BundleName) -> bool {
        let version = |name: &BundleName| Some(&self.package.bundle_version(name.as_str())?.version);
        let goal = self.stuck().answer.as_ref().and_then(|answer| version(&answer.head));
        let Some((goal, channel)) = goal.zip(self.channel(channel.as_str())) else { return false };
        let Ok(chain) = &channel.chain else { return false };
        let mut bundle = bundle;
        // Each upgrade leads to another entry, unless they form a circle.
        for _ in 0..=self.package.bundles.len() {
            if version(bundle).is_some_and(|version| version.cmp_precedence(goal).is_ge()) {
                return true;
            }
            let installed = Installed::from_package(&self.package, bundle);
            let pick = classic::pick_successor(&channel.graph, chain, &installed);
            let Some(next) = pick.and_then(|pick| channel.graph.node(pick)) else { return false };
            bundle = &next.name;
        }
        false
    }
}

/// Picks of each engine for each published bundle. Bundles are represented by their indices in
/// `names`.
struct PickTable<'g> {
    graph: &'g PackageGraph,
    names: Vec<&'g BundleName>,
    versions: Vec<Option<&'g Version>>,
    head: &'g BundleName,
    /// For each bundle, true if it is at or above the version of the head.
    is_goal: Vec<bool>,
    /// Picks of OLM Classic, per channel and bundle.
    channels: Vec<Vec<Option<usize>>>,
    /// Pick of OLM v1 for each bundle.
    v1: Vec<Option<usize>>,
}

impl<'g> PickTable<'g> {
    /// Queries both resolvers. `None` if the default channel does not have a single head with a
    /// version.
    fn new(graph: &'g PackageGraph) -> Option<Self> {
        let package = &graph.package;
        let default = graph.channel(package.default_channel()?.as_str())?;
        let head = &default.graph.head()?.name;
        let goal = &package.bundle(head.as_str())?.version.as_ref()?.version;
        let mut places: HashMap<&BundleName, usize> = HashMap::new();
        let mut names = Vec::new();
        for bundle in &package.bundles {
            places.entry(&bundle.name.value).or_insert_with(|| {
                names.push(&bundle.name.value);
                names.len() - 1
            });
        }
        let versions: Vec<Option<&Version>> =
            names.iter().map(|name| Some(&package.bundle_version(name.as_str())?.version)).collect();
        let is_goal = |version: Option<&Version>| version.is_some_and(|v| v.cmp_precedence(goal).is_ge());
        let installed: Vec<Installed> =
            names.iter().map(|name| Installed::from_package(package, name)).collect();
        let place_of = |from: usize, name: &BundleName| places.get(name).copied().filter(|to| *to != from);
        let mut seen: HashSet<&ChannelName> = HashSet::new();
        let channels = graph.channels().iter().map(|channel| {
            // Of several channels with the same name, the first counts.
            let chain = channel.chain.as_ref().ok().filter(|_| seen.insert(channel.graph.name()));
            let pick = |(from, installed): (usize, &Installed)| {
                let pick = classic::pick_successor(&channel.graph, chain?, installed)?;
                place_of(from, &channel.graph.node(pick)?.name)
            };
            installed.iter().enumerate().map(pick).collect()
        });
        let channels = channels.collect();
        let resolver = graph.v1_resolver(&Query::default()).ok();
        let v1 = installed
            .iter()
            .enumerate()
            .map(|(from, installed)| place_of(from, resolver.as_ref()?.pick(Some(installed)).ok()?));
        let v1 = v1.collect();
        Some(Self {
            graph,
            head,
            is_goal: versions.iter().copied().map(is_goal).collect(),
            names,
            versions,
            channels,
            v1,
        })
    }

    /// Returns the picks of OLM Classic for a bundle in all channels.
    fn classic_picks(&self, from: usize) -> impl Iterator<Item = usize> {
        self.channels.iter().filter_map(move |picks| picks.get(from).copied().flatten())
    }

    fn v1_picks(&self, from: usize) -> impl Iterator<Item = usize> {
        self.v1.get(from).copied().flatten().into_iter()
    }

    /// Returns, per bundle, true if `steps` lead from it to a bundle in `is_goal`.
    fn find_arriving<I: Iterator<Item = usize>>(&self, steps: impl Fn(usize) -> I) -> Vec<bool> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.names.len()];
        for from in 0..self.names.len() {
            for to in steps(from) {
                if let Some(before) = before.get_mut(to) {
                    before.push(from);
                }
            }
        }
        let mut arrives = self.is_goal.clone();
        let mut open: Vec<usize> = (0..arrives.len()).filter(|at| arrives.get(*at) == Some(&true)).collect();
        while let Some(at) = open.pop() {
            for from in before.get(at).into_iter().flatten() {
                if let Some(arrives) = arrives.get_mut(*from).filter(|arrives| !**arrives) {
                    *arrives = true;
                    open.push(*from);
                }
            }
        }
        arrives
    }

    fn find_stuck_versions(&self) -> StuckVersions {
        let classic = self.find_arriving(|from| self.classic_picks(from));
        let v1 = self.find_arriving(|from| self.v1_picks(from));
        // Bundles that arrive in one of their channels without a change.
        let mut arrives_in_channel = self.is_goal.clone();
        for (place, picks) in self.channels.iter().enumerate() {
            let arrives = self.find_arriving(|from| picks.get(from).copied().flatten().into_iter());
            let Some(channel) = self.graph.channels().get(place) else { continue };
            for (at, name) in self.names.iter().enumerate() {
                let is_entry = || channel.graph.entry_named(name.as_str()).is_some();
                if let Some(stays) = arrives_in_channel.get_mut(at).filter(|stays| !**stays) {
                    *stays = arrives.get(at) == Some(&true) && is_entry();
                }
            }
        }
        let stuck = |arrives: &[bool]| self.sorted_names(|at| arrives.get(at) == Some(&false));
        let mut groups = self.group_by_end(Engine::Classic, &classic, |from| self.classic_picks(from));
        groups.extend(self.group_by_end(Engine::V1, &v1, |from| self.v1_picks(from)));
        let mut index: HashMap<BundleName, [Option<usize>; 2]> = HashMap::new();
        for (at, group) in groups.iter().enumerate() {
            for version in &group.versions {
                let [classic, v1] = index.entry(version.clone()).or_default();
                *match group.engine {
                    Engine::Classic => classic,
                    Engine::V1 => v1,
                } = Some(at);
            }
        }
        StuckVersions {
            index,
            head: self.head.clone(),
            needs_channel_change: self.sorted_names(|at| {
                classic.get(at) == Some(&true) && arrives_in_channel.get(at) == Some(&false)
            }),
            classic: stuck(&classic),
            v1: stuck(&v1),
            groups,
        }
    }

    /// Returns the names of the bundles whose index satisfies a condition, sorted.
    fn sorted_names(&self, is_included: impl Fn(usize) -> bool) -> Vec<BundleName> {
        let meant = self.names.iter().enumerate().filter(|(at, _)| is_included(*at));
        let mut names: Vec<BundleName> = meant.map(|(_, name)| (*name).clone()).collect();
        names.sort();
        names
    }

    /// Groups the stuck bundles by the bundle at which their upgrades end, largest group first. If
    /// they end in a cycle, that is the highest bundle of the cycle.
    fn group_by_end<I: Iterator<Item = usize>>(
        &self,
        engine: Engine,
        arrives: &[bool],
        steps: impl Fn(usize) -> I,
    ) -> Vec<StuckGroup> {
        let mut steps_of_stuck: DiGraph<usize, ()> = DiGraph::new();
        let mut nodes = HashMap::new();
        for at in (0..self.names.len()).filter(|at| arrives.get(*at) == Some(&false)) {
            nodes.insert(at, steps_of_stuck.add_node(at));
        }
        for (from, node) in &nodes {
            for to in steps(*from).filter_map(|to| nodes.get(&to)) {
                steps_of_stuck.add_edge(*node, *to, ());
            }
        }
        // Every step out of a component leads to an earlier component. For each bundle: the bundle
        // at which its upgrades end, and true if that is in a cycle.
        let mut ends: HashMap<usize, (usize, bool)> = HashMap::new();
        for component in tarjan_scc(&steps_of_stuck) {
            let members: Vec<usize> =
                component.iter().filter_map(|node| steps_of_stuck.node_weight(*node).copied()).collect();
            let beyond = members.iter().flat_map(|at| steps(*at)).filter(|to| !members.contains(to));
            let ends_beyond: Vec<(usize, bool)> = beyond.filter_map(|to| ends.get(&to).copied()).collect();
            let highest = |all: &mut dyn Iterator<Item = (usize, bool)>| {
                all.max_by(|a, b| self.compare_bundles(a.0, b.0))
            };
            let end = highest(&mut ends_beyond.into_iter())
                .or_else(|| highest(&mut members.iter().map(|at| (*at, members.len() > 1))));
            for at in members {
                ends.extend(end.map(|end| (at, end)));
            }
        }
        let mut groups: HashMap<(usize, bool), Vec<usize>> = HashMap::new();
        for (at, end) in ends {
            groups.entry(end).or_default().push(at);
        }
        let reasons = ReasonFinder::for_package(self.graph);
        let mut groups: Vec<StuckGroup> = groups
            .into_iter()
            .map(|(end, members)| self.build_group(&reasons, engine, end, members))
            .collect();
        groups.sort_by(|a, b| b.versions.len().cmp(&a.versions.len()).then_with(|| a.end.cmp(&b.end)));
        groups
    }

    fn build_group(
        &self,
        reasons: &ReasonFinder<'_>,
        engine: Engine,
        (end, is_cycle): (usize, bool),
        mut members: Vec<usize>,
    ) -> StuckGroup {
        members.sort_by(|a, b| self.compare_bundles(*b, *a));
        let name = |at: usize| self.names.get(at).map(|name| (*name).clone()).unwrap_or_default();
        let installed = Installed::from_package(&self.graph.package, &name(end));
        let reason = if is_cycle { StuckReason::Cycle } else { reasons.find_reason(engine, &installed) };
        let default = self.graph.package.default_channel();
        // A bundle that is in no channel is in no pre-release channel either.
        let is_prerelease = |at: &usize| {
            let channels = self.graph.channels_with(self.names.get(*at)?).map(|channel| channel.graph.name());
            let mut channels = channels.peekable();
            channels.peek()?;
            Some(channels.all(|channel| Some(channel) != default && is_prerelease_channel(channel)))
        };
        StuckGroup {
            engine,
            end: name(end),
            reason,
            v1_refusal: (engine == Engine::V1)
                .then(|| Self::find_v1_refusal(self.graph, &installed))
                .flatten(),
            is_prerelease: members.iter().all(|at| is_prerelease(at) == Some(true)),
            versions: members.into_iter().map(name).collect(),
        }
    }

    /// Returns the reason why v1 refuses its pick for an installed bundle.
    fn find_v1_refusal(graph: &PackageGraph, installed: &Installed) -> Option<InstallBlockerKind> {
        let resolver = graph.v1_resolver(&Query::default()).ok()?;
        let pick = resolver.pick(Some(installed)).ok()?;
        Some(v1_pick_blockers(&graph.package, pick, Some(installed), &[]).first()?.kind)
    }

    /// Compares bundles by version, then by name.
    fn compare_bundles(&self, a: usize, b: usize) -> Ordering {
        let version = |at: usize| self.versions.get(at).copied().flatten();
        let by_version = match (version(a), version(b)) {
            (Some(a), Some(b)) => a.cmp_precedence(b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        };
        by_version.then_with(|| self.names.get(a).cmp(&self.names.get(b)))
    }
}

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
    stuck: &'g StuckReport,
}

impl<'g> StuckEnds<'g> {
    /// Returns the ends of a package; `None` if they are unknown.
    pub fn new(graph: &'g PackageGraph) -> Option<Self> {
        let stuck = graph.stuck();
        let head = &stuck.answer.as_ref()?.head;
        let head = &graph.package.bundle_version(head.as_str())?.version;
        Some(Self { graph, head, stuck })
    }

    /// Returns the end of a published bundle. `None` if it is not stuck.
    pub fn of_published(&self, engine: Engine, bundle: &BundleName) -> Option<StuckEnd> {
        let group = self.stuck.group_of(engine, bundle)?;
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
            groups.push(self.stuck.group_of(engine, pick)?);
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
                reason: ReasonFinder::for_package(self.graph).find_reason(engine, installed),
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
