//! Building a tree from its leaves up.

use std::borrow::Cow;

use super::{Member, Node, Value};
use crate::catalog::span::Span;

/// The parts of lists and maps that are not complete yet. One that closes takes its own from the end, into a vector of
/// just their number.
#[derive(Default)]
pub(in crate::catalog) struct Parts<'a> {
    items: Vec<Node<'a>>,
    members: Vec<Member<'a>>,
}

impl<'a> Parts<'a> {
    /// What `take` needs to know of a list or map that begins now.
    pub fn mark(&self, is_map: bool) -> usize {
        if is_map { self.members.len() } else { self.items.len() }
    }

    /// A new item of the innermost list.
    pub fn item(&mut self, item: Node<'a>) {
        self.items.push(item);
    }

    /// A new member of the innermost map, `null` at a place until it gets its value.
    pub fn key(&mut self, key: Cow<'a, str>, key_span: Span, absent: Span) {
        self.members.push(Member { key, key_span, value: Node::new(Value::Null, absent) });
    }

    /// The value of the innermost map's last member.
    pub fn value(&mut self, value: Node<'a>) {
        if let Some(member) = self.members.last_mut() {
            member.value = value;
        }
    }

    /// Another node for the innermost list's last item.
    pub fn instead(&mut self, item: Node<'a>) {
        if let Some(last) = self.items.last_mut() {
            *last = item;
        }
    }

    /// The list or map that began at a mark.
    pub fn take(&mut self, is_map: bool, mark: usize) -> Value<'a> {
        if is_map {
            Value::Map(tail(&mut self.members, mark))
        } else {
            Value::List(tail(&mut self.items, mark))
        }
    }

    /// The only node that is left.
    pub fn root(mut self) -> Option<Node<'a>> {
        self.items.pop()
    }
}

/// From how many parts on it is worth while to move the others instead.
const MANY: usize = 4096;

/// Cuts off the parts from a place on. Of many there are not twice as many for a moment.
fn tail<T>(parts: &mut Vec<T>, mark: usize) -> Vec<T> {
    let count = parts.len().saturating_sub(mark);
    if count < MANY || count < mark {
        return parts.split_off(mark);
    }
    let before: Vec<T> = parts.drain(..mark).collect();
    let mut tail = std::mem::replace(parts, before);
    tail.shrink_to_fit();
    tail
}
