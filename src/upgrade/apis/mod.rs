//! Who provides and who requires an API or a package, over one catalog or several that are on one cluster.
//!
//! A bundle provides the APIs of its `olm.gvk` properties and requires those of `olm.gvk.required`, the packages of
//! `olm.package.required`, and what an `olm.constraint` cannot do without. OLM Classic looks for a bundle that provides exactly
//! the group, version and kind; OLM v1 looks for nothing, and refuses.

mod group;
mod unmet;

#[cfg(test)]
mod tests;

pub use crate::catalog::blob::Thing;
pub use group::{Group, Side};
pub use unmet::{Unmet, Want, Why};

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use rayon::prelude::*;

use crate::{
    catalog::{
        Catalog,
        blob::{ApiName, Dependency, Gvk},
        package::Package,
    },
    version::blang,
};

/// Who provides something, and who requires it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The API or package.
    pub thing: Thing,
    /// Who provides it: by catalog, package and version of the API. Of a package, its own bundles.
    pub provided: Vec<Group>,
    /// Who requires it: by catalog, package and version of the API, or range of the package.
    pub required: Vec<Group>,
}

impl Usage {
    /// Whether somebody requires what no bundle of the catalogs provides.
    pub fn is_missing(&self) -> bool {
        self.required.iter().any(|group| !group.met)
    }

    /// The groups of one side.
    pub fn side(&self, side: Side) -> &[Group] {
        match side {
            Side::Provided => &self.provided,
            Side::Required => &self.required,
        }
    }

    /// How many packages are on a side; one that is in two catalogs counts once.
    pub fn packages(&self, side: Side) -> usize {
        self.side(side).iter().map(Group::name).collect::<HashSet<_>>().len()
    }

    /// How many bundles are on a side; one that is in two catalogs counts twice.
    pub fn bundles(&self, side: Side) -> usize {
        let bundles = self.side(side).iter().flat_map(|group| {
            let package = Arc::as_ptr(&group.package);
            group.places().iter().map(move |place| (package, *place))
        });
        bundles.collect::<HashSet<_>>().len()
    }

    /// The versions of an API on a side, or the ranges of a package, each once.
    pub fn versions(&self, side: Side) -> Vec<&str> {
        let mut versions: Vec<&str> = self.side(side).iter().map(|group| group.what.as_str()).collect();
        versions.sort_unstable();
        versions.dedup();
        versions
    }
}

/// The APIs that bundles provide or require, and the packages they require.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// What somebody requires and nobody provides first, then by name: APIs before packages.
    usages: Vec<Usage>,
}

/// What one package provides and requires: the places of its bundles.
#[derive(Default)]
struct Own<'a> {
    provided: BTreeMap<&'a Gvk, Vec<usize>>,
    required: BTreeMap<&'a Gvk, Vec<usize>>,
    packages: BTreeMap<(&'a str, &'a str), Vec<usize>>,
}

impl<'a> Own<'a> {
    fn of(package: &'a Package) -> Self {
        let mut own = Self::default();
        // A bundle that says the same twice says it once.
        let add = |places: &mut Vec<usize>, at| {
            if places.last() != Some(&at) {
                places.push(at);
            }
        };
        for (at, bundle) in package.bundles.iter().enumerate() {
            for api in &bundle.provides {
                add(own.provided.entry(api).or_default(), at);
            }
            for asked in bundle.requires.iter().flat_map(Dependency::asks) {
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

impl Index {
    /// Looks through catalogs that are on one cluster: what one requires, another may provide.
    pub fn of<'a>(catalogs: impl IntoIterator<Item = &'a Catalog>) -> Self {
        let homes: Vec<(usize, &Arc<Package>)> = catalogs
            .into_iter()
            .enumerate()
            .flat_map(|(at, catalog)| catalog.packages().map(move |package| (at, package)))
            .collect();
        let owns: Vec<Own<'_>> = homes.par_iter().map(|(_, package)| Own::of(package)).collect();
        let provided: HashSet<&Gvk> = owns.iter().flat_map(|own| own.provided.keys().copied()).collect();
        let mut by_name: HashMap<&str, Vec<(usize, &Arc<Package>)>> = HashMap::new();
        for (catalog, package) in &homes {
            by_name.entry(package.name.as_str()).or_default().push((*catalog, package));
        }
        let mut usages: BTreeMap<Thing, Usage> = BTreeMap::new();
        let mut of = |thing: Thing, side: Side, group: Group| {
            let new = || Usage { thing: thing.clone(), provided: Vec::new(), required: Vec::new() };
            let usage = usages.entry(thing.clone()).or_insert_with(new);
            match side {
                Side::Provided => usage.provided.push(group),
                Side::Required => usage.required.push(group),
            }
        };
        for (&(catalog, package), own) in homes.iter().zip(&owns) {
            let group = |what: &str, places: &[usize]| Group::new(catalog, package, what, places.to_vec());
            for (api, places) in &own.provided {
                of(Thing::Api(api.api()), Side::Provided, group(&api.version, places));
            }
            for (api, places) in &own.required {
                let met = provided.contains(api);
                of(Thing::Api(api.api()), Side::Required, Group { met, ..group(&api.version, places) });
            }
            for ((name, range), places) in &own.packages {
                let homes = by_name.get(name).map(Vec::as_slice).unwrap_or_default();
                let met = homes.iter().any(|(_, package)| has_version_in(package, range));
                let group = Group { met, ..group(range, places) };
                of(Thing::Package((*name).into()), Side::Required, group);
            }
        }
        for usage in usages.values_mut() {
            let Thing::Package(name) = &usage.thing else { continue };
            let homes = by_name.get(name.as_str()).map(Vec::as_slice).unwrap_or_default();
            let all = |(catalog, package): &(usize, &Arc<Package>)| {
                Group::new(*catalog, package, "", (0..package.bundles.len()).collect())
            };
            usage.provided.extend(homes.iter().filter(|(_, p)| !p.bundles.is_empty()).map(all));
        }
        let mut usages: Vec<Usage> = usages.into_values().collect();
        usages.sort_by_key(|usage| !usage.is_missing());
        Self { usages }
    }

    /// All of them: what somebody requires and nobody provides first, then by name, APIs before packages.
    pub fn usages(&self) -> &[Usage] {
        &self.usages
    }

    /// Those that are meant by what a person types: `group/Kind`, `group/version/Kind`, a kind or the name of a package;
    /// whatever the case of a kind.
    pub fn meant(&self, typed: &str) -> Vec<&Usage> {
        let exact: Vec<&Usage> =
            self.usages.iter().filter(|usage| is_meant(&usage.thing, typed, false)).collect();
        if !exact.is_empty() {
            return exact;
        }
        self.usages.iter().filter(|usage| is_meant(&usage.thing, typed, true)).collect()
    }

    /// One of them.
    pub fn usage(&self, thing: &Thing) -> Option<&Usage> {
        self.usages.iter().find(|usage| usage.thing == *thing)
    }
}

fn is_meant(thing: &Thing, typed: &str, any_case: bool) -> bool {
    let same = |a: &str, b: &str| if any_case { a.eq_ignore_ascii_case(b) } else { a == b };
    match thing {
        Thing::Package(name) => same(name.as_str(), typed.strip_prefix("package ").unwrap_or(typed)),
        Thing::Api(ApiName { group, kind }) => match typed.rsplit_once('/') {
            None => same(kind, typed),
            // A version may stand between the two.
            Some((before, last)) => {
                let unversioned = before.rsplit_once('/').map_or(before, |(group, _)| group);
                same(kind, last) && (same(group, before) || same(group, unversioned))
            }
        },
    }
}

/// Whether one of the package's bundles has a version in a blang range, as OLM Classic looks for a required package.
fn has_version_in(package: &Package, range: &str) -> bool {
    let Ok(range) = blang::Range::parse(range) else { return false };
    package.bundles.iter().filter_map(|b| b.version.as_ref()).any(|v| range.matches(&v.version))
}
