//! Looking into objects that were read: fields by their way from the object.

use std::borrow::Cow;

use super::typed::{Reading, field, text_of};
use crate::catalog::{Node, Value};

/// A value below a node; keys in any case.
pub fn at<'n, 'a>(node: &'n Node<'a>, path: &[&str]) -> Option<&'n Node<'a>> {
    path.iter().try_fold(node, |node, key| field(node, key))
}

/// A text below a node, numbers and booleans as Go writes them; empty where there is none.
pub fn text<'n>(node: &'n Node<'_>, path: &[&str]) -> Cow<'n, str> {
    at(node, path).and_then(|node| text_of(node, Reading::Yaml)).unwrap_or_default()
}

/// The items of a list below a node.
pub fn items<'n, 'a>(node: &'n Node<'a>, path: &[&str]) -> &'n [Node<'a>] {
    at(node, path).map(Node::items).unwrap_or_default()
}

/// The texts of a list below a node.
pub fn texts<'n>(node: &'n Node<'_>, path: &[&str]) -> impl Iterator<Item = Cow<'n, str>> {
    items(node, path).iter().map(|item| text_of(item, Reading::Yaml).unwrap_or_default())
}

/// Whether a field is `true`.
pub fn truth(node: &Node, path: &[&str]) -> bool {
    at(node, path).is_some_and(|node| matches!(node.value, Value::Bool(true)))
}

/// A whole number below a node.
pub fn whole(node: &Node, path: &[&str]) -> Option<i64> {
    match &at(node, path)?.value {
        Value::Number(number) => number.0.parse().ok(),
        _ => None,
    }
}

/// An annotation of an object.
pub fn annotation<'n>(object: &'n Node<'_>, key: &str) -> Option<Cow<'n, str>> {
    let annotations = at(object, &["metadata", "annotations"])?;
    let value = annotations.members().iter().rfind(|member| member.key == key)?;
    Some(text_of(&value.value, Reading::Yaml).unwrap_or_default())
}

/// `apiVersion` cut into group and version.
pub fn group_and_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}
