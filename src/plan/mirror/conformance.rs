//! Held to what oc-mirror made of catalogs (`mirror/` in `docs/conformance.md`).

use rayon::prelude::*;
use serde_json::{Value as Json, json};

use super::{filter, read};
use crate::{
    catalog::{Catalog, blob::DeprecationTarget, load, package::Package},
    conformance,
};

#[test]
fn small_catalogs_are_cut_as_oc_mirror_cuts_them() {
    let Some(rows) = conformance::rows("mirror/filter.jsonl") else { return };
    let small: Vec<&Json> = rows.iter().filter(|row| row["inline"].is_string()).collect();
    let wrong: Vec<String> = small.par_iter().filter_map(|row| wrong(row)).collect();
    assert!(!small.is_empty());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), small.len(), wrong.join("\n"));
}

fn wrong(row: &Json) -> Option<String> {
    let catalog = load::from_bytes(row["inline"].as_str().unwrap().as_bytes().to_vec());
    let section = read(row["config"].to_string().as_bytes()).map(|mut sections| sections.remove(0));
    let cut = section.ok().and_then(|section| filter(&catalog, &section).ok()).map(|cut| told(&cut));
    let expected = row["result"].as_object().map(|packages| {
        packages.iter().map(|(name, package)| (name.clone(), in_order(package))).collect::<Json>()
    });
    (cut != expected).then(|| format!("{}: {cut:?}, not {expected:?}", row["case"]))
}

/// What is left of a catalog, as the rows tell it.
fn told(catalog: &Catalog) -> Json {
    catalog.packages().map(|package| (package.name.to_string(), in_order(&told_of(package)))).collect()
}

fn told_of(package: &Package) -> Json {
    let channels = package.channels.iter().map(|channel| {
        let entries = channel.entries.iter().map(|entry| {
            let spec = entry.spec();
            json!({
                "name": entry.name.value.as_str(), "replaces": spec.replaces, "skips": spec.skips,
                "skipRange": spec.skip_range,
            })
        });
        (channel.name.value.to_string(), Json::from_iter(entries))
    });
    let deprecated = package.deprecations.iter().flat_map(|blob| &blob.entries).map(|entry| {
        let (schema, name) = match &entry.target {
            Some(DeprecationTarget::Channel(name)) => ("olm.channel", name.as_str()),
            Some(DeprecationTarget::Bundle(name)) => ("olm.bundle", name.as_str()),
            Some(DeprecationTarget::Package) | None => ("olm.package", ""),
        };
        json!({ "schema": schema, "name": name })
    });
    json!({
        "defaultChannel": package.default_channel().map(|channel| channel.as_str()),
        "channels": channels.collect::<Json>(),
        "bundles": Json::from_iter(package.bundles.iter().map(|bundle| bundle.name.value.as_str())),
        "deprecations": Json::from_iter(deprecated),
    })
}

/// With everything there that may be absent, and in one order.
fn in_order(package: &Json) -> Json {
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Json| value.as_array().cloned().unwrap_or_default();
    let sorted = |mut all: Vec<Json>| {
        all.sort_by_key(ToString::to_string);
        all
    };
    let entry = |entry: &Json| {
        json!([
            text(&entry["name"]),
            text(&entry["replaces"]),
            list(&entry["skips"]),
            text(&entry["skipRange"])
        ])
    };
    let channels = package["channels"].as_object().into_iter().flatten();
    let channels = channels
        .map(|(name, entries)| (name.clone(), Json::from(sorted(list(entries).iter().map(entry).collect()))));
    let deprecated = list(&package["deprecations"]);
    let deprecated = deprecated.iter().map(|what| json!([text(&what["schema"]), text(&what["name"])]));
    json!({
        "defaultChannel": text(&package["defaultChannel"]),
        "channels": channels.collect::<Json>(),
        "bundles": sorted(list(&package["bundles"])),
        "deprecations": sorted(deprecated.collect()),
    })
}
