//! Differences between two values, leaf by leaf.

use std::collections::BTreeMap;

use olm_catalog::{Node, Value, text::emit};

/// Difference in a part of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Path in the value: `annotations.createdAt`, `installModes[2].supported`; empty for the whole value.
    pub path: String,
    /// Old value as JSON on one line; `None` if it is new.
    pub before: Option<String>,
    /// New value as JSON on one line; `None` if it is removed.
    pub after: Option<String>,
}

/// Formats a value as JSON on one line.
pub(super) fn format_json(node: &Node<'_>) -> String {
    let text = emit::write_json(node);
    // Values too deep for serde_json stay on several lines; they do not occur in practice.
    serde_json::from_str::<serde_json::Value>(&text)
        .map_or_else(|_| text.trim_end().to_owned(), |v| v.to_string())
}

/// Returns the smallest parts in which two values differ.
pub(super) fn find_leaves(before: &Node<'_>, after: &Node<'_>) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    // Iterative, since values may be nested deeper than the stack allows.
    let mut open = vec![(String::new(), Some(before), Some(after))];
    while let Some((path, before, after)) = open.pop() {
        if let (Some(before), Some(after)) = (before, after) {
            if before.value == after.value {
                continue;
            }
            match (&before.value, &after.value) {
                (Value::Map(_), Value::Map(_)) => {
                    open.extend(pair_members(&path, before, after));
                    continue;
                }
                (Value::List(old), Value::List(new)) => {
                    open.extend(pair_items(&path, old, new));
                    continue;
                }
                _ => {}
            }
        }
        leaves.push(Leaf { path, before: before.map(format_json), after: after.map(format_json) });
    }
    leaves
}

type Pair<'n, 'a, 'b> = (String, Option<&'n Node<'a>>, Option<&'n Node<'b>>);

/// Returns the members of two mappings in reverse order, since the caller takes from the end.
fn pair_members<'n, 'a, 'b>(path: &str, before: &'n Node<'a>, after: &'n Node<'b>) -> Vec<Pair<'n, 'a, 'b>> {
    let mut keys: BTreeMap<&str, (Option<&Node<'_>>, Option<&Node<'_>>)> = BTreeMap::new();
    // The last of repeated keys counts.
    before.members().iter().for_each(|m| keys.entry(&m.key).or_default().0 = Some(&m.value));
    after.members().iter().for_each(|m| keys.entry(&m.key).or_default().1 = Some(&m.value));
    keys.into_iter().rev().map(|(key, (before, after))| (child_path(path, key), before, after)).collect()
}

/// Appends a key to a path.
fn child_path(path: &str, key: &str) -> String {
    let is_plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    match (is_plain, path.is_empty()) {
        (true, true) => key.to_owned(),
        (true, false) => format!("{path}.{key}"),
        (false, _) => format!("{path}[{key:?}]"),
    }
}

/// Returns the items of two lists between their common prefix and suffix.
fn pair_items<'n, 'a, 'b>(path: &str, old: &'n [Node<'a>], new: &'n [Node<'b>]) -> Vec<Pair<'n, 'a, 'b>> {
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
    use olm_catalog::text::yaml;

    fn compare_yaml(before: &str, after: &str) -> Vec<String> {
        let (before, after) =
            (yaml::parse_yaml(before.as_bytes()).unwrap(), yaml::parse_yaml(after.as_bytes()).unwrap());
        let side = |side: Option<String>| side.unwrap_or_else(|| "nothing".to_owned());
        find_leaves(&before, &after)
            .into_iter()
            .map(|leaf| format!("{}: {} => {}", leaf.path, side(leaf.before), side(leaf.after)))
            .collect()
    }

    #[test]
    fn returns_smallest_differing_parts() {
        let before = "{a: {b: 1, c: [x, w, z]}, same: [1, {k: v}], 'a.b/c': yes, gone: null}";
        let after = "{same: [1, {k: v}], a: {c: [x, q, z], b: 2}, 'a.b/c': {}, new: [1]}";
        assert_eq!(
            compare_yaml(before, after),
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
    fn inserted_item_does_not_change_others() {
        assert_eq!(compare_yaml("[a, b, d]", "[a, b, c, d]"), ["[2]: nothing => \"c\""]);
        assert_eq!(compare_yaml("[a, a]", "[a]"), ["[1]: \"a\" => nothing"]);
        assert_eq!(compare_yaml("[a, b]", "[c]"), ["[0]: \"a\" => \"c\"", "[1]: \"b\" => nothing"]);
        assert_eq!(compare_yaml("1", "'1'"), [": 1 => \"1\""]);
        assert!(compare_yaml("[{a: 1, b: 2}]", "[{b: 2, a: 1}]").is_empty());
    }
}
