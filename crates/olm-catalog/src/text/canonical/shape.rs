//! Fields of the typed schemas, and conversion of a tree to them as Go's `encoding/json` fills and prints
//! structs.

use std::borrow::Cow;

use super::normalize_generic;
use crate::{
    node::{Member, Node, Value},
    span::Span,
};
use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// Fields of a struct, in the order of their JSON output.
pub(super) type Shape = &'static [Field];

pub(super) struct Field {
    name: &'static str,
    kind: Kind,
    /// `omitempty`: omitted if it is an empty string, an empty list or absent.
    optional: bool,
}

/// Type of a field.
enum Kind {
    /// A string; `""` if absent.
    Text,
    /// A list of strings; `null` if absent.
    Texts,
    /// Bytes in base64, written without line breaks; `null` if absent.
    Base64,
    /// Any JSON value; `null` if absent.
    Any,
    /// A struct. If absent, it has empty fields, or is omitted if optional.
    Struct(Shape),
    /// A list of structs; `null` if absent.
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

/// Converts a map to a shape. Any other value counts as an empty map.
pub(super) fn convert_to_shape<'a>(node: Option<&'a Node>, shape: Shape) -> Value<'a> {
    let members = shape.iter().filter_map(|field| {
        let value = field.convert_value(node.and_then(|node| find_folded(node, field.name)));
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
    fn convert_value<'a>(&self, node: Option<&'a Node>) -> Value<'a> {
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
            Kind::Base64 => node.and_then(Node::as_str).map_or(Value::Null, |text| {
                Value::String(reencode_base64(text).map_or(text.into(), Cow::Owned))
            }),
            Kind::Any => node.map_or(Value::Null, normalize_generic),
            Kind::Struct(_)
                if self.optional && !node.is_some_and(|node| matches!(node.value, Value::Map(_))) =>
            {
                Value::Null
            }
            Kind::Struct(shape) => convert_to_shape(node, shape),
            Kind::Structs(shape) => list(&|item| convert_to_shape(Some(item), shape)),
        }
    }
}

/// Decodes base64 as Go does (skips line breaks, ignores spare bits) and encodes it again. `None` if the text
/// is not base64.
fn reencode_base64(text: &str) -> Option<String> {
    let config = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical);
    let engine = GeneralPurpose::new(&STANDARD, config);
    let packed: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    Some(engine.encode(engine.decode(packed).ok()?))
}

/// Returns the value of a field, ignoring the case of its key. If a map has several spellings, the last in byte
/// order counts, because opm sorts the keys before it fills its structs.
pub(super) fn find_folded<'n>(node: &'n Node, name: &str) -> Option<&'n Node<'n>> {
    let mut found: Option<&Member> = None;
    for member in node.members() {
        if key_matches_field(&member.key, name) && found.is_none_or(|found| found.key <= member.key) {
            found = Some(member);
        }
    }
    found.map(|member| &member.value)
}

/// Returns true if Go's `encoding/json` accepts `key` for the ASCII field `name`. The long s and the Kelvin
/// sign also fold to letters.
fn key_matches_field(key: &str, name: &str) -> bool {
    let fold = |c: char| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        _ => c.to_ascii_lowercase(),
    };
    key == name || key.chars().map(fold).eq(name.chars().map(fold))
}
