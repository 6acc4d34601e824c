//! Access to fields of parsed objects by path.

use std::borrow::Cow;

use super::typed::{DecoderKind, field_text, find_field};
use olm_catalog::{Node, Value};

/// Returns a value below a node; the case of keys is ignored.
pub fn node_at<'n, 'a>(node: &'n Node<'a>, path: &[&str]) -> Option<&'n Node<'a>> {
    path.iter().try_fold(node, |node, key| find_field(node, key))
}

/// Returns a string below a node, with numbers and booleans formatted like Go; empty if absent.
pub fn text_at<'n>(node: &'n Node<'_>, path: &[&str]) -> Cow<'n, str> {
    node_at(node, path).and_then(|node| field_text(node, DecoderKind::Yaml)).unwrap_or_default()
}

/// Returns the items of a list below a node.
pub fn items_at<'n, 'a>(node: &'n Node<'a>, path: &[&str]) -> &'n [Node<'a>] {
    node_at(node, path).map(Node::items).unwrap_or_default()
}

/// Returns the values of the properties of a kind, such as `olm.csv.metadata`, in a bundle document.
pub fn property_values<'n, 'a>(
    document: &'n Node<'a>,
    kind: &'static str,
) -> impl Iterator<Item = &'n Node<'a>> {
    let of_kind =
        items_at(document, &["properties"]).iter().filter(move |one| text_at(one, &["type"]) == kind);
    of_kind.filter_map(|one| node_at(one, &["value"]))
}

/// Returns the strings of a list below a node.
pub fn texts_at<'n>(node: &'n Node<'_>, path: &[&str]) -> impl Iterator<Item = Cow<'n, str>> {
    items_at(node, path).iter().map(|item| field_text(item, DecoderKind::Yaml).unwrap_or_default())
}

/// Returns true if a field is `true`.
pub fn is_true_at(node: &Node, path: &[&str]) -> bool {
    node_at(node, path).is_some_and(|node| matches!(node.value, Value::Bool(true)))
}

/// Returns an integer below a node.
pub fn integer_at(node: &Node, path: &[&str]) -> Option<i64> {
    match &node_at(node, path)?.value {
        Value::Number(number) => number.0.parse().ok(),
        _ => None,
    }
}

/// Returns an annotation of an object.
pub fn annotation_value<'n>(object: &'n Node<'_>, key: &str) -> Option<Cow<'n, str>> {
    let annotations = node_at(object, &["metadata", "annotations"])?;
    let value = annotations.members().iter().rfind(|member| member.key == key)?;
    Some(field_text(&value.value, DecoderKind::Yaml).unwrap_or_default())
}

/// Splits `apiVersion` into group and version.
pub fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}
