//! Dependencies of extracted bundles that are not part of the extract.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use olm_catalog::{BundleName, Catalog, PackageName};
use olm_upgrade::resolve::{
    CatalogIndex, Question, Source,
    index::BundlePosition,
    needs::{self, Need},
};

/// Name of both catalogs in the resolver; it is never shown.
const OWN_CATALOG: &str = "catalog";

/// Missing dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingDependency {
    /// Package that requires it.
    pub package: PackageName,
    /// Description of the dependency.
    pub what: String,
    /// Bundles that require it.
    pub by: Vec<BundleName>,
    /// Packages of the whole catalog that provide it, in OLM's order; empty if it is not in the catalog.
    pub providers: Vec<PackageName>,
}

/// Returns the missing dependencies of a part of a catalog, each once per package.
pub(super) fn find_missing(whole: &Arc<CatalogIndex>, part: &Catalog) -> Vec<MissingDependency> {
    // Bundles without dependencies are skipped before any lookup.
    let asking: Vec<(&PackageName, usize, &BundleName)> = part
        .packages()
        .flat_map(|package| {
            let bundles = package.bundles.iter().enumerate();
            let bundles = bundles.filter(|(_, bundle)| !bundle.requires.is_empty());
            bundles.map(|(at, bundle)| (&package.name, at, &bundle.name.value))
        })
        .collect();
    if asking.is_empty() {
        return Vec::new();
    }
    let question = |index: &Arc<CatalogIndex>| Question::new(vec![Source::new(OWN_CATALOG, index)]);
    let part = Arc::new(CatalogIndex::new(part));
    let (here, there) = (question(&part), question(whole));
    let mut found: BTreeMap<(&PackageName, String), MissingDependency> = BTreeMap::new();
    for (package, bundle, name) in asking {
        let Some(place) = part.package_position(package.as_str()) else { continue };
        let of = needs::for_bundle(&here, 0, BundlePosition { package: place, bundle });
        let mut elsewhere: Option<Vec<Need>> = None;
        for (nth, need) in of.into_iter().enumerate().filter(|(_, need)| need.providers.is_empty()) {
            let known = found.entry((package, need.description.clone())).or_insert_with(|| {
                let all = elsewhere.get_or_insert_with(|| {
                    let at = whole.package_position(package.as_str()).and_then(|package| {
                        let bundle = whole.packages().get(package)?.bundle_position(name.as_str())?;
                        Some(BundlePosition { package, bundle })
                    });
                    at.map(|at| needs::for_bundle(&there, 0, at)).unwrap_or_default()
                });
                let mut seen = HashSet::new();
                let by = all.get(nth).filter(|same| same.description == need.description).into_iter();
                let by = by.flat_map(|need| &need.providers).map(|provider| provider.package.clone());
                MissingDependency {
                    package: package.clone(),
                    what: need.description,
                    by: Vec::new(),
                    providers: by.filter(|package| seen.insert(package.clone())).collect(),
                }
            });
            known.by.push(name.clone());
        }
    }
    found.into_values().collect()
}
