//! Bundles of one package that provide or require the same API or package.

use std::{cmp::Ordering, collections::BTreeSet, sync::Arc};

use olm_catalog::{BundleName, ChannelName, PackageName, blob::BundleBlob, package::Package};

/// Side of a dependency.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// Providers.
    Provided,
    /// Bundles that require it.
    Required,
}

impl Side {
    /// Returns `provided` or `required`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Provided => "provided",
            Self::Required => "required",
        }
    }
}

/// Bundles of one package that provide or require the same.
#[derive(Clone, Debug)]
pub struct DependencyGroup {
    /// Index of the catalog among the searched catalogs.
    pub catalog: usize,
    /// Package of the bundles.
    pub package: Arc<Package>,
    /// Version of the API, or required range of the package; empty for a provided package.
    pub label: String,
    /// True if a searched catalog meets the requirement. Always true for providers.
    pub met: bool,
    /// Indices of the bundles, lowest version first; never empty.
    pub(super) bundle_indices: Vec<usize>,
}

/// Groups are equal if they refer to the same state of a package.
impl PartialEq for DependencyGroup {
    fn eq(&self, other: &Self) -> bool {
        let own = |group: &Self| (group.catalog, Arc::as_ptr(&group.package), group.met);
        own(self) == own(other) && self.label == other.label && self.bundle_indices == other.bundle_indices
    }
}

impl Eq for DependencyGroup {}

impl DependencyGroup {
    /// Creates a group from the indices of bundles in a package.
    pub fn new(catalog: usize, package: &Arc<Package>, what: &str, mut places: Vec<usize>) -> Self {
        places.sort_by(|a, b| compare_versions(package.bundles.get(*a), package.bundles.get(*b)));
        Self {
            catalog,
            package: Arc::clone(package),
            label: what.to_owned(),
            met: true,
            bundle_indices: places,
        }
    }

    /// Returns the name of the package.
    pub fn package_name(&self) -> &PackageName {
        &self.package.name
    }

    /// Returns the indices of the bundles in the package, lowest version first.
    pub fn bundle_indices(&self) -> &[usize] {
        &self.bundle_indices
    }

    /// Returns the bundles, lowest version first. Bundles without a version come before all others.
    pub fn bundles(&self) -> impl DoubleEndedIterator<Item = &BundleBlob> + ExactSizeIterator {
        // The indices belong to this package.
        let bundles: Vec<&BundleBlob> = self
            .bundle_indices
            .iter()
            .filter_map(|at| self.package.bundles.get(*at))
            .map(AsRef::as_ref)
            .collect();
        bundles.into_iter()
    }

    /// Returns the bundle with the highest version.
    pub fn highest(&self) -> Option<&BundleBlob> {
        self.bundles().next_back()
    }

    /// Returns the channels with an entry for one of the bundles, by name.
    pub fn channel_names(&self) -> BTreeSet<&ChannelName> {
        self.bundles()
            .flat_map(|bundle| self.package.channels_with(&bundle.name.value))
            .map(|channel| &channel.name.value)
            .collect()
    }

    /// Returns the channels whose head is one of the bundles, by name.
    pub fn head_channels(&self) -> BTreeSet<&ChannelName> {
        let own: BTreeSet<&BundleName> = self.bundles().map(|bundle| &bundle.name.value).collect();
        channel_heads(&self.package)
            .filter(|(_, head)| own.contains(head))
            .map(|(channel, _)| channel)
            .collect()
    }

    /// Formats the versions as `1.0.0 to 2.3.1 (12 bundles)`.
    pub fn format_versions(&self) -> String {
        let label = |bundle: &BundleBlob| match &bundle.version {
            Some(version) => version.to_string(),
            None => bundle.name.value.to_string(),
        };
        let mut bundles = self.bundles();
        let count = bundles.len();
        match (bundles.next(), bundles.next_back()) {
            (Some(only), None) => format!("{} (1 bundle)", label(only)),
            (Some(lowest), Some(highest)) => {
                format!("{} to {} ({count} bundles)", label(lowest), label(highest))
            }
            (None, _) => "no bundle".to_owned(),
        }
    }
}

/// Compares bundles by version; bundles without a version come first.
fn compare_versions<T: AsRef<BundleBlob>>(a: Option<&T>, b: Option<&T>) -> Ordering {
    let version = |bundle: Option<&T>| bundle.and_then(|bundle| bundle.as_ref().version.clone());
    match (version(a), version(b)) {
        (Some(a), Some(b)) => a.cmp_precedence(&b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

/// Returns the heads of a package's channels: entries that no other entry replaces or skips. Cheaper than the graphs.
pub(super) fn channel_heads(package: &Package) -> impl Iterator<Item = (&ChannelName, &BundleName)> {
    package.channels.iter().flat_map(|channel| {
        let passed: BTreeSet<&BundleName> = channel
            .entries
            .iter()
            .flat_map(|entry| entry.replaces.iter().chain(&entry.skips))
            .map(|name| &name.value)
            .collect();
        let names = channel.entries.iter().map(|entry| &entry.name.value);
        names.filter(move |name| !passed.contains(name)).map(|name| (&channel.name.value, name))
    })
}
