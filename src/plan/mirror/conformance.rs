//! Held to what oc-mirror made of catalogs: see `../shared/conformance/mirror`.

use serde_json::Value as Json;

use super::{filter, read};
use crate::{catalog::load, conformance::data};

#[test]
fn small_catalogs_are_cut_as_oc_mirror_cuts_them() {
    let Some(data) = data() else { return };
    let text = std::fs::read_to_string(data.join("mirror").join("filter.jsonl")).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let mut count = 0;
    for row in rows.filter(|row| row["inline"].is_string()) {
        count += 1;
        let catalog = load::from_bytes(row["inline"].as_str().unwrap().as_bytes().to_vec());
        let section = read(row["config"].to_string().as_bytes()).map(|mut sections| sections.remove(0));
        let cut = section.ok().and_then(|section| filter(&catalog, &section).ok());
        let bundles = |result: &Json| {
            let all = result.as_object().unwrap().iter();
            let names = |package: &Json| {
                let mut names = package["bundles"].as_array().cloned().unwrap_or_default();
                names.sort_by_key(ToString::to_string);
                names
            };
            all.map(|(name, package)| (name.clone(), names(package))).collect::<Vec<_>>()
        };
        match (&cut, row["result"].is_object()) {
            (Some(cut), true) => {
                let cut = bundle_names(cut);
                assert_eq!(bundles(&cut), bundles(&row["result"]), "{}", row["case"]);
            }
            (None, false) => {}
            (cut, _) => panic!("{}: {cut:?}", row["case"]),
        }
    }
    assert!(count > 0);
}

/// `{PACKAGE: {bundles: [NAME]}}`
fn bundle_names(catalog: &crate::catalog::Catalog) -> Json {
    let names = |package: &crate::catalog::package::Package| {
        package.bundles.iter().map(|bundle| bundle.name.value.to_string()).collect::<Vec<_>>()
    };
    let rows = catalog
        .packages()
        .map(|package| (package.name.to_string(), serde_json::json!({"bundles": names(package)})));
    Json::Object(rows.collect())
}
