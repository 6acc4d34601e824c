//! Bundles of one package that say the same of an API or package.

use std::{cmp::Ordering, collections::BTreeSet, sync::Arc};

use crate::catalog::{BundleName, ChannelName, PackageName, blob::BundleBlob, package::Package};

/// A side of a dependency.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// Those that provide it.
    Provided,
    /// Those that require it.
    Required,
}

impl Side {
    /// `provided` or `required`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Provided => "provided",
            Self::Required => "required",
        }
    }
}

/// Bundles of one package that provide, or require, the same.
#[derive(Clone, Debug)]
pub struct Group {
    /// The catalog, by its place among those that were looked through.
    pub catalog: usize,
    /// The package.
    pub package: Arc<Package>,
    /// The version of the API; of a package that is required, the range; of one that is provided, nothing.
    pub what: String,
    /// Whether a bundle in sight provides what these require. True of those that provide.
    pub met: bool,
    /// The places of the bundles, lowest version first; never empty.
    pub(super) places: Vec<usize>,
}

/// Groups of the same state of a package.
impl PartialEq for Group {
    fn eq(&self, other: &Self) -> bool {
        let own = |group: &Self| (group.catalog, Arc::as_ptr(&group.package), group.met);
        own(self) == own(other) && self.what == other.what && self.places == other.places
    }
}

impl Eq for Group {}

impl Group {
    /// Bundles of a package, by their places in it.
    pub fn new(catalog: usize, package: &Arc<Package>, what: &str, mut places: Vec<usize>) -> Self {
        places.sort_by(|a, b| by_version(package.bundles.get(*a), package.bundles.get(*b)));
        Self { catalog, package: Arc::clone(package), what: what.to_owned(), met: true, places }
    }

    /// The name of the package.
    pub fn name(&self) -> &PackageName {
        &self.package.name
    }

    /// The places of its bundles in the package, lowest version first.
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    /// Its bundles, lowest version first; what has no version comes before all others.
    pub fn bundles(&self) -> impl DoubleEndedIterator<Item = &BundleBlob> + ExactSizeIterator {
        // A place is one of this very package.
        let bundles: Vec<&BundleBlob> =
            self.places.iter().filter_map(|at| self.package.bundles.get(*at)).map(AsRef::as_ref).collect();
        bundles.into_iter()
    }

    /// The bundle with the highest version.
    pub fn highest(&self) -> Option<&BundleBlob> {
        self.bundles().next_back()
    }

    /// The channels that have an entry for one of its bundles, by name.
    pub fn channels(&self) -> BTreeSet<&ChannelName> {
        self.bundles()
            .flat_map(|bundle| self.package.channels_with(&bundle.name.value))
            .map(|channel| &channel.name.value)
            .collect()
    }

    /// The channels whose head is one of its bundles, by name.
    pub fn heads(&self) -> BTreeSet<&ChannelName> {
        let own: BTreeSet<&BundleName> = self.bundles().map(|bundle| &bundle.name.value).collect();
        heads(&self.package).filter(|(_, head)| own.contains(head)).map(|(channel, _)| channel).collect()
    }

    /// `1.0.0 to 2.3.1 (12 bundles)`.
    pub fn words(&self) -> String {
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

/// As people count them: what has no version before all others.
fn by_version<T: AsRef<BundleBlob>>(a: Option<&T>, b: Option<&T>) -> Ordering {
    let version = |bundle: Option<&T>| bundle.and_then(|bundle| bundle.as_ref().version.clone());
    match (version(a), version(b)) {
        (Some(a), Some(b)) => a.cmp_precedence(&b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

/// The heads of a package's channels: the entries that no other one replaces or skips. Cheaper than the graphs.
pub(super) fn heads(package: &Package) -> impl Iterator<Item = (&ChannelName, &BundleName)> {
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
