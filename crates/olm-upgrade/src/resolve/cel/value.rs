//! Values of expressions.

use std::{collections::HashSet, sync::Arc};

use super::{compare, time::Instant};
use olm_catalog::{Node, node::Value as Tree};

/// Maximum depth of values; properties in practice are far shallower.
const MAX_DEPTH: usize = 100;

/// Pairs of a map, in the order they were written.
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
    /// A non-negative integer, `1u`.
    Uint(u64),
    /// A float; all numbers of properties are floats.
    Double(f64),
    /// Text.
    String(Arc<str>),
    /// Bytes, `b'..'`.
    Bytes(Arc<[u8]>),
    /// A list.
    List(Arc<Vec<Value>>),
    /// A map.
    Map(Arc<Map>),
    /// A type, by its name.
    Type(&'static str),
    /// A point in time.
    Timestamp(Instant),
    /// A duration in nanoseconds.
    Duration(i64),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl Value {
    /// Converts the value of a property like Go's JSON decoder for `any`: every number is a double. `None` if
    /// it exceeds the maximum depth.
    pub fn from_node(node: &Node<'_>) -> Option<Self> {
        Self::from_node_at_depth(node, 0)
    }

    fn from_node_at_depth(node: &Node<'_>, depth: usize) -> Option<Self> {
        if depth > MAX_DEPTH {
            return None;
        }
        Some(match &node.value {
            Tree::Null => Self::Null,
            Tree::Bool(value) => Self::Bool(*value),
            Tree::Number(number) => Self::Double(number.0.parse().ok()?),
            Tree::String(text) => Self::String((&**text).into()),
            Tree::List(items) => Self::List(Arc::new(
                items.iter().map(|item| Self::from_node_at_depth(item, depth + 1)).collect::<Option<_>>()?,
            )),
            Tree::Map(members) => {
                let mut pairs = Map::with_capacity(members.len());
                // The last member with a name wins.
                let mut known = HashSet::new();
                let last: Vec<bool> = members.iter().rev().map(|member| known.insert(&*member.key)).collect();
                for (member, _) in members.iter().zip(last.iter().rev()).filter(|(_, is_last)| **is_last) {
                    pairs.push(((&*member.key).into(), Self::from_node_at_depth(&member.value, depth + 1)?));
                }
                Self::Map(Arc::new(pairs))
            }
        })
    }

    /// Returns the name of the type.
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

    /// Returns the value of a key.
    pub(super) fn member(map: &Map, key: &Value) -> Option<Value> {
        let same = |have: &Value| match (have, key) {
            (Value::String(a), Value::String(b)) => a == b,
            _ => compare::scalars_equal(have, key),
        };
        map.iter().find(|(have, _)| same(have)).map(|(_, value)| value.clone())
    }
}
