//! State of a version for display: stuck or not on each engine, in words.

use std::collections::{HashMap, HashSet};

use super::{StuckGroup, StuckReport};
use crate::{
    ChannelGraph, Engine, Installed, PackageGraph,
    table::{NextUpgrade, classic_next},
};
use olm_catalog::{BundleName, ChannelName, package::Package};

/// State of a version that is stuck, or arrives at the current version only after a channel change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VersionState<'s> {
    /// Group on OLM Classic; `None` if the version is not stuck there.
    pub classic: Option<&'s StuckGroup>,
    /// Group on OLM v1; `None` if the version is not stuck there.
    pub v1: Option<&'s StuckGroup>,
    /// True if OLM Classic reaches the current version only after a change of the Subscription's
    /// channel.
    pub needs_channel_change: bool,
}

/// States of the versions of a package, by name. Contains only stuck versions and those that need a
/// channel change.
#[derive(Clone, Debug, Default)]
pub struct VersionStates<'s>(HashMap<&'s BundleName, VersionState<'s>>);

impl VersionState<'_> {
    /// Returns true if the version is stuck on at least one engine.
    pub fn is_stuck(&self) -> bool {
        self.classic.is_some() || self.v1.is_some()
    }

    /// Describes the state: `stuck: ends at 1.2.0: nothing upgrades it`. `None` if the version is not stuck.
    ///
    /// * `name` - name of the version; it is not repeated if the upgrades end there.
    pub fn describe_state(&self, package: &Package, name: &BundleName) -> Option<String> {
        let at = |group: &StuckGroup| {
            if group.end == *name {
                group.reason.short_text().to_owned()
            } else {
                format!("ends at {}: {}", package.short_name(&group.end), group.reason.short_text())
            }
        };
        match (self.classic, self.v1) {
            (None, None) => None,
            (Some(classic), Some(v1)) if (&classic.end, classic.reason) == (&v1.end, v1.reason) => {
                Some(format!("stuck: {}", at(classic)))
            }
            (Some(classic), Some(v1)) => Some(format!("stuck: {}; on v1 {}", at(classic), at(v1))),
            (Some(classic), None) => Some(format!("stuck on Classic: {}", at(classic))),
            (None, Some(v1)) => Some(format!("stuck on v1: {}", at(v1))),
        }
    }
}

impl<'s> VersionStates<'s> {
    /// Returns the state of a version.
    pub fn get(&self, name: &BundleName) -> VersionState<'s> {
        self.0.get(name).copied().unwrap_or_default()
    }
}

impl StuckReport {
    /// Returns the states of all versions.
    pub fn version_states(&self) -> VersionStates<'_> {
        let mut states: HashMap<&BundleName, VersionState<'_>> = HashMap::new();
        let Some(answer) = &self.answer else { return VersionStates::default() };
        for group in &answer.groups {
            for name in &group.versions {
                let state = states.entry(name).or_default();
                match group.engine {
                    Engine::Classic => state.classic = Some(group),
                    Engine::V1 => state.v1 = Some(group),
                }
            }
        }
        for name in &answer.needs_channel_change {
            states.entry(name).or_default().needs_channel_change = true;
        }
        VersionStates(states)
    }

    /// Returns the state of one version. Use [`Self::version_states`] for many.
    pub fn state_of(&self, name: &BundleName) -> VersionState<'_> {
        let needs = |answer: &super::StuckVersions| answer.needs_channel_change.binary_search(name).is_ok();
        VersionState {
            classic: self.group_of(Engine::Classic, name),
            v1: self.group_of(Engine::V1, name),
            needs_channel_change: self.answer.as_ref().is_some_and(needs),
        }
    }

    /// Returns the numbers of entries of a channel that are stuck on OLM Classic and on OLM v1;
    /// `None` if unknown.
    pub fn count_in_channel(&self, channel: &ChannelGraph) -> Option<(usize, usize)> {
        let answer = self.answer.as_ref()?;
        let count = |engine: Engine| {
            let stuck = answer.on_engine(engine).iter();
            stuck.filter(|name| channel.entry_named(name.as_str()).is_some()).count()
        };
        Some((count(Engine::Classic), count(Engine::V1)))
    }
}

/// Formats the numbers of stuck versions in short form: `141`, `Classic 3`, `v1 4`,
/// `Classic 2, v1 4`, or `-` if there are none.
pub fn format_counts(classic: usize, v1: usize) -> String {
    match (classic, v1) {
        (0, 0) => "-".to_owned(),
        (classic, v1) if classic == v1 => classic.to_string(),
        (0, v1) => format!("v1 {v1}"),
        (classic, 0) => format!("Classic {classic}"),
        (classic, v1) => format!("Classic {classic}, v1 {v1}"),
    }
}

/// Formats the numbers of stuck versions like [`format_counts`] for a narrow pane: `141`, `C:3`, `v1:4`, `C:2 v1:4`.
pub fn format_counts_briefly(classic: usize, v1: usize) -> String {
    match (classic, v1) {
        (classic, v1) if classic == v1 => format_counts(classic, v1),
        (0, v1) => format!("v1:{v1}"),
        (classic, 0) => format!("C:{classic}"),
        (classic, v1) => format!("C:{classic} v1:{v1}"),
    }
}

impl StuckReport {
    /// Returns the number of stuck versions in short form; `?` if unknown.
    pub fn brief(&self) -> String {
        match &self.answer {
            None => "?".to_owned(),
            Some(answer) => format_counts(answer.classic.len(), answer.v1.len()),
        }
    }
}

/// Returns the channels through which OLM Classic upgrades a version to the current one, in the
/// order of the Subscription changes. `None` if there is no such path, or if no change is needed.
pub fn find_channel_changes(graph: &PackageGraph, from: &BundleName) -> Option<Vec<ChannelName>> {
    let stuck = graph.stuck();
    if !stuck.state_of(from).needs_channel_change {
        return None;
    }
    let head = graph.package.bundle_version(stuck.answer.as_ref()?.head.as_str())?;
    let is_current = |name: &BundleName| {
        graph
            .package
            .bundle_version(name.as_str())
            .is_some_and(|version| version.cmp_precedence(head).is_ge())
    };
    search_channels(graph, from, is_current)
}

/// Searches breadth-first over bundles and channels. A step in the same channel is free; a channel
/// change costs one.
fn search_channels(
    graph: &PackageGraph,
    from: &BundleName,
    is_current: impl Fn(&BundleName) -> bool,
) -> Option<Vec<ChannelName>> {
    let channels = graph.channels();
    // Reached bundles, each with the channels that led to it.
    let mut open: Vec<(BundleName, Vec<usize>)> = vec![(from.clone(), Vec::new())];
    let mut seen: HashSet<BundleName> = HashSet::from([from.clone()]);
    while !open.is_empty() {
        let mut next: Vec<(BundleName, Vec<usize>)> = Vec::new();
        for (start, path) in open {
            for (place, channel) in channels.iter().enumerate() {
                let mut at = start.clone();
                let mut used = path.clone();
                used.push(place);
                while let NextUpgrade::To(to) =
                    classic_next(channel, &Installed::from_package(&graph.package, &at))
                {
                    if is_current(&to) {
                        let names = used.iter().filter_map(|at| channels.get(*at));
                        return Some(names.map(|channel| channel.graph.name().clone()).collect());
                    }
                    if !seen.insert(to.clone()) {
                        break;
                    }
                    next.push((to.clone(), used.clone()));
                    at = to;
                }
            }
        }
        open = next;
    }
    None
}
