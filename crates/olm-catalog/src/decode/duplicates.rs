//! Duplicate keys in a map: opm silently uses the last.

use super::Decoder;
use crate::{
    node::{Member, Node, Value},
    problem::ProblemKind,
};

impl Decoder {
    /// Reports every duplicate key of the tree.
    pub(super) fn report_duplicate_keys(&mut self, root: &Node) {
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            match &node.value {
                Value::List(items) => pending.extend(items.iter().filter(|item| is_collection(item))),
                Value::Map(members) => {
                    self.report_duplicates_among(members);
                    let values = members.iter().map(|member| &member.value);
                    pending.extend(values.filter(|value| is_collection(value)));
                }
                _ => {}
            }
        }
    }

    fn report_duplicates_among(&mut self, members: &[Member]) {
        // Keys from an alias or `<<` may be overridden.
        let written = |member: &&Member| member.key_span != member.value.span;
        if members.len() <= 12 {
            let pairs = members.iter().enumerate().filter(|(_, member)| written(member));
            for (index, member) in pairs {
                let earlier = members.iter().take(index).filter(written);
                if let Some(first) = earlier.clone().find(|other| other.key == member.key) {
                    self.report_duplicate_key(first, member);
                }
            }
            return;
        }
        let mut sorted: Vec<&Member> = members.iter().filter(written).collect();
        sorted.sort_unstable_by_key(|member| (&member.key, member.key_span));
        for same in sorted.chunk_by(|a, b| a.key == b.key) {
            if let [first, more @ ..] = same {
                for again in more {
                    self.report_duplicate_key(first, again);
                }
            }
        }
    }

    fn report_duplicate_key(&mut self, first: &Member, again: &Member) {
        let kind = ProblemKind::DuplicateKey {
            key: again.key.clone().into_owned(),
            first: first.key_span,
            is_same: is_same(&first.value, &again.value),
        };
        self.report_problem(again.key_span, kind);
    }
}

/// Returns true if two scalars have the same value. Collections are not compared, because they are rarely
/// repeated by accident.
fn is_same(first: &Node, again: &Node) -> bool {
    match (&first.value, &again.value) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Number(a), Value::Number(b)) => a == b,
        (Value::String(a), Value::String(b)) => a == b,
        _ => false,
    }
}

fn is_collection(node: &Node) -> bool {
    matches!(node.value, Value::List(_) | Value::Map(_))
}
