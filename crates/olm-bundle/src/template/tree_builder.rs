//! Construction of trees.

use olm_catalog::{Member, Node, Span, Value};

/// Returns a node without a location.
pub(super) fn build_node(value: Value<'static>) -> Node<'static> {
    Node::new(value, Span::default())
}

pub(super) fn text_node(text: &str) -> Node<'static> {
    build_node(Value::String(text.to_owned().into()))
}

pub(super) fn list_node(items: Vec<Node<'static>>) -> Node<'static> {
    build_node(Value::List(items))
}

pub(super) fn map_node(members: Vec<(&'static str, Node<'static>)>) -> Node<'static> {
    let member = |(key, value): (&'static str, Node<'static>)| Member {
        key: key.into(),
        key_span: Span::default(),
        value,
    };
    build_node(Value::Map(members.into_iter().map(member).collect()))
}
