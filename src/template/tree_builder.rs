//! Construction of trees.

use crate::catalog::{Member, Node, Span, Value};

/// Returns a node without a location.
pub(super) fn node(value: Value<'static>) -> Node<'static> {
    Node::new(value, Span::default())
}

pub(super) fn text(text: &str) -> Node<'static> {
    node(Value::String(text.to_owned().into()))
}

pub(super) fn list(items: Vec<Node<'static>>) -> Node<'static> {
    node(Value::List(items))
}

pub(super) fn map(members: Vec<(&'static str, Node<'static>)>) -> Node<'static> {
    let member = |(key, value): (&'static str, Node<'static>)| Member {
        key: key.into(),
        key_span: Span::default(),
        value,
    };
    node(Value::Map(members.into_iter().map(member).collect()))
}
