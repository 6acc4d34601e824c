//! Providers and users of APIs and packages, in one catalog or in several catalogs of one cluster.
//!
//! A bundle provides the APIs of its `olm.gvk` properties. It requires the APIs of `olm.gvk.required`, the packages of
//! `olm.package.required`, and all unconditional parts of an `olm.constraint`. OLM Classic searches for a bundle that
//! provides exactly the group, version and kind. OLM v1 does not search, and refuses the bundle.

mod unmet;

#[cfg(test)]
mod tests;

pub use olm_catalog::blob::DependencyTarget;
pub(crate) use unmet::PackageDependencies;
pub use unmet::{UnmetReason, UnmetRequirement, UnmetRequirements};

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use rayon::prelude::*;

use olm_catalog::{
    BundleName, Catalog, ChannelName, PackageName,
    blob::{ApiName, BundleBlob, Dependency, Gvk},
    package::Package,
};
use olm_version::blang;

/// Providers and users of an API or package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// API or package.
    pub thing: DependencyTarget,
    /// Providers: by catalog, package and version of the API. For a package, its own bundles.
    pub provided: Vec<DependencyGroup>,
    /// Users: by catalog, package, and version of the API or range of the package.
    pub required: Vec<DependencyGroup>,
}

impl Usage {
    /// Returns true if a bundle requires it but no bundle of the catalogs provides it.
    pub fn is_missing(&self) -> bool {
        self.required.iter().any(|group| !group.met)
    }

    /// Returns the groups of one side.
    pub fn side(&self, side: Side) -> &[DependencyGroup] {
        match side {
            Side::Provided => &self.provided,
            Side::Required => &self.required,
        }
    }

    /// Counts the packages of a side. A package in two catalogs counts once.
    pub fn count_packages(&self, side: Side) -> usize {
        self.side(side).iter().map(DependencyGroup::package_name).collect::<HashSet<_>>().len()
    }

    /// Counts the bundles of a side. A bundle in two catalogs counts twice.
    pub fn count_bundles(&self, side: Side) -> usize {
        let bundles = self.side(side).iter().flat_map(|group| {
            let package = Arc::as_ptr(&group.package);
            group.bundle_indices().iter().map(move |place| (package, *place))
        });
        bundles.collect::<HashSet<_>>().len()
    }

    /// Returns the versions of an API on a side, or the ranges of a package, each once.
    pub fn distinct_versions(&self, side: Side) -> Vec<&str> {
        let mut versions: Vec<&str> = self.side(side).iter().map(|group| group.label.as_str()).collect();
        versions.sort_unstable();
        versions.dedup();
        versions
    }
}

/// Index of provided and required APIs, and of required packages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DependencyIndex {
    /// Missing APIs and packages first, then by name; APIs before packages.
    usages: Vec<Usage>,
}

/// Provided and required APIs of one package, with the indices of its bundles.
#[derive(Default)]
struct PackageApis<'a> {
    provided: BTreeMap<&'a Gvk, Vec<usize>>,
    required: BTreeMap<&'a Gvk, Vec<usize>>,
    packages: BTreeMap<(&'a str, &'a str), Vec<usize>>,
}

impl<'a> PackageApis<'a> {
    fn from_package(package: &'a Package) -> Self {
        let mut own = Self::default();
        // A bundle that repeats a property counts once.
        let add = |places: &mut Vec<usize>, at| {
            if places.last() != Some(&at) {
                places.push(at);
            }
        };
        for (at, bundle) in package.bundles.iter().enumerate() {
            for api in &bundle.provides {
                add(own.provided.entry(api).or_default(), at);
            }
            for asked in bundle.requires.iter().flat_map(Dependency::requirements) {
                match asked {
                    Dependency::Gvk { gvk, .. } => add(own.required.entry(gvk).or_default(), at),
                    Dependency::Package { package, range, .. } => {
                        add(own.packages.entry((package, range)).or_default(), at);
                    }
                    Dependency::Constraint { .. } => {}
                }
            }
        }
        own
    }
}

impl DependencyIndex {
    /// Indexes the catalogs of one cluster; a catalog may provide what another requires.
    pub fn from_catalogs<'a>(catalogs: impl IntoIterator<Item = &'a Catalog>) -> Self {
        let homes: Vec<(usize, &Arc<Package>)> = catalogs
            .into_iter()
            .enumerate()
            .flat_map(|(at, catalog)| catalog.packages().map(move |package| (at, package)))
            .collect();
        let owns: Vec<PackageApis<'_>> =
            homes.par_iter().map(|(_, package)| PackageApis::from_package(package)).collect();
        let provided: HashSet<&Gvk> = owns.iter().flat_map(|own| own.provided.keys().copied()).collect();
        let mut by_name: HashMap<&str, Vec<(usize, &Arc<Package>)>> = HashMap::new();
        for (catalog, package) in &homes {
            by_name.entry(package.name.as_str()).or_default().push((*catalog, package));
        }
        let mut usages: BTreeMap<DependencyTarget, Usage> = BTreeMap::new();
        let mut of = |thing: DependencyTarget, side: Side, group: DependencyGroup| {
            let new = || Usage { thing: thing.clone(), provided: Vec::new(), required: Vec::new() };
            let usage = usages.entry(thing.clone()).or_insert_with(new);
            match side {
                Side::Provided => usage.provided.push(group),
                Side::Required => usage.required.push(group),
            }
        };
        for (&(catalog, package), own) in homes.iter().zip(&owns) {
            let group =
                |what: &str, places: &[usize]| DependencyGroup::new(catalog, package, what, places.to_vec());
            for (api, places) in &own.provided {
                of(DependencyTarget::Api(api.api()), Side::Provided, group(&api.version, places));
            }
            for (api, places) in &own.required {
                let met = provided.contains(api);
                of(
                    DependencyTarget::Api(api.api()),
                    Side::Required,
                    DependencyGroup { met, ..group(&api.version, places) },
                );
            }
            for ((name, range), places) in &own.packages {
                let homes = by_name.get(name).map(Vec::as_slice).unwrap_or_default();
                let met = homes.iter().any(|(_, package)| has_version_in(package, range));
                let group = DependencyGroup { met, ..group(range, places) };
                of(DependencyTarget::Package((*name).into()), Side::Required, group);
            }
        }
        for usage in usages.values_mut() {
            let DependencyTarget::Package(name) = &usage.thing else { continue };
            let homes = by_name.get(name.as_str()).map(Vec::as_slice).unwrap_or_default();
            let all = |(catalog, package): &(usize, &Arc<Package>)| {
                DependencyGroup::new(*catalog, package, "", (0..package.bundles.len()).collect())
            };
            usage.provided.extend(homes.iter().filter(|(_, p)| !p.bundles.is_empty()).map(all));
        }
        let mut usages: Vec<Usage> = usages.into_values().collect();
        usages.sort_by_key(|usage| !usage.is_missing());
        Self { usages }
    }

    /// Returns all usages: missing ones first, then by name; APIs before packages.
    pub fn usages(&self) -> &[Usage] {
        &self.usages
    }

    /// Finds usages by user input: `group/Kind`, `group/version/Kind`, a kind or the name of a package. Ignores case if
    /// there is no exact match.
    pub fn find_usages(&self, typed: &str) -> Vec<&Usage> {
        let exact: Vec<&Usage> =
            self.usages.iter().filter(|usage| matches_input(&usage.thing, typed, false)).collect();
        if !exact.is_empty() {
            return exact;
        }
        self.usages.iter().filter(|usage| matches_input(&usage.thing, typed, true)).collect()
    }

    /// Returns the usage of an API or package.
    pub fn usage(&self, thing: &DependencyTarget) -> Option<&Usage> {
        self.usages.iter().find(|usage| usage.thing == *thing)
    }
}

fn matches_input(thing: &DependencyTarget, typed: &str, any_case: bool) -> bool {
    let same = |a: &str, b: &str| if any_case { a.eq_ignore_ascii_case(b) } else { a == b };
    match thing {
        DependencyTarget::Package(name) => {
            same(name.as_str(), typed.strip_prefix("package ").unwrap_or(typed))
        }
        DependencyTarget::Api(ApiName { group, kind }) => match typed.rsplit_once('/') {
            None => same(kind, typed),
            // The input may contain a version between group and kind.
            Some((before, last)) => {
                let unversioned = before.rsplit_once('/').map_or(before, |(group, _)| group);
                same(kind, last) && (same(group, before) || same(group, unversioned))
            }
        },
    }
}

/// Returns true if a bundle of the package has a version in a blang range. OLM Classic searches required packages like this.
fn has_version_in(package: &Package, range: &str) -> bool {
    let Ok(range) = blang::Range::parse(range) else { return false };
    package.bundles.iter().filter_map(|b| b.version.as_ref()).any(|v| range.matches(&v.version))
}

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
    bundle_indices: Vec<usize>,
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
fn channel_heads(package: &Package) -> impl Iterator<Item = (&ChannelName, &BundleName)> {
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
