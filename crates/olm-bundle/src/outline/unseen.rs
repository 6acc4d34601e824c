//! Hash of data that a row does not show: rows that look the same may still differ.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::render::{JsonStyle, compact_json};
use olm_catalog::Node;

/// Returns a hash of the whole content of a node; the order of keys does not matter.
pub(super) fn hash_node(node: &Node) -> u64 {
    let mut hasher = DefaultHasher::new();
    compact_json(node, JsonStyle::Kept).hash(&mut hasher);
    hasher.finish()
}

/// Returns a hash without the members that rows show.
pub(super) fn hash_without(node: &Node, shown: &[&str]) -> u64 {
    let mut members: Vec<_> =
        node.members().iter().filter(|member| !shown.contains(&member.key.as_ref())).collect();
    members.sort_by(|a, b| a.key.cmp(&b.key));
    let mut hasher = DefaultHasher::new();
    for member in members {
        member.key.hash(&mut hasher);
        hash_node(&member.value).hash(&mut hasher);
    }
    hasher.finish()
}
