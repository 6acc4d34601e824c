//! Where two values differ, leaf by leaf.

use std::collections::BTreeMap;

use crate::catalog::{Node, Value, text::emit};

/// A part of a value that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Where in the value: `annotations.createdAt`, `installModes[2].supported`; empty for all of it.
    pub path: String,
    /// As JSON on one line, if it was there.
    pub before: Option<String>,
    /// As JSON on one line, if it is there.
    pub after: Option<String>,
}

/// A value as JSON on one line.
pub(super) fn json(node: &Node<'_>) -> String {
    let text = emit::json(node);
    // Deeper than that reader goes it stays on several lines; nothing people write is.
    serde_json::from_str::<serde_json::Value>(&text)
        .map_or_else(|_| text.trim_end().to_owned(), |v| v.to_string())
}

/// The smallest parts in which two values differ.
pub(super) fn leaves(before: &Node<'_>, after: &Node<'_>) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    // Nesting goes deeper than our stack.
    let mut open = vec![(String::new(), Some(before), Some(after))];
    while let Some((path, before, after)) = open.pop() {
        if let (Some(before), Some(after)) = (before, after) {
            if before.value == after.value {
                continue;
            }
            match (&before.value, &after.value) {
                (Value::Map(_), Value::Map(_)) => {
                    open.extend(members(&path, before, after));
                    continue;
                }
                (Value::List(old), Value::List(new)) => {
                    open.extend(items(&path, old, new));
                    continue;
                }
                _ => {}
            }
        }
        leaves.push(Leaf { path, before: before.map(json), after: after.map(json) });
    }
    leaves
}

type Pair<'n, 'a, 'b> = (String, Option<&'n Node<'a>>, Option<&'n Node<'b>>);

/// The members of two mappings, the last first: what is looked at next is taken from the end.
fn members<'n, 'a, 'b>(path: &str, before: &'n Node<'a>, after: &'n Node<'b>) -> Vec<Pair<'n, 'a, 'b>> {
    let mut keys: BTreeMap<&str, (Option<&Node<'_>>, Option<&Node<'_>>)> = BTreeMap::new();
    // Of repeated keys the last counts.
    before.members().iter().for_each(|m| keys.entry(&m.key).or_default().0 = Some(&m.value));
    after.members().iter().for_each(|m| keys.entry(&m.key).or_default().1 = Some(&m.value));
    keys.into_iter().rev().map(|(key, (before, after))| (below(path, key), before, after)).collect()
}

/// A member of what is at a path.
fn below(path: &str, key: &str) -> String {
    let is_plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    match (is_plain, path.is_empty()) {
        (true, true) => key.to_owned(),
        (true, false) => format!("{path}.{key}"),
        (false, _) => format!("{path}[{key:?}]"),
    }
}

/// The items of two lists that stand between what is equal at their beginnings and at their ends.
fn items<'n, 'a, 'b>(path: &str, old: &'n [Node<'a>], new: &'n [Node<'b>]) -> Vec<Pair<'n, 'a, 'b>> {
    let same = |(a, b): &(&Node<'_>, &Node<'_>)| a.value == b.value;
    let start = old.iter().zip(new).take_while(same).count();
    let rest = |items: usize| items - start;
    let shorter = rest(old.len()).min(rest(new.len()));
    let end = old.iter().rev().zip(new.iter().rev()).take(shorter).take_while(same).count();
    let count = rest(old.len()).max(rest(new.len())) - end;
    (start..start + count)
        .rev()
        .map(|n| {
            let within = |items: usize| n < items - end;
            let before = old.get(n).filter(|_| within(old.len()));
            let after = new.get(n).filter(|_| within(new.len()));
            (format!("{path}[{n}]"), before, after)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::text::yaml;

    fn compare(before: &str, after: &str) -> Vec<String> {
        let (before, after) =
            (yaml::parse(before.as_bytes()).unwrap(), yaml::parse(after.as_bytes()).unwrap());
        let side = |side: Option<String>| side.unwrap_or_else(|| "nothing".to_owned());
        leaves(&before, &after)
            .into_iter()
            .map(|leaf| format!("{}: {} => {}", leaf.path, side(leaf.before), side(leaf.after)))
            .collect()
    }

    #[test]
    fn the_smallest_parts_that_differ_are_told() {
        let before = "{a: {b: 1, c: [x, w, z]}, same: [1, {k: v}], 'a.b/c': yes, gone: null}";
        let after = "{same: [1, {k: v}], a: {c: [x, q, z], b: 2}, 'a.b/c': {}, new: [1]}";
        assert_eq!(
            compare(before, after),
            [
                "a.b: 1 => 2",
                "a.c[1]: \"w\" => \"q\"",
                "[\"a.b/c\"]: true => {}",
                "gone: null => nothing",
                "new: nothing => [1]"
            ]
        );
    }

    #[test]
    fn what_is_put_into_a_list_moves_nothing_else() {
        assert_eq!(compare("[a, b, d]", "[a, b, c, d]"), ["[2]: nothing => \"c\""]);
        assert_eq!(compare("[a, a]", "[a]"), ["[1]: \"a\" => nothing"]);
        assert_eq!(compare("[a, b]", "[c]"), ["[0]: \"a\" => \"c\"", "[1]: \"b\" => nothing"]);
        assert_eq!(compare("1", "'1'"), [": 1 => \"1\""]);
        assert!(compare("[{a: 1, b: 2}]", "[{b: 2, a: 1}]").is_empty());
    }
}
