//! Access to fields of parsed objects by path.

use std::borrow::Cow;

use super::typed::{Reading, field, text_of};
use crate::catalog::{Node, Value};

/// Returns a value below a node; the case of keys is ignored.
pub fn at<'n, 'a>(node: &'n Node<'a>, path: &[&str]) -> Option<&'n Node<'a>> {
    path.iter().try_fold(node, |node, key| field(node, key))
}

/// Returns a string below a node, with numbers and booleans formatted like Go; empty if absent.
pub fn text<'n>(node: &'n Node<'_>, path: &[&str]) -> Cow<'n, str> {
    at(node, path).and_then(|node| text_of(node, Reading::Yaml)).unwrap_or_default()
}

/// Returns the items of a list below a node.
pub fn items<'n, 'a>(node: &'n Node<'a>, path: &[&str]) -> &'n [Node<'a>] {
    at(node, path).map(Node::items).unwrap_or_default()
}

/// Returns the strings of a list below a node.
pub fn texts<'n>(node: &'n Node<'_>, path: &[&str]) -> impl Iterator<Item = Cow<'n, str>> {
    items(node, path).iter().map(|item| text_of(item, Reading::Yaml).unwrap_or_default())
}

/// Returns true if a field is `true`.
pub fn truth(node: &Node, path: &[&str]) -> bool {
    at(node, path).is_some_and(|node| matches!(node.value, Value::Bool(true)))
}

/// Returns an integer below a node.
pub fn whole(node: &Node, path: &[&str]) -> Option<i64> {
    match &at(node, path)?.value {
        Value::Number(number) => number.0.parse().ok(),
        _ => None,
    }
}

/// Returns an annotation of an object.
pub fn annotation<'n>(object: &'n Node<'_>, key: &str) -> Option<Cow<'n, str>> {
    let annotations = at(object, &["metadata", "annotations"])?;
    let value = annotations.members().iter().rfind(|member| member.key == key)?;
    Some(text_of(&value.value, Reading::Yaml).unwrap_or_default())
}

/// Splits `apiVersion` into group and version.
pub fn group_and_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}
