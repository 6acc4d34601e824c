//! Providers and users of APIs and packages, in one catalog or in several catalogs of one cluster.
//!
//! A bundle provides the APIs of its `olm.gvk` properties. It requires the APIs of `olm.gvk.required`, the packages of
//! `olm.package.required`, and all unconditional parts of an `olm.constraint`. OLM Classic searches for a bundle that
//! provides exactly the group, version and kind. OLM v1 does not search, and refuses the bundle.

mod group;
mod unmet;

#[cfg(test)]
mod tests;

pub use group::{DependencyGroup, Side};
pub use olm_catalog::blob::DependencyTarget;
pub use unmet::{UnmetReason, UnmetRequirement, UnmetRequirements};

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use rayon::prelude::*;

use olm_catalog::{
    Catalog,
    blob::{ApiName, Dependency, Gvk},
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
