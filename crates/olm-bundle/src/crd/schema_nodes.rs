//! Schema of a version split into nodes by path, as in the preflight: `^` is the root, then `.PROP`, `.items`,
//! `.additionalProperties`, `.oneOf[0]`, `.patternProperties[KEY]`.
//!
//! A node is compared without its `properties` and `items`, which are separate nodes, but with everything
//! else below it. Its parts are interned: equal parts get equal numbers, so that comparing them is cheap
//! regardless of size, and exact, because it does not rely on hashes. Equality follows the types of the API
//! server: unknown keys and empty values are dropped.
//!
//! Sources: `sigs.k8s.io/crdify`, `pkg/validators/crdversion.go` and the order of its walk over a schema;
//! `k8s.io/apiextensions-apiserver`, `pkg/apis/apiextensions/v1/types_jsonschema.go`.

use std::{borrow::Cow, collections::HashMap};

use super::validation::Validation;
use olm_catalog::{Member, Node, Number, Span, Value};

/// Keys that are not part of a node in comparisons.
const CHILDREN: [&str; 2] = ["properties", "items"];
/// Descriptive keys, which are ignored in each schema of a `oneOf`.
pub(super) const DESCRIPTIVE_KEYS: [&str; 4] = ["description", "title", "example", "externalDocs"];

/// Index of a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct PathId(u32);

/// Interned paths. Paths are equal if their texts are: a property `a.b` equals the property `b` of a property
/// `a`.
#[derive(Default)]
pub(super) struct Paths<'n> {
    parts: Vec<(Option<PathId>, Cow<'n, str>)>,
    known: HashMap<(Option<PathId>, Cow<'n, str>), PathId>,
}

impl<'n> Paths<'n> {
    fn intern_below(&mut self, parent: Option<PathId>, text: Cow<'n, str>) -> PathId {
        if !text.contains('.') {
            return self.intern_part(parent, text);
        }
        let mut here = parent;
        let mut rest = text.as_ref();
        while let Some((part, after)) = rest.split_once('.') {
            here = Some(self.intern_part(here, Cow::Owned(part.to_owned())));
            rest = after;
        }
        self.intern_part(here, Cow::Owned(rest.to_owned()))
    }

    fn intern_part(&mut self, parent: Option<PathId>, text: Cow<'n, str>) -> PathId {
        let next = PathId(u32::try_from(self.parts.len()).unwrap_or(u32::MAX));
        let parts = &mut self.parts;
        *self.known.entry((parent, text)).or_insert_with_key(|(parent, text)| {
            parts.push((*parent, text.clone()));
            next
        })
    }

    /// Formats a path, such as `^.spec.size`.
    pub(super) fn format_path(&self, path: PathId) -> String {
        let mut parts = Vec::new();
        let mut here = Some(path);
        while let Some((parent, text)) = here.and_then(|path| self.parts.get(path.0 as usize)) {
            parts.push(text.as_ref());
            here = *parent;
        }
        parts.reverse();
        parts.join(".")
    }
}

/// A node of a schema.
pub(super) struct FlatNode<'n> {
    pub path: PathId,
    pub node: &'n Node<'n>,
    /// Span of its key, if any, otherwise of the node.
    pub span: Span,
    /// Everything that is compared.
    pub own: Shape,
    /// Everything that is compared, without keys that have a separate rule.
    pub rest: Shape,
    /// Schemas of its `oneOf`, without descriptions.
    pub one_of: Vec<Shape>,
}

/// A schema split into nodes.
#[derive(Default)]
pub(super) struct Flat<'n> {
    /// Nodes; each precedes those below it.
    nodes: Vec<FlatNode<'n>>,
    /// If two nodes have the same path, the later one counts, as in the reference.
    by_path: HashMap<PathId, usize>,
    /// Shape of the whole schema.
    pub whole: Option<Shape>,
}

impl<'n> Flat<'n> {
    /// Splits a schema. The caller has checked its depth.
    pub(super) fn new(
        schema: Option<&'n Node<'n>>,
        shapes: &mut ShapeInterner<'n>,
        paths: &mut Paths<'n>,
    ) -> Self {
        let mut walk = SchemaWalk { shapes, paths, nodes: Vec::new(), without_descriptions: None };
        let root = walk.paths.intern_below(None, Cow::Borrowed("^"));
        let whole = schema.map(|schema| walk.add_schema(schema, schema.span, root));
        let nodes = walk.nodes;
        let by_path = nodes.iter().enumerate().map(|(at, node)| (node.path, at)).collect();
        Self { nodes, by_path, whole }
    }

    /// Returns the effective nodes.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &FlatNode<'n>> {
        let counts = |(at, node): &(usize, &FlatNode)| self.by_path.get(&node.path) == Some(at);
        self.nodes.iter().enumerate().filter(counts).map(|(_, node)| node)
    }

    /// Returns the node of a path.
    pub(super) fn node_at(&self, path: PathId) -> Option<&FlatNode<'n>> {
        self.nodes.get(*self.by_path.get(&path)?)
    }
}

struct SchemaWalk<'w, 'n> {
    shapes: &'w mut ShapeInterner<'n>,
    paths: &'w mut Paths<'n>,
    nodes: Vec<FlatNode<'n>>,
    /// Shape of the last schema without descriptions.
    without_descriptions: Option<Shape>,
}

impl<'n> SchemaWalk<'_, 'n> {
    /// Adds a schema and all schemas below it; returns its whole shape.
    fn add_schema(&mut self, node: &'n Node<'n>, span: Span, path: PathId) -> Shape {
        let at = self.nodes.len();
        let empty = self.shapes.intern_map(Vec::new());
        self.nodes.push(FlatNode { path, node, span, own: empty, rest: empty, one_of: Vec::new() });
        let (mut whole, mut own, mut rest, mut wordless) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut one_of = Vec::new();
        // In the order of the reference, where a later node may take the path of an earlier one.
        let mut parts: Vec<_> =
            effective_members(node).filter_map(|member| Some((value_type(&member.key)?, member))).collect();
        parts.sort_by_key(|(_, member)| visit_order(&member.key));
        for (holds, member) in parts {
            let key = member.key.as_ref();
            let Some(shape) = self.add_key(holds, key, &member.value, path, &mut one_of) else { continue };
            let name = self.shapes.intern_text(key);
            whole.push((name, shape));
            if !DESCRIPTIVE_KEYS.contains(&key) {
                wordless.push((name, shape));
            }
            if CHILDREN.contains(&key) || key == "description" {
                continue;
            }
            own.push((name, shape));
            if Validation::from_key(key).is_none() {
                rest.push((name, shape));
            }
        }
        let (own, rest) = (self.shapes.intern_map(own), self.shapes.intern_map(rest));
        if let Some(flat) = self.nodes.get_mut(at) {
            (flat.own, flat.rest, flat.one_of) = (own, rest, one_of);
        }
        let whole = self.shapes.intern_map(whole);
        self.shapes.record_schema(node, whole);
        self.without_descriptions = Some(self.shapes.intern_map(wordless));
        whole
    }

    /// Adds the schemas of a key and returns its shape.
    fn add_key(
        &mut self,
        holds: ValueType,
        key: &'n str,
        node: &'n Node<'n>,
        path: PathId,
        one_of: &mut Vec<Shape>,
    ) -> Option<Shape> {
        match (holds, &node.value) {
            (ValueType::Schema | ValueType::SchemaOrBool | ValueType::SchemaOrList, Value::Map(_)) => {
                Some(self.add_child(node, key.into(), path))
            }
            // Except for validation, a boolean differs from `{}`.
            (ValueType::SchemaOrBool, Value::Bool(_)) => Some(self.shapes.intern_value(node)),
            (ValueType::SchemaList | ValueType::SchemaOrList, Value::List(items)) if !items.is_empty() => {
                let mut shapes = Vec::with_capacity(items.len());
                for (number, item) in items.iter().enumerate() {
                    shapes.push(self.add_child(item, format!("{key}[{number}]").into(), path));
                    if key == "oneOf" {
                        one_of.extend(self.without_descriptions.take());
                    }
                }
                Some(self.shapes.intern_list(shapes))
            }
            (ValueType::SchemaMap | ValueType::Dependencies, Value::Map(list)) if !list.is_empty() => {
                let mut shapes = Vec::with_capacity(list.len());
                for member in effective_members(node) {
                    let name: Cow<'n, str> = match key {
                        "properties" => Cow::Borrowed(member.key.as_ref()),
                        _ => format!("{key}[{}]", member.key).into(),
                    };
                    // A dependency may be a list of names.
                    let shape = if matches!(member.value.value, Value::List(_)) {
                        self.shapes.intern_value(&member.value)
                    } else {
                        let child = self.paths.intern_below(Some(path), name);
                        self.add_schema(&member.value, member.key_span, child)
                    };
                    shapes.push((self.shapes.intern_text(&member.key), shape));
                }
                Some(self.shapes.intern_map(shapes))
            }
            (
                ValueType::Schema
                | ValueType::SchemaOrBool
                | ValueType::SchemaOrList
                | ValueType::SchemaList
                | ValueType::SchemaMap
                | ValueType::Dependencies,
                _,
            ) => None,
            _ => self.shapes.intern_plain_value(holds, node),
        }
    }

    fn add_child(&mut self, node: &'n Node<'n>, name: Cow<'n, str>, path: PathId) -> Shape {
        let child = self.paths.intern_below(Some(path), name);
        self.add_schema(node, node.span, child)
    }
}

/// Returns the position of a key in the order of the reference.
fn visit_order(key: &str) -> u8 {
    match key {
        "items" => 0,
        "allOf" => 1,
        "anyOf" => 2,
        "oneOf" => 3,
        "not" => 4,
        "properties" => 5,
        "additionalProperties" => 6,
        "patternProperties" => 7,
        "additionalItems" => 8,
        "definitions" => 9,
        "dependencies" => 10,
        _ => 11,
    }
}

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

    fn intern_text(&mut self, text: &'n str) -> Shape {
        self.intern(Form::Text(text))
    }

    fn intern_list(&mut self, items: Vec<Shape>) -> Shape {
        self.intern(Form::List(items))
    }

    /// Interns a map with unique keys.
    fn intern_map(&mut self, mut members: Vec<(Shape, Shape)>) -> Shape {
        members.sort_unstable();
        self.intern(Form::Map(members))
    }

    /// Interns any value. The caller has checked its depth ([`is_deeper`]).
    fn intern_value(&mut self, node: &'n Node<'n>) -> Shape {
        match &node.value {
            Value::Null => self.intern(Form::Null),
            Value::Bool(value) => self.intern(Form::Bool(*value)),
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
    fn intern_plain_value(&mut self, holds: ValueType, node: &'n Node<'n>) -> Option<Shape> {
        match (holds, &node.value) {
            (ValueType::Text, Value::String(text)) if text.is_empty() => None,
            (ValueType::Bool, Value::Bool(false)) => None,
            (_, Value::Null) => None,
            (ValueType::JsonList, Value::List(items)) if items.is_empty() => None,
            _ => Some(self.intern_value(node)),
        }
    }

    /// Records the shape of a whole schema.
    fn record_schema(&mut self, node: &'n Node<'n>, shape: Shape) {
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
