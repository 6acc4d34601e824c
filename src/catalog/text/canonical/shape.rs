//! The fields of the typed schemas, and a tree cut to them as Go's `encoding/json` would fill and print its structs.

use std::borrow::Cow;

use super::generic::generic;
use crate::catalog::{
    node::{Member, Node, Value},
    span::Span,
};
use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// The fields of one struct, in the order in which JSON shows them.
pub(super) type Shape = &'static [Field];

/// One field of a struct.
pub(super) struct Field {
    name: &'static str,
    kind: Kind,
    /// `omitempty`: not written when it is an empty text, an empty list or absent.
    optional: bool,
}

/// What a field holds.
enum Kind {
    /// A string; absent is `""`.
    Text,
    /// A list of strings; absent is `null`.
    Texts,
    /// Bytes in base64, written without line breaks; absent is `null`.
    Base64,
    /// Any JSON; absent is `null`.
    Any,
    /// A struct; absent is one of empty fields, or nothing where optional.
    Struct(Shape),
    /// A list of structs; absent is `null`.
    Structs(Shape),
}

const fn required(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, optional: false }
}

const fn optional(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, optional: true }
}

/// `olm.package`.
pub(super) const PACKAGE: Shape = &[
    required("schema", Kind::Text),
    required("name", Kind::Text),
    required("defaultChannel", Kind::Text),
    optional(
        "icon",
        Kind::Struct(&[required("base64data", Kind::Base64), required("mediatype", Kind::Text)]),
    ),
    optional("description", Kind::Text),
    optional("properties", Kind::Structs(PROPERTY)),
];

/// `olm.channel`.
pub(super) const CHANNEL: Shape = &[
    required("schema", Kind::Text),
    required("name", Kind::Text),
    required("package", Kind::Text),
    required(
        "entries",
        Kind::Structs(&[
            required("name", Kind::Text),
            optional("replaces", Kind::Text),
            optional("skips", Kind::Texts),
            optional("skipRange", Kind::Text),
        ]),
    ),
    optional("properties", Kind::Structs(PROPERTY)),
];

/// `olm.bundle`.
pub(super) const BUNDLE: Shape = &[
    required("schema", Kind::Text),
    optional("name", Kind::Text),
    optional("package", Kind::Text),
    required("image", Kind::Text),
    optional("properties", Kind::Structs(PROPERTY)),
    optional("relatedImages", Kind::Structs(&[required("name", Kind::Text), required("image", Kind::Text)])),
];

/// `olm.deprecations`.
pub(super) const DEPRECATIONS: Shape = &[
    required("schema", Kind::Text),
    required("package", Kind::Text),
    required(
        "entries",
        Kind::Structs(&[
            required(
                "reference",
                Kind::Struct(&[required("schema", Kind::Text), optional("name", Kind::Text)]),
            ),
            required("message", Kind::Text),
        ]),
    ),
];

const PROPERTY: Shape = &[required("type", Kind::Text), required("value", Kind::Any)];

/// Cuts a mapping to a shape. Anything that is no mapping counts as an empty one.
pub(super) fn structure<'a>(node: Option<&'a Node>, shape: Shape) -> Value<'a> {
    let members = shape.iter().filter_map(|field| {
        let value = field.value(node.and_then(|node| folded(node, field.name)));
        let empty = match &value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::List(items) => items.is_empty(),
            _ => false,
        };
        (!(empty && field.optional)).then(|| Member {
            key: field.name.into(),
            key_span: Span::default(),
            value: Node { span: Span::default(), value },
        })
    });
    Value::Map(members.collect())
}

impl Field {
    fn value<'a>(&self, node: Option<&'a Node>) -> Value<'a> {
        let list = |item: &dyn Fn(&'a Node) -> Value<'a>| match node.map(|node| &node.value) {
            Some(Value::List(items)) => Value::List(
                items.iter().map(|node| Node { span: Span::default(), value: item(node) }).collect(),
            ),
            _ => Value::Null,
        };
        let text =
            |node: Option<&'a Node>| Value::String(node.and_then(Node::as_str).unwrap_or_default().into());
        match self.kind {
            Kind::Text => text(node),
            Kind::Texts => list(&|item| text(Some(item))),
            Kind::Base64 => node
                .and_then(Node::as_str)
                .map_or(Value::Null, |text| Value::String(rewrapped(text).map_or(text.into(), Cow::Owned))),
            Kind::Any => node.map_or(Value::Null, generic),
            Kind::Struct(_)
                if self.optional && !node.is_some_and(|node| matches!(node.value, Value::Map(_))) =>
            {
                Value::Null
            }
            Kind::Struct(shape) => structure(node, shape),
            Kind::Structs(shape) => list(&|item| structure(Some(item), shape)),
        }
    }
}

/// Base64 read as Go reads it (line breaks skipped, spare bits ignored) and written anew; `None` where it is not
/// base64.
fn rewrapped(text: &str) -> Option<String> {
    let config = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical);
    let engine = GeneralPurpose::new(&STANDARD, config);
    let packed: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    Some(engine.encode(engine.decode(packed).ok()?))
}

/// The value of a field, whatever the case of its key. Where a mapping has several spellings the last in byte order
/// counts, for opm sorts the keys before it fills its structs.
pub(super) fn folded<'n>(node: &'n Node, name: &str) -> Option<&'n Node<'n>> {
    let mut found: Option<&Member> = None;
    for member in node.members() {
        if same_folded(&member.key, name) && found.is_none_or(|found| found.key <= member.key) {
            found = Some(member);
        }
    }
    found.map(|member| &member.value)
}

/// Whether Go's `encoding/json` takes `key` for the field `name`, which is ASCII: the long s and the Kelvin sign fold
/// to letters, too.
fn same_folded(key: &str, name: &str) -> bool {
    let fold = |c: char| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        _ => c.to_ascii_lowercase(),
    };
    key == name || key.chars().map(fold).eq(name.chars().map(fold))
}
