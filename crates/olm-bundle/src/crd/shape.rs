//! Interned parts of schemas in one pass: equal parts get equal numbers, so that comparing them is cheap
//! regardless of size. Exact, because it does not rely on hashes.
//!
//! Equality follows the types of the API server: unknown keys and empty values are dropped.
//!
//! Source: `k8s.io/apiextensions-apiserver`, `pkg/apis/apiextensions/v1/types_jsonschema.go`.

use std::{borrow::Cow, collections::HashMap};

use olm_catalog::{Member, Node, Number, Value};

/// Number of a form; in the same [`ShapeInterner`], equal numbers mean equal forms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Shape(u32);

#[derive(PartialEq, Eq, Hash, Debug)]
enum Form<'n> {
    Null,
    Bool(bool),
    Number(Cow<'n, str>),
    Text(&'n str),
    List(Vec<Shape>),
    /// Members, sorted by the number of the key.
    Map(Vec<(Shape, Shape)>),
}

/// Type of a schema key, with the values that count as absent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ValueType {
    /// A string; an empty one is absent.
    Text,
    /// A string that may be empty.
    OptionalText,
    /// A boolean; `false` is absent.
    Bool,
    /// A boolean; `false` differs from absent.
    OptionalBool,
    Number,
    /// Any JSON value; `null` is absent.
    Json,
    /// A list; an empty one is absent.
    JsonList,
    Schema,
    SchemaList,
    SchemaMap,
    SchemaOrBool,
    SchemaOrList,
    Dependencies,
}

/// Returns the type of a schema key; `None` for keys that the API server drops.
pub(super) fn value_type(key: &str) -> Option<ValueType> {
    Some(match key {
        "id" | "$schema" | "description" | "type" | "format" | "title" | "pattern" => ValueType::Text,
        "$ref" | "x-kubernetes-list-type" | "x-kubernetes-map-type" => ValueType::OptionalText,
        "exclusiveMaximum"
        | "exclusiveMinimum"
        | "uniqueItems"
        | "nullable"
        | "x-kubernetes-embedded-resource"
        | "x-kubernetes-int-or-string" => ValueType::Bool,
        "x-kubernetes-preserve-unknown-fields" => ValueType::OptionalBool,
        "maximum" | "minimum" | "maxLength" | "minLength" | "maxItems" | "minItems" | "multipleOf"
        | "maxProperties" | "minProperties" => ValueType::Number,
        "default" | "example" | "externalDocs" => ValueType::Json,
        "enum" | "required" | "x-kubernetes-list-map-keys" | "x-kubernetes-validations" => {
            ValueType::JsonList
        }
        "not" => ValueType::Schema,
        "allOf" | "anyOf" | "oneOf" => ValueType::SchemaList,
        "properties" | "patternProperties" | "definitions" => ValueType::SchemaMap,
        "additionalProperties" | "additionalItems" => ValueType::SchemaOrBool,
        "items" => ValueType::SchemaOrList,
        "dependencies" => ValueType::Dependencies,
        _ => return None,
    })
}

/// Minimum number of members for building an index.
const MIN_INDEXED_MEMBERS: usize = 12;

/// Returns the effective members of a map: the last of each key.
pub(super) fn effective_members<'n, 'a>(node: &'n Node<'a>) -> impl Iterator<Item = &'n Member<'a>> {
    let all = node.members();
    let mut last: HashMap<&str, usize> = HashMap::new();
    if all.len() > MIN_INDEXED_MEMBERS {
        last.extend(all.iter().enumerate().map(|(at, member)| (member.key.as_ref(), at)));
    }
    all.iter().enumerate().filter_map(move |(at, member)| {
        let counts = match all.get(at + 1..) {
            Some(later) if all.len() <= MIN_INDEXED_MEMBERS => {
                later.iter().all(|other| other.key != member.key)
            }
            _ => last.get(member.key.as_ref()) == Some(&at),
        };
        counts.then_some(member)
    })
}

/// Interned forms.
#[derive(Default)]
pub(super) struct ShapeInterner<'n> {
    numbers: HashMap<Form<'n>, Shape>,
    /// Shapes of whole schemas by memory address: trees do not move while they are compared.
    schema_shapes: HashMap<*const Node<'n>, Shape>,
}

impl<'n> ShapeInterner<'n> {
    fn intern(&mut self, form: Form<'n>) -> Shape {
        let next = Shape(u32::try_from(self.numbers.len()).unwrap_or(u32::MAX));
        *self.numbers.entry(form).or_insert(next)
    }

    pub(super) fn intern_text(&mut self, text: &'n str) -> Shape {
        self.intern(Form::Text(text))
    }

    pub(super) fn intern_list(&mut self, items: Vec<Shape>) -> Shape {
        self.intern(Form::List(items))
    }

    /// Interns a map with unique keys.
    pub(super) fn intern_map(&mut self, mut members: Vec<(Shape, Shape)>) -> Shape {
        members.sort_unstable();
        self.intern(Form::Map(members))
    }

    pub(super) fn intern_bool(&mut self, value: bool) -> Shape {
        self.intern(Form::Bool(value))
    }

    /// Interns any value. The caller has checked its depth ([`is_deeper`]).
    pub(super) fn intern_value(&mut self, node: &'n Node<'n>) -> Shape {
        match &node.value {
            Value::Null => self.intern(Form::Null),
            Value::Bool(value) => self.intern_bool(*value),
            Value::Number(number) => self.intern(Form::Number(canonical_number(number))),
            Value::String(text) => self.intern_text(text),
            Value::List(items) => {
                let items = items.iter().map(|item| self.intern_value(item)).collect();
                self.intern_list(items)
            }
            Value::Map(_) => {
                let members = effective_members(node)
                    .map(|member| (self.intern_text(&member.key), self.intern_value(&member.value)))
                    .collect();
                self.intern_map(members)
            }
        }
    }

    /// Interns the value of a key without schemas; `None` if it counts as absent.
    pub(super) fn intern_plain_value(&mut self, holds: ValueType, node: &'n Node<'n>) -> Option<Shape> {
        match (holds, &node.value) {
            (ValueType::Text, Value::String(text)) if text.is_empty() => None,
            (ValueType::Bool, Value::Bool(false)) => None,
            (_, Value::Null) => None,
            (ValueType::JsonList, Value::List(items)) if items.is_empty() => None,
            _ => Some(self.intern_value(node)),
        }
    }

    /// Records the shape of a whole schema.
    pub(super) fn record_schema(&mut self, node: &'n Node<'n>, shape: Shape) {
        self.schema_shapes.insert(std::ptr::from_ref(node), shape);
    }

    /// Returns the recorded shape of a whole schema.
    pub(super) fn schema_shape(&self, node: &Node<'n>) -> Option<Shape> {
        self.schema_shapes.get(&std::ptr::from_ref(node)).copied()
    }
}

/// Returns the canonical text of a number, which is equal for `1`, `1.0` and `1e0`.
pub(super) fn canonical_number<'n>(number: &'n Number<'_>) -> Cow<'n, str> {
    let text = number.0.as_ref();
    if text.parse::<i64>().is_ok_and(|_| !text.starts_with(['+', '0']) || text == "0") && text != "-0" {
        return Cow::Borrowed(text);
    }
    match text.parse::<f64>() {
        Ok(0.0) => Cow::Borrowed("0"),
        Ok(value) => Number::from_f64(value).map_or(Cow::Borrowed(text), |number| number.0),
        Err(_) => Cow::Borrowed(text),
    }
}

/// Returns true if lists and maps are nested deeper than `most` levels.
pub(super) fn is_deeper(node: &Node, most: usize) -> bool {
    let mut open = vec![(node, 0_usize)];
    while let Some((node, depth)) = open.pop() {
        if depth > most {
            return true;
        }
        open.extend(node.items().iter().map(|item| (item, depth + 1)));
        open.extend(node.members().iter().map(|member| (&member.value, depth + 1)));
    }
    false
}
