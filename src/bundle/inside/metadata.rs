//! Dependencies and other properties of the bundle.

use super::{
    Row,
    contents::{BundleContents, Stated},
    platform::MAX_OPENSHIFT,
};
use crate::{
    bundle::{
        read,
        render::{Style, compact},
    },
    catalog::{Node, Span, Value, blob::Thing},
};

/// Longer values are shortened to one line.
const MAX_LEN: usize = 2000;

pub(super) fn null() -> Node<'static> {
    Node::new(Value::Null, Span::default())
}

/// Returns dependencies, then other properties. Properties shown in other sections are omitted.
pub(super) fn rows(bundle: &BundleContents) -> Vec<Row> {
    let told = ["olm.package", "olm.gvk", "olm.csv.metadata", "olm.bundle.object", MAX_OPENSHIFT];
    let dependencies = bundle.stated.iter().filter(|stated| stated.is_dependency).map(row);
    let others =
        bundle.stated.iter().filter(|stated| !stated.is_dependency && !told.contains(&&*stated.kind));
    dependencies.chain(others.map(row)).collect()
}

fn row(stated: &Stated) -> Row {
    let field = |key: &str| read::text(&stated.value, &[key]).into_owned();
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
            let all = one_line(&stated.value);
            ("needs", (if words.is_empty() { all.clone() } else { words }, all))
        }
        kind => (kind, (one_line(&stated.value), String::new())),
    };
    let key = if key.is_empty() { stated.kind.clone() } else { format!("{label}: {key}") };
    let row = Row::new(key, label, value).at(stated.spot.clone());
    match stated.kind.as_str() {
        "olm.gvk" | "olm.gvk.required" => row.api(field("group"), field("kind")),
        "olm.package.required" => {
            Row { thing: Some(Thing::Package(field("packageName").as_str().into())), ..row }
        }
        _ => row,
    }
}

fn one_line(value: &Node) -> String {
    let text = match &value.value {
        Value::String(text) => text.clone().into_owned(),
        _ => compact(value, Style::Raw),
    };
    match text.char_indices().nth(MAX_LEN) {
        Some((at, _)) => format!("{} … {} bytes", text.get(..at).unwrap_or_default(), text.len()),
        None => text,
    }
}
