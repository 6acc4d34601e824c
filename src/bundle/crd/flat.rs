//! The schema of a version taken apart into nodes by path, as the preflight does: `^` is the root, then `.PROP`, `.items`,
//! `.additionalProperties`, `.oneOf[0]`, `.patternProperties[KEY]`.
//!
//! A node is compared without its `properties` and `items`, which are nodes of their own, but with everything else below it.
//!
//! Source: `sigs.k8s.io/crdify`, `pkg/validators/crdversion.go` and the walk over a schema in its order.

use std::{borrow::Cow, collections::HashMap};

use super::{
    shape::{Holds, Shape, Shapes, holds, members},
    validation::Validation,
};
use crate::catalog::{Node, Span, Value};

/// The keys that are no part of a node when it is compared.
const CHILDREN: [&str; 2] = ["properties", "items"];
/// What does not count of each schema of a `oneOf`.
const WORDS: [&str; 4] = ["description", "title", "example", "externalDocs"];

/// The number of a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct PathId(u32);

/// All paths that were met. Paths are equal when their texts are: a property `a.b` is the property `b` of a property `a`.
#[derive(Default)]
pub(super) struct Paths<'n> {
    parts: Vec<(Option<PathId>, Cow<'n, str>)>,
    known: HashMap<(Option<PathId>, Cow<'n, str>), PathId>,
}

impl<'n> Paths<'n> {
    fn below(&mut self, parent: Option<PathId>, text: Cow<'n, str>) -> PathId {
        if !text.contains('.') {
            return self.part(parent, text);
        }
        let mut here = parent;
        let mut rest = text.as_ref();
        while let Some((part, after)) = rest.split_once('.') {
            here = Some(self.part(here, Cow::Owned(part.to_owned())));
            rest = after;
        }
        self.part(here, Cow::Owned(rest.to_owned()))
    }

    fn part(&mut self, parent: Option<PathId>, text: Cow<'n, str>) -> PathId {
        let next = PathId(u32::try_from(self.parts.len()).unwrap_or(u32::MAX));
        let parts = &mut self.parts;
        *self.known.entry((parent, text)).or_insert_with_key(|(parent, text)| {
            parts.push((*parent, text.clone()));
            next
        })
    }

    /// `^.spec.size`.
    pub(super) fn text(&self, path: PathId) -> String {
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

/// One node of a schema.
pub(super) struct FlatNode<'n> {
    pub path: PathId,
    pub node: &'n Node<'n>,
    /// Where to look for it: its key, where it has one.
    pub span: Span,
    /// All that is compared of it.
    pub own: Shape,
    /// That without what has a rule of its own.
    pub rest: Shape,
    /// The schemas of its `oneOf`, without words for people.
    pub one_of: Vec<Shape>,
}

/// A schema taken apart.
#[derive(Default)]
pub(super) struct Flat<'n> {
    /// Each before those below it.
    nodes: Vec<FlatNode<'n>>,
    /// Where two have one path, the later counts, as in the reference.
    by_path: HashMap<PathId, usize>,
    /// The whole schema.
    pub whole: Option<Shape>,
}

impl<'n> Flat<'n> {
    /// Takes a schema apart. It nests no deeper than was checked.
    pub(super) fn of(schema: Option<&'n Node<'n>>, shapes: &mut Shapes<'n>, paths: &mut Paths<'n>) -> Self {
        let mut walk = Walk { shapes, paths, nodes: Vec::new(), wordless: None };
        let root = walk.paths.below(None, Cow::Borrowed("^"));
        let whole = schema.map(|schema| walk.schema(schema, schema.span, root));
        let nodes = walk.nodes;
        let by_path = nodes.iter().enumerate().map(|(at, node)| (node.path, at)).collect();
        Self { nodes, by_path, whole }
    }

    /// The nodes that count.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &FlatNode<'n>> {
        let counts = |(at, node): &(usize, &FlatNode)| self.by_path.get(&node.path) == Some(at);
        self.nodes.iter().enumerate().filter(counts).map(|(_, node)| node)
    }

    /// The node of a path.
    pub(super) fn get(&self, path: PathId) -> Option<&FlatNode<'n>> {
        self.nodes.get(*self.by_path.get(&path)?)
    }
}

struct Walk<'w, 'n> {
    shapes: &'w mut Shapes<'n>,
    paths: &'w mut Paths<'n>,
    nodes: Vec<FlatNode<'n>>,
    /// What the last schema is without words for people.
    wordless: Option<Shape>,
}

impl<'n> Walk<'_, 'n> {
    /// A schema and all below it; gives what it is as a whole.
    fn schema(&mut self, node: &'n Node<'n>, span: Span, path: PathId) -> Shape {
        let at = self.nodes.len();
        let empty = self.shapes.map(Vec::new());
        self.nodes.push(FlatNode { path, node, span, own: empty, rest: empty, one_of: Vec::new() });
        let (mut whole, mut own, mut rest, mut wordless) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut one_of = Vec::new();
        // In the order of the reference, in which what comes later may take a path from what came before.
        let mut parts: Vec<_> =
            members(node).filter_map(|member| Some((holds(&member.key)?, member))).collect();
        parts.sort_by_key(|(_, member)| turn(&member.key));
        for (holds, member) in parts {
            let key = member.key.as_ref();
            let Some(shape) = self.part(holds, key, &member.value, path, &mut one_of) else { continue };
            let name = self.shapes.text(key);
            whole.push((name, shape));
            if !WORDS.contains(&key) {
                wordless.push((name, shape));
            }
            if CHILDREN.contains(&key) || key == "description" {
                continue;
            }
            own.push((name, shape));
            if Validation::of_key(key).is_none() {
                rest.push((name, shape));
            }
        }
        let (own, rest) = (self.shapes.map(own), self.shapes.map(rest));
        if let Some(flat) = self.nodes.get_mut(at) {
            (flat.own, flat.rest, flat.one_of) = (own, rest, one_of);
        }
        let whole = self.shapes.map(whole);
        self.shapes.remember(node, whole);
        self.wordless = Some(self.shapes.map(wordless));
        whole
    }

    /// What a key holds, with all schemas below it.
    fn part(
        &mut self,
        holds: Holds,
        key: &'n str,
        node: &'n Node<'n>,
        path: PathId,
        one_of: &mut Vec<Shape>,
    ) -> Option<Shape> {
        match (holds, &node.value) {
            (Holds::Schema | Holds::SchemaOrBool | Holds::SchemaOrList, Value::Map(_)) => {
                Some(self.child(node, key.into(), path))
            }
            // A boolean is told from `{}` in all but what it allows.
            (Holds::SchemaOrBool, Value::Bool(_)) => Some(self.shapes.value(node)),
            (Holds::SchemaList | Holds::SchemaOrList, Value::List(items)) if !items.is_empty() => {
                let mut shapes = Vec::with_capacity(items.len());
                for (number, item) in items.iter().enumerate() {
                    shapes.push(self.child(item, format!("{key}[{number}]").into(), path));
                    if key == "oneOf" {
                        one_of.extend(self.wordless.take());
                    }
                }
                Some(self.shapes.list(shapes))
            }
            (Holds::SchemaMap | Holds::Dependencies, Value::Map(list)) if !list.is_empty() => {
                let mut shapes = Vec::with_capacity(list.len());
                for member in members(node) {
                    let name: Cow<'n, str> = match key {
                        "properties" => Cow::Borrowed(member.key.as_ref()),
                        _ => format!("{key}[{}]", member.key).into(),
                    };
                    // A dependency may be a list of names.
                    let shape = if matches!(member.value.value, Value::List(_)) {
                        self.shapes.value(&member.value)
                    } else {
                        let child = self.paths.below(Some(path), name);
                        self.schema(&member.value, member.key_span, child)
                    };
                    shapes.push((self.shapes.text(&member.key), shape));
                }
                Some(self.shapes.map(shapes))
            }
            (
                Holds::Schema
                | Holds::SchemaOrBool
                | Holds::SchemaOrList
                | Holds::SchemaList
                | Holds::SchemaMap
                | Holds::Dependencies,
                _,
            ) => None,
            _ => self.shapes.plain(holds, node),
        }
    }

    fn child(&mut self, node: &'n Node<'n>, name: Cow<'n, str>, path: PathId) -> Shape {
        let child = self.paths.below(Some(path), name);
        self.schema(node, node.span, child)
    }
}

/// When the reference looks at a key.
fn turn(key: &str) -> u8 {
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
