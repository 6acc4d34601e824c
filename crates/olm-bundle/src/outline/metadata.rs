//! Dependencies and other properties of the bundle.

use super::{
    Row,
    contents::{OutlineInput, StatedProperty},
    platform::MAX_OPENSHIFT,
};
use crate::{
    field_access,
    render::{JsonStyle, compact_json},
};
use olm_catalog::{Node, Span, Value, blob::DependencyTarget};

/// Longer values are shortened to one line.
const MAX_LEN: usize = 2000;

pub(super) fn null_node() -> Node<'static> {
    Node::new(Value::Null, Span::default())
}

/// Returns dependencies, then other properties. Properties shown in other sections are omitted.
pub(super) fn property_rows(bundle: &OutlineInput) -> Vec<Row> {
    let told = ["olm.package", "olm.gvk", "olm.csv.metadata", "olm.bundle.object", MAX_OPENSHIFT];
    let dependencies = bundle.stated.iter().filter(|stated| stated.is_dependency).map(property_row);
    let others =
        bundle.stated.iter().filter(|stated| !stated.is_dependency && !told.contains(&&*stated.kind));
    dependencies.chain(others.map(property_row)).collect()
}

fn property_row(stated: &StatedProperty) -> Row {
    let field = |key: &str| field_access::text_at(&stated.value, &[key]).into_owned();
    let gvk = || {
        (format!("{} {}", field("kind"), field("version")), format!("{} {}", field("group"), field("kind")))
    };
    let (label, (value, key)) = match stated.kind.as_str() {
        "olm.package" | "olm.package.required" => {
            let range = [field("version"), field("versionRange")].concat();
            ("needs package", (format!("{} {range}", field("packageName")), field("packageName")))
        }
        "olm.gvk" | "olm.gvk.required" => {
            let (api, key) = gvk();
            ("needs API", (format!("{api} ({})", field("group")), key))
        }
        "olm.constraint" => {
            let words = field("failureMessage");
            let all = format_value(&stated.value);
            ("needs", (if words.is_empty() { all.clone() } else { words }, all))
        }
        kind => (kind, (format_value(&stated.value), String::new())),
    };
    let key = if key.is_empty() { stated.kind.clone() } else { format!("{label}: {key}") };
    let row = Row::new(key, label, value).with_location(stated.location.clone());
    match stated.kind.as_str() {
        "olm.gvk" | "olm.gvk.required" => row.with_api(field("group"), field("kind")),
        "olm.package.required" => Row {
            dependency_target: Some(DependencyTarget::Package(field("packageName").as_str().into())),
            ..row
        },
        _ => row,
    }
}

fn format_value(value: &Node) -> String {
    let text = match &value.value {
        Value::String(text) => text.clone().into_owned(),
        _ => compact_json(value, JsonStyle::Raw),
    };
    match text.char_indices().nth(MAX_LEN) {
        Some((at, _)) => format!("{} … {} bytes", text.get(..at).unwrap_or_default(), text.len()),
        None => text,
    }
}
