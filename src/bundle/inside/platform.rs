//! Cluster requirements: Kubernetes and OpenShift versions, architectures, features, subscriptions.

use std::collections::BTreeMap;

use super::{
    Body, Row, Spot,
    contents::{BundleContents, Piece},
    examples::pretty,
};
use crate::{
    bundle::{document, read},
    catalog::{Value, text::json},
};

/// Label prefixes of architectures and operating systems, with OLM's defaults.
const SYSTEMS: [(&str, &str, &str); 2] = [
    ("architectures", "operatorframework.io/arch.", "amd64"),
    ("operating systems", "operatorframework.io/os.", "linux"),
];
/// Property with the last supported OpenShift version.
pub(super) const MAX_OPENSHIFT: &str = "olm.maxOpenShiftVersion";
/// Prefix of annotations about features, with the values `"true"` or `"false"`.
const FEATURES: &str = "features.operators.openshift.io/";
/// Older annotation: a JSON list.
const OLD_FEATURES: &str = "operators.openshift.io/infrastructure-features";
/// Names of features in the older annotation that differ in the newer.
const RENAMED: [(&str, &str); 1] = [("fips", "fips-compliant")];

pub(super) fn rows(bundle: &BundleContents) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut fact = |label: &str, piece: Option<Piece>| {
        let value = piece.map(|piece| piece.text(&[])).unwrap_or_default();
        if !value.is_empty() {
            rows.push(Row::fact(label, value).at(piece.and_then(Piece::spot)));
        }
    };
    fact("min Kubernetes", bundle.at(&["spec", "minKubeVersion"]));
    fact("OpenShift versions", bundle.annotation("com.redhat.openshift.versions"));
    fact("suggested namespace", bundle.annotation("operatorframework.io/suggested-namespace"));
    rows.extend(max_openshift(bundle));
    rows.extend(of_directory(bundle));
    rows.extend(SYSTEMS.into_iter().filter_map(|system| systems(bundle, system)));
    rows.extend(features(bundle));
    rows.extend(subscriptions(bundle));
    rows.extend(namespace_template(bundle));
    rows.extend(native(bundle));
    rows
}

/// Returns the property about OpenShift; several are invalid, but all are shown.
fn max_openshift(bundle: &BundleContents) -> impl Iterator<Item = Row> {
    let stated = bundle.stated.iter().filter(|stated| stated.kind == MAX_OPENSHIFT);
    stated.map(|stated| Row::fact("max OpenShift", read::text(&stated.value, &[])).at(stated.spot.clone()))
}

/// Returns the range of OpenShift catalogs for the bundle, which only `metadata/` has.
fn of_directory(bundle: &BundleContents) -> Option<Row> {
    let (contents, tree) = bundle.directory?;
    let path = &contents.metadata.annotations.as_ref()?.file;
    let file = tree.files.get(tree.position(path)?)?;
    let document = document::first(file.bytes()).ok()?;
    let value = read::at(&document.node, &["annotations", "com.redhat.openshift.versions"])?;
    let ground = super::directory::ground_of(file, &document);
    Some(Row::fact("OpenShift catalogs", read::text(value, &[])).at(Some(ground.spot(value.span))))
}

fn systems(bundle: &BundleContents, (label, prefix, default): (&str, &str, &str)) -> Option<Row> {
    let csv = bundle.csv?;
    let labels = csv.at(&["metadata", "labels"]);
    let members = labels.map(|labels| labels.node.members()).unwrap_or_default();
    let named = members.iter().filter(|member| read::text(&member.value, &[]) == "supported");
    let mut names: Vec<&str> = named.filter_map(|member| member.key.strip_prefix(prefix)).collect();
    names.sort_unstable();
    names.dedup();
    Some(if names.is_empty() {
        Row::fact(label, default).note("no labels: OLM's default")
    } else {
        Row::fact(label, names.join(", ")).at(labels.and_then(Piece::spot))
    })
}

/// Returns the features in both notations, by name.
fn features(bundle: &BundleContents) -> Vec<Row> {
    let mut found: BTreeMap<String, (String, Vec<&str>, Option<Spot>)> = BTreeMap::new();
    if let Some(annotations) = bundle.at(&["metadata", "annotations"]) {
        for member in annotations.node.members() {
            let Some(name) = member.key.strip_prefix(FEATURES) else { continue };
            let value = match read::text(&member.value, &[]).as_ref() {
                "true" => "yes".to_owned(),
                "false" => "no".to_owned(),
                other => other.to_owned(),
            };
            let spot = annotations.with(&member.value).spot();
            found.insert(name.to_owned(), (value, vec!["features annotation"], spot));
        }
    }
    if let Some(annotation) = bundle.annotation(OLD_FEATURES) {
        for name in listed(annotation) {
            let name = name.to_lowercase();
            let renamed = RENAMED.iter().find(|(from, _)| *from == name);
            let name = renamed.map_or(name, |(_, to)| (*to).to_owned());
            let entry = found.entry(name);
            let entry = entry.or_insert_with(|| ("yes".to_owned(), Vec::new(), annotation.spot()));
            entry.1.push("infrastructure-features");
        }
    }
    let rows = found.into_iter().map(|(name, (value, by, spot))| {
        Row::new(format!("feature {name}"), name, value).note(by.join(", ")).at(spot)
    });
    rows.collect()
}

/// Returns the strings of a JSON list in an annotation; for other text, its words.
fn listed(annotation: Piece) -> Vec<String> {
    let text = annotation.text(&[]);
    let list = json::parse(text.as_bytes()).ok().filter(|node| matches!(node.value, Value::List(_)));
    match list {
        Some(list) => list.items().iter().map(|item| read::text(item, &[]).into_owned()).collect(),
        None => text.split(',').map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect(),
    }
}

fn subscriptions(bundle: &BundleContents) -> Option<Row> {
    let annotation = bundle.annotation("operators.openshift.io/valid-subscription")?;
    let names = listed(annotation);
    (!names.is_empty()).then(|| Row::fact("subscriptions", names.join(", ")).at(annotation.spot()))
}

fn namespace_template(bundle: &BundleContents) -> Option<Row> {
    let annotation = bundle.annotation("operatorframework.io/suggested-namespace-template")?;
    let text = annotation.text(&[]);
    let row = match json::parse(text.as_bytes()) {
        Ok(node) => {
            let name = read::text(&node, &["metadata", "name"]);
            Row::fact("namespace template", name).body(Body::Json(pretty(&node)))
        }
        Err(_) => Row::fact("namespace template", "not JSON"),
    };
    Some(row.at(annotation.spot()))
}

/// Returns required APIs of the cluster itself.
fn native(bundle: &BundleContents) -> Vec<Row> {
    let apis = bundle.items(&["spec", "nativeAPIs"]).into_iter();
    apis.map(|api| {
        let [group, version, kind] = ["group", "version", "kind"].map(|key| api.text(&[key]));
        let group = if group.is_empty() { "core".into() } else { group };
        Row::new(format!("native {kind} {group}"), "native API", format!("{kind} {version} ({group})"))
            .at(api.spot())
    })
    .collect()
}

/// Returns true if the bundle claims support for disconnected clusters.
pub(super) fn claims_disconnected(bundle: &BundleContents) -> bool {
    features(bundle).iter().any(|row| row.label == "disconnected" && row.value == "yes")
}
