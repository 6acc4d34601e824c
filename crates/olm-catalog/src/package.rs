//! Objects of one package, collected from all files of a catalog.

use std::{
    collections::{HashMap, HashSet},
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
use olm_version::VersionRelease;

/// A package: its blobs in source order, with lookups by name. Names may repeat in an invalid catalog; lookups
/// return the first.
#[derive(Clone, Debug, Default)]
pub struct Package {
    /// Name of the package.
    pub name: PackageName,
    /// `olm.package` blobs: exactly one in a valid catalog, none if only other objects name the package.
    pub definitions: Vec<Arc<PackageBlob>>,
    /// Channels in source order.
    pub channels: Vec<Arc<ChannelBlob>>,
    /// Bundles in source order.
    pub bundles: Vec<Arc<BundleBlob>>,
    /// Deprecations blobs; at most one in a valid catalog.
    pub deprecations: Vec<Arc<DeprecationsBlob>>,
    /// Blobs of other schemas that name the package.
    pub others: Vec<OtherBlob>,
    /// Problems in any of these objects.
    pub problems: Problems,
    by_bundle: HashMap<BundleName, usize>,
    by_channel: HashMap<ChannelName, usize>,
    /// Deprecated items, by the index of the blob and of the entry in it.
    by_deprecated: HashMap<DeprecationTarget, (usize, usize)>,
    /// Indexes of the channels with an entry for a bundle; computed on first use.
    channels_by_bundle: OnceLock<HashMap<BundleName, Vec<usize>>>,
}

/// A decoded document in the form that a catalog keeps.
#[derive(Clone, Debug)]
pub enum SharedBlob {
    /// `olm.package`
    Package(Arc<PackageBlob>),
    /// `olm.channel`
    Channel(Arc<ChannelBlob>),
    /// `olm.bundle`
    Bundle(Arc<BundleBlob>),
    /// `olm.deprecations`
    Deprecations(Arc<DeprecationsBlob>),
    /// Any other schema.
    Other(OtherBlob),
}

impl From<Blob> for SharedBlob {
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
    /// Creates an empty package.
    pub fn new(name: PackageName) -> Self {
        Self { name, ..Self::default() }
    }

    pub(super) fn add_blob(&mut self, blob: SharedBlob) {
        match blob {
            SharedBlob::Package(blob) => self.definitions.push(blob),
            SharedBlob::Channel(blob) => self.channels.push(blob),
            SharedBlob::Bundle(blob) => self.bundles.push(blob),
            SharedBlob::Deprecations(blob) => self.deprecations.push(blob),
            SharedBlob::Other(blob) => self.others.push(blob),
        }
    }

    /// Returns the documents of its blobs.
    pub fn documents(&self) -> impl Iterator<Item = DocId> + '_ {
        let definitions = self.definitions.iter().map(|b| b.doc);
        let channels = self.channels.iter().map(|b| b.doc);
        let bundles = self.bundles.iter().map(|b| b.doc);
        let others = self.others.iter().map(|b| b.doc);
        let deprecations = self.deprecations.iter().map(|b| b.doc);
        definitions.chain(channels).chain(bundles).chain(others).chain(deprecations)
    }

    /// Returns true if one of its blobs is in `doc`.
    pub(super) fn has_blob_in(&self, doc: DocId) -> bool {
        self.documents().any(|document| document == doc)
    }

    /// Removes the blobs of some documents.
    pub(super) fn remove_documents(&mut self, is_gone: impl Fn(DocId) -> bool) {
        self.definitions.retain(|b| !is_gone(b.doc));
        self.channels.retain(|b| !is_gone(b.doc));
        self.bundles.retain(|b| !is_gone(b.doc));
        self.deprecations.retain(|b| !is_gone(b.doc));
        self.others.retain(|b| !is_gone(b.doc));
        self.problems.remove_documents(&is_gone);
    }

    /// Sorts the blobs by document and rebuilds the lookups.
    pub(super) fn sort_and_index(&mut self, rank: impl Fn(DocId) -> (u32, usize)) {
        self.problems.sort_by_document(&rank);
        self.definitions.sort_by_key(|b| rank(b.doc));
        self.channels.sort_by_key(|b| rank(b.doc));
        self.bundles.sort_by_key(|b| rank(b.doc));
        self.deprecations.sort_by_key(|b| rank(b.doc));
        self.others.sort_by_key(|b| rank(b.doc));
        self.by_bundle = first_positions(self.bundles.iter().map(|b| b.name.value.clone()));
        self.by_channel = first_positions(self.channels.iter().map(|c| c.name.value.clone()));
        self.by_deprecated.clear();
        for (at, blob) in self.deprecations.iter().enumerate() {
            for (nth, deprecation) in blob.entries.iter().enumerate() {
                if let Some(target) = &deprecation.target {
                    self.by_deprecated.entry(target.clone()).or_insert((at, nth));
                }
            }
        }
        self.channels_by_bundle = OnceLock::new();
    }

    /// Returns the package with other edges of an entry; `None` if the entry does not exist.
    pub fn with_entry(&self, channel: &ChannelName, entry: &BundleName, spec: &EntrySpec) -> Option<Self> {
        let mut package = self.clone();
        let at = *package.by_channel.get(channel)?;
        let blob = Arc::make_mut(package.channels.get_mut(at)?);
        let there = blob.entries.iter_mut().find(|there| there.name.value == *entry)?;
        *there = there.with_spec(spec);
        Some(package)
    }

    /// Returns true if the package does not have any objects or problems.
    pub fn is_empty(&self) -> bool {
        self.definitions.is_empty()
            && self.channels.is_empty()
            && self.bundles.is_empty()
            && self.deprecations.is_empty()
            && self.others.is_empty()
            && self.problems.is_empty()
    }

    /// Returns its `olm.package` blob.
    pub fn definition(&self) -> Option<&Arc<PackageBlob>> {
        self.definitions.first()
    }

    /// Returns the channel of a Subscription that does not name one.
    pub fn default_channel(&self) -> Option<&ChannelName> {
        self.definition()?.default_channel.as_ref().map(|c| &c.value)
    }

    /// Returns a bundle by name.
    pub fn bundle(&self, name: &str) -> Option<&Arc<BundleBlob>> {
        self.bundles.get(*self.by_bundle.get(name)?)
    }

    /// Returns a channel by name.
    pub fn channel(&self, name: &str) -> Option<&Arc<ChannelBlob>> {
        self.channels.get(self.channel_position(name)?)
    }

    /// Returns the index of a channel in [`Package::channels`], the first if several have the name.
    pub fn channel_position(&self, name: &str) -> Option<usize> {
        self.by_channel.get(name).copied()
    }

    /// Returns the version of a bundle, if the bundle exists and has a valid version.
    pub fn bundle_version(&self, name: &str) -> Option<&VersionRelease> {
        self.bundle(name)?.version.as_ref()
    }

    /// Returns a short display name of a bundle: its version if valid, otherwise the version in its name,
    /// otherwise its name without the package name.
    pub fn short_name(&self, bundle: &BundleName) -> String {
        match self.bundle_version(bundle.as_str()) {
            Some(version) => version.to_string(),
            None => version_in_name(bundle.as_str())
                .map_or_else(|| self.name_without_package(bundle), str::to_owned),
        }
    }

    /// Returns the part of a bundle name after the package name.
    fn name_without_package(&self, bundle: &BundleName) -> String {
        bundle.as_str().strip_prefix(self.name.as_str()).map_or_else(
            || bundle.to_string(),
            |rest| rest.trim_start_matches(['.', '-']).trim_start_matches('v').to_owned(),
        )
    }

    /// Returns the channels that have an entry for a bundle.
    pub fn channels_with<'a>(&'a self, bundle: &'a BundleName) -> impl Iterator<Item = &'a Arc<ChannelBlob>> {
        self.channel_positions_with(bundle).iter().filter_map(|&at| self.channels.get(at))
    }

    /// Returns the indexes of the channels that have an entry for a bundle.
    pub fn channel_positions_with(&self, bundle: &BundleName) -> &[usize] {
        self.channels_by_bundle().get(bundle).map(Vec::as_slice).unwrap_or_default()
    }

    fn channels_by_bundle(&self) -> &HashMap<BundleName, Vec<usize>> {
        self.channels_by_bundle.get_or_init(|| {
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

    /// Returns the deprecation of an item, if any.
    pub fn deprecation(&self, target: &DeprecationTarget) -> Option<&Deprecation> {
        let (blob, nth) = *self.by_deprecated.get(target)?;
        self.deprecations.get(blob)?.entries.get(nth)
    }

    /// Returns the deprecation of a bundle, if any.
    pub fn bundle_deprecation(&self, name: &BundleName) -> Option<&Deprecation> {
        self.deprecation(&DeprecationTarget::Bundle(name.clone()))
    }

    /// Returns the deprecation of a channel, if any.
    pub fn channel_deprecation(&self, name: &ChannelName) -> Option<&Deprecation> {
        self.deprecation(&DeprecationTarget::Channel(name.clone()))
    }
}

/// Returns the items without those that a later item with the same name replaces. A cluster with OLM v1 stores
/// each object in a file with its name, so the last one counts (operator-controller
/// `catalogmetadata/cache/cache.go`).
pub fn last_of_each_name<T>(items: &[T], name: impl Fn(&T) -> &str) -> impl Iterator<Item = &T> {
    let last: HashMap<&str, usize> = items.iter().map(name).zip(0..).collect();
    let last: HashSet<usize> = last.into_values().collect();
    items.iter().enumerate().filter(move |(index, _)| last.contains(index)).map(|(_, item)| item)
}

fn first_positions<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>) -> HashMap<K, usize> {
    let mut map = HashMap::new();
    for (index, key) in keys.enumerate() {
        map.entry(key).or_insert(index);
    }
    map
}

/// Returns `1.2.3` for `name.v1.2.3`.
pub fn version_in_name(name: &str) -> Option<&str> {
    let mut ends = name.match_indices(".v").filter_map(|(at, _)| name.get(at + 2..));
    ends.find(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}
