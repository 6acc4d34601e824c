//! What became of entries, for the marks beside their rows; and those that are gone, which have a row all the same.

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

/// An entry that is gone.
#[derive(Clone, PartialEq, Debug)]
pub struct Gone {
    /// Its bundle.
    pub name: BundleName,
    /// The same as people call it.
    pub label: String,
    /// Its version, by which it stands among the rows.
    pub version: Option<VersionRelease>,
    /// What it had: the edges of its entry, or the channels it was in.
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

/// See the module.
#[derive(Clone, Default, Debug)]
pub struct Marks {
    fates: HashMap<BundleName, Fate>,
    /// Entries that are gone and named by nobody, the newest first: each is a row of its own.
    pub gone: Vec<Gone>,
    /// Those that are gone and still named, so that they have a row anyway.
    named: Vec<Gone>,
}

impl Marks {
    /// What became of the entries of a channel of a package.
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

    /// The same of all channels at once: new and gone is what no channel had before, or has now.
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

    /// What became of an entry.
    pub fn fate(&self, name: &BundleName) -> Option<Fate> {
        self.fates.get(name).copied()
    }

    /// The mark of each entry that differs.
    pub(in crate::app) fn signs(&self) -> HashMap<BundleName, char> {
        self.fates.iter().map(|(name, fate)| (name.clone(), fate.mark())).collect()
    }

    /// What is known of an entry that is gone.
    pub fn gone(&self, name: &BundleName) -> Option<&Gone> {
        // Asked of every row that is drawn.
        let gone = || self.gone.iter().chain(&self.named).find(|gone| gone.name == *name);
        (self.fate(name) == Some(Fate::Removed)).then(gone)?
    }
}

/// Whether a package has a bundle, or a channel of it names one.
pub(in crate::app) fn is_named(package: &Judged, bundle: &BundleName) -> bool {
    package.package().bundle(bundle.as_str()).is_some()
        || package.graph.channels().iter().any(|channel| channel.graph.find(bundle.as_str()).is_some())
}

/// What was published and differs now, or is deprecated, is worth a look in every channel.
fn changed_bundles(diff: &PackageDiff) -> HashMap<BundleName, Fate> {
    let bundles = diff.bundles.iter().filter(|bundle| bundle.fate == Fate::Changed);
    let deprecated = diff.deprecations.iter().filter_map(|deprecation| match &deprecation.target {
        Some(DeprecationTarget::Bundle(name)) => Some(name),
        _ => None,
    });
    bundles.map(|bundle| &bundle.name).chain(deprecated).map(|name| (name.clone(), Fate::Changed)).collect()
}

/// The edges an entry had, in words.
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
