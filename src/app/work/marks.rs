//! Change marks of entries, and rows for removed entries.

use std::collections::HashMap;

use super::comparison::Comparison;
use crate::{
    catalog::{
        BundleName, ChannelName, PackageName,
        blob::{DeprecationTarget, EntrySpec},
        package::{Package, version_in_name},
    },
    review::{
        Judged,
        diff::{Fate, PackageDiff},
    },
    version::VersionRelease,
};

/// Removed entry.
#[derive(Clone, PartialEq, Debug)]
pub struct Gone {
    /// The bundle.
    pub name: BundleName,
    /// Short name of the bundle.
    pub label: String,
    /// Version, which sets the position among the rows.
    pub version: Option<VersionRelease>,
    /// The edges of the removed entry, or the channels the bundle was in.
    pub had: String,
}

impl Gone {
    fn new(name: &BundleName, had: String, before: Option<&Package>) -> Self {
        let version = before.and_then(|package| package.version_of(name.as_str())).cloned();
        let named = || VersionRelease::parse(version_in_name(name.as_str())?, "").ok();
        let label = before.map_or_else(|| name.to_string(), |package| package.short_name(name));
        Self { version: version.or_else(named), name: name.clone(), label, had }
    }
}

/// Change marks of the entries of a channel or package.
#[derive(Clone, Default, Debug)]
pub struct Marks {
    fates: HashMap<BundleName, Fate>,
    /// Removed entries that no other entry names, newest first. Each has its own row.
    pub gone: Vec<Gone>,
    /// Removed entries that other entries still name. They are already rows of the graph.
    named: Vec<Gone>,
}

impl Marks {
    /// Returns the change marks of a channel.
    pub(in crate::app) fn of(comparison: &Comparison, package: &PackageName, channel: &ChannelName) -> Self {
        let Some(diff) = comparison.package(package) else { return Self::default() };
        let before = comparison.before().package(package.as_str()).map(|judged| judged.package().as_ref());
        let now = comparison.after().package(package.as_str());
        let graph = now.and_then(|now| now.graph.channel(channel.as_str())).map(|channel| &channel.graph);
        let mut marks = Self { fates: changed_bundles(diff), ..Self::default() };
        for entry in diff.channel(channel.as_str()).into_iter().flat_map(|channel| &channel.entries) {
            if let (Fate::Removed, Some(spec)) = (entry.fate(), &entry.before) {
                let gone = Gone::new(&entry.name, edges(spec, before), before);
                let is_named = graph.is_some_and(|graph| graph.find(entry.name.as_str()).is_some());
                if is_named { &mut marks.named } else { &mut marks.gone }.push(gone);
            }
            marks.fates.insert(entry.name.clone(), entry.fate());
        }
        marks
    }

    /// Returns the change marks of a package over all channels. An entry is new if no channel had
    /// it before, and removed if no channel has it now.
    pub(in crate::app) fn of_package(comparison: &Comparison, package: &PackageName) -> Self {
        let Some(diff) = comparison.package(package) else { return Self::default() };
        let (before, now) =
            (comparison.before().package(package.as_str()), comparison.after().package(package.as_str()));
        let is_in = |judged: Option<&std::sync::Arc<Judged>>, name: &BundleName| {
            judged.is_some_and(|judged| judged.package().channels_with(name).next().is_some())
        };
        let mut marks = Self { fates: changed_bundles(diff), ..Self::default() };
        for entry in diff.channels.iter().flat_map(|channel| &channel.entries) {
            let name = &entry.name;
            let fate = match (is_in(before, name), is_in(now, name)) {
                (false, _) => Fate::Added,
                (true, false) => Fate::Removed,
                (true, true) => Fate::Changed,
            };
            if marks.fates.insert(name.clone(), fate) == Some(Fate::Removed) || fate != Fate::Removed {
                continue;
            }
            let before = before.map(|judged| judged.package().as_ref());
            let channels = before.into_iter().flat_map(|package| package.channels_with(name));
            let channels: Vec<&str> = channels.map(|channel| channel.name.value.as_str()).collect();
            let gone = Gone::new(name, format!("was in {}", channels.join(", ")), before);
            let is_named = now.is_some_and(|now| is_named(now, name));
            if is_named { &mut marks.named } else { &mut marks.gone }.push(gone);
        }
        marks
    }

    /// Returns the change of an entry.
    pub fn fate(&self, name: &BundleName) -> Option<Fate> {
        self.fates.get(name).copied()
    }

    /// Returns the mark character of each changed entry.
    pub(in crate::app) fn signs(&self) -> HashMap<BundleName, char> {
        self.fates.iter().map(|(name, fate)| (name.clone(), fate.mark())).collect()
    }

    /// Returns a removed entry.
    pub fn gone(&self, name: &BundleName) -> Option<&Gone> {
        // Called for every row of every frame.
        let gone = || self.gone.iter().chain(&self.named).find(|gone| gone.name == *name);
        (self.fate(name) == Some(Fate::Removed)).then(gone)?
    }
}

/// Returns true if a package has a bundle, or one of its channels names it.
pub(in crate::app) fn is_named(package: &Judged, bundle: &BundleName) -> bool {
    package.package().bundle(bundle.as_str()).is_some()
        || package.graph.channels().iter().any(|channel| channel.graph.find(bundle.as_str()).is_some())
}

/// Returns the bundles whose blob or deprecation changed. They are marked in every channel.
fn changed_bundles(diff: &PackageDiff) -> HashMap<BundleName, Fate> {
    let bundles = diff.bundles.iter().filter(|bundle| bundle.fate == Fate::Changed);
    let deprecated = diff.deprecations.iter().filter_map(|deprecation| match &deprecation.target {
        Some(DeprecationTarget::Bundle(name)) => Some(name),
        _ => None,
    });
    bundles.map(|bundle| &bundle.name).chain(deprecated).map(|name| (name.clone(), Fate::Changed)).collect()
}

/// Describes the edges of a removed entry.
fn edges(spec: &EntrySpec, package: Option<&Package>) -> String {
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
