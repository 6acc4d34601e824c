//! Converts the tape to a tree: resolves scalars, copies aliases, applies merge keys.

use std::{borrow::Cow, collections::HashMap};

use super::{
    scalar::{self, Scalar},
    tape::{Index, NodeKind, Source, Tape},
};
use crate::{
    node::{MAX_DEPTH, Node, Parts, Value},
    span::Span,
    text::yaml::{ReadError, ReadErrorKind},
};

/// Maximum text that aliases may copy. (Go shares the strings, so opm does not have this limit; catalogs are
/// far below it.)
const MAX_COPIED_TEXT: usize = 64 << 20;

/// Builds the tree of a document whose text begins at `base` in its chunk.
pub(super) fn build_tree(tape: Tape<'_>, base: usize) -> Result<Node<'_>, ReadError> {
    let budget = Budget { decoded: 1, copied: 0, text: 0 };
    let (open, parts, no_json) = (Vec::new(), Parts::default(), Vec::new());
    let mut builder = Builder { tape, base, open, parts, budget, no_json };
    let tree = builder.build_root()?;
    match builder.first_surviving_error(&tree) {
        Some(error) => Err(error),
        None => Ok(tree),
    }
}

/// go-yaml's limit on the share of decoded nodes that come from aliases.
struct Budget {
    decoded: usize,
    copied: usize,
    text: usize,
}

impl Budget {
    /// Counts one decoded node.
    fn count_node(&mut self, aliased: bool) -> Result<(), ReadErrorKind> {
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

/// Returns 99 % up to 400,000 decoded nodes, falling to 10 % at 4,000,000.
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

/// A list or map under construction.
struct Open {
    from: Index,
    /// Its next child, and the end of its children.
    next: Index,
    end: Index,
    /// Alias through which it is copied.
    alias: Option<Span>,
    depth: usize,
    purpose: Purpose,
}

/// Purpose of a list or map under construction.
#[derive(Clone, Copy)]
enum Purpose {
    /// Next child of the one below it on the stack, with its mark in [`Parts`].
    Child(usize),
    /// Source of members for the map below it.
    Merge,
}

struct Builder<'a> {
    tape: Tape<'a>,
    base: usize,
    open: Vec<Open>,
    parts: Parts<'a>,
    budget: Budget,
    /// Values and keys without a JSON form. They are errors unless a later duplicate of a key overrides them.
    /// Until that is known, they are `null` or text in the tree.
    no_json: Vec<ReadError>,
}

/// A node after following aliases: complete, or a list or map that is still to be built.
enum Resolved<'a> {
    Done(Node<'a>),
    Parent(Index, Option<Span>),
}

impl<'a> Builder<'a> {
    fn build_root(&mut self) -> Result<Node<'a>, ReadError> {
        self.add_child(0, None, 1, false)?;
        while let Some(top) = self.open.last() {
            let Open { from, next, end, alias, depth, .. } = *top;
            let is_map = matches!(self.tape.kind(from), NodeKind::Map(_));
            if next >= end {
                self.close_collection();
            } else if !is_map {
                self.advance(self.tape.after(next));
                self.add_child(next, alias, depth + 1, false)?;
            } else {
                let value = self.tape.after(next);
                self.advance(self.tape.after(value));
                if self.tape.is_merge(next) {
                    self.push_merged_maps(value, alias, depth)?;
                } else {
                    let (key, key_span) = self.resolve_key(next, alias)?;
                    self.parts.add_key(key, key_span, key_span);
                    self.add_child(value, alias, depth + 1, true)?;
                }
            }
        }
        std::mem::take(&mut self.parts).into_root().ok_or_else(|| ReadErrorKind::TooDeep.at_span(0..0))
    }

    /// Moves the innermost list or map to its next child.
    fn advance(&mut self, next: Index) {
        if let Some(top) = self.open.last_mut() {
            top.next = next;
        }
    }

    /// Adds an item of the innermost list, or the value of the innermost map's last key. A collection is only
    /// begun.
    fn add_child(
        &mut self,
        at: Index,
        alias: Option<Span>,
        depth: usize,
        in_map: bool,
    ) -> Result<(), ReadError> {
        match self.resolve_node(at, alias)? {
            Resolved::Done(node) if in_map => self.parts.set_value(node),
            Resolved::Done(node) => self.parts.add_item(node),
            Resolved::Parent(from, alias) => {
                let is_map = matches!(self.tape.kind(from), NodeKind::Map(_));
                self.open_collection(
                    from,
                    alias,
                    depth,
                    Purpose::Child(self.parts.begin_collection(is_map)),
                )?;
            }
        }
        Ok(())
    }

    fn open_collection(
        &mut self,
        from: Index,
        alias: Option<Span>,
        depth: usize,
        purpose: Purpose,
    ) -> Result<(), ReadError> {
        if depth > MAX_DEPTH {
            return Err(ReadErrorKind::TooDeep.at_span(self.local_span(from, alias)));
        }
        self.open.push(Open { from, next: from + 1, end: self.tape.after(from), alias, depth, purpose });
        Ok(())
    }

    fn close_collection(&mut self) {
        let Some(Open { from, alias, purpose: Purpose::Child(mark), .. }) = self.open.pop() else { return };
        let value = self.parts.take_collection(matches!(self.tape.kind(from), NodeKind::Map(_)), mark);
        let node = Node::new(value, self.span(from, alias));
        // Merged maps are not parents; their members are added to the map with the merge key.
        let parent = self.open.last().map(|open| self.tape.kind(open.from));
        match parent {
            Some(NodeKind::Map(_)) => self.parts.set_value(node),
            _ => self.parts.add_item(node),
        }
    }

    /// Follows an alias and resolves a scalar, with go-yaml's limits.
    fn resolve_node(&mut self, at: Index, alias: Option<Span>) -> Result<Resolved<'a>, ReadError> {
        let (at, alias) = self.follow_alias(at, alias)?;
        if let NodeKind::List(_) | NodeKind::Map(_) = self.tape.kind(at) {
            return Ok(Resolved::Parent(at, alias));
        }
        let value = match self.take_source(at, alias)? {
            Source { text, tag: None, is_plain: true } => scalar::resolve_plain(text),
            source => self.resolve_scalar(source, at, alias)?.into_value(),
        };
        let value = value.unwrap_or_else(|kind| {
            self.no_json.push(kind.at_span(self.local_span(at, alias)));
            Value::Null
        });
        Ok(Resolved::Done(Node::new(value, self.span(at, alias))))
    }

    /// Returns the target of a node, and the alias through which it is copied.
    fn follow_alias(
        &mut self,
        mut at: Index,
        mut alias: Option<Span>,
    ) -> Result<(Index, Option<Span>), ReadError> {
        loop {
            let counted = self.budget.count_node(alias.is_some());
            counted.map_err(|kind| kind.at_span(self.local_span(at, alias)))?;
            let NodeKind::Alias(target) = self.tape.kind(at) else { return Ok((at, alias)) };
            alias = Some(self.span(at, alias));
            at = target;
        }
    }

    fn take_source(&mut self, at: Index, alias: Option<Span>) -> Result<Source<'a>, ReadError> {
        let source = self.tape.take_scalar(at);
        if alias.is_some() {
            let counted = self.budget.copy_text(source.text.len());
            counted.map_err(|kind| kind.at_span(self.local_span(at, alias)))?;
        }
        Ok(source)
    }

    fn resolve_scalar(
        &self,
        source: Source<'a>,
        at: Index,
        alias: Option<Span>,
    ) -> Result<Scalar<'a>, ReadError> {
        let Source { text, tag, is_plain } = source;
        scalar::resolve_scalar(tag.as_deref(), is_plain, text)
            .map_err(|kind| kind.at_span(self.local_span(at, alias)))
    }

    fn resolve_key(&mut self, at: Index, alias: Option<Span>) -> Result<(Cow<'a, str>, Span), ReadError> {
        let (at, alias) = self.follow_alias(at, alias)?;
        if let NodeKind::List(_) | NodeKind::Map(_) = self.tape.kind(at) {
            return Err(ReadErrorKind::CollectionKey.at_span(self.local_span(at, alias)));
        }
        let source = self.take_source(at, alias)?;
        let key = self.resolve_scalar(source, at, alias)?.into_key().unwrap_or_else(|kind| {
            self.no_json.push(kind.at_span(self.local_span(at, alias)));
            Cow::Borrowed("")
        });
        Ok((key, self.span(at, alias)))
    }

    /// Pushes the maps that `<<: value` merges. The last map of a list is applied first, so that the first
    /// wins.
    fn push_merged_maps(&mut self, value: Index, alias: Option<Span>, depth: usize) -> Result<(), ReadError> {
        let (mut at, end) = match self.tape.kind(value) {
            NodeKind::List(_) => (value + 1, self.tape.after(value)),
            _ => (value, self.tape.after(value)),
        };
        while at < end {
            let (map, alias) = self.merged_map(at, alias)?;
            self.open_collection(map, alias, depth, Purpose::Merge)?;
            at = self.tape.after(at);
        }
        Ok(())
    }

    /// Returns the map of an item to merge.
    fn merged_map(&mut self, at: Index, alias: Option<Span>) -> Result<(Index, Option<Span>), ReadError> {
        let place = self.local_span(at, alias);
        self.budget.count_node(alias.is_some()).map_err(|kind| kind.at_span(place))?;
        match self.tape.kind(at) {
            NodeKind::Map(_) => Ok((at, alias)),
            NodeKind::Alias(target) if matches!(self.tape.kind(target), NodeKind::Map(_)) => {
                self.budget.count_node(true).map_err(|kind| kind.at_span(place))?;
                Ok((target, Some(self.span(at, alias))))
            }
            _ => Err(ReadErrorKind::BadMerge.at_span(place)),
        }
    }

    /// Returns the first value without a JSON form that no later duplicate of a key overrides.
    fn first_surviving_error(&mut self, tree: &Node) -> Option<ReadError> {
        if self.no_json.is_empty() {
            return None;
        }
        let bad: HashMap<Span, ReadError> = self
            .no_json
            .drain(..)
            .rev()
            .map(|error| (super::shift_span(error.span, self.base), error))
            .collect();
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

    /// Returns a node's span in the chunk: its own, or that of the alias through which it is copied.
    fn span(&self, at: Index, alias: Option<Span>) -> Span {
        alias.unwrap_or_else(|| super::shift_span(self.tape.span(at), self.base))
    }

    /// Returns the span relative to the YAML text, for errors (which are shifted later).
    fn local_span(&self, at: Index, alias: Option<Span>) -> Span {
        let back = |n: u32| n as usize - self.base;
        alias.map_or(self.tape.span(at), |s| Span::new(back(s.start), back(s.end)))
    }
}
