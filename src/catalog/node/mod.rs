//! The tree of one document, every node with its byte span; what YAML and JSON both read into.
//!
//! Strings that stand in the document as they are meant are borrowed from its text. [`Node::detached`] gives a tree
//! that lives on its own.

mod deep;
mod drop;
mod parts;

use std::borrow::Cow;

use super::span::Span;

pub(super) use parts::Parts;

/// How deep lists and maps may nest; opm's limit (that of Go's JSON decoder).
pub const MAX_DEPTH: usize = 10_000;

/// A value and the bytes it was read from.
///
/// For YAML the span of a scalar covers it with its quotes or block header; of a flow collection, its brackets; of
/// a block collection, from the first byte of its first key or `-` to the last byte of its last value. An alias has
/// the span of the alias (`*name`); what is merged in by `<<` has the span of the alias it came through.
///
/// Precisely, for `text` the chunk that was parsed:
///
/// - A plain scalar's span has neither blanks nor comments around it. A quoted scalar's has its quotes. A block
///   scalar's goes from `|` or `>` to the end of its last content line, without that line's break and without
///   blank lines after it (also for `|+`, where those belong to the value); without content, it is the header
///   up to its indicators.
/// - A tag or an anchor before a value is not part of the value's span (so that replacing the span keeps them).
/// - A value that is not there (`key:`, `-`) has an empty span right after the `:` or `-`, or after the key
///   where there is no `:` (`? key`, `{key}`).
/// - A block collection starts at its first `-`, `?` or key (with the key's own tag or anchor) and ends where its
///   last value ends. The one-pair map in `[a: b]` counts as such.
/// - Inside an alias every node and key has the span of the alias, and so have members merged through one.
#[derive(Debug)]
pub struct Node<'a> {
    /// Where it stands in the document text.
    pub span: Span,
    /// What it means.
    pub value: Value<'a>,
}

/// What a node means to a reader of catalogs: JSON's data model, as opm converts YAML to JSON before decoding.
#[derive(Clone, PartialEq, Debug)]
pub enum Value<'a> {
    /// `null`, `~` or nothing at all.
    Null,
    /// A boolean (YAML 1.1: `yes`, `off`, `y` ... too).
    Bool(bool),
    /// A number.
    Number(Number<'a>),
    /// A string.
    String(Cow<'a, str>),
    /// A sequence.
    List(Vec<Node<'a>>),
    /// A mapping, in source order, duplicates kept: the last of a name counts.
    Map(Vec<Member<'a>>),
}

/// A number as JSON text (`0x1F` is `31`): whole ones of 64 bits with every digit, others as a 64-bit float has them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number<'a>(pub Cow<'a, str>);

/// One `key: value` of a mapping.
#[derive(Clone, PartialEq, Debug)]
pub struct Member<'a> {
    /// The key as a string (`yes:` is the key `true`, as for opm).
    pub key: Cow<'a, str>,
    /// Where the key stands, quotes included.
    pub key_span: Span,
    /// The value.
    pub value: Node<'a>,
}

impl Number<'_> {
    /// A number as Go's JSON encoder writes it: shortest digits, an exponent below 1e-6 and from 1e21 on.
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
    /// A value and its place.
    pub fn new(value: Value<'a>, span: Span) -> Self {
        Self { span, value }
    }

    /// The value alone. (A node has a `Drop` of its own, so its value cannot be moved out by pattern.)
    pub fn into_value(mut self) -> Value<'a> {
        std::mem::replace(&mut self.value, Value::Null)
    }

    /// The value of an exactly named key; the last one where a key is repeated.
    pub fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.members().iter().rev().find(|m| m.key == key).map(|m| &m.value)
    }

    /// The members of a mapping; none for anything else.
    pub fn members(&self) -> &[Member<'a>] {
        match &self.value {
            Value::Map(members) => members,
            _ => &[],
        }
    }

    /// The items of a list; none for anything else.
    pub fn items(&self) -> &[Node<'a>] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The text of a string node.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether the node is null.
    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }
}
