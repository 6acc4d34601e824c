//! What is inside a bundle, as JSON.

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

/// One object: name, package, channels, the OperatorGroups that are supported, the console's view, the outline.
///
/// The channels are those of a catalog that has the bundle; without one, those of the annotations.
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

/// The same of a bundle of a catalog, where nobody knows the console's view.
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

/// A tree as JSON; deeper than serde goes there is nothing.
fn tree(node: &Node) -> Json {
    tree_below(node, 0)
}

/// How deep a description may nest.
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
