//! Table of types, parsed once from `assets/kubernetes-types.txt`.

use std::{collections::HashMap, sync::LazyLock};

/// Type of a field.
#[derive(Clone, Debug)]
pub(super) enum Type {
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
pub(super) struct StructId(usize);

/// A field of a struct.
#[derive(Debug)]
pub(super) struct Field {
    pub name: String,
    pub kind: Type,
    /// True if it is written even if empty: no `omitempty`.
    pub is_always_written: bool,
}

/// A struct with its fields in Go's order.
#[derive(Debug)]
pub(super) struct StructType {
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
pub(super) struct TypeTable {
    structs: Vec<StructType>,
    by_name: HashMap<String, StructId>,
}

/// Embedded table.
pub(super) static TABLE: LazyLock<TypeTable> =
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
