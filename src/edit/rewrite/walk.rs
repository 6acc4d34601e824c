//! Traversal of a tree's changes, which produces splices of its text.

use std::{cell::OnceCell, collections::HashSet};

use super::{
    Plain,
    block::edit_block,
    diff::{Change, MapChange, Step},
    error::RewriteError,
    flow::edit_flow,
    order,
    parts::{self, Part, after_colon, is_flow, is_nothing},
    render::Render,
    source::{Source, Splices},
    style::{self, CollectionStyle, Kind, Style, items_of},
};
use crate::catalog::Node;

/// Operation on one part of a collection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op<'n> {
    /// Keeps the old part with this index; changes inside it are already done.
    Keep(usize),
    /// Removes the old part with this index.
    Remove(usize),
    /// Inserts a new part.
    Insert(New<'n>),
}

/// A new part.
#[derive(Clone, Copy, Debug)]
pub(super) enum New<'n> {
    Item(&'n Plain),
    Member(&'n str, &'n Plain),
}

/// Syntax that introduces a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Introducer {
    /// `key:`.
    Key,
    /// `-`.
    Dash,
}

/// Context of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Context {
    /// A collection in block style.
    Block,
    /// Brackets on one line.
    OneLine,
    /// Brackets with one line per part, with this indentation.
    Lines(String),
}

impl Context {
    /// Returns the context inside brackets for a part that begins at `at`.
    fn brackets(source: &Source<'_>, at: usize, lines: bool) -> Self {
        if lines { Self::Lines(text(source.indentation(at))) } else { Self::OneLine }
    }
}

/// Location and context of a value.
pub(super) struct Slot<'n> {
    pub node: &'n Node<'n>,
    /// Offset after the `:` or `-` before it.
    pub head: usize,
    /// Column of the key or `-`.
    pub column: usize,
    pub owner: Introducer,
    pub within: Context,
    /// Key of the value, or the key of its list with `[]`.
    pub label: String,
}

/// Rewriter of one document.
pub(super) struct Rewriter<'a, 't> {
    pub source: &'a Source<'t>,
    root: &'a Node<'a>,
    style: OnceCell<Style>,
    /// True if new multi-line texts may be blocks (`|`).
    blocks: bool,
    pub splices: Splices,
}

impl<'a, 't> Rewriter<'a, 't> {
    pub fn new(source: &'a Source<'t>, root: &'a Node<'a>, blocks: bool) -> Self {
        Self { source, root, style: OnceCell::new(), blocks, splices: Splices::default() }
    }

    /// Returns the splices for a change of the document's root map.
    pub fn document(mut self, change: &MapChange<'_>) -> Result<Splices, RewriteError> {
        let slot = Slot {
            node: self.root,
            head: 0,
            column: 0,
            owner: Introducer::Key,
            within: Context::Block,
            label: String::new(),
        };
        let start = self.root.span.start as usize;
        if !self.source.is_json() && matches!(self.source.byte(start), Some(b'&' | b'!' | b'*')) {
            return Err(self.source.unexpected(start));
        }
        self.map(&slot, change)?;
        Ok(self.splices)
    }

    /// Returns a renderer with the style of the document and the line break around `at`.
    pub fn render(&self, at: usize) -> Render<'_> {
        let style = self.style.get_or_init(|| Style::detect(self.source, self.root));
        let eol = if self.source.eol_near(at) == b"\r\n" { "\r\n" } else { "\n" };
        Render { style, json: self.source.is_json(), blocks: self.blocks, eol }
    }

    fn change(&mut self, slot: &Slot<'_>, change: &Change<'_>) -> Result<(), RewriteError> {
        if *change == Change::Same {
            return Ok(());
        }
        self.expect_bare(slot)?;
        match change {
            Change::Same => Ok(()),
            Change::Replace(new) => self.replace(slot, new),
            Change::List(steps) => self.list(slot, steps),
            Change::Map(change) => self.map(slot, change),
        }
    }

    /// Checks that there is no anchor or tag between a value and its key or `-`, and that it is not an alias.
    fn expect_bare(&self, slot: &Slot<'_>) -> Result<(), RewriteError> {
        let found = self.source.skip_trivia(slot.head);
        let marked = !self.source.is_json() && matches!(self.source.byte(found), Some(b'&' | b'!' | b'*'));
        let there = found == slot.node.span.start as usize;
        let on_line = found < self.source.line_end(slot.head);
        if is_nothing(slot.node) {
            if marked && on_line { Err(self.source.unexpected(found)) } else { Ok(()) }
        } else if marked || !there {
            Err(self.source.unexpected(found))
        } else {
            Ok(())
        }
    }

    fn list(&mut self, slot: &Slot<'_>, steps: &[Step<'_>]) -> Result<(), RewriteError> {
        let items = slot.node.items();
        let layout = self.layout(slot)?;
        let label = items_of(&slot.label);
        for step in steps {
            let Step::Keep(at, change) = step else { continue };
            let (Some(node), Some(part)) = (items.get(*at), layout.parts().get(*at)) else {
                return Err(RewriteError::ForeignTree);
            };
            let slot = Slot {
                node,
                head: part.head,
                column: self.source.column(part.start),
                owner: Introducer::Dash,
                within: layout.within(self.source, part),
                label: label.clone(),
            };
            self.change(&slot, change)?;
        }
        let ops: Vec<Op<'_>> = steps
            .iter()
            .map(|step| match step {
                Step::Keep(at, _) => Op::Keep(*at),
                Step::Remove(at) => Op::Remove(*at),
                Step::Insert(new) => Op::Insert(New::Item(new)),
            })
            .collect();
        self.restructure(slot, &layout, &ops)
    }

    fn map(&mut self, slot: &Slot<'_>, change: &MapChange<'_>) -> Result<(), RewriteError> {
        let members = slot.node.members();
        for (key, change) in &change.changed {
            let Some(member) = members.iter().rev().find(|member| member.key == *key) else {
                return Err(RewriteError::ForeignTree);
            };
            let head = after_colon(self.source, member)?;
            let start = member.key_span.start as usize;
            let within = if self.in_brackets(slot) {
                Context::brackets(self.source, start, self.source.leads_line(start))
            } else {
                Context::Block
            };
            let slot = Slot {
                node: &member.value,
                head,
                column: self.source.column(start),
                owner: Introducer::Key,
                within,
                label: (*key).to_owned(),
            };
            self.change(&slot, change)?;
        }
        if change.removed.is_empty() && change.added.is_empty() {
            return Ok(());
        }
        let layout = self.layout(slot)?;
        let removed: HashSet<&str> = change.removed.iter().copied().collect();
        let mut ops: Vec<Op<'_>> = Vec::with_capacity(members.len() + change.added.len());
        // Keys of the kept and inserted parts.
        let mut keys: Vec<&str> = Vec::with_capacity(ops.capacity());
        for (at, member) in members.iter().enumerate() {
            if removed.contains(member.key.as_ref()) {
                ops.push(Op::Remove(at));
            } else {
                ops.push(Op::Keep(at));
                keys.push(&member.key);
            }
        }
        let sorted = !change.added.is_empty() && {
            let style = self.render(0).style;
            order::goes_sorted(&keys, &slot.label, style)
        };
        for (key, value) in &change.added {
            let place = order::insert_index(&keys, key, sorted);
            // The new part directly follows its predecessor, whatever is removed after that.
            let stays = |op: &&(usize, &Op<'_>)| !matches!(op.1, Op::Remove(_));
            let at = match place.checked_sub(1) {
                None => 0,
                Some(before) => ops
                    .iter()
                    .enumerate()
                    .filter(|op| stays(&op))
                    .nth(before)
                    .map_or(ops.len(), |(at, _)| at + 1),
            };
            keys.insert(place, key);
            ops.insert(at, Op::Insert(New::Member(key, value)));
        }
        self.restructure(slot, &layout, &ops)
    }

    fn in_brackets(&self, slot: &Slot<'_>) -> bool {
        slot.within != Context::Block || is_flow(self.source, slot.node)
    }

    fn layout(&self, slot: &Slot<'_>) -> Result<Layout, RewriteError> {
        if self.in_brackets(slot) {
            parts::flow(self.source, slot.node).map(Layout::Flow)
        } else {
            let root = std::ptr::eq(slot.node, self.root);
            parts::block(self.source, slot.node, root).map(Layout::Block)
        }
    }

    fn restructure(&mut self, slot: &Slot<'_>, layout: &Layout, ops: &[Op<'_>]) -> Result<(), RewriteError> {
        if ops.iter().all(|op| matches!(op, Op::Keep(_))) {
            return Ok(());
        }
        match layout {
            Layout::Block(block) => edit_block(self, slot, block, ops),
            Layout::Flow(flow) if ops.iter().any(|op| matches!(op, Op::Keep(_))) => {
                edit_flow(self, slot, flow, ops)
            }
            Layout::Flow(flow) => {
                // Without any kept part, the collection is written again in its old style.
                let like = style::style_of_node(self.source, slot.node, None);
                let start = slot.node.span.start as usize;
                let base = text(self.source.indentation(start));
                let new = collect_new(ops);
                let written = self.render(start).flow(&new, &slot.label, Some(&base), like)?;
                self.splices.replace(start..flow.close + 1, written);
                Ok(())
            }
        }
    }
}

/// Layout of a collection.
enum Layout {
    Block(parts::Block),
    Flow(parts::Flow),
}

impl Layout {
    fn parts(&self) -> &[Part] {
        match self {
            Self::Block(block) => &block.parts,
            Self::Flow(flow) => &flow.parts,
        }
    }

    /// Returns the context of the value of a part.
    fn within(&self, source: &Source<'_>, part: &Part) -> Context {
        match self {
            Self::Block(_) => Context::Block,
            Self::Flow(flow) => Context::brackets(source, part.start, flow.lines),
        }
    }
}

impl Slot<'_> {
    /// Returns the style of an existing item next to a new one.
    pub fn like(&self, source: &Source<'_>, at: usize) -> Option<(Kind, CollectionStyle)> {
        style::style_of_node(source, self.node.items().get(at)?, None)
    }
}

/// Returns the collection of new parts only.
fn collect_new(ops: &[Op<'_>]) -> Plain {
    let mut items = Vec::new();
    let mut members = Vec::new();
    for op in ops {
        match op {
            Op::Insert(New::Item(item)) => items.push((*item).clone()),
            Op::Insert(New::Member(key, value)) => members.push(((*key).to_owned(), (*value).clone())),
            Op::Keep(_) | Op::Remove(_) => {}
        }
    }
    if members.is_empty() { Plain::List(items) } else { Plain::Map(members) }
}

/// Converts blanks to a string.
pub(super) fn text(blanks: &[u8]) -> String {
    String::from_utf8_lossy(blanks).into_owned()
}
