//! APIs: CRDs and API services that a bundle owns or requires, and its webhooks.

use std::collections::{BTreeSet, HashMap};

use super::{
    Row, RowKeys,
    contents::{OutlineInput, Piece},
    hash_without,
};
use crate::{
    console_annotations::{INTERNAL_OBJECTS, parse_string_list},
    field_access,
    registry::CRD_KIND,
};

/// Spec keys of API definitions.
const CRDS: &str = "customresourcedefinitions";
const SERVICES: &str = "apiservicedefinitions";
/// Lists of descriptors with the prefix of their paths.
const DESCRIPTORS: [(&str, &str); 3] =
    [("specDescriptors", "spec"), ("statusDescriptors", "status"), ("actionDescriptors", "action")];

pub(super) fn required_api_rows(bundle: &OutlineInput) -> Vec<Row> {
    let mut keys = RowKeys::default();
    let mut rows = Vec::new();
    for (key, what) in [(CRDS, "CRD"), (SERVICES, "API service")] {
        for api in bundle.csv_items(&["spec", key, "required"]) {
            let row = keys.make_unique(api_row(api, what));
            let details = description_row(api, &row.key);
            rows.push(row);
            rows.extend(details);
        }
    }
    rows
}

/// Returns the description of an API for users.
fn description_row(api: Piece, key: &str) -> Option<Row> {
    let description = api.child(&["description"])?;
    let text = description.child_text(&[]);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then(|| {
        Row::new(format!("{key} description"), "description", text)
            .with_level(1)
            .with_location(description.location())
    })
}

/// Returns the deployment that serves an API service, and its port.
fn service_rows(service: Piece, key: &str) -> impl Iterator<Item = Row> {
    let facts = [("deployment", "deploymentName", ""), ("container port", "containerPort", "443 (default)")];
    let rows = facts.map(|(label, field, default)| {
        let piece = service.child(&[field]);
        let text = piece.map(|piece| piece.child_text(&[])).unwrap_or_default();
        let value = if text.is_empty() { default.into() } else { text };
        Row::new(format!("{key} {label}"), label, value)
            .with_level(1)
            .with_location(piece.and_then(Piece::location))
    });
    rows.into_iter().filter(|row| !row.value.is_empty())
}

pub(super) fn owned_api_rows(bundle: &OutlineInput) -> Vec<Row> {
    if bundle.csv.is_none() {
        return provided_api_rows(bundle);
    }
    let mut keys = RowKeys::default();
    let internal = internal_crds(bundle);
    let mut crds: HashMap<_, Piece> = bundle
        .objects_of_kind(CRD_KIND)
        .map(|crd| (crd.child_text(&["metadata", "name"]).into_owned(), crd))
        .collect();
    let mut rows = Vec::new();
    for (key, what) in [(CRDS, "CRD"), (SERVICES, "API service")] {
        for api in bundle.csv_items(&["spec", key, "owned"]) {
            let name = api.child_text(&["name"]);
            let mut row = keys.make_unique(api_row(api, what));
            if what == "CRD" && internal.contains(name.as_ref()) {
                let title = std::mem::take(&mut row.note);
                let notes = [title.as_str(), "internal: consoles hide it"].into_iter();
                row = row.with_note(notes.filter(|note| !note.is_empty()).collect::<Vec<_>>().join("; "));
            }
            let key = row.key.clone();
            rows.push(row);
            rows.extend(description_row(api, &key));
            if what == "API service" {
                rows.extend(service_rows(api, &key));
            }
            // A CRD may be listed once per version; its versions are shown once.
            if what == "CRD"
                && let Some(crd) = crds.remove(name.as_ref())
            {
                rows.extend(version_rows(crd).map(|row| Row { key: format!("{key} {}", row.key), ..row }));
            }
            rows.extend(descriptor_rows(api, &key));
        }
    }
    let owned: BTreeSet<String> = bundle
        .csv_items(&["spec", CRDS, "owned"])
        .into_iter()
        .map(|api| api.child_text(&["name"]).into_owned())
        .collect();
    for crd in bundle.objects_of_kind(CRD_KIND) {
        let name = crd.child_text(&["metadata", "name"]);
        if !owned.contains(name.as_ref()) {
            let kind = crd.child_text(&["spec", "names", "kind"]);
            let row = Row::new(format!("CRD {name}"), kind.as_ref(), name.as_ref());
            rows.push(row.with_note("not listed as owned").with_location(crd.location()));
        }
    }
    rows
}

/// Returns the APIs in a catalog without the ClusterServiceVersion.
fn provided_api_rows(bundle: &OutlineInput) -> Vec<Row> {
    let apis = bundle.stated.iter().filter(|stated| stated.kind == "olm.gvk");
    apis.map(|stated| {
        let [group, version, kind] =
            ["group", "version", "kind"].map(|key| field_access::text_at(&stated.value, &[key]));
        let key = format!("API {kind}.{group} {version}");
        let row = Row::new(key, kind.as_ref(), format!("{version} ({group})"))
            .with_location(stated.location.clone());
        row.with_api(group, kind)
    })
    .collect()
}

/// Returns the row of an API. Its key does not contain the version, because the next bundle may have another
/// one.
fn api_row(api: Piece, what: &str) -> Row {
    let [name, version, kind, group] = ["name", "version", "kind", "group"].map(|key| api.child_text(&[key]));
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
    let title = api.child_text(&["displayName"]);
    let note = if title == kind { String::new() } else { title.into_owned() };
    let value = format!("{full} {version}{}", if what == "CRD" { "" } else { "  API service" });
    // A CRD may be listed once per version.
    Row::new(format!("{what} {} {}", shorten_word(&full), shorten_word(&kind)), kind.as_ref(), value)
        .with_note(note)
        .with_location(api.location())
        .with_api(of_group, kind)
}

/// Returns the versions of a CRD object.
fn version_rows<'m>(crd: Piece<'m, '_>) -> impl Iterator<Item = Row> + use<'m> {
    let mut rows: Vec<Row> = Vec::new();
    for version in crd.child_items(&["spec", "versions"]) {
        let is = |key: &str| field_access::is_true_at(version.node, &[key]);
        let words = [
            if is("served") { "served" } else { "not served" },
            if is("storage") { "stored" } else { "" },
            if is("deprecated") { "deprecated" } else { "" },
        ];
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let name = version.child_text(&["name"]);
        rows.push(
            Row::new(format!("version {name}"), name.as_ref(), words.join(", "))
                .with_hidden_hash(super::hash_without(
                    version.node,
                    &["name", "served", "storage", "deprecated"],
                ))
                .with_level(1)
                .with_location(version.location()),
        );
    }
    if let Some(scope) = crd.child(&["spec", "scope"]) {
        rows.insert(
            0,
            Row::new_fact("scope", scope.child_text(&[])).with_level(1).with_location(scope.location()),
        );
    }
    let strategy = crd.child(&["spec", "conversion", "strategy"]);
    if let Some(strategy) = strategy.filter(|strategy| strategy.child_text(&[]) == "Webhook") {
        rows.push(
            Row::new("conversion", "conversion", "by webhook")
                .with_level(1)
                .with_location(strategy.location()),
        );
    }
    rows.into_iter()
}

/// Returns descriptors and resources of an owned API.
fn descriptor_rows(api: Piece, key: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut counts = Vec::new();
    for (list, what) in DESCRIPTORS {
        let before = rows.len();
        for descriptor in api.child_items(&[list]) {
            let path = format!("{what}.{}", descriptor.child_text(&["path"]));
            let title = descriptor.child_text(&["displayName"]);
            let hints: Vec<String> = descriptor
                .child_texts(&["x-descriptors"])
                .iter()
                .map(|hint| short_x_descriptor(hint))
                .collect();
            let row = Row::new(format!("{key} {path}"), path, title);
            rows.push(row.with_note(hints.join(", ")).with_level(2).with_location(descriptor.location()));
        }
        if rows.len() > before {
            counts.push(format!("{} {what}", rows.len() - before));
        }
    }
    if let Some(spot) = rows.first().map(|first| first.location.clone()) {
        let head = Row::new(format!("{key} descriptors"), "descriptors", "").with_note(counts.join(", "));
        rows.insert(0, head.with_level(1).with_location(spot));
    }
    let resources = api.child_items(&["resources"]).map(|resource| {
        format!("{} {}", resource.child_text(&["kind"]), resource.child_text(&["version"])).trim().to_owned()
    });
    let resources: Vec<String> = resources.collect();
    if !resources.is_empty() {
        let spot = api.child(&["resources"]).and_then(Piece::location);
        rows.push(
            Row::new(format!("{key} resources"), "resources", resources.join(", "))
                .with_level(1)
                .with_location(spot),
        );
    }
    rows
}

/// Returns an x-descriptor without its usual prefix.
fn short_x_descriptor(hint: &str) -> String {
    let prefixes = ["urn:alm:descriptor:com.tectonic.ui:", "urn:alm:descriptor:"];
    prefixes.into_iter().find_map(|prefix| hint.strip_prefix(prefix)).unwrap_or(hint).to_owned()
}

/// Returns the CRDs that consoles should hide.
fn internal_crds(bundle: &OutlineInput) -> BTreeSet<String> {
    let Some(annotation) = bundle.csv_annotation(INTERNAL_OBJECTS) else { return BTreeSet::new() };
    let text = annotation.child_text(&[]);
    // Consoles ignore an annotation of another form.
    let list = parse_string_list(&text);
    list.map(|list| list.items().iter().map(|item| field_access::text_at(item, &[]).into_owned()).collect())
        .unwrap_or_default()
}

/// Maximum length of a repeated word in characters, and maximum number of listed words.
const MAX_LEN: usize = 120;

const MAX_COUNT: usize = 24;

/// Returns a word, or its beginning.
pub(super) fn shorten_word(word: &str) -> &str {
    match word.char_indices().nth(MAX_LEN) {
        Some((at, _)) => word.get(..at).unwrap_or_default(),
        None => word,
    }
}

/// Joins words on one line; shortened if there are many.
pub(super) fn join_words<T: AsRef<str>>(words: &[T], between: &str) -> String {
    let mut first: Vec<&str> = words.iter().take(MAX_COUNT).map(|word| shorten_word(word.as_ref())).collect();
    let more = words.len().saturating_sub(MAX_COUNT);
    let rest = format!("and {more} more");
    if more > 0 {
        first.push(&rest);
    }
    first.join(between)
}

/// Fields that the rows of a webhook show.
const WEBHOOK_FIELDS: [&str; 9] = [
    "type",
    "generateName",
    "deploymentName",
    "webhookPath",
    "failurePolicy",
    "sideEffects",
    "containerPort",
    "conversionCRDs",
    "rules",
];

pub(super) fn webhook_rows(bundle: &OutlineInput) -> Vec<Row> {
    let mut keys = RowKeys::default();
    let mut rows = Vec::new();
    for webhook in bundle.csv_items(&["spec", "webhookdefinitions"]) {
        let kind = webhook.child_text(&["type"]);
        let name = webhook.child_text(&["generateName"]);
        let head = Row::new(
            format!("{} {}", shorten_word(&kind), shorten_word(&name)),
            name.as_ref(),
            kind.as_ref(),
        )
        .with_hidden_hash(hash_without(webhook.node, &WEBHOOK_FIELDS))
        .with_location(webhook.location());
        let head = keys.make_unique(head);
        let key = head.key.clone();
        let of = |label: &str| format!("{key} {label}");
        rows.push(head);
        let mut fact = |label: &str, path: &[&str], default: &'static str| {
            let piece = webhook.child(path);
            let text = piece.map(|piece| piece.child_text(&[])).unwrap_or_default();
            let value = if text.is_empty() { default.into() } else { text };
            if !value.is_empty() {
                rows.push(
                    Row::new(of(label), label, value)
                        .with_level(1)
                        .with_location(piece.and_then(Piece::location)),
                );
            }
        };
        fact("deployment", &["deploymentName"], "");
        fact("path", &["webhookPath"], "");
        if kind != "ConversionWebhook" {
            fact("failure policy", &["failurePolicy"], "Fail (default)");
        }
        fact("side effects", &["sideEffects"], "");
        fact("container port", &["containerPort"], "443 (default)");
        let crds = webhook.child_texts(&["conversionCRDs"]);
        if !crds.is_empty() {
            let spot = webhook.child(&["conversionCRDs"]).and_then(Piece::location);
            rows.push(
                Row::new(of("converts"), "converts", crds.join(", ")).with_level(1).with_location(spot),
            );
        }
        for rule in webhook.child_items(&["rules"]) {
            let words = |key: &str| {
                let all = rule.child_texts(&[key]);
                all.iter()
                    .map(|text| if text.is_empty() { "core" } else { text })
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let what = format!("{} ({} {})", words("resources"), words("apiGroups"), words("apiVersions"));
            let row = Row::new(of(&what), "called for", format!("{} of {what}", words("operations")));
            rows.push(row.with_level(1).with_location(rule.location()));
        }
    }
    rows
}
