//! The tree of one document, every node with its byte span; what YAML and JSON both read into.

use super::span::Span;

/// A value and the bytes it was read from.
///
/// For YAML the span of a scalar covers it with its quotes or block header; of a flow collection, its brackets; of
/// a block collection, from the first byte of its first key or `-` to the last byte of its last value. An alias has
/// the span of the alias (`*name`); what is merged in by `<<` has the span of the alias it came through.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// Where it stands in the document text.
    pub span: Span,
    /// What it means.
    pub value: Value,
}

/// What a node means to a reader of catalogs: JSON's data model, as opm converts YAML to JSON before decoding.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// `null`, `~` or nothing at all.
    Null,
    /// A boolean (YAML 1.1: `yes`, `off`, `y` ... too).
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in source order, duplicates kept: the last of a name counts.
    Map(Vec<Member>),
}

/// A number as JSON text, already in the form in which opm hands it on (`0x1F` is `31`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number(pub String);

/// One `key: value` of a mapping.
#[derive(Clone, PartialEq, Debug)]
pub struct Member {
    /// The key as a string (`yes:` is the key `true`, as for opm).
    pub key: String,
    /// Where the key stands, quotes included.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

impl Node {
    /// The value of an exactly named key; the last one where a key is repeated.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.members().iter().rev().find(|m| m.key == key).map(|m| &m.value)
    }

    /// The members of a mapping; none for anything else.
    pub fn members(&self) -> &[Member] {
        match &self.value {
            Value::Map(members) => members,
            _ => &[],
        }
    }

    /// The items of a list; none for anything else.
    pub fn items(&self) -> &[Node] {
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

    /// Whether two trees mean the same, wherever they stand.
    pub fn same_meaning(&self, other: &Node) -> bool {
        match (&self.value, &other.value) {
            (Value::List(a), Value::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_meaning(b))
            }
            (Value::Map(_), Value::Map(_)) => self.covered_by(other) && other.covered_by(self),
            (a, b) => a == b,
        }
    }

    fn covered_by(&self, other: &Node) -> bool {
        self.members().iter().all(|m| match (self.get(&m.key), other.get(&m.key)) {
            (Some(a), Some(b)) => a.same_meaning(b),
            _ => false,
        })
    }
}
