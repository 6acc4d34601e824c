//! Traversal of the changes between two trees, which produces splices of the document's text.

use std::{cell::OnceCell, collections::HashSet};

use super::{
    RewriteError, ValueTree,
    block::edit_block,
    diff::{ListStep, MapChange, ValueChange},
    edit_flow,
    parts::{self, Part, after_colon, is_flow, is_missing_value},
    render::ValueRenderer,
    source::{Source, Splices},
    style::{self, CollectionStyle, DocumentStyle, Kind, item_label},
};
use olm_catalog::Node;

/// Operation on one part of a collection.
#[derive(Clone, Copy, Debug)]
pub(super) enum PartOperation<'n> {
    /// Keeps the old part with this index; changes inside it are already done.
    Keep(usize),
    /// Removes the old part with this index.
    Remove(usize),
    /// Inserts a new part.
    Insert(NewPart<'n>),
}

/// A new part of a collection.
#[derive(Clone, Copy, Debug)]
pub(super) enum NewPart<'n> {
    /// An item of a list.
    Item(&'n ValueTree),
    /// A key and value of a map.
    Member(&'n str, &'n ValueTree),
}

/// Syntax that introduces a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Introducer {
    /// `key:`.
    Key,
    /// `-`.
    Dash,
}

/// Syntax of the collection around a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ValueContext {
    /// A collection in block style.
    Block,
    /// Brackets on one line.
    OneLine,
    /// Brackets with one line per part, indented by these blanks.
    Lines(String),
}

impl ValueContext {
    /// Returns the context inside brackets for a part that begins at `at`.
    fn brackets(source: &Source<'_>, at: usize, lines: bool) -> Self {
        if lines { Self::Lines(blanks_to_string(source.indentation(at))) } else { Self::OneLine }
    }
}

/// Location and context of a value.
pub(super) struct ValueSlot<'n> {
    pub node: &'n Node<'n>,
    /// Offset after the `:` or `-` before it.
    pub head: usize,
    /// Column of the key or `-`.
    pub column: usize,
    pub introducer: Introducer,
    pub context: ValueContext,
    /// Name under which styles are looked up: the key of the value, or the key of its list with
    /// `[]`.
    pub label: String,
}

/// Rewriter of one document.
pub(super) struct Rewriter<'a, 't> {
    pub source: &'a Source<'t>,
    root: &'a Node<'a>,
    style: OnceCell<DocumentStyle>,
    /// True if new multi-line texts may be blocks (`|`).
    blocks: bool,
    pub splices: Splices,
}

impl<'a, 't> Rewriter<'a, 't> {
    pub fn new(source: &'a Source<'t>, root: &'a Node<'a>, blocks: bool) -> Self {
        Self { source, root, style: OnceCell::new(), blocks, splices: Splices::default() }
    }

    /// Returns the splices for a change of the document's root map.
    pub fn rewrite_root(mut self, change: &MapChange<'_>) -> Result<Splices, RewriteError> {
        let slot = ValueSlot {
            node: self.root,
            head: 0,
            column: 0,
            introducer: Introducer::Key,
            context: ValueContext::Block,
            label: String::new(),
        };
        let start = self.root.span.start as usize;
        if !self.source.is_json() && matches!(self.source.byte_at(start), Some(b'&' | b'!' | b'*')) {
            return Err(self.source.unexpected_syntax(start));
        }
        self.edit_map(&slot, change)?;
        Ok(self.splices)
    }

    /// Returns a renderer with the style of the document and the line break around `at`.
    pub fn renderer_at(&self, at: usize) -> ValueRenderer<'_> {
        let style = self.style.get_or_init(|| DocumentStyle::detect(self.source, self.root));
        let eol = if self.source.line_break_near(at) == b"\r\n" { "\r\n" } else { "\n" };
        ValueRenderer { style, json: self.source.is_json(), blocks: self.blocks, eol }
    }

    fn apply_change(&mut self, slot: &ValueSlot<'_>, change: &ValueChange<'_>) -> Result<(), RewriteError> {
        if *change == ValueChange::Unchanged {
            return Ok(());
        }
        self.expect_bare(slot)?;
        match change {
            ValueChange::Unchanged => Ok(()),
            ValueChange::Replace(new) => self.replace_value(slot, new),
            ValueChange::List(steps) => self.edit_list(slot, steps),
            ValueChange::Map(change) => self.edit_map(slot, change),
        }
    }

    /// Checks that there is no anchor or tag between a value and its key or `-`, and that it is not an alias.
    fn expect_bare(&self, slot: &ValueSlot<'_>) -> Result<(), RewriteError> {
        let found = self.source.skip_trivia(slot.head);
        let marked = !self.source.is_json() && matches!(self.source.byte_at(found), Some(b'&' | b'!' | b'*'));
        let there = found == slot.node.span.start as usize;
        let on_line = found < self.source.line_end(slot.head);
        if is_missing_value(slot.node) {
            if marked && on_line { Err(self.source.unexpected_syntax(found)) } else { Ok(()) }
        } else if marked || !there {
            Err(self.source.unexpected_syntax(found))
        } else {
            Ok(())
        }
    }

    fn edit_list(&mut self, slot: &ValueSlot<'_>, steps: &[ListStep<'_>]) -> Result<(), RewriteError> {
        let items = slot.node.items();
        let layout = self.detect_layout(slot)?;
        let label = item_label(&slot.label);
        for step in steps {
            let ListStep::Keep(at, change) = step else { continue };
            let (Some(node), Some(part)) = (items.get(*at), layout.parts().get(*at)) else {
                return Err(RewriteError::ForeignTree);
            };
            let slot = ValueSlot {
                node,
                head: part.head,
                column: self.source.column(part.start),
                introducer: Introducer::Dash,
                context: layout.value_context(self.source, part),
                label: label.clone(),
            };
            self.apply_change(&slot, change)?;
        }
        let ops: Vec<PartOperation<'_>> = steps
            .iter()
            .map(|step| match step {
                ListStep::Keep(at, _) => PartOperation::Keep(*at),
                ListStep::Remove(at) => PartOperation::Remove(*at),
                ListStep::Insert(new) => PartOperation::Insert(NewPart::Item(new)),
            })
            .collect();
        self.edit_layout(slot, &layout, &ops)
    }

    fn edit_map(&mut self, slot: &ValueSlot<'_>, change: &MapChange<'_>) -> Result<(), RewriteError> {
        let members = slot.node.members();
        for (key, change) in &change.changed {
            let Some(member) = members.iter().rev().find(|member| member.key == *key) else {
                return Err(RewriteError::ForeignTree);
            };
            let head = after_colon(self.source, member)?;
            let start = member.key_span.start as usize;
            let within = if self.is_in_brackets(slot) {
                ValueContext::brackets(self.source, start, self.source.leads_line(start))
            } else {
                ValueContext::Block
            };
            let slot = ValueSlot {
                node: &member.value,
                head,
                column: self.source.column(start),
                introducer: Introducer::Key,
                context: within,
                label: (*key).to_owned(),
            };
            self.apply_change(&slot, change)?;
        }
        if change.removed.is_empty() && change.added.is_empty() {
            return Ok(());
        }
        let layout = self.detect_layout(slot)?;
        let removed: HashSet<&str> = change.removed.iter().copied().collect();
        let mut ops: Vec<PartOperation<'_>> = Vec::with_capacity(members.len() + change.added.len());
        // Keys of the kept and inserted parts.
        let mut keys: Vec<&str> = Vec::with_capacity(ops.capacity());
        for (at, member) in members.iter().enumerate() {
            if removed.contains(member.key.as_ref()) {
                ops.push(PartOperation::Remove(at));
            } else {
                ops.push(PartOperation::Keep(at));
                keys.push(&member.key);
            }
        }
        let sorted = !change.added.is_empty() && {
            let style = self.renderer_at(0).style;
            style::inserts_sorted(&keys, &slot.label, style)
        };
        for (key, value) in &change.added {
            let place = style::insert_index(&keys, key, sorted);
            // The new part directly follows its predecessor, whatever is removed after that.
            let stays = |op: &&(usize, &PartOperation<'_>)| !matches!(op.1, PartOperation::Remove(_));
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
            ops.insert(at, PartOperation::Insert(NewPart::Member(key, value)));
        }
        self.edit_layout(slot, &layout, &ops)
    }

    fn is_in_brackets(&self, slot: &ValueSlot<'_>) -> bool {
        slot.context != ValueContext::Block || is_flow(self.source, slot.node)
    }

    fn detect_layout(&self, slot: &ValueSlot<'_>) -> Result<CollectionLayout, RewriteError> {
        if self.is_in_brackets(slot) {
            parts::flow_layout(self.source, slot.node).map(CollectionLayout::Flow)
        } else {
            let root = std::ptr::eq(slot.node, self.root);
            parts::block_layout(self.source, slot.node, root).map(CollectionLayout::Block)
        }
    }

    fn edit_layout(
        &mut self,
        slot: &ValueSlot<'_>,
        layout: &CollectionLayout,
        ops: &[PartOperation<'_>],
    ) -> Result<(), RewriteError> {
        if ops.iter().all(|op| matches!(op, PartOperation::Keep(_))) {
            return Ok(());
        }
        match layout {
            CollectionLayout::Block(block) => edit_block(self, slot, block, ops),
            CollectionLayout::Flow(flow) if ops.iter().any(|op| matches!(op, PartOperation::Keep(_))) => {
                edit_flow(self, slot, flow, ops)
            }
            CollectionLayout::Flow(flow) => {
                // Without any kept part, the collection is written again in its old style.
                let like = style::style_of_node(self.source, slot.node, None);
                let start = slot.node.span.start as usize;
                let base = blanks_to_string(self.source.indentation(start));
                let new = collect_new(ops);
                let written = self.renderer_at(start).render_flow(&new, &slot.label, Some(&base), like)?;
                self.splices.replace(start..flow.close + 1, written);
                Ok(())
            }
        }
    }
}

/// Positions of the parts of a collection, in block style or in brackets.
enum CollectionLayout {
    Block(parts::BlockLayout),
    Flow(parts::FlowLayout),
}

impl CollectionLayout {
    fn parts(&self) -> &[Part] {
        match self {
            Self::Block(block) => &block.parts,
            Self::Flow(flow) => &flow.parts,
        }
    }

    /// Returns the context of the value of a part.
    fn value_context(&self, source: &Source<'_>, part: &Part) -> ValueContext {
        match self {
            Self::Block(_) => ValueContext::Block,
            Self::Flow(flow) => ValueContext::brackets(source, part.start, flow.lines),
        }
    }
}

impl ValueSlot<'_> {
    /// Returns the style of the existing item with this index, for a new item next to it.
    pub fn style_of_item(&self, source: &Source<'_>, at: usize) -> Option<(Kind, CollectionStyle)> {
        style::style_of_node(source, self.node.items().get(at)?, None)
    }
}

/// Returns the collection of new parts only.
fn collect_new(ops: &[PartOperation<'_>]) -> ValueTree {
    let mut items = Vec::new();
    let mut members = Vec::new();
    for op in ops {
        match op {
            PartOperation::Insert(NewPart::Item(item)) => items.push((*item).clone()),
            PartOperation::Insert(NewPart::Member(key, value)) => {
                members.push(((*key).to_owned(), (*value).clone()));
            }
            PartOperation::Keep(_) | PartOperation::Remove(_) => {}
        }
    }
    if members.is_empty() { ValueTree::List(items) } else { ValueTree::Map(members) }
}

/// Converts blanks to a string.
pub(super) fn blanks_to_string(blanks: &[u8]) -> String {
    String::from_utf8_lossy(blanks).into_owned()
}
