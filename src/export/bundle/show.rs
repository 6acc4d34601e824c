//! What is inside a bundle, as JSON and as text.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};

use crate::{
    bundle::{
        classic::{self, TargetNamespaces},
        registry::{Annotations, Contents, Csv},
        view::view,
    },
    catalog::{Node, Number, Value},
    export::{json, plain},
};

/// One object: name, package, channels, the OperatorGroups that are supported, the console's view.
pub fn json(contents: &Contents) -> String {
    let csv = contents.any_csv();
    let annotations = contents.metadata.annotations.as_ref();
    let channels: Vec<&str> = annotations.map(Annotations::channel_list).into_iter().flatten().collect();
    let supports = csv.map(classic::supports).unwrap_or_default();
    let object = json!({
        "name": csv.map(Csv::name).unwrap_or_default(),
        "package": contents.package(),
        "channels": channels,
        "supports": {
            "own": supports.contains(&TargetNamespaces::Own),
            "all": supports.contains(&TargetNamespaces::All),
            "single": supports.contains(&TargetNamespaces::Single),
            "multi": supports.contains(&TargetNamespaces::Multi),
            "multi_with_own": supports.contains(&TargetNamespaces::MultiWithOwn),
        },
        "view": csv.map(|csv| tree(&view(csv))),
    });
    json::pretty(&object)
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

/// The same for people, in short.
pub fn text(contents: &Contents) -> String {
    let mut out = String::new();
    let Some(csv) = contents.any_csv() else {
        return "no ClusterServiceVersion\n".to_owned();
    };
    let annotations = contents.metadata.annotations.as_ref();
    let channels: Vec<&str> = annotations.map(Annotations::channel_list).into_iter().flatten().collect();
    let mut row = |name: &str, value: &str| {
        if !value.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{name:<14}{}", plain::line(value));
        }
    };
    row("bundle", csv.name());
    row("package", contents.package());
    row("channels", &channels.join(", "));
    out
}
