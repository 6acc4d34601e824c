//! What a row stands for and does not tell: two rows that read alike may still differ.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::{
    bundle::render::{Style, compact},
    catalog::Node,
};

/// Tells the content of an object from another, all of it; the order of keys does not count.
pub(super) fn of(node: &Node) -> u64 {
    let mut hasher = DefaultHasher::new();
    compact(node, Style::Kept).hash(&mut hasher);
    hasher.finish()
}

/// The same without the members that rows tell.
pub(super) fn without(node: &Node, told: &[&str]) -> u64 {
    let mut members: Vec<_> =
        node.members().iter().filter(|member| !told.contains(&member.key.as_ref())).collect();
    members.sort_by(|a, b| a.key.cmp(&b.key));
    let mut hasher = DefaultHasher::new();
    for member in members {
        member.key.hash(&mut hasher);
        of(&member.value).hash(&mut hasher);
    }
    hasher.finish()
}
