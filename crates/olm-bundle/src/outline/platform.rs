//! Cluster requirements: Kubernetes and OpenShift versions, architectures, features, subscriptions.

use std::collections::BTreeMap;

use super::{
    Body, OutlineLocation, Row,
    contents::{OutlineInput, Piece, pretty_json},
};
use crate::{
    console_annotations::{
        INFRASTRUCTURE_FEATURES, InfrastructureFeature, SUGGESTED_NAMESPACE, SUGGESTED_NAMESPACE_TEMPLATE,
        VALID_SUBSCRIPTION, parse_string_list,
    },
    document, field_access,
};
use olm_catalog::text::json;

/// Label prefixes of architectures and operating systems, with OLM's defaults.
const SYSTEMS: [(&str, &str, &str); 2] = [
    ("architectures", "operatorframework.io/arch.", "amd64"),
    ("operating systems", "operatorframework.io/os.", "linux"),
];
/// Property with the last supported OpenShift version.
pub(super) const MAX_OPENSHIFT: &str = "olm.maxOpenShiftVersion";
/// Prefix of annotations about features, with the values `"true"` or `"false"`.
const FEATURES: &str = "features.operators.openshift.io/";
/// Names of features in the older annotation that differ in the newer.
const RENAMED: [(&str, &str); 1] = [("fips", "fips-compliant")];

pub(super) fn platform_rows(bundle: &OutlineInput) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut fact = |label: &str, piece: Option<Piece>| {
        let value = piece.map(|piece| piece.child_text(&[])).unwrap_or_default();
        if !value.is_empty() {
            rows.push(Row::new_fact(label, value).with_location(piece.and_then(Piece::location)));
        }
    };
    fact("min Kubernetes", bundle.csv_piece(&["spec", "minKubeVersion"]));
    fact("OpenShift versions", bundle.csv_annotation("com.redhat.openshift.versions"));
    fact("suggested namespace", bundle.csv_annotation(SUGGESTED_NAMESPACE));
    rows.extend(max_openshift_rows(bundle));
    rows.extend(openshift_range_row(bundle));
    rows.extend(SYSTEMS.into_iter().filter_map(|system| systems_row(bundle, system)));
    rows.extend(feature_rows(bundle));
    rows.extend(subscriptions_row(bundle));
    rows.extend(namespace_template_row(bundle));
    rows.extend(native_api_rows(bundle));
    rows
}

/// Returns the property about OpenShift; several are invalid, but all are shown.
fn max_openshift_rows(bundle: &OutlineInput) -> impl Iterator<Item = Row> {
    let stated = bundle.stated.iter().filter(|stated| stated.kind == MAX_OPENSHIFT);
    stated.map(|stated| {
        Row::new_fact("max OpenShift", field_access::text_at(&stated.value, &[]))
            .with_location(stated.location.clone())
    })
}

/// Returns the range of OpenShift catalogs for the bundle, which only `metadata/` has.
fn openshift_range_row(bundle: &OutlineInput) -> Option<Row> {
    let (contents, tree) = bundle.directory?;
    let path = &contents.metadata.annotations.as_ref()?.file;
    let file = tree.files.get(tree.file_index(path)?)?;
    let document = document::parse_first(file.content_or_empty()).ok()?;
    let value = field_access::node_at(&document.node, &["annotations", "com.redhat.openshift.versions"])?;
    let ground = super::contents::file_source(file, &document);
    Some(
        Row::new_fact("OpenShift catalogs", field_access::text_at(value, &[]))
            .with_location(Some(ground.location_of(value.span))),
    )
}

fn systems_row(bundle: &OutlineInput, (label, prefix, default): (&str, &str, &str)) -> Option<Row> {
    let csv = bundle.csv?;
    let labels = csv.child(&["metadata", "labels"]);
    let members = labels.map(|labels| labels.node.members()).unwrap_or_default();
    let named = members.iter().filter(|member| field_access::text_at(&member.value, &[]) == "supported");
    let mut names: Vec<&str> = named.filter_map(|member| member.key.strip_prefix(prefix)).collect();
    names.sort_unstable();
    names.dedup();
    Some(if names.is_empty() {
        Row::new_fact(label, default).with_note("no labels: OLM's default")
    } else {
        Row::new_fact(label, names.join(", ")).with_location(labels.and_then(Piece::location))
    })
}

/// Returns the features in both notations, by name.
fn feature_rows(bundle: &OutlineInput) -> Vec<Row> {
    let mut found: BTreeMap<String, (String, Vec<&str>, Option<OutlineLocation>)> = BTreeMap::new();
    if let Some(annotations) = bundle.csv_piece(&["metadata", "annotations"]) {
        for member in annotations.node.members() {
            let Some(name) = member.key.strip_prefix(FEATURES) else { continue };
            let value = match field_access::text_at(&member.value, &[]).as_ref() {
                "true" => "yes".to_owned(),
                "false" => "no".to_owned(),
                other => other.to_owned(),
            };
            let spot = annotations.with_node(&member.value).location();
            found.insert(name.to_owned(), (value, vec!["features annotation"], spot));
        }
    }
    let mut unreadable = None;
    if let Some(annotation) = bundle.csv_annotation(INFRASTRUCTURE_FEATURES) {
        match list_items(annotation) {
            Some(names) => {
                for written in names {
                    let (name, value, note) = describe_feature(&written);
                    let entry = found.entry(name);
                    let entry =
                        entry.or_insert_with(|| (value.to_owned(), Vec::new(), annotation.location()));
                    entry.1.push(note);
                }
            }
            None => unreadable = Some(unreadable_list_row("infrastructure features", annotation)),
        }
    }
    let rows = found.into_iter().map(|(name, (value, by, spot))| {
        Row::new(format!("feature {name}"), name, value).with_note(by.join(", ")).with_location(spot)
    });
    rows.chain(unreadable).collect()
}

/// Returns the name of a feature, its value and a note on the annotation that lists it.
fn describe_feature(written: &str) -> (String, &'static str, &'static str) {
    let feature = InfrastructureFeature::from_value(written);
    let name = feature.documented_name().unwrap_or(written);
    let name = RENAMED.iter().find(|(from, _)| *from == name).map_or(name, |(_, to)| *to);
    match feature {
        InfrastructureFeature::Documented(_) => {
            (name.to_owned(), "yes", "infrastructure-features annotation")
        }
        InfrastructureFeature::ConsoleOnly(_) => (
            name.to_owned(),
            "yes",
            "infrastructure-features annotation, as only the OpenShift console reads it",
        ),
        InfrastructureFeature::Unknown => {
            (name.to_owned(), "unknown", "infrastructure-features annotation: no console reads it")
        }
    }
}

/// Returns the strings of an annotation that is a JSON list of strings.
fn list_items(annotation: Piece) -> Option<Vec<String>> {
    let text = annotation.child_text(&[]);
    let list = parse_string_list(&text)?;
    Some(list.items().iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
}

/// Returns the row of an annotation that is not a list, with its text.
fn unreadable_list_row(label: &str, annotation: Piece) -> Row {
    Row::new_fact(label, annotation.child_text(&[]))
        .with_note("not a JSON list of strings: consoles ignore it")
        .with_location(annotation.location())
}

fn subscriptions_row(bundle: &OutlineInput) -> Option<Row> {
    let annotation = bundle.csv_annotation(VALID_SUBSCRIPTION)?;
    let Some(names) = list_items(annotation) else {
        return Some(unreadable_list_row("subscriptions", annotation));
    };
    (!names.is_empty())
        .then(|| Row::new_fact("subscriptions", names.join(", ")).with_location(annotation.location()))
}

fn namespace_template_row(bundle: &OutlineInput) -> Option<Row> {
    let annotation = bundle.csv_annotation(SUGGESTED_NAMESPACE_TEMPLATE)?;
    let text = annotation.child_text(&[]);
    let row = match json::parse_json(text.as_bytes()) {
        Ok(node) => {
            let name = field_access::text_at(&node, &["metadata", "name"]);
            Row::new_fact("namespace template", name).with_body(Body::Json(pretty_json(&node)))
        }
        Err(_) => Row::new_fact("namespace template", "not JSON"),
    };
    Some(row.with_location(annotation.location()))
}

/// Returns required APIs of the cluster itself.
fn native_api_rows(bundle: &OutlineInput) -> Vec<Row> {
    let apis = bundle.csv_items(&["spec", "nativeAPIs"]).into_iter();
    apis.map(|api| {
        let [group, version, kind] = ["group", "version", "kind"].map(|key| api.child_text(&[key]));
        let group = if group.is_empty() { "core".into() } else { group };
        Row::new(format!("native {kind} {group}"), "native API", format!("{kind} {version} ({group})"))
            .with_location(api.location())
    })
    .collect()
}

/// Returns true if the bundle claims support for disconnected clusters.
pub(super) fn claims_disconnected(bundle: &OutlineInput) -> bool {
    feature_rows(bundle).iter().any(|row| row.label == "disconnected" && row.value == "yes")
}
