//! Everything a catalog says of one package, gathered from wherever it stands.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use super::{
    blob::{
        Blob, BundleBlob, ChannelBlob, Deprecation, DeprecationTarget, DeprecationsBlob, EntrySpec,
        OtherBlob, PackageBlob,
    },
    file::DocId,
    names::{BundleName, ChannelName, PackageName},
    problem::Problems,
};
use crate::version::VersionRelease;

/// A package: its blobs in source order, and ways to find them by name. Names may repeat in a broken catalog; the
/// lookups give the first.
#[derive(Clone, Debug, Default)]
pub struct Package {
    /// Its name.
    pub name: PackageName,
    /// Its `olm.package` blobs: exactly one in a good catalog, none where only others speak of the package.
    pub definitions: Vec<Arc<PackageBlob>>,
    /// Its channels.
    pub channels: Vec<Arc<ChannelBlob>>,
    /// Its bundles.
    pub bundles: Vec<Arc<BundleBlob>>,
    /// Its deprecations blobs; at most one in a good catalog.
    pub deprecations: Vec<Arc<DeprecationsBlob>>,
    /// Blobs of other schemas that name the package.
    pub others: Vec<OtherBlob>,
    /// What could not be read in any of these.
    pub problems: Problems,
    by_bundle: HashMap<BundleName, usize>,
    by_channel: HashMap<ChannelName, usize>,
    /// What is deprecated, by the places of its blob and, in that, its entry.
    by_deprecated: HashMap<DeprecationTarget, (usize, usize)>,
    /// The places of the channels that have an entry for a bundle; gathered when somebody first asks.
    homes: OnceLock<HashMap<BundleName, Vec<usize>>>,
}

/// One decoded document, ready to be gathered: what a catalog keeps of it.
#[derive(Clone, Debug)]
pub enum Shared {
    /// `olm.package`
    Package(Arc<PackageBlob>),
    /// `olm.channel`
    Channel(Arc<ChannelBlob>),
    /// `olm.bundle`
    Bundle(Arc<BundleBlob>),
    /// `olm.deprecations`
    Deprecations(Arc<DeprecationsBlob>),
    /// Anything else.
    Other(OtherBlob),
}

impl From<Blob> for Shared {
    fn from(blob: Blob) -> Self {
        match blob {
            Blob::Package(blob) => Self::Package(Arc::new(blob)),
            Blob::Channel(blob) => Self::Channel(Arc::new(blob)),
            Blob::Bundle(blob) => Self::Bundle(Arc::from(blob)),
            Blob::Deprecations(blob) => Self::Deprecations(Arc::new(blob)),
            Blob::Other(blob) => Self::Other(blob),
        }
    }
}

impl Package {
    /// An empty package.
    pub fn new(name: PackageName) -> Self {
        Self { name, ..Self::default() }
    }

    pub(super) fn add(&mut self, blob: Shared) {
        match blob {
            Shared::Package(blob) => self.definitions.push(blob),
            Shared::Channel(blob) => self.channels.push(blob),
            Shared::Bundle(blob) => self.bundles.push(blob),
            Shared::Deprecations(blob) => self.deprecations.push(blob),
            Shared::Other(blob) => self.others.push(blob),
        }
    }

    /// The documents its blobs came from.
    pub fn documents(&self) -> impl Iterator<Item = DocId> + '_ {
        let definitions = self.definitions.iter().map(|b| b.doc);
        let channels = self.channels.iter().map(|b| b.doc);
        let bundles = self.bundles.iter().map(|b| b.doc);
        let others = self.others.iter().map(|b| b.doc);
        let deprecations = self.deprecations.iter().map(|b| b.doc);
        definitions.chain(channels).chain(bundles).chain(others).chain(deprecations)
    }

    /// Whether one of its blobs came from a document.
    pub(super) fn speaks_in(&self, doc: DocId) -> bool {
        self.documents().any(|spoken| spoken == doc)
    }

    /// Forgets what came from a document.
    pub(super) fn remove(&mut self, doc: DocId) {
        self.remove_all(|there| there == doc);
    }

    /// Forgets what came from some documents.
    pub(super) fn remove_all(&mut self, is_gone: impl Fn(DocId) -> bool) {
        self.definitions.retain(|b| !is_gone(b.doc));
        self.channels.retain(|b| !is_gone(b.doc));
        self.bundles.retain(|b| !is_gone(b.doc));
        self.deprecations.retain(|b| !is_gone(b.doc));
        self.others.retain(|b| !is_gone(b.doc));
        self.problems.forget(&is_gone);
    }

    /// Puts blobs in the order of their documents and makes the lookups true again.
    pub(super) fn settle(&mut self, rank: impl Fn(DocId) -> (u32, usize)) {
        self.problems.settle(&rank);
        self.definitions.sort_by_key(|b| rank(b.doc));
        self.channels.sort_by_key(|b| rank(b.doc));
        self.bundles.sort_by_key(|b| rank(b.doc));
        self.deprecations.sort_by_key(|b| rank(b.doc));
        self.others.sort_by_key(|b| rank(b.doc));
        self.by_bundle = first_of(self.bundles.iter().map(|b| b.name.value.clone()));
        self.by_channel = first_of(self.channels.iter().map(|c| c.name.value.clone()));
        self.by_deprecated.clear();
        for (at, blob) in self.deprecations.iter().enumerate() {
            for (nth, deprecation) in blob.entries.iter().enumerate() {
                if let Some(target) = &deprecation.target {
                    self.by_deprecated.entry(target.clone()).or_insert((at, nth));
                }
            }
        }
        self.homes = OnceLock::new();
    }

    /// The package as it would be if an entry asked for these edges; `None` where it has no such entry.
    pub fn with_entry(&self, channel: &ChannelName, entry: &BundleName, spec: &EntrySpec) -> Option<Self> {
        let mut package = self.clone();
        let at = *package.by_channel.get(channel)?;
        let blob = Arc::make_mut(package.channels.get_mut(at)?);
        let there = blob.entries.iter_mut().find(|there| there.name.value == *entry)?;
        *there = there.with_spec(spec);
        Some(package)
    }

    /// Whether nothing speaks of the package any more.
    pub fn is_empty(&self) -> bool {
        self.definitions.is_empty()
            && self.channels.is_empty()
            && self.bundles.is_empty()
            && self.deprecations.is_empty()
            && self.others.is_empty()
            && self.problems.is_empty()
    }

    /// Its `olm.package` blob.
    pub fn definition(&self) -> Option<&Arc<PackageBlob>> {
        self.definitions.first()
    }

    /// The channel a subscription without one gets.
    pub fn default_channel(&self) -> Option<&ChannelName> {
        self.definition()?.default_channel.as_ref().map(|c| &c.value)
    }

    /// A bundle by name.
    pub fn bundle(&self, name: &str) -> Option<&Arc<BundleBlob>> {
        self.bundles.get(*self.by_bundle.get(name)?)
    }

    /// A channel by name.
    pub fn channel(&self, name: &str) -> Option<&Arc<ChannelBlob>> {
        self.channels.get(self.channel_place(name)?)
    }

    /// The place of a channel in [`Package::channels`]; the first of several with one name.
    pub fn channel_place(&self, name: &str) -> Option<usize> {
        self.by_channel.get(name).copied()
    }

    /// The version of a bundle, where it is there and has a good one.
    pub fn version_of(&self, name: &str) -> Option<&VersionRelease> {
        self.bundle(name)?.version.as_ref()
    }

    /// What people call a bundle of this package: its version, where it has a good one, else that in its name, else what
    /// its name adds to the package's.
    pub fn short_name(&self, bundle: &BundleName) -> String {
        match self.version_of(bundle.as_str()) {
            Some(version) => version.to_string(),
            None => version_in_name(bundle.as_str()).map_or_else(|| self.rest_of_name(bundle), str::to_owned),
        }
    }

    /// What the name of a bundle adds to the package's.
    fn rest_of_name(&self, bundle: &BundleName) -> String {
        bundle.as_str().strip_prefix(self.name.as_str()).map_or_else(
            || bundle.to_string(),
            |rest| rest.trim_start_matches(['.', '-']).trim_start_matches('v').to_owned(),
        )
    }

    /// The channels that have an entry for a bundle.
    pub fn channels_with<'a>(&'a self, bundle: &'a BundleName) -> impl Iterator<Item = &'a Arc<ChannelBlob>> {
        self.places_with(bundle).iter().filter_map(|&at| self.channels.get(at))
    }

    /// The places of the channels that have an entry for a bundle.
    pub fn places_with(&self, bundle: &BundleName) -> &[usize] {
        self.homes().get(bundle).map(Vec::as_slice).unwrap_or_default()
    }

    fn homes(&self) -> &HashMap<BundleName, Vec<usize>> {
        self.homes.get_or_init(|| {
            let mut homes: HashMap<BundleName, Vec<usize>> = HashMap::new();
            for (at, channel) in self.channels.iter().enumerate() {
                for entry in &channel.entries {
                    let known = homes.entry(entry.name.value.clone()).or_default();
                    if known.last() != Some(&at) {
                        known.push(at);
                    }
                }
            }
            homes
        })
    }

    /// The deprecation of something, where it is deprecated.
    pub fn deprecation(&self, target: &DeprecationTarget) -> Option<&Deprecation> {
        let (blob, nth) = *self.by_deprecated.get(target)?;
        self.deprecations.get(blob)?.entries.get(nth)
    }

    /// The deprecation of a bundle.
    pub fn bundle_deprecation(&self, name: &BundleName) -> Option<&Deprecation> {
        self.deprecation(&DeprecationTarget::Bundle(name.clone()))
    }

    /// The deprecation of a channel.
    pub fn channel_deprecation(&self, name: &ChannelName) -> Option<&Deprecation> {
        self.deprecation(&DeprecationTarget::Channel(name.clone()))
    }
}

fn first_of<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>) -> HashMap<K, usize> {
    let mut map = HashMap::new();
    for (index, key) in keys.enumerate() {
        map.entry(key).or_insert(index);
    }
    map
}

/// `1.2.3` of `name.v1.2.3`.
pub fn version_in_name(name: &str) -> Option<&str> {
    let mut ends = name.match_indices(".v").filter_map(|(at, _)| name.get(at + 2..));
    ends.find(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}
