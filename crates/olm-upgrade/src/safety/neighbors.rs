//! Packages that require or provide the same APIs.

use std::collections::{BTreeSet, HashMap};

use super::step_check::{Advisory, AdvisoryKind};
use olm_catalog::{
    Catalog, PackageName,
    blob::{BundleBlob, Dependency, Gvk},
};

/// APIs that bundles of a catalog require, with the packages on both sides.
#[derive(Debug, Default)]
pub struct ApiNeighbors<'c> {
    apis: HashMap<&'c Gvk, ApiPackages<'c>>,
}

#[derive(Debug, Default)]
struct ApiPackages<'c> {
    required: BTreeSet<&'c PackageName>,
    provided: BTreeSet<&'c PackageName>,
}

impl<'c> ApiNeighbors<'c> {
    /// Collects the required APIs of a catalog.
    pub fn from_catalog(catalog: &'c Catalog) -> Self {
        let mut apis: HashMap<&Gvk, ApiPackages<'_>> = HashMap::new();
        for package in catalog.packages() {
            for asked in
                package.bundles.iter().flat_map(|bundle| &bundle.requires).flat_map(Dependency::requirements)
            {
                if let Dependency::Gvk { gvk, .. } = asked {
                    apis.entry(gvk).or_default().required.insert(&package.name);
                }
            }
        }
        if !apis.is_empty() {
            for package in catalog.packages() {
                for api in package.bundles.iter().flat_map(|bundle| &bundle.provides) {
                    if let Some(sides) = apis.get_mut(api) {
                        sides.provided.insert(&package.name);
                    }
                }
            }
        }
        Self { apis }
    }

    /// Returns the APIs that a step removes, that other packages require, and that no other package provides.
    pub(super) fn find_lost_apis(
        &self,
        package: &PackageName,
        old: &BundleBlob,
        new: &BundleBlob,
    ) -> Vec<Advisory> {
        let gone = old.provides.iter().filter(|api| !new.provides.contains(api));
        let mut looks: Vec<Advisory> = gone
            .filter_map(|api| {
                let ApiPackages { required, provided } = self.apis.get(api)?;
                let others = |of: &BTreeSet<&PackageName>| -> Vec<String> {
                    of.iter().filter(|name| **name != package).map(ToString::to_string).collect()
                };
                let by = others(required);
                let is_lost = !by.is_empty() && others(provided).is_empty();
                let words = format!("{api} goes and is required by {}", by.join(", "));
                is_lost.then_some(Advisory {
                    kind: AdvisoryKind::RequiredApiGoes,
                    words,
                    more: 0,
                    place: None,
                })
            })
            .collect();
        looks.dedup();
        looks
    }
}
