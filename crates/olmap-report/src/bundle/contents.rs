//! Contents of a bundle as JSON.

use serde_json::{Map, Value as Json, json};

use super::outline::{self, SectionFilter};
use crate::json;
use olm_bundle::{
    classic::TargetNamespaces,
    outline::Outline,
    registry::{Annotations, Csv, DirectoryContents},
    view::console_view,
};
use olm_catalog::{Node, Number, Value};

/// Renders a bundle directory as an object: name, package, channels, supported OperatorGroups,
/// console view, outline.
///
/// The channels come from the catalog that contains the bundle; without a catalog, from the
/// annotations.
pub fn render_directory_bundle(
    contents: &DirectoryContents,
    published: Option<&[&str]>,
    inside: &Outline,
    wanted: &SectionFilter,
) -> String {
    let csv = contents.any_csv();
    let annotations = contents.metadata.annotations.as_ref();
    let stated: Vec<&str> = annotations.map(Annotations::channel_list).into_iter().flatten().collect();
    let name = csv.map(Csv::name).unwrap_or_default();
    render_bundle_object(
        name,
        published.unwrap_or(&stated),
        csv.map(|csv| node_to_json(&console_view(csv))).as_ref(),
        inside,
        wanted,
    )
}

/// Renders a bundle of a catalog, which does not have a console view.
pub fn render_catalog_bundle(channels: &[&str], inside: &Outline, wanted: &SectionFilter) -> String {
    render_bundle_object(&inside.name, channels, None, inside, wanted)
}

fn render_bundle_object(
    name: &str,
    channels: &[&str],
    view: Option<&Json>,
    of: &Outline,
    wanted: &SectionFilter,
) -> String {
    let supports = |target| of.supports.contains(&target);
    json::to_pretty_json(&json!({
        "name": name,
        "package": of.package,
        "channels": channels,
        "supports": {
            "own": supports(TargetNamespaces::Own),
            "all": supports(TargetNamespaces::All),
            "single": supports(TargetNamespaces::Single),
            "multi": supports(TargetNamespaces::Multi),
            "multi_with_own": supports(TargetNamespaces::MultiWithOwn),
        },
        "view": view,
        "inside": outline::outline_json(of, wanted),
    }))
}

/// Converts a tree to JSON; levels below the maximum depth become `null`.
fn node_to_json(node: &Node) -> Json {
    node_to_json_at_depth(node, 0)
}

/// Maximum depth that `serde_json` prints.
const MAX_DEPTH: usize = 100;

fn node_to_json_at_depth(node: &Node, depth: usize) -> Json {
    if depth > MAX_DEPTH {
        return Json::Null;
    }
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(Number(text)) => text.parse().map_or(Json::Null, Json::Number),
        Value::String(text) => Json::String(text.clone().into_owned()),
        Value::List(items) => items.iter().map(|item| node_to_json_at_depth(item, depth + 1)).collect(),
        Value::Map(members) => {
            let members = members
                .iter()
                .map(|m| (m.key.clone().into_owned(), node_to_json_at_depth(&m.value, depth + 1)));
            Json::Object(members.collect::<Map<_, _>>())
        }
    }
}
