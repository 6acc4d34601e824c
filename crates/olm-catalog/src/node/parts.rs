//! Bottom-up construction of a tree.

use std::borrow::Cow;

use super::{Member, Node, Value};
use crate::span::Span;

/// Parts of incomplete lists and maps. A collection that closes takes its parts from the end, into a vector of
/// exact size.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    items: Vec<Node<'a>>,
    members: Vec<Member<'a>>,
}

impl<'a> Parts<'a> {
    /// Returns the mark of a list or map that begins now, for `take_collection`.
    pub fn begin_collection(&self, is_map: bool) -> usize {
        if is_map { self.members.len() } else { self.items.len() }
    }

    /// Adds an item to the innermost list.
    pub fn add_item(&mut self, item: Node<'a>) {
        self.items.push(item);
    }

    /// Adds a member to the innermost map, with `null` at `absent` as its value.
    pub fn add_key(&mut self, key: Cow<'a, str>, key_span: Span, absent: Span) {
        self.members.push(Member { key, key_span, value: Node::new(Value::Null, absent) });
    }

    /// Sets the value of the innermost map's last member.
    pub fn set_value(&mut self, value: Node<'a>) {
        if let Some(member) = self.members.last_mut() {
            member.value = value;
        }
    }

    /// Replaces the innermost list's last item.
    pub fn replace_item(&mut self, item: Node<'a>) {
        if let Some(last) = self.items.last_mut() {
            *last = item;
        }
    }

    /// Takes the list or map that began at a mark.
    pub fn take_collection(&mut self, is_map: bool, mark: usize) -> Value<'a> {
        if is_map {
            Value::Map(split_tail(&mut self.members, mark))
        } else {
            Value::List(split_tail(&mut self.items, mark))
        }
    }

    /// Returns the root, which is the only remaining node.
    pub fn into_root(mut self) -> Option<Node<'a>> {
        self.items.pop()
    }
}

/// Number of parts from which moving the others is cheaper.
const MIN_SPLIT_OFF: usize = 4096;

/// Splits off the parts from a position on. For many parts, it avoids holding them twice.
fn split_tail<T>(parts: &mut Vec<T>, mark: usize) -> Vec<T> {
    let count = parts.len().saturating_sub(mark);
    if count < MIN_SPLIT_OFF || count < mark {
        return parts.split_off(mark);
    }
    let before: Vec<T> = parts.drain(..mark).collect();
    let mut tail = std::mem::replace(parts, before);
    tail.shrink_to_fit();
    tail
}
