//! What an expression gives.

use std::{collections::HashSet, sync::Arc};

use super::{compare, time::Instant};
use crate::catalog::{Node, node::Value as Tree};

/// How deep values may nest; nobody's properties go deeper.
const MAX_DEPTH: usize = 100;

/// The pairs of a map, in the order in which they were written.
pub type Map = Vec<(Value, Value)>;

/// A value of CEL.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`
    Null,
    /// `true` and `false`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number that is not negative, `1u`.
    Uint(u64),
    /// Any number; those of properties are of this kind.
    Double(f64),
    /// Text.
    String(Arc<str>),
    /// Bytes, `b'..'`.
    Bytes(Arc<[u8]>),
    /// A list.
    List(Arc<Vec<Value>>),
    /// A map.
    Map(Arc<Map>),
    /// The type of something, by its name.
    Type(&'static str),
    /// A point in time.
    Timestamp(Instant),
    /// A span of time, in nanoseconds.
    Duration(i64),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl Value {
    /// What a property says, as Go's JSON decoder reads it into `any`: every number is a double. `None` where it is nested
    /// deeper than anybody writes it.
    pub fn of(node: &Node<'_>) -> Option<Self> {
        Self::nested(node, 0)
    }

    fn nested(node: &Node<'_>, depth: usize) -> Option<Self> {
        if depth > MAX_DEPTH {
            return None;
        }
        Some(match &node.value {
            Tree::Null => Self::Null,
            Tree::Bool(value) => Self::Bool(*value),
            Tree::Number(number) => Self::Double(number.0.parse().ok()?),
            Tree::String(text) => Self::String((&**text).into()),
            Tree::List(items) => Self::List(Arc::new(
                items.iter().map(|item| Self::nested(item, depth + 1)).collect::<Option<_>>()?,
            )),
            Tree::Map(members) => {
                let mut pairs = Map::with_capacity(members.len());
                // The last of a name counts.
                let mut known = HashSet::new();
                let last: Vec<bool> = members.iter().rev().map(|member| known.insert(&*member.key)).collect();
                for (member, _) in members.iter().zip(last.iter().rev()).filter(|(_, is_last)| **is_last) {
                    pairs.push(((&*member.key).into(), Self::nested(&member.value, depth + 1)?));
                }
                Self::Map(Arc::new(pairs))
            }
        })
    }

    /// The name of its type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Type(_) => "type",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
        }
    }

    /// The value of a key.
    pub(super) fn member(map: &Map, key: &Value) -> Option<Value> {
        let same = |have: &Value| match (have, key) {
            (Value::String(a), Value::String(b)) => a == b,
            _ => compare::shallow(have, key),
        };
        map.iter().find(|(have, _)| same(have)).map(|(_, value)| value.clone())
    }
}
