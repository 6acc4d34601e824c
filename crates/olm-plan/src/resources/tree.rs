//! Builders for object trees.

use std::borrow::Cow;

use olm_catalog::{Member, Node, Span, Value};

/// Creates a string node.
pub(super) fn string_node(text: &str) -> Node<'static> {
    Node::new(Value::String(Cow::Owned(text.to_owned())), Span::default())
}

/// Creates a list of string nodes.
pub(super) fn string_list<T: AsRef<str>>(all: &[T]) -> Node<'static> {
    Node::new(Value::List(all.iter().map(|one| string_node(one.as_ref())).collect()), Span::default())
}

/// Creates a mapping node.
pub(super) fn mapping_node(
    members: impl IntoIterator<Item = (&'static str, Node<'static>)>,
) -> Node<'static> {
    let member = |(key, value): (&'static str, Node<'static>)| Member {
        key: Cow::Borrowed(key),
        key_span: Span::default(),
        value,
    };
    Node::new(Value::Map(members.into_iter().map(member).collect()), Span::default())
}

/// Creates an object, without `spec` if that is `None`.
pub(super) fn object_node(
    api_version: &str,
    kind: &str,
    name: &str,
    namespace: Option<&str>,
    spec: Option<Node<'static>>,
) -> Node<'static> {
    let metadata = namespace.map(|namespace| ("namespace", string_node(namespace)));
    let metadata = mapping_node([("name", string_node(name))].into_iter().chain(metadata));
    let head =
        [("apiVersion", string_node(api_version)), ("kind", string_node(kind)), ("metadata", metadata)];
    mapping_node(head.into_iter().chain(spec.map(|spec| ("spec", spec))))
}

/// Creates a namespace object.
pub(super) fn namespace_object(name: &str) -> Node<'static> {
    object_node("v1", "Namespace", name, None, None)
}
