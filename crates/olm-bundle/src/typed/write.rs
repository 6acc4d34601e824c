//! Conversion of a value to the form that Go writes after reading it into a struct.

use super::{
    check::{DecoderKind, field_text, find_field},
    table::{StructType, TABLE, Type},
};
use olm_catalog::{Member, Node, Span, Value};
use olm_version::Version;

/// Converts a value as Go's `encoding/json` reads and writes it: known fields only, in Go's order, without
/// empty ones if the type says so. Values of fields of any type are unchanged.
pub fn write_as_go<'a>(node: &'a Node, type_name: &str, reading: DecoderKind) -> Value<'a> {
    TABLE.struct_named(type_name).map_or(Value::Null, |shape| write_fields(node, shape, reading))
}

fn write_fields<'a>(node: &'a Node, shape: &StructType, reading: DecoderKind) -> Value<'a> {
    let members = shape.fields.iter().filter_map(|known| {
        let value = write_value(find_field(node, &known.name), &known.kind, reading);
        let is_pointer = matches!(known.kind, Type::Pointer(_));
        let is_kept = known.is_always_written
            || match &value {
                Value::Null | Value::Bool(false) => false,
                Value::String(text) => !text.is_empty(),
                Value::List(items) => !items.is_empty(),
                Value::Number(number) => number.0 != "0",
                Value::Map(members) => match known.kind {
                    Type::Map(_) => !members.is_empty(),
                    Type::Any => true,
                    _ => !is_pointer || find_field(node, &known.name).is_some(),
                },
                Value::Bool(true) => true,
            };
        is_kept.then(|| Member {
            key: known.name.clone().into(),
            key_span: Span::default(),
            value: Node::new(value, Span::default()),
        })
    });
    Value::Map(members.collect())
}

fn write_value<'a>(node: Option<&'a Node>, kind: &Type, reading: DecoderKind) -> Value<'a> {
    let plain = |value| Node::new(value, Span::default());
    match (kind, node) {
        (Type::Struct(id), None) => {
            let empty = Node::new(Value::Null, Span::default());
            let written =
                TABLE.struct_by_id(*id).map_or(Value::Null, |shape| write_fields(&empty, shape, reading));
            detach_value(written)
        }
        (Type::Text, None) => Value::String("".into()),
        (Type::Bool, None) => Value::Bool(false),
        (Type::Version, None) => Value::String("0.0.0".into()),
        (_, None) => Value::Null,
        (Type::Text, Some(node)) => {
            field_text(node, reading).map_or(Value::Null, |text| Value::String(text.into_owned().into()))
        }
        (Type::Version, Some(node)) => {
            let version = Version::parse_tolerant(node.as_str().unwrap_or_default());
            Value::String(version.map_or_else(|_| String::new(), |version| version.to_string()).into())
        }
        (Type::Struct(id) | Type::Pointer(id), Some(node)) => {
            TABLE.struct_by_id(*id).map_or(Value::Null, |shape| write_fields(node, shape, reading))
        }
        (Type::List(item), Some(node)) => Value::List(
            node.items().iter().map(|item_node| plain(write_element(item_node, item, reading))).collect(),
        ),
        (Type::Map(item), Some(node)) => {
            let members = node.members().iter().map(|member| Member {
                key: member.key.as_ref().into(),
                key_span: Span::default(),
                value: plain(write_element(&member.value, item, reading)),
            });
            // Go writes maps sorted by key, with the last of duplicate keys.
            let mut members: Vec<Member> = members.rev().collect();
            members.sort_by(|a, b| a.key.cmp(&b.key));
            members.dedup_by(|next, kept| next.key == kept.key);
            Value::Map(members)
        }
        (_, Some(node)) => node.value.clone(),
    }
}

/// Converts an item of a list or map: null becomes the empty value of its type.
fn write_element<'a>(node: &'a Node, kind: &Type, reading: DecoderKind) -> Value<'a> {
    write_value(Some(node).filter(|node| !node.is_null()), kind, reading)
}

/// Returns a value that does not borrow.
fn detach_value(value: Value<'_>) -> Value<'static> {
    Node::new(value, Span::default()).detached().into_value()
}
