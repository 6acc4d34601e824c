//! Builders for object trees.

use std::borrow::Cow;

use crate::catalog::{Member, Node, Span, Value};

/// Creates a string node.
pub(super) fn text(text: &str) -> Node<'static> {
    Node::new(Value::String(Cow::Owned(text.to_owned())), Span::default())
}

/// Creates a list of string nodes.
pub(super) fn texts<T: AsRef<str>>(all: &[T]) -> Node<'static> {
    Node::new(Value::List(all.iter().map(|one| text(one.as_ref())).collect()), Span::default())
}

/// Creates a mapping node.
pub(super) fn map(members: impl IntoIterator<Item = (&'static str, Node<'static>)>) -> Node<'static> {
    let member = |(key, value): (&'static str, Node<'static>)| Member {
        key: Cow::Borrowed(key),
        key_span: Span::default(),
        value,
    };
    Node::new(Value::Map(members.into_iter().map(member).collect()), Span::default())
}

/// Creates an object, without `spec` if that is `None`.
pub(super) fn object(
    api_version: &str,
    kind: &str,
    name: &str,
    namespace: Option<&str>,
    spec: Option<Node<'static>>,
) -> Node<'static> {
    let metadata = namespace.map(|namespace| ("namespace", text(namespace)));
    let metadata = map([("name", text(name))].into_iter().chain(metadata));
    let head = [("apiVersion", text(api_version)), ("kind", text(kind)), ("metadata", metadata)];
    map(head.into_iter().chain(spec.map(|spec| ("spec", spec))))
}

/// Creates a namespace object.
pub(super) fn namespace(name: &str) -> Node<'static> {
    object("v1", "Namespace", name, None, None)
}
