//! Conformance tests against recorded oc-mirror results (`mirror/` in `docs/conformance.md`).

use rayon::prelude::*;
use serde_json::{Value as Json, json};

use super::{filter_catalog, parse_configuration};
use olm_catalog::{Catalog, ChannelName, blob::DeprecationTarget, load, package::Package};

#[test]
fn filtered_catalogs_match_oc_mirror() {
    let Some(rows) = olmap_testing::load_json_lines("mirror/filter.jsonl") else { return };
    let small: Vec<&Json> = rows.iter().filter(|row| row["inline"].is_string()).collect();
    let wrong: Vec<String> = small.par_iter().filter_map(|row| find_mismatch(row)).collect();
    assert!(!small.is_empty());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), small.len(), wrong.join("\n"));
}

fn find_mismatch(row: &Json) -> Option<String> {
    let catalog = load::from_bytes(row["inline"].as_str().unwrap().as_bytes().to_vec());
    let section =
        parse_configuration(row["config"].to_string().as_bytes()).map(|mut sections| sections.remove(0));
    let cut = section
        .ok()
        .and_then(|section| filter_catalog(&catalog, &section).ok())
        .map(|cut| summarize_catalog(&cut));
    let expected = row["result"].as_object().map(|packages| {
        packages.iter().map(|(name, package)| (name.clone(), normalize_package(package))).collect::<Json>()
    });
    (cut != expected).then(|| format!("{}: {cut:?}, not {expected:?}", row["case"]))
}

/// Summarizes a catalog in the format of the recorded rows.
fn summarize_catalog(catalog: &Catalog) -> Json {
    catalog
        .packages()
        .map(|package| (package.name.to_string(), normalize_package(&package_summary(package))))
        .collect()
}

fn package_summary(package: &Package) -> Json {
    let channels = package.channels.iter().map(|channel| {
        let entries = channel.entries.iter().map(|entry| {
            let spec = entry.to_spec();
            json!({
                "name": entry.name.value.as_str(), "replaces": spec.replaces, "skips": spec.skips,
                "skipRange": spec.skip_range,
            })
        });
        (channel.name.value.to_string(), entries.collect::<Json>())
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
        "defaultChannel": package.default_channel().map(ChannelName::as_str),
        "channels": channels.collect::<Json>(),
        "bundles": package.bundles.iter().map(|bundle| bundle.name.value.as_str()).collect::<Json>(),
        "deprecations": deprecated.collect::<Json>(),
    })
}

/// Fills in optional members and sorts lists.
fn normalize_package(package: &Json) -> Json {
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
