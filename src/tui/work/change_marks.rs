//! Change marks of entries, and rows for removed entries.

use std::collections::HashMap;

use super::comparison::Comparison;
use olm_catalog::{
    BundleName, ChannelName, PackageName,
    blob::{DeprecationTarget, EntrySpec},
    package::{Package, version_in_name},
};
use olm_check::review::{
    PackageState,
    diff::{ChangeKind, PackageDiff},
};
use olm_version::VersionRelease;

/// Removed entry.
#[derive(Clone, PartialEq, Debug)]
pub struct RemovedEntry {
    /// The bundle.
    pub name: BundleName,
    /// Short name of the bundle.
    pub label: String,
    /// Version, which sets the position among the rows.
    pub version: Option<VersionRelease>,
    /// The edges of the removed entry, or the channels the bundle was in.
    pub previous: String,
}

impl RemovedEntry {
    fn new(name: &BundleName, had: String, before: Option<&Package>) -> Self {
        let version = before.and_then(|package| package.bundle_version(name.as_str())).cloned();
        let named = || VersionRelease::parse(version_in_name(name.as_str())?, "").ok();
        let label = before.map_or_else(|| name.to_string(), |package| package.short_name(name));
        Self { version: version.or_else(named), name: name.clone(), label, previous: had }
    }
}

/// Change marks of the entries of a channel or package.
#[derive(Clone, Default, Debug)]
pub struct ChangeMarks {
    fates: HashMap<BundleName, ChangeKind>,
    /// Removed entries that no other entry names, newest first. Each has its own row.
    pub removed: Vec<RemovedEntry>,
    /// Removed entries that other entries still name. They are already rows of the graph.
    removed_but_named: Vec<RemovedEntry>,
}

impl ChangeMarks {
    /// Returns the change marks of a channel.
    pub(in crate::tui) fn for_channel(
        comparison: &Comparison,
        package: &PackageName,
        channel: &ChannelName,
    ) -> Self {
        let Some(diff) = comparison.changed_package(package) else { return Self::default() };
        let before = comparison
            .before()
            .package(package.as_str())
            .map(|package_state| package_state.package().as_ref());
        let now = comparison.after().package(package.as_str());
        let graph = now.and_then(|now| now.graph.channel(channel.as_str())).map(|channel| &channel.graph);
        let mut marks = Self { fates: changed_bundles(diff), ..Self::default() };
        for entry in diff.find_channel(channel.as_str()).into_iter().flat_map(|channel| &channel.entries) {
            if let (ChangeKind::Removed, Some(spec)) = (entry.change_kind(), &entry.before) {
                let gone = RemovedEntry::new(&entry.name, describe_edges(spec, before), before);
                let is_named = graph.is_some_and(|graph| graph.find_node(entry.name.as_str()).is_some());
                if is_named { &mut marks.removed_but_named } else { &mut marks.removed }.push(gone);
            }
            marks.fates.insert(entry.name.clone(), entry.change_kind());
        }
        marks
    }

    /// Returns the change marks of a package over all channels. An entry is new if no channel had
    /// it before, and removed if no channel has it now.
    pub(in crate::tui) fn for_package(comparison: &Comparison, package: &PackageName) -> Self {
        let Some(diff) = comparison.changed_package(package) else { return Self::default() };
        let (before, now) =
            (comparison.before().package(package.as_str()), comparison.after().package(package.as_str()));
        let is_in = |package_state: Option<&std::sync::Arc<PackageState>>, name: &BundleName| {
            package_state
                .is_some_and(|package_state| package_state.package().channels_with(name).next().is_some())
        };
        let mut marks = Self { fates: changed_bundles(diff), ..Self::default() };
        for entry in diff.channels.iter().flat_map(|channel| &channel.entries) {
            let name = &entry.name;
            let fate = match (is_in(before, name), is_in(now, name)) {
                (false, _) => ChangeKind::Added,
                (true, false) => ChangeKind::Removed,
                (true, true) => ChangeKind::Changed,
            };
            if marks.fates.insert(name.clone(), fate) == Some(ChangeKind::Removed)
                || fate != ChangeKind::Removed
            {
                continue;
            }
            let before = before.map(|package_state| package_state.package().as_ref());
            let channels = before.into_iter().flat_map(|package| package.channels_with(name));
            let channels: Vec<&str> = channels.map(|channel| channel.name.value.as_str()).collect();
            let gone = RemovedEntry::new(name, format!("was in {}", channels.join(", ")), before);
            let is_named = now.is_some_and(|now| is_bundle_named(now, name));
            if is_named { &mut marks.removed_but_named } else { &mut marks.removed }.push(gone);
        }
        marks
    }

    /// Returns the change of an entry.
    pub fn entry_change(&self, name: &BundleName) -> Option<ChangeKind> {
        self.fates.get(name).copied()
    }

    /// Returns the mark character of each changed entry.
    pub(in crate::tui) fn mark_characters(&self) -> HashMap<BundleName, char> {
        self.fates.iter().map(|(name, fate)| (name.clone(), fate.diff_mark())).collect()
    }

    /// Returns a removed entry.
    pub fn removed_entry(&self, name: &BundleName) -> Option<&RemovedEntry> {
        // Called for every row of every frame.
        let gone = || self.removed.iter().chain(&self.removed_but_named).find(|gone| gone.name == *name);
        (self.entry_change(name) == Some(ChangeKind::Removed)).then(gone)?
    }
}

/// Returns true if a package has a bundle, or one of its channels names it.
pub(in crate::tui) fn is_bundle_named(package: &PackageState, bundle: &BundleName) -> bool {
    package.package().bundle(bundle.as_str()).is_some()
        || package.graph.channels().iter().any(|channel| channel.graph.find_node(bundle.as_str()).is_some())
}

/// Returns the bundles whose blob or deprecation changed. They are marked in every channel.
fn changed_bundles(diff: &PackageDiff) -> HashMap<BundleName, ChangeKind> {
    let bundles = diff.bundles.iter().filter(|bundle| bundle.change_kind == ChangeKind::Changed);
    let deprecated = diff.deprecations.iter().filter_map(|deprecation| match &deprecation.target {
        Some(DeprecationTarget::Bundle(name)) => Some(name),
        _ => None,
    });
    bundles
        .map(|bundle| &bundle.name)
        .chain(deprecated)
        .map(|name| (name.clone(), ChangeKind::Changed))
        .collect()
}

/// Describes the edges of a removed entry.
fn describe_edges(spec: &EntrySpec, package: Option<&Package>) -> String {
    let short = |name: &BundleName| {
        package.map_or_else(|| name.to_string(), |package: &Package| package.short_name(name))
    };
    let replaces = spec.replaces.as_ref().map(|name| format!("replaced {}", short(name)));
    let skips = match spec.skips.as_slice() {
        [] => None,
        [only] => Some(format!("skipped {}", short(only))),
        [first, more @ ..] => Some(format!("skipped {} +{}", short(first), more.len())),
    };
    let range = spec.skip_range.as_ref().map(|range| format!("skipRange {range}"));
    [replaces, skips, range].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
