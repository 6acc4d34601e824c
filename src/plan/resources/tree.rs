//! Objects as trees.

use std::borrow::Cow;

use crate::catalog::{Member, Node, Span, Value};

/// A text.
pub(super) fn text(text: &str) -> Node<'static> {
    Node::new(Value::String(Cow::Owned(text.to_owned())), Span::default())
}

/// A list of texts.
pub(super) fn texts<T: AsRef<str>>(all: &[T]) -> Node<'static> {
    Node::new(Value::List(all.iter().map(|one| text(one.as_ref())).collect()), Span::default())
}

/// A map.
pub(super) fn map(members: impl IntoIterator<Item = (&'static str, Node<'static>)>) -> Node<'static> {
    let member = |(key, value): (&'static str, Node<'static>)| Member {
        key: Cow::Borrowed(key),
        key_span: Span::default(),
        value,
    };
    Node::new(Value::Map(members.into_iter().map(member).collect()), Span::default())
}

/// An object; without `spec` where there is nothing in it to say.
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

/// A namespace.
pub(super) fn namespace(name: &str) -> Node<'static> {
    object("v1", "Namespace", name, None, None)
}
