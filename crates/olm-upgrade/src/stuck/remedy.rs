//! Remedies: edits of one entry that free stuck versions.

use std::{cell::LazyCell, collections::HashSet, fmt, sync::Arc};

use super::{Jump, StuckGroup, StuckReport, StuckVersions, count_longest_skip};
use crate::{Engine, Installed, PackageGraph, classic, graph::EdgeKind, package::ChannelUpgrades};
use olm_catalog::{
    BundleName, ChannelName,
    blob::{Entry, EntrySpec},
    package::Package,
};

/// Fields whose edit may free stuck versions.
const FIELDS: [EdgeKind; 3] = [EdgeKind::Skips, EdgeKind::SkipRange, EdgeKind::Replaces];

/// Maximum number of edits that are tried for a group.
const MAX_TRIED: usize = 48;

/// Edit of one entry that frees stuck versions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remedy {
    /// Channel of the entry.
    pub channel: ChannelName,
    /// Edited entry.
    pub entry: BundleName,
    /// Changed field.
    pub field: EdgeKind,
    /// New value of the field, or the names added to `skips`.
    pub value: String,
    /// Complete entry after the edit.
    pub spec: EntrySpec,
    /// Number of versions of the group that are no longer stuck.
    pub frees: usize,
    /// Number of the freed versions that then need a channel change.
    pub frees_by_channel_change: usize,
    /// Number of versions of the group that stay stuck.
    pub remaining: usize,
    /// All versions of the package that are no longer stuck on OLM Classic, by name.
    pub freed_on_classic: Vec<BundleName>,
    /// All versions of the package that are no longer stuck on OLM v1, by name.
    pub freed_on_v1: Vec<BundleName>,
    /// Longest upgrade that the edit adds.
    pub jump: Jump,
    /// Number of versions that the longest upgrade of the package skips before the edit.
    pub longest_skip: usize,
}

/// Writes the change: `add p.v1 to skips of p.v2 in stable`.
impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { channel, entry, value, .. } = self;
        match self.field {
            EdgeKind::Skips => write!(f, "add {value} to skips of {entry} in {channel}"),
            EdgeKind::SkipRange => write!(f, "set skipRange of {entry} in {channel} to '{value}'"),
            EdgeKind::Replaces => write!(f, "make {entry} in {channel} replace {value}"),
        }
    }
}

impl Remedy {
    /// Returns all versions of the package that are no longer stuck on an engine, by name.
    pub fn freed_on(&self, engine: Engine) -> &[BundleName] {
        match engine {
            Engine::Classic => &self.freed_on_classic,
            Engine::V1 => &self.freed_on_v1,
        }
    }

    /// Describes the effect without the channel changes that users must make.
    pub fn freed_effect(&self) -> String {
        match (self.frees, self.remaining) {
            (1, 0) => "frees it".to_owned(),
            (all, 0) => format!("frees all {all}"),
            (some, 1) => format!("frees {some}, 1 stays stuck"),
            (some, more) => format!("frees {some}, {more} stay stuck"),
        }
    }

    /// Describes the effect: `frees all 3`, `frees 2, 1 stays stuck`.
    pub fn effect(&self) -> String {
        let mut words = self.freed_effect();
        match self.frees_by_channel_change {
            0 => {}
            all if all == self.frees => words.push_str("; users must change the channel"),
            some => words.push_str(&format!("; {some} must change the channel")),
        }
        words
    }
}

impl StuckVersions {
    /// Merges the stuck versions of several groups of an engine into one group, which ends at the
    /// highest of their ends. `None` if there are none.
    ///
    /// * `is_meant` - returns true if a version is included.
    pub fn merge_groups(
        &self,
        package: &Package,
        engine: Engine,
        is_meant: impl Fn(&BundleName) -> bool,
    ) -> Option<StuckGroup> {
        let groups = || {
            let own = self.groups.iter().filter(|group| group.engine == engine);
            own.filter(|group| group.versions.iter().any(&is_meant))
        };
        let version = |name: &BundleName| package.bundle_version(name.as_str());
        let highest = groups().reduce(|a, b| match (version(&a.end), version(&b.end)) {
            (Some(a_end), Some(b_end)) if b_end.cmp_precedence(a_end).is_gt() => b,
            _ => a,
        })?;
        let versions = groups().flat_map(|group| &group.versions).filter(|name| is_meant(name));
        Some(StuckGroup {
            versions: versions.cloned().collect(),
            is_prerelease: groups().all(|group| group.is_prerelease),
            ..highest.clone()
        })
    }
}

impl StuckReport {
    /// Returns edits that free versions of a group. The edit that frees most versions comes first,
    /// then the one with the shorter text and the shorter jump.
    ///
    /// Tries entries above the group that are not stuck: the first and the last one of each
    /// channel, then the others, up to a limit. No returned edit makes another version stuck, makes
    /// OLM Classic downgrade, or changes the head of the default channel. This function does not
    /// check whether an edit causes findings.
    pub fn remedies(&self, graph: &PackageGraph, group: &StuckGroup) -> Vec<Remedy> {
        let Some(before) = &self.answer else { return Vec::new() };
        let longest_skip = LazyCell::new(|| count_longest_skip(graph));
        let mut found: Vec<Remedy> = Vec::new();
        for (channel, entry, field) in self.remedy_candidates(graph, group).into_iter().take(MAX_TRIED) {
            let Some((spec, value)) = edit_entry(graph, entry, field, group) else { continue };
            let name = channel.graph.name();
            let Some(package) = graph.package.with_entry(name, &entry.name.value, &spec) else { continue };
            let graph_after = PackageGraph::new(&Arc::new(package));
            let after = Self::find_stuck(&graph_after);
            let Some(answer) = after.answer.filter(|answer| answer.head == before.head) else { continue };
            let is_worse = [Engine::Classic, Engine::V1].iter().any(|engine| {
                let known: HashSet<&BundleName> = before.on_engine(*engine).iter().collect();
                answer.on_engine(*engine).iter().any(|name| !known.contains(name))
            });
            let downgraded = find_downgraded(graph, name);
            if is_worse
                || self::find_downgraded(&graph_after, name).iter().any(|name| !downgraded.contains(name))
            {
                continue;
            }
            let still: HashSet<&BundleName> = answer.on_engine(group.engine).iter().collect();
            let [freed_on_classic, freed_on_v1] = [Engine::Classic, Engine::V1].map(|engine| {
                let still: HashSet<&BundleName> = answer.on_engine(engine).iter().collect();
                let freed = before.on_engine(engine).iter().filter(|name| !still.contains(name));
                freed.cloned().collect::<Vec<_>>()
            });
            let change: HashSet<&BundleName> = answer.needs_channel_change.iter().collect();
            let freed: Vec<&BundleName> =
                group.versions.iter().filter(|name| !still.contains(name)).collect();
            if freed.is_empty() {
                continue;
            }
            let jump = Jump::find_longest(graph, group, entry, field);
            let by_change = freed.iter().filter(|name| change.contains(*name)).count();
            found.push(Remedy {
                channel: name.clone(),
                entry: entry.name.value.clone(),
                field,
                value,
                spec,
                frees: freed.len(),
                frees_by_channel_change: if group.engine == Engine::Classic { by_change } else { 0 },
                remaining: group.versions.len() - freed.len(),
                freed_on_classic,
                freed_on_v1,
                jump,
                longest_skip: *longest_skip,
            });
        }
        found.sort_by_key(|remedy| {
            (std::cmp::Reverse(remedy.frees), added_bytes(remedy), remedy.jump.skipped)
        });
        found
    }
}

impl StuckReport {
    /// Returns entries and fields that may free a group. The entries are above the end of the
    /// group, not stuck, and can be picked by OLM Classic. The first and the last one of each
    /// channel come first, the default channel before the others.
    fn remedy_candidates<'g>(
        &self,
        graph: &'g PackageGraph,
        group: &StuckGroup,
    ) -> Vec<(&'g ChannelUpgrades, &'g Entry, EdgeKind)> {
        let default = graph.package.default_channel();
        let mut channels: Vec<&ChannelUpgrades> = graph.channels().iter().collect();
        channels.sort_by_key(|channel| Some(channel.graph.name()) != default);
        let end = graph.package.bundle_version(group.end.as_str());
        let (mut ends, mut others) = (Vec::new(), Vec::new());
        for channel in channels {
            let Ok(chain) = &channel.chain else { continue };
            let is_useful = |entry: &&Entry| {
                let name = &entry.name.value;
                let version = graph.package.bundle_version(name.as_str());
                version.zip(end).is_some_and(|(version, end)| version.cmp_precedence(end).is_gt())
                    && self.group_of(group.engine, name).is_none()
                    && (group.engine == Engine::Classic || graph.package.bundle_deprecation(name).is_none())
            };
            let pickable = chain.order.iter().filter_map(|at| channel.graph.entry(*at));
            let above: Vec<&Entry> = pickable.filter(is_useful).collect();
            for (place, entry) in above.iter().enumerate() {
                let is_end = place == 0 || place + 1 == above.len();
                if is_end { &mut ends } else { &mut others }.push((channel, *entry));
            }
        }
        let entries = ends.into_iter().chain(others);
        entries.flat_map(|(channel, entry)| FIELDS.map(|field| (channel, entry, field))).collect()
    }
}

/// Edits a field of an entry so that it upgrades from the group. Also returns the text of the
/// change.
fn edit_entry(
    graph: &PackageGraph,
    entry: &Entry,
    field: EdgeKind,
    group: &StuckGroup,
) -> Option<(EntrySpec, String)> {
    let mut spec = entry.to_spec();
    let end = &group.end;
    let value = match field {
        EdgeKind::Skips => {
            if entry.skips(end) {
                return None;
            }
            spec.skips.push(end.clone());
            end.to_string()
        }
        EdgeKind::Replaces => {
            if spec.replaces.is_some() {
                return None;
            }
            spec.replaces = Some(end.clone());
            end.to_string()
        }
        EdgeKind::SkipRange => {
            let versions =
                group.versions.iter().filter_map(|name| graph.package.bundle_version(name.as_str()));
            let lowest = versions.min_by(|a, b| a.cmp_precedence(b))?;
            let own = graph.package.bundle_version(entry.name.value.as_str())?;
            let range = format!(">={} <{}", lowest.version.without_build(), own.version.without_build());
            let range = match &spec.skip_range {
                Some(known) if !known.trim().is_empty() => format!("{known} || {range}"),
                _ => range,
            };
            spec.skip_range = Some(range.clone());
            range
        }
    };
    Some((spec, value))
}

/// Estimates the number of bytes that a remedy adds to the entry.
fn added_bytes(remedy: &Remedy) -> usize {
    let around = match remedy.field {
        EdgeKind::Skips if remedy.spec.skips.len() == 1 => "  skips:\n  - \n".len(),
        EdgeKind::Skips => "  - \n".len(),
        EdgeKind::SkipRange => "  skipRange: ''\n".len(),
        EdgeKind::Replaces => "  replaces: \n".len(),
    };
    around + remedy.value.len()
}

/// Returns the bundles that OLM Classic downgrades in a channel.
fn find_downgraded(graph: &PackageGraph, channel: &ChannelName) -> HashSet<BundleName> {
    let Some(upgrades) = graph.channel(channel.as_str()) else { return HashSet::new() };
    let is_downgraded = |name: &BundleName| {
        let installed = Installed::from_package(&graph.package, name);
        let pick = classic::pick_successor(&upgrades.graph, upgrades.chain.as_ref().ok()?, &installed)?;
        let to = upgrades.graph.node(pick)?.version.as_ref()?;
        Some(to.cmp_precedence(installed.version.as_ref()?).is_lt())
    };
    let names = graph.package.bundles.iter().map(|bundle| &bundle.name.value);
    names.filter(|name| is_downgraded(name) == Some(true)).cloned().collect()
}
