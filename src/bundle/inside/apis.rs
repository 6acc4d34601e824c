//! APIs: CRDs and API services that a bundle owns or requires.

use std::collections::{BTreeSet, HashMap};

use super::{
    Row,
    contents::{BundleContents, Piece},
    format::short,
    keys::Keys,
    unseen,
};
use crate::{
    bundle::{read, registry::CRD_KIND},
    catalog::text::json,
};

/// Spec keys of API definitions.
const CRDS: &str = "customresourcedefinitions";
const SERVICES: &str = "apiservicedefinitions";
/// Lists of descriptors with the prefix of their paths.
const DESCRIPTORS: [(&str, &str); 3] =
    [("specDescriptors", "spec"), ("statusDescriptors", "status"), ("actionDescriptors", "action")];

pub(super) fn required(bundle: &BundleContents) -> Vec<Row> {
    let lists = [(CRDS, "CRD"), (SERVICES, "API service")].into_iter();
    let rows = lists.flat_map(|(key, what)| {
        bundle.items(&["spec", key, "required"]).into_iter().map(move |api| head(api, what))
    });
    rows.collect()
}

pub(super) fn owned(bundle: &BundleContents) -> Vec<Row> {
    if bundle.csv.is_none() {
        return provided(bundle);
    }
    let mut keys = Keys::default();
    let internal = internal(bundle);
    let mut crds: HashMap<_, Piece> =
        bundle.of_kind(CRD_KIND).map(|crd| (crd.text(&["metadata", "name"]).into_owned(), crd)).collect();
    let mut rows = Vec::new();
    for (key, what) in [(CRDS, "CRD"), (SERVICES, "API service")] {
        for api in bundle.items(&["spec", key, "owned"]) {
            let name = api.text(&["name"]);
            let mut row = keys.make_unique(head(api, what));
            if internal.contains(name.as_ref()) {
                row = row.note("internal: consoles hide it");
            }
            let key = row.key.clone();
            rows.push(row);
            // A CRD may be listed once per version; its versions are shown once.
            if what == "CRD"
                && let Some(crd) = crds.remove(name.as_ref())
            {
                rows.extend(versions(crd).map(|row| Row { key: format!("{key} {}", row.key), ..row }));
            }
            rows.extend(details(api, &key));
        }
    }
    let owned: BTreeSet<String> = bundle
        .items(&["spec", CRDS, "owned"])
        .into_iter()
        .map(|api| api.text(&["name"]).into_owned())
        .collect();
    for crd in bundle.of_kind(CRD_KIND) {
        let name = crd.text(&["metadata", "name"]);
        if !owned.contains(name.as_ref()) {
            let kind = crd.text(&["spec", "names", "kind"]);
            let row = Row::new(format!("CRD {name}"), kind.as_ref(), name.as_ref());
            rows.push(row.note("not listed as owned").at(crd.spot()));
        }
    }
    rows
}

/// Returns the APIs in a catalog without the ClusterServiceVersion.
fn provided(bundle: &BundleContents) -> Vec<Row> {
    let apis = bundle.stated.iter().filter(|stated| stated.kind == "olm.gvk");
    apis.map(|stated| {
        let [group, version, kind] =
            ["group", "version", "kind"].map(|key| read::text(&stated.value, &[key]));
        let key = format!("API {kind}.{group} {version}");
        let row = Row::new(key, kind.as_ref(), format!("{version} ({group})")).at(stated.spot.clone());
        row.api(group, kind)
    })
    .collect()
}

/// Returns the row of an API. Its key does not contain the version, because the next bundle may have another
/// one.
fn head(api: Piece, what: &str) -> Row {
    let [name, version, kind, group] = ["name", "version", "kind", "group"].map(|key| api.text(&[key]));
    let full = match what {
        "CRD" => name.into_owned(),
        _ if name.is_empty() => group.to_string(),
        _ => format!("{name}.{group}"),
    };
    // The name of a CRD consists of its plural and its group.
    let of_group = match full.split_once('.') {
        Some((_, group)) if what == "CRD" => group.to_owned(),
        _ => group.to_string(),
    };
    let title = api.text(&["displayName"]);
    let note = if title == kind { String::new() } else { title.into_owned() };
    let value = format!("{full} {version}{}", if what == "CRD" { "" } else { "  API service" });
    // A CRD may be listed once per version.
    Row::new(format!("{what} {} {}", short(&full), short(&kind)), kind.as_ref(), value)
        .note(note)
        .at(api.spot())
        .api(of_group, kind)
}

/// Returns the versions of a CRD object.
fn versions<'m>(crd: Piece<'m, '_>) -> impl Iterator<Item = Row> + use<'m> {
    let mut rows: Vec<Row> = Vec::new();
    for version in crd.list(&["spec", "versions"]) {
        let is = |key: &str| read::truth(version.node, &[key]);
        let words = [
            if is("served") { "served" } else { "not served" },
            if is("storage") { "stored" } else { "" },
            if is("deprecated") { "deprecated" } else { "" },
        ];
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let name = version.text(&["name"]);
        rows.push(
            Row::new(format!("version {name}"), name.as_ref(), words.join(", "))
                .unseen(unseen::hash_without(version.node, &["name", "served", "storage", "deprecated"]))
                .level(1)
                .at(version.spot()),
        );
    }
    if let Some(scope) = crd.at(&["spec", "scope"]) {
        rows.insert(0, Row::fact("scope", scope.text(&[])).level(1).at(scope.spot()));
    }
    let strategy = crd.at(&["spec", "conversion", "strategy"]);
    if let Some(strategy) = strategy.filter(|strategy| strategy.text(&[]) == "Webhook") {
        rows.push(Row::new("conversion", "conversion", "by webhook").level(1).at(strategy.spot()));
    }
    rows.into_iter()
}

/// Returns descriptors and resources of an owned API.
fn details(api: Piece, key: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut counts = Vec::new();
    for (list, what) in DESCRIPTORS {
        let before = rows.len();
        for descriptor in api.list(&[list]) {
            let path = format!("{what}.{}", descriptor.text(&["path"]));
            let title = descriptor.text(&["displayName"]);
            let hints: Vec<String> =
                descriptor.texts(&["x-descriptors"]).iter().map(|hint| hint_of(hint)).collect();
            let row = Row::new(format!("{key} {path}"), path, title);
            rows.push(row.note(hints.join(", ")).level(2).at(descriptor.spot()));
        }
        if rows.len() > before {
            counts.push(format!("{} {what}", rows.len() - before));
        }
    }
    if let Some(spot) = rows.first().map(|first| first.spot.clone()) {
        let head = Row::new(format!("{key} descriptors"), "descriptors", "").note(counts.join(", "));
        rows.insert(0, head.level(1).at(spot));
    }
    let resources = api.list(&["resources"]).map(|resource| {
        format!("{} {}", resource.text(&["kind"]), resource.text(&["version"])).trim().to_owned()
    });
    let resources: Vec<String> = resources.collect();
    if !resources.is_empty() {
        let spot = api.at(&["resources"]).and_then(Piece::spot);
        rows.push(Row::new(format!("{key} resources"), "resources", resources.join(", ")).level(1).at(spot));
    }
    rows
}

/// Returns an x-descriptor without its usual prefix.
fn hint_of(hint: &str) -> String {
    let prefixes = ["urn:alm:descriptor:com.tectonic.ui:", "urn:alm:descriptor:"];
    prefixes.into_iter().find_map(|prefix| hint.strip_prefix(prefix)).unwrap_or(hint).to_owned()
}

/// Returns the CRDs that consoles should hide.
fn internal(bundle: &BundleContents) -> BTreeSet<String> {
    let Some(annotation) = bundle.annotation("operators.operatorframework.io/internal-objects") else {
        return BTreeSet::new();
    };
    let text = annotation.text(&[]);
    let list = json::parse(text.as_bytes());
    list.map(|list| list.items().iter().map(|item| read::text(item, &[]).into_owned()).collect())
        .unwrap_or_default()
}
