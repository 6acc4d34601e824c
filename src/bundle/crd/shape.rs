//! Interned parts of schemas in one pass: equal parts get equal numbers, so that comparing them is cheap
//! regardless of size. Exact, because it does not rely on hashes.
//!
//! Equality follows the types of the API server: unknown keys and empty values are dropped.
//!
//! Source: `k8s.io/apiextensions-apiserver`, `pkg/apis/apiextensions/v1/types_jsonschema.go`.

use std::{borrow::Cow, collections::HashMap};

use crate::catalog::{Member, Node, Number, Value};

/// Number of a form; in the same [`Shapes`], equal numbers mean equal forms.
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
pub(super) enum Holds {
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
pub(super) fn holds(key: &str) -> Option<Holds> {
    Some(match key {
        "id" | "$schema" | "description" | "type" | "format" | "title" | "pattern" => Holds::Text,
        "$ref" | "x-kubernetes-list-type" | "x-kubernetes-map-type" => Holds::OptionalText,
        "exclusiveMaximum"
        | "exclusiveMinimum"
        | "uniqueItems"
        | "nullable"
        | "x-kubernetes-embedded-resource"
        | "x-kubernetes-int-or-string" => Holds::Bool,
        "x-kubernetes-preserve-unknown-fields" => Holds::OptionalBool,
        "maximum" | "minimum" | "maxLength" | "minLength" | "maxItems" | "minItems" | "multipleOf"
        | "maxProperties" | "minProperties" => Holds::Number,
        "default" | "example" | "externalDocs" => Holds::Json,
        "enum" | "required" | "x-kubernetes-list-map-keys" | "x-kubernetes-validations" => Holds::JsonList,
        "not" => Holds::Schema,
        "allOf" | "anyOf" | "oneOf" => Holds::SchemaList,
        "properties" | "patternProperties" | "definitions" => Holds::SchemaMap,
        "additionalProperties" | "additionalItems" => Holds::SchemaOrBool,
        "items" => Holds::SchemaOrList,
        "dependencies" => Holds::Dependencies,
        _ => return None,
    })
}

/// Minimum number of members for building an index.
const MANY: usize = 12;

/// Returns the effective members of a map: the last of each key.
pub(super) fn members<'n, 'a>(node: &'n Node<'a>) -> impl Iterator<Item = &'n Member<'a>> {
    let all = node.members();
    let mut last: HashMap<&str, usize> = HashMap::new();
    if all.len() > MANY {
        last.extend(all.iter().enumerate().map(|(at, member)| (member.key.as_ref(), at)));
    }
    all.iter().enumerate().filter_map(move |(at, member)| {
        let counts = match all.get(at + 1..) {
            Some(later) if all.len() <= MANY => later.iter().all(|other| other.key != member.key),
            _ => last.get(member.key.as_ref()) == Some(&at),
        };
        counts.then_some(member)
    })
}

/// Interned forms.
#[derive(Default)]
pub(super) struct Shapes<'n> {
    numbers: HashMap<Form<'n>, Shape>,
    /// Shapes of whole schemas by memory address: trees do not move while they are compared.
    wholes: HashMap<*const Node<'n>, Shape>,
}

impl<'n> Shapes<'n> {
    fn intern(&mut self, form: Form<'n>) -> Shape {
        let next = Shape(u32::try_from(self.numbers.len()).unwrap_or(u32::MAX));
        *self.numbers.entry(form).or_insert(next)
    }

    pub(super) fn text(&mut self, text: &'n str) -> Shape {
        self.intern(Form::Text(text))
    }

    pub(super) fn list(&mut self, items: Vec<Shape>) -> Shape {
        self.intern(Form::List(items))
    }

    /// Interns a map with unique keys.
    pub(super) fn map(&mut self, mut members: Vec<(Shape, Shape)>) -> Shape {
        members.sort_unstable();
        self.intern(Form::Map(members))
    }

    pub(super) fn truth(&mut self, value: bool) -> Shape {
        self.intern(Form::Bool(value))
    }

    /// Interns any value. The caller has checked its depth ([`is_deeper`]).
    pub(super) fn value(&mut self, node: &'n Node<'n>) -> Shape {
        match &node.value {
            Value::Null => self.intern(Form::Null),
            Value::Bool(value) => self.truth(*value),
            Value::Number(number) => self.intern(Form::Number(canonical(number))),
            Value::String(text) => self.text(text),
            Value::List(items) => {
                let items = items.iter().map(|item| self.value(item)).collect();
                self.list(items)
            }
            Value::Map(_) => {
                let members =
                    members(node).map(|member| (self.text(&member.key), self.value(&member.value))).collect();
                self.map(members)
            }
        }
    }

    /// Interns the value of a key without schemas; `None` if it counts as absent.
    pub(super) fn plain(&mut self, holds: Holds, node: &'n Node<'n>) -> Option<Shape> {
        match (holds, &node.value) {
            (Holds::Text, Value::String(text)) if text.is_empty() => None,
            (Holds::Bool, Value::Bool(false)) => None,
            (_, Value::Null) => None,
            (Holds::JsonList, Value::List(items)) if items.is_empty() => None,
            _ => Some(self.value(node)),
        }
    }

    /// Records the shape of a whole schema.
    pub(super) fn remember(&mut self, node: &'n Node<'n>, shape: Shape) {
        self.wholes.insert(std::ptr::from_ref(node), shape);
    }

    /// Returns the recorded shape of a whole schema.
    pub(super) fn whole(&self, node: &Node<'n>) -> Option<Shape> {
        self.wholes.get(&std::ptr::from_ref(node)).copied()
    }
}

/// Returns the canonical text of a number, which is equal for `1`, `1.0` and `1e0`.
pub(super) fn canonical<'n>(number: &'n Number<'_>) -> Cow<'n, str> {
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
