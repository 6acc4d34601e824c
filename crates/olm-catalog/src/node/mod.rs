//! Tree of one document with the byte span of every node; the common result of the YAML and JSON parsers.
//!
//! Strings whose value is in the source are borrowed from the text. [`Node::detached`] returns a tree that owns
//! its strings.

mod traversal;

use std::borrow::Cow;

use super::span::Span;

/// Maximum nesting of lists and maps; opm's limit (that of Go's JSON decoder).
pub const MAX_DEPTH: usize = 10_000;

/// A value with its source span.
///
/// For YAML, the span of a scalar includes its quotes or block header. The span of a flow collection includes
/// its brackets. A block collection spans from the first byte of its first key or `-` to the last byte of its
/// last value. An alias has the span of the alias (`*name`), and so have members merged by `<<`.
///
/// Precisely, for `text` the chunk that was parsed:
///
/// - The span of a plain scalar does not include blanks and comments around it. The span of a quoted scalar
///   includes its quotes. The span of a block scalar goes from `|` or `>` to the end of its last content line,
///   without that line's break and the blank lines after it (also for `|+`, where those are part of the value).
///   Without content, it is the header up to its indicators.
/// - A tag or an anchor before a value is not part of the value's span, so that replacing the span keeps them.
/// - An absent value (`key:`, `-`) has an empty span right after the `:` or `-`, or after the key if there is
///   no `:` (`? key`, `{key}`).
/// - A block collection starts at its first `-`, `?` or key (with the key's own tag or anchor) and ends with
///   its last value. The one-pair map in `[a: b]` counts as a block collection.
/// - Inside an alias every node and key has the span of the alias, and so have members merged through one.
#[derive(Debug)]
pub struct Node<'a> {
    /// Span in the document text.
    pub span: Span,
    /// Value of the node.
    pub value: Value<'a>,
}

/// Value in JSON's data model, because opm converts YAML to JSON before decoding.
#[derive(Clone, PartialEq, Debug)]
pub enum Value<'a> {
    /// `null`, `~` or an absent value.
    Null,
    /// A boolean (in YAML 1.1 also `yes`, `off`, `y` ...).
    Bool(bool),
    /// A number.
    Number(Number<'a>),
    /// A string.
    String(Cow<'a, str>),
    /// A sequence.
    List(Vec<Node<'a>>),
    /// A map in source order with duplicates; the last of a name counts.
    Map(Vec<Member<'a>>),
}

/// A number as JSON text (`0x1F` is `31`). 64-bit integers keep all digits; others have the precision of a
/// 64-bit float.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number<'a>(pub Cow<'a, str>);

/// A `key: value` pair of a map.
#[derive(Clone, PartialEq, Debug)]
pub struct Member<'a> {
    /// Key as a string (`yes:` is the key `true`, as in opm).
    pub key: Cow<'a, str>,
    /// Span of the key, including quotes.
    pub key_span: Span,
    /// Value of the member.
    pub value: Node<'a>,
}

impl Number<'_> {
    /// Formats a number like Go's JSON encoder: shortest digits, with an exponent below 1e-6 and from 1e21 on.
    /// `None` for infinities and NaN.
    pub fn from_f64(number: f64) -> Option<Self> {
        if !number.is_finite() {
            return None;
        }
        let size = number.abs();
        if size != 0.0 && !(1e-6..1e21).contains(&size) {
            let text = format!("{number:e}");
            let signed = if text.contains("e-") { text } else { text.replace('e', "e+") };
            return Some(Self(signed.into()));
        }
        Some(Self(number.to_string().into()))
    }
}

impl<'a> Node<'a> {
    /// Creates a node.
    pub fn new(value: Value<'a>, span: Span) -> Self {
        Self { span, value }
    }

    /// Returns the value. (A node implements `Drop`, so its value cannot be moved out by a pattern.)
    pub fn into_value(mut self) -> Value<'a> {
        std::mem::replace(&mut self.value, Value::Null)
    }

    /// Returns the value of an exactly matching key; the last one if it is repeated.
    pub fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.members().iter().rev().find(|m| m.key == key).map(|m| &m.value)
    }

    /// Returns the members of a map; empty for other values.
    pub fn members(&self) -> &[Member<'a>] {
        match &self.value {
            Value::Map(members) => members,
            _ => &[],
        }
    }

    /// Returns the items of a list; empty for other values.
    pub fn items(&self) -> &[Node<'a>] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns true if the value is null.
    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }
}

/// Number of levels dropped by recursion; deeper levels wait in a list.
const LEVELS: usize = 32;

impl Drop for Node<'_> {
    fn drop(&mut self) {
        if !is_nested(&self.value) {
            return;
        }
        let mut deeper = Vec::new();
        flatten(&mut self.value, LEVELS, &mut deeper);
        while let Some(mut value) = deeper.pop() {
            flatten(&mut value, LEVELS, &mut deeper);
        }
    }
}

/// Flattens a value to at most one level of children, so that dropping it does not recurse further.
fn flatten<'a>(value: &mut Value<'a>, levels: usize, deeper: &mut Vec<Value<'a>>) {
    let mut child = |child: &mut Value<'a>| {
        if !is_nested(child) {
            return;
        }
        if levels == 0 {
            deeper.push(std::mem::replace(child, Value::Null));
        } else {
            flatten(child, levels - 1, deeper);
            // The child is flat, so dropping it ends here.
            *child = Value::Null;
        }
    };
    match value {
        Value::List(items) => items.iter_mut().for_each(|item| child(&mut item.value)),
        Value::Map(members) => members.iter_mut().for_each(|member| child(&mut member.value.value)),
        _ => {}
    }
}

fn is_nested(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Map(_))
}

/// Parts of incomplete lists and maps. A collection that closes takes its parts from the end, into a vector of
/// exact size.
#[derive(Default)]
pub(super) struct Parts<'a> {
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
