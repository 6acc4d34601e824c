//! From raw nodes to the tree: scalars resolved, aliases copied in, merge keys applied.

use std::collections::HashMap;

use super::{
    events::{Index, Raw, RawScalar, RawValue},
    scalar,
};
use crate::catalog::{
    node::{MAX_DEPTH, Member, Node, Value},
    read_error::{ReadError, ReadErrorKind},
    span::Span,
};

/// How much text aliases may copy. (Go shares the strings, so opm has no such limit; no catalog comes near it.)
const MAX_COPIED_TEXT: usize = 64 << 20;

/// Builds the tree of a document whose text begins at `base` in its chunk.
pub(super) fn build(raw: Raw, base: usize) -> Result<Node<'static>, ReadError> {
    let root = raw.root;
    let budget = Budget { decoded: 1, copied: 0, text: 0 };
    let mut builder = Builder { raw, base, open: Vec::new(), budget, no_json: Vec::new() };
    let tree = builder.run(root)?;
    match builder.first_surviving(&tree) {
        Some(error) => Err(error),
        None => Ok(tree),
    }
}

/// go-yaml's guard against aliases that blow a document up: how much of what is decoded may come from aliases.
struct Budget {
    decoded: usize,
    copied: usize,
    text: usize,
}

impl Budget {
    /// Counts one decoded node.
    fn count(&mut self, aliased: bool) -> Result<(), ReadErrorKind> {
        self.decoded += 1;
        if aliased {
            self.copied += 1;
        }
        let share = || self.copied as f64 / self.decoded as f64;
        if self.copied > 100 && self.decoded > 1000 && share() > allowed_share(self.decoded) {
            return Err(ReadErrorKind::ExcessiveAliasing);
        }
        Ok(())
    }

    fn copy_text(&mut self, length: usize) -> Result<(), ReadErrorKind> {
        self.text += length;
        if self.text > MAX_COPIED_TEXT { Err(ReadErrorKind::ExcessiveAliasing) } else { Ok(()) }
    }
}

/// 99 % up to 400,000 decoded nodes, falling to 10 % at 4,000,000.
fn allowed_share(decoded: usize) -> f64 {
    const LOW: f64 = 400_000.0;
    const HIGH: f64 = 4_000_000.0;
    let decoded = decoded as f64;
    if decoded <= LOW {
        0.99
    } else if decoded >= HIGH {
        0.10
    } else {
        0.99 - 0.89 * ((decoded - LOW) / (HIGH - LOW))
    }
}

/// A collection that is being built.
struct Open {
    from: Index,
    /// How many of its raw children are done.
    next: usize,
    /// The alias it is copied in through.
    alias: Option<Span>,
    depth: usize,
    purpose: Purpose,
    items: Vec<Node<'static>>,
    members: Vec<Member<'static>>,
    /// The key whose value is being built.
    key: Option<(String, Span)>,
}

/// What a built collection is for.
#[derive(Clone, Copy)]
enum Purpose {
    /// The next child of the collection below it on the stack.
    Child,
    /// Members for the map at this place of the stack.
    Merge(usize),
}

struct Builder {
    raw: Raw,
    base: usize,
    open: Vec<Open>,
    budget: Budget,
    /// Values and keys that YAML has and JSON does not. They are errors only where no later duplicate of a key
    /// overrides what they are in; until that is known they stand as `null`, or as text.
    no_json: Vec<ReadError>,
}

/// A node found while following aliases: complete, or a collection still to be built.
enum Found {
    Done(Node<'static>),
    Collection(Index, Option<Span>),
}

impl Builder {
    fn run(&mut self, root: Index) -> Result<Node<'static>, ReadError> {
        let mut done = match self.find(root, None)? {
            Found::Done(node) => return Ok(node),
            Found::Collection(index, alias) => {
                self.push(index, alias, 1, Purpose::Child)?;
                None
            }
        };
        loop {
            if let Some(node) = done.take() {
                match self.open.last_mut() {
                    Some(parent) => parent.add(node),
                    None => return Ok(node),
                }
            }
            done = self.step()?;
        }
    }

    /// Takes the collection on top of the stack one child further; gives it back when it is complete.
    fn step(&mut self) -> Result<Option<Node<'static>>, ReadError> {
        let Some(top) = self.open.last_mut() else {
            return Ok(Some(Node::new(Value::Null, Span::default())));
        };
        let (from, next, alias, depth) = (top.from, top.next, top.alias, top.depth);
        let child = match &self.raw.nodes[from as usize].value {
            RawValue::List(items) => {
                top.next += 1;
                items.get(next).copied()
            }
            RawValue::Map(pairs) => {
                top.next += 2;
                match (pairs.get(next), pairs.get(next + 1)) {
                    (Some(&key), Some(&value)) => {
                        if self.is_merge(key) {
                            self.merge(value)?;
                            return Ok(None);
                        }
                        let key = self.key(key, alias)?;
                        if let Some(top) = self.open.last_mut() {
                            top.key = Some(key);
                        }
                        Some(value)
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let Some(child) = child else { return Ok(self.pop()) };
        match self.find(child, alias)? {
            Found::Done(node) => Ok(Some(node)),
            Found::Collection(index, alias) => {
                self.push(index, alias, depth + 1, Purpose::Child)?;
                Ok(None)
            }
        }
    }

    fn push(
        &mut self,
        from: Index,
        alias: Option<Span>,
        depth: usize,
        purpose: Purpose,
    ) -> Result<(), ReadError> {
        if depth > MAX_DEPTH {
            return Err(ReadErrorKind::TooDeep.at(self.local(from, alias)));
        }
        let (items, members) = match &self.raw.nodes[from as usize].value {
            RawValue::List(items) => (items.len(), 0),
            RawValue::Map(pairs) => (0, pairs.len() / 2),
            _ => (0, 0),
        };
        self.open.push(Open {
            from,
            next: 0,
            alias,
            depth,
            purpose,
            items: Vec::with_capacity(items),
            members: Vec::with_capacity(members),
            key: None,
        });
        Ok(())
    }

    fn pop(&mut self) -> Option<Node<'static>> {
        let done = self.open.pop()?;
        if let Purpose::Merge(target) = done.purpose {
            if let Some(target) = self.open.get_mut(target) {
                target.members.extend(done.members);
            }
            return None;
        }
        let value = match &self.raw.nodes[done.from as usize].value {
            RawValue::Map(_) => Value::Map(done.members),
            _ => Value::List(done.items),
        };
        Some(Node::new(value, self.place(done.from, done.alias)))
    }

    /// Follows an alias and resolves a scalar, counting what go-yaml counts.
    fn find(&mut self, index: Index, alias: Option<Span>) -> Result<Found, ReadError> {
        let mut index = index;
        let mut alias = alias;
        loop {
            let counted = self.budget.count(alias.is_some());
            counted.map_err(|kind| kind.at(self.local(index, alias)))?;
            match &self.raw.nodes[index as usize].value {
                RawValue::Alias(target) => {
                    alias = Some(alias.unwrap_or_else(|| self.place(index, None)));
                    index = *target;
                }
                RawValue::List(_) | RawValue::Map(_) => return Ok(Found::Collection(index, alias)),
                RawValue::Scalar(_) => {
                    let scalar = self.scalar(index, alias)?;
                    let value = scalar.into_value().unwrap_or_else(|kind| {
                        self.no_json.push(kind.at(self.local(index, alias)));
                        Value::Null
                    });
                    return Ok(Found::Done(Node::new(value, self.place(index, alias))));
                }
            }
        }
    }

    fn scalar(&mut self, index: Index, alias: Option<Span>) -> Result<scalar::Scalar, ReadError> {
        let place = self.local(index, alias);
        let aliased = self.raw.aliased;
        let RawValue::Scalar(RawScalar { text, tag, plain }) = &mut self.raw.nodes[index as usize].value
        else {
            return Ok(scalar::Scalar::Null);
        };
        if alias.is_some() {
            self.budget.copy_text(text.len()).map_err(|kind| kind.at(place))?;
        }
        let text = if aliased { text.clone() } else { std::mem::take(text) };
        scalar::resolve(tag.as_deref(), *plain, text).map_err(|kind| kind.at(place))
    }

    fn key(&mut self, index: Index, alias: Option<Span>) -> Result<(String, Span), ReadError> {
        let mut index = index;
        let mut alias = alias;
        loop {
            let counted = self.budget.count(alias.is_some());
            counted.map_err(|kind| kind.at(self.local(index, alias)))?;
            match &self.raw.nodes[index as usize].value {
                RawValue::Alias(target) => {
                    alias = Some(alias.unwrap_or_else(|| self.place(index, None)));
                    index = *target;
                }
                RawValue::List(_) | RawValue::Map(_) => {
                    return Err(ReadErrorKind::CollectionKey.at(self.local(index, alias)));
                }
                RawValue::Scalar(_) => {
                    let scalar = self.scalar(index, alias)?;
                    let key = scalar.into_key().unwrap_or_else(|kind| {
                        self.no_json.push(kind.at(self.local(index, alias)));
                        String::new()
                    });
                    return Ok((key, self.place(index, alias)));
                }
            }
        }
    }

    fn is_merge(&self, key: Index) -> bool {
        matches!(&self.raw.nodes[key as usize].value, RawValue::Scalar(RawScalar { text, tag, plain })
            if text == "<<" && (*plain || tag.as_deref() == Some("tag:yaml.org,2002:merge")))
    }

    /// Puts what `<<: value` merges on the stack. Of a list the last map is applied first, so that the first wins.
    fn merge(&mut self, value: Index) -> Result<(), ReadError> {
        let target = self.open.len().saturating_sub(1);
        let Some(Open { alias, depth, .. }) = self.open.last() else { return Ok(()) };
        let (alias, depth) = (*alias, *depth);
        let maps = match &self.raw.nodes[value as usize].value {
            RawValue::List(items) => items.clone(),
            _ => vec![value],
        };
        for map in maps {
            let (map, alias) = self.merged_map(map, alias)?;
            self.push(map, alias, depth, Purpose::Merge(target))?;
        }
        Ok(())
    }

    /// The map behind an item to merge.
    fn merged_map(&mut self, index: Index, alias: Option<Span>) -> Result<(Index, Option<Span>), ReadError> {
        let place = self.local(index, alias);
        self.budget.count(alias.is_some()).map_err(|kind| kind.at(place))?;
        match &self.raw.nodes[index as usize].value {
            RawValue::Map(_) => Ok((index, alias)),
            RawValue::Alias(target) if matches!(self.raw.nodes[*target as usize].value, RawValue::Map(_)) => {
                self.budget.count(true).map_err(|kind| kind.at(place))?;
                Ok((*target, Some(alias.unwrap_or_else(|| self.place(index, None)))))
            }
            _ => Err(ReadErrorKind::BadMerge.at(place)),
        }
    }

    /// The first thing that is no JSON and that no later duplicate of a key overrides.
    fn first_surviving(&mut self, tree: &Node) -> Option<ReadError> {
        if self.no_json.is_empty() {
            return None;
        }
        let bad: HashMap<Span, ReadError> =
            self.no_json.drain(..).rev().map(|error| (super::moved(error.span, self.base), error)).collect();
        let mut first: Option<&ReadError> = None;
        let mut pending = vec![tree];
        while let Some(node) = pending.pop() {
            let keys = node.members().iter().map(|member| member.key_span);
            let here = std::iter::once(node.span).filter(|_| node.is_null()).chain(keys);
            first = here.filter_map(|span| bad.get(&span)).chain(first).min_by_key(|error| error.span);
            pending.extend(node.items());
            let last: HashMap<_, _> =
                node.members().iter().map(|member| (&member.key, &member.value)).collect();
            pending.extend(last.into_values());
        }
        first.cloned()
    }

    /// A node's place in the chunk: its own, or that of the alias it is copied in through.
    fn place(&self, index: Index, alias: Option<Span>) -> Span {
        alias.unwrap_or_else(|| super::moved(self.raw.nodes[index as usize].span, self.base))
    }

    /// The same relative to the YAML text, for errors (which are moved later).
    fn local(&self, index: Index, alias: Option<Span>) -> Span {
        let back = |n: u32| n as usize - self.base;
        alias.map_or(self.raw.nodes[index as usize].span, |s| Span::new(back(s.start), back(s.end)))
    }
}

impl Open {
    fn add(&mut self, value: Node<'static>) {
        match self.key.take() {
            Some((key, key_span)) => self.members.push(Member { key: key.into(), key_span, value }),
            None => self.items.push(value),
        }
    }
}
