//! Go's types, and the errors of their decoders.
//!
//! The programs that read bundles are written in Go, and mostly reject values with the wrong type for a field.
//! They use three ways of reading, which differ: see [`DecoderKind`].

mod check;

use std::{collections::HashMap, sync::LazyLock};

use olm_catalog::{Member, Node, Span, Value};
use olm_version::Version;

pub use check::{DecoderKind, TypeError, check_type};

pub use check::{field_text, find_field, find_member};

/// Type of a field.
#[derive(Clone, Debug)]
enum Type {
    Text,
    Bool,
    Int32,
    Int64,
    Float,
    Any,
    Time,
    Quantity,
    Bytes,
    IntOrText,
    Version,
    Release,
    SchemaOrBool,
    SchemaOrList,
    SchemaOrTexts,
    List(Box<Self>),
    Map(Box<Self>),
    Struct(StructId),
    Pointer(StructId),
}

/// Index of a struct in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct StructId(usize);

/// A field of a struct.
#[derive(Debug)]
struct Field {
    pub name: String,
    pub kind: Type,
    /// True if it is written even if empty: no `omitempty`.
    pub is_always_written: bool,
}

/// A struct with its fields in Go's order.
#[derive(Debug)]
struct StructType {
    pub fields: Vec<Field>,
    by_name: HashMap<String, usize>,
}

impl StructType {
    /// Returns a field by its exact name.
    pub fn field_named(&self, name: &str) -> Option<&Field> {
        self.fields.get(*self.by_name.get(name)?)
    }
}

/// Table of all structs.
#[derive(Debug)]
struct TypeTable {
    structs: Vec<StructType>,
    by_name: HashMap<String, StructId>,
}

/// Embedded table.
static TABLE: LazyLock<TypeTable> =
    LazyLock::new(|| TypeTable::parse_types(include_str!("../../assets/kubernetes-types.txt")));

impl TypeTable {
    /// Returns a struct by name.
    pub fn struct_named(&self, name: &str) -> Option<&StructType> {
        self.struct_by_id(*self.by_name.get(name)?)
    }

    /// Returns a struct by index.
    pub fn struct_by_id(&self, id: StructId) -> Option<&StructType> {
        self.structs.get(id.0)
    }

    fn parse_types(text: &str) -> Self {
        let lines = || {
            let lines = text.lines().filter(|line| !line.starts_with('#'));
            lines.filter_map(|line| line.split_once('=')).map(|(name, fields)| (name.trim(), fields))
        };
        let by_name: HashMap<String, StructId> =
            lines().enumerate().map(|(id, (name, _))| (name.to_owned(), StructId(id))).collect();
        let structs = lines().map(|(_, fields)| parse_struct(fields, &by_name)).collect();
        Self { structs, by_name }
    }
}

fn parse_struct(text: &str, known: &HashMap<String, StructId>) -> StructType {
    let fields: Vec<Field> = text
        .split(", ")
        .filter_map(|field| field.split_once(": "))
        .map(|(name, kind)| {
            let name = name.trim();
            let always = name.ends_with('!');
            Field {
                name: name.trim_end_matches('!').to_owned(),
                kind: parse_type(kind.trim(), known),
                is_always_written: always,
            }
        })
        .collect();
    let by_name = fields.iter().enumerate().map(|(at, field)| (field.name.clone(), at)).collect();
    StructType { fields, by_name }
}

fn parse_type(text: &str, known: &HashMap<String, StructId>) -> Type {
    let within = |open, close| text.strip_prefix(open).and_then(|text: &str| text.strip_suffix(close));
    if let Some(item) = within('[', ']') {
        return Type::List(Box::new(parse_type(item, known)));
    }
    if let Some(item) = within('{', '}') {
        return Type::Map(Box::new(parse_type(item, known)));
    }
    match text {
        "text" => Type::Text,
        "bool" => Type::Bool,
        "int32" => Type::Int32,
        "int64" => Type::Int64,
        "float" => Type::Float,
        "time" => Type::Time,
        "quantity" => Type::Quantity,
        "bytes" => Type::Bytes,
        "int-or-text" => Type::IntOrText,
        "version" => Type::Version,
        "release" => Type::Release,
        "schema-or-bool" => Type::SchemaOrBool,
        "schema-or-list" => Type::SchemaOrList,
        "schema-or-texts" => Type::SchemaOrTexts,
        _ => {
            let (pointer, name) = text.strip_prefix('?').map_or((false, text), |name| (true, name));
            match known.get(name) {
                Some(id) if pointer => Type::Pointer(*id),
                Some(id) => Type::Struct(*id),
                // `any`; a test checks that all names are defined.
                None => Type::Any,
            }
        }
    }
}

/// Returns the names of the fields of a struct; none if the struct is unknown.
pub fn field_names(type_name: &str) -> impl Iterator<Item = &'static str> {
    let fields = TABLE.struct_named(type_name).map(|shape| shape.fields.as_slice()).unwrap_or_default();
    fields.iter().map(|field| field.name.as_str())
}

/// Sorts the keys inside the value of a struct field in Go's order; unknown keys come last. Values are
/// unchanged.
pub fn order_field(node: &mut Node, type_name: &str, field: &str) {
    if let Some(field) = TABLE.struct_named(type_name).and_then(|shape| shape.field_named(field)) {
        order_keys(node, &field.kind);
    }
}

/// Sorts recursively. The depth is that of the type: no field of a bundle's metadata contains its own type.
fn order_keys(node: &mut Node, kind: &Type) {
    match (kind, &mut node.value) {
        (Type::List(item), Value::List(items)) => {
            for node in items {
                order_keys(node, item);
            }
        }
        (Type::Map(item), Value::Map(members)) => {
            for member in members {
                order_keys(&mut member.value, item);
            }
        }
        (Type::Struct(id) | Type::Pointer(id), Value::Map(members)) => {
            let Some(shape) = TABLE.struct_by_id(*id) else { return };
            let position = |key: &str| shape.fields.iter().position(|field| field.name == key);
            members.sort_by_key(|member| position(&member.key).unwrap_or(usize::MAX));
            for member in members {
                if let Some(field) = shape.field_named(&member.key) {
                    order_keys(&mut member.value, &field.kind);
                }
            }
        }
        _ => {}
    }
}

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

#[cfg(test)]
mod tests {
    use super::{TABLE, Type};

    #[test]
    fn every_name_in_table_is_a_type() {
        let text = include_str!("../../assets/kubernetes-types.txt");
        let mut names = 0;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((owner, fields)) = line.split_once('=') else {
                assert!(line.is_empty(), "neither a comment nor a struct: {line}");
                continue;
            };
            let owner = TABLE.struct_named(owner.trim()).unwrap();
            for field in fields.split(", ").filter(|field| !field.trim().is_empty()) {
                let (name, kind) = field.split_once(": ").unwrap();
                let read = &owner.field_named(name.trim().trim_end_matches('!')).unwrap().kind;
                let kind = kind.trim_matches(['[', ']', '{', '}', '?', ' ']);
                let mut inner = read;
                while let Type::List(item) | Type::Map(item) = inner {
                    inner = item;
                }
                assert_eq!(matches!(inner, Type::Any), kind == "any", "{name}: {kind}");
                names += 1;
            }
        }
        assert!(names > 400);
    }
}
