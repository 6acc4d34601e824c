//! Which parts of schemas are equal, in one pass: equal parts get equal numbers, so that comparing two of them costs nothing
//! however large they are. Exact: nothing rests on hashes that might collide.
//!
//! Equal is what the API server's types hold the same of: keys that they do not know are gone, and so is what is empty.
//!
//! Source: `k8s.io/apiextensions-apiserver`, `pkg/apis/apiextensions/v1/types_jsonschema.go`.

use std::{borrow::Cow, collections::HashMap};

use crate::catalog::{Member, Node, Number, Value};

/// The number of a form; of one [`Shapes`], equal numbers are equal forms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Shape(u32);

#[derive(PartialEq, Eq, Hash, Debug)]
enum Form<'n> {
    Null,
    Bool(bool),
    Number(Cow<'n, str>),
    Text(&'n str),
    List(Vec<Shape>),
    /// By the number of the key.
    Map(Vec<(Shape, Shape)>),
}

/// What a key of a schema holds, and when it counts as absent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Holds {
    /// A text; the empty one is none.
    Text,
    /// A text that may be empty.
    OptionalText,
    /// `false` is none.
    Bool,
    /// `false` and none differ.
    OptionalBool,
    Number,
    /// Any JSON; `null` is none.
    Json,
    /// A list; the empty one is none.
    JsonList,
    Schema,
    SchemaList,
    SchemaMap,
    SchemaOrBool,
    SchemaOrList,
    Dependencies,
}

/// What a key of a schema holds; none for keys that the API server drops.
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

/// From how many members on a list of the keys is made.
const MANY: usize = 12;

/// The members of a map of which each key counts: of a repeated one the last.
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

/// All forms that were met.
#[derive(Default)]
pub(super) struct Shapes<'n> {
    numbers: HashMap<Form<'n>, Shape>,
    /// The whole schemas that were met, by where they are in memory: trees stay where they are while they are compared.
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

    /// A map; keys are there once.
    pub(super) fn map(&mut self, mut members: Vec<(Shape, Shape)>) -> Shape {
        members.sort_unstable();
        self.intern(Form::Map(members))
    }

    pub(super) fn truth(&mut self, value: bool) -> Shape {
        self.intern(Form::Bool(value))
    }

    /// Any value. It nests no deeper than was checked ([`is_deeper`]).
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

    /// What a key without schemas below it holds; none where that counts as absent.
    pub(super) fn plain(&mut self, holds: Holds, node: &'n Node<'n>) -> Option<Shape> {
        match (holds, &node.value) {
            (Holds::Text, Value::String(text)) if text.is_empty() => None,
            (Holds::Bool, Value::Bool(false)) => None,
            (_, Value::Null) => None,
            (Holds::JsonList, Value::List(items)) if items.is_empty() => None,
            _ => Some(self.value(node)),
        }
    }

    /// Remembers what a whole schema is.
    pub(super) fn remember(&mut self, node: &'n Node<'n>, shape: Shape) {
        self.wholes.insert(std::ptr::from_ref(node), shape);
    }

    /// What a whole schema is that was met.
    pub(super) fn whole(&self, node: &Node<'n>) -> Option<Shape> {
        self.wholes.get(&std::ptr::from_ref(node)).copied()
    }
}

/// A number so that equal ones have one text: `1`, `1.0` and `1e0` are.
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

/// Whether lists and maps nest deeper than so many levels.
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
