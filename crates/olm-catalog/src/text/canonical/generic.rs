//! Trees without a known schema: custom metas and property values.

use std::borrow::Cow;

use crate::{
    node::{Member, Node, Number, Value},
    span::Span,
    text::emit::{effective_members, format_json_number},
};

/// Normalizes a tree as opm does: sorts keys by bytes, keeps the last of repeated keys, and rounds numbers to
/// 64-bit floats.
pub(super) fn normalize_generic<'a>(node: &'a Node) -> Value<'a> {
    // An explicit stack, because nesting may be 10,000 levels deep.
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut next = node;
    loop {
        let mut finished = match &next.value {
            Value::List(items) => {
                open.push(Open::List { items: items.iter(), done: Vec::with_capacity(items.len()) });
                None
            }
            Value::Map(members) => {
                let mut members = effective_members(members);
                members.sort_unstable_by(|a, b| a.key.cmp(&b.key));
                let done = Vec::with_capacity(members.len());
                open.push(Open::Map { members: members.into_iter(), key: Cow::default(), done });
                None
            }
            Value::Number(Number(text)) => Some(Value::Number(Number(format_json_number(text).into()))),
            Value::String(text) => Some(Value::String(Cow::Borrowed(text))),
            scalar @ (Value::Null | Value::Bool(_)) => Some(scalar.clone()),
        };
        next = loop {
            if let Some(value) = finished.take() {
                match open.last_mut() {
                    Some(parent) => parent.add_value(value),
                    None => return value,
                }
            }
            if let Some(child) = open.last_mut().and_then(Open::next_child) {
                break child;
            }
            // A collection is open: `finished` was empty, or its parent took it.
            finished = open.pop().map(Open::into_value);
        };
    }
}

/// A list or map under construction.
enum Open<'a> {
    List { items: std::slice::Iter<'a, Node<'a>>, done: Vec<Node<'a>> },
    Map { members: std::vec::IntoIter<&'a Member<'a>>, key: Cow<'a, str>, done: Vec<Member<'a>> },
}

impl<'a> Open<'a> {
    fn next_child(&mut self) -> Option<&'a Node<'a>> {
        match self {
            Self::List { items, .. } => items.next(),
            Self::Map { members, key, .. } => {
                let member = members.next()?;
                *key = Cow::Borrowed(&member.key);
                Some(&member.value)
            }
        }
    }

    fn add_value(&mut self, value: Value<'a>) {
        let node = Node { span: Span::default(), value };
        match self {
            Self::List { done, .. } => done.push(node),
            Self::Map { key, done, .. } => {
                done.push(Member { key: std::mem::take(key), key_span: Span::default(), value: node });
            }
        }
    }

    fn into_value(self) -> Value<'a> {
        match self {
            Self::List { done, .. } => Value::List(done),
            Self::Map { done, .. } => Value::Map(done),
        }
    }
}
