//! The members of a mapping that count.

use crate::catalog::node::Member;
use std::collections::HashMap;

/// The members without those that a later one of the same key overrides, in source order.
pub(in crate::catalog) fn last_of_each<'n, 'a>(members: &'n [Member<'a>]) -> Vec<&'n Member<'a>> {
    if members.is_sorted_by(|a, b| a.key < b.key) {
        return members.iter().collect();
    }
    let last: HashMap<&str, usize> = members.iter().enumerate().map(|(i, m)| (m.key.as_ref(), i)).collect();
    members.iter().enumerate().filter(|(i, m)| last.get(m.key.as_ref()) == Some(i)).map(|(_, m)| m).collect()
}
