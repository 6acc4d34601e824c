//! Effective members of a map.

use crate::node::Member;
use std::collections::HashMap;

/// Returns the members in source order, without those that a later member with the same key overrides.
pub(crate) fn effective_members<'n, 'a>(members: &'n [Member<'a>]) -> Vec<&'n Member<'a>> {
    if members.is_sorted_by(|a, b| a.key < b.key) {
        return members.iter().collect();
    }
    let last: HashMap<&str, usize> = members.iter().enumerate().map(|(i, m)| (m.key.as_ref(), i)).collect();
    members.iter().enumerate().filter(|(i, m)| last.get(m.key.as_ref()) == Some(i)).map(|(_, m)| m).collect()
}
