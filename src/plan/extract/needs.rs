//! What bundles that are taken require and nothing that is taken provides.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use crate::{
    catalog::{BundleName, Catalog, PackageName},
    resolve::{
        CatalogIndex, Question, Source,
        index::BundleAt,
        needs::{self, Need},
    },
};

/// What the catalogs are called; nobody sees it.
const OWN: &str = "catalog";

/// Something that is required and not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The package that requires it.
    pub package: PackageName,
    /// What, in words.
    pub what: String,
    /// The bundles that require it.
    pub by: Vec<BundleName>,
    /// The packages of the whole catalog that have it, in the order in which OLM prefers them; none where it must come from
    /// elsewhere anyway.
    pub providers: Vec<PackageName>,
}

/// What is missing in a part of a catalog: by package, each thing once.
pub(super) fn missing(whole: &Arc<CatalogIndex>, part: &Catalog) -> Vec<Missing> {
    // What asks for nothing is passed over before anything is looked up.
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
    let question = |index: &Arc<CatalogIndex>| Question::new(vec![Source::new(OWN, index)]);
    let part = Arc::new(CatalogIndex::new(part));
    let (here, there) = (question(&part), question(whole));
    let mut found: BTreeMap<(&PackageName, String), Missing> = BTreeMap::new();
    for (package, bundle, name) in asking {
        let Some(place) = part.place(package.as_str()) else { continue };
        let of = needs::of_bundle(&here, 0, BundleAt { package: place, bundle });
        let mut elsewhere: Option<Vec<Need>> = None;
        for (nth, need) in of.into_iter().enumerate().filter(|(_, need)| need.by.is_empty()) {
            let known = found.entry((package, need.what.clone())).or_insert_with(|| {
                let all = elsewhere.get_or_insert_with(|| {
                    let at = whole.place(package.as_str()).and_then(|package| {
                        let bundle = whole.packages().get(package)?.place(name.as_str())?;
                        Some(BundleAt { package, bundle })
                    });
                    at.map(|at| needs::of_bundle(&there, 0, at)).unwrap_or_default()
                });
                let mut seen = HashSet::new();
                let by = all.get(nth).filter(|same| same.what == need.what).into_iter();
                let by = by.flat_map(|need| &need.by).map(|provider| provider.package.clone());
                Missing {
                    package: package.clone(),
                    what: need.what,
                    by: Vec::new(),
                    providers: by.filter(|package| seen.insert(package.clone())).collect(),
                }
            });
            known.by.push(name.clone());
        }
    }
    found.into_values().collect()
}
