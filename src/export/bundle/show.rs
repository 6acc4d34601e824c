//! Contents of a bundle as JSON.

use serde_json::{Map, Value as Json, json};

use super::inside::{self, Wanted};
use crate::{
    bundle::{
        classic::TargetNamespaces,
        inside::Inside,
        registry::{Annotations, Contents, Csv},
        view::view,
    },
    catalog::{Node, Number, Value},
    export::json,
};

/// Renders a bundle directory as an object: name, package, channels, supported OperatorGroups,
/// console view, outline.
///
/// The channels come from the catalog that contains the bundle; without a catalog, from the
/// annotations.
pub fn of_directory(
    contents: &Contents,
    published: Option<&[&str]>,
    inside: &Inside,
    wanted: &Wanted,
) -> String {
    let csv = contents.any_csv();
    let annotations = contents.metadata.annotations.as_ref();
    let stated: Vec<&str> = annotations.map(Annotations::channel_list).into_iter().flatten().collect();
    let name = csv.map(Csv::name).unwrap_or_default();
    object(name, published.unwrap_or(&stated), csv.map(|csv| tree(&view(csv))).as_ref(), inside, wanted)
}

/// Renders a bundle of a catalog, which does not have a console view.
pub fn of_catalog(channels: &[&str], inside: &Inside, wanted: &Wanted) -> String {
    object(&inside.name, channels, None, inside, wanted)
}

fn object(name: &str, channels: &[&str], view: Option<&Json>, of: &Inside, wanted: &Wanted) -> String {
    let supports = |target| of.supports.contains(&target);
    json::pretty(&json!({
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
        "inside": inside::json(of, wanted),
    }))
}

/// Converts a tree to JSON; levels below the maximum depth become `null`.
fn tree(node: &Node) -> Json {
    tree_below(node, 0)
}

/// Maximum depth that `serde_json` prints.
const MAX_DEPTH: usize = 100;

fn tree_below(node: &Node, depth: usize) -> Json {
    if depth > MAX_DEPTH {
        return Json::Null;
    }
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(Number(text)) => text.parse().map_or(Json::Null, Json::Number),
        Value::String(text) => Json::String(text.clone().into_owned()),
        Value::List(items) => items.iter().map(|item| tree_below(item, depth + 1)).collect(),
        Value::Map(members) => {
            let members =
                members.iter().map(|m| (m.key.clone().into_owned(), tree_below(&m.value, depth + 1)));
            Json::Object(members.collect::<Map<_, _>>())
        }
    }
}
