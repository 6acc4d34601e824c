//! Differences between the states of a package.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use super::{BundleDiff, CatalogPair, ChangeKind, ChannelDiff, KnownState, ValueChange, channel};
use olm_catalog::{
    ChannelName, DocId, Node, PackageName, Value,
    blob::{DeprecationTarget, OtherBlob},
    package::Package,
    text::emit,
};

/// Difference of a package.
#[derive(Clone, Debug)]
pub struct PackageDiff {
    /// Name of the package.
    pub name: PackageName,
    /// Kind of the change.
    pub change_kind: ChangeKind,
    /// Channel of a Subscription without one.
    pub default_channel: Option<ValueChange<Option<ChannelName>>>,
    /// Changes of its description or icon.
    pub description: Vec<Leaf>,
    /// Changed channels, by name.
    pub channels: Vec<ChannelDiff>,
    /// Changed bundles, highest version first.
    pub bundles: Vec<BundleDiff>,
    /// Changed deprecations and their messages.
    pub deprecations: Vec<DeprecationDiff>,
    /// Changed objects of other schemas.
    pub others: Vec<OtherDiff>,
    /// Documents that differ only in their formatting.
    pub rewritten: Vec<Rewritten>,
}

/// Difference of a deprecation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeprecationDiff {
    /// Target; `None` if the reference is invalid.
    pub target: Option<DeprecationTarget>,
    /// Name in an invalid reference.
    pub reference: String,
    /// Old message; `None` if the deprecation is new.
    pub before: Option<String>,
    /// New message; `None` if the deprecation is removed.
    pub after: Option<String>,
}

impl DeprecationDiff {
    /// Returns the kind of the change.
    pub fn change_kind(&self) -> ChangeKind {
        ChangeKind::from_presence(self.before.is_some(), self.after.is_some())
    }
}

/// Difference of an object of another schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherDiff {
    /// Schema of the object.
    pub schema: String,
    /// Name of the object, if any.
    pub name: Option<String>,
    /// Kind of the change.
    pub fate: ChangeKind,
    /// Changed parts; empty unless it is [`ChangeKind::Changed`].
    pub leaves: Vec<Leaf>,
}

/// Document that differs only in its formatting.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rewritten {
    /// Schema of the document.
    pub schema: String,
    /// Name of the object; empty if it does not have one.
    pub name: String,
}

impl PackageDiff {
    /// Creates an empty difference.
    pub(super) fn new(name: PackageName, fate: ChangeKind) -> Self {
        Self {
            name,
            change_kind: fate,
            default_channel: None,
            description: Vec::new(),
            channels: Vec::new(),
            bundles: Vec::new(),
            deprecations: Vec::new(),
            others: Vec::new(),
            rewritten: Vec::new(),
        }
    }

    /// Returns true if it differs at most in formatting.
    pub fn has_same_meaning(&self) -> bool {
        self.change_kind == ChangeKind::Changed
            && self.default_channel.is_none()
            && self.description.is_empty()
            && self.channels.is_empty()
            && self.bundles.is_empty()
            && self.deprecations.is_empty()
            && self.others.is_empty()
    }

    /// Returns true if there is no difference.
    pub(super) fn is_empty(&self) -> bool {
        self.has_same_meaning() && self.rewritten.is_empty()
    }

    /// Returns the difference of a channel.
    pub fn find_channel(&self, name: &str) -> Option<&ChannelDiff> {
        self.channels.iter().find(|channel| channel.name == name)
    }
}

type PackageSide<'a> = (KnownState<'a>, &'a Arc<Package>);

/// Compares the states of a package; a missing package is empty.
pub(super) fn compare_package_states(
    sides: CatalogPair<'_>,
    name: &PackageName,
    fate: ChangeKind,
    before: PackageSide<'_>,
    after: PackageSide<'_>,
) -> PackageDiff {
    let (old, new) = (before.1, after.1);
    let default = |package: &Package| package.default_channel().cloned();
    let bundles = |package: &Arc<Package>| -> Vec<_> {
        package.bundles.iter().map(|bundle| (bundle.name.value.clone(), Arc::clone(bundle))).collect()
    };
    let channels = pair_by_key(channel_states(before), channel_states(after)).into_iter();
    let bundles = pair_by_key(bundles(old), bundles(new)).into_iter();
    let mut diff = PackageDiff {
        default_channel: ValueChange::if_different(default(old), default(new)),
        description: compare_descriptions(sides, old, new),
        channels: channels
            .filter_map(|(name, a, b)| channel::compare_channel(&name, (a, b), (old, new)))
            .collect(),
        bundles: bundles
            .filter_map(|(name, a, b)| super::compare_bundle(sides, &name, a.as_deref(), b.as_deref()))
            .collect(),
        deprecations: compare_deprecations(old, new),
        others: compare_other_objects(&old.others, &new.others, sides),
        ..PackageDiff::new(name.clone(), fate)
    };
    diff.bundles.sort_by(|a, b| channel::compare_newest_first(&a.name, &b.name, (old, new)));
    diff.rewritten = find_rewritten(sides, old, new, &diff);
    diff
}

/// Returns the channels of a package, each with its graph.
fn channel_states((judged, package): PackageSide<'_>) -> Vec<(ChannelName, channel::ChannelState<'_>)> {
    let graphs = judged.map(|judged| judged.graph.channels()).unwrap_or_default();
    let graph = |at: usize| graphs.get(at).map(|channel| &channel.graph);
    let numbered = package.channels.iter().enumerate();
    numbered.map(|(at, blob)| (blob.name.value.clone(), (&**blob, graph(at)))).collect()
}

/// Compares description and icon.
fn compare_descriptions(sides: CatalogPair<'_>, old: &Package, new: &Package) -> Vec<Leaf> {
    let (Some(before), Some(after)) = (old.definition(), new.definition()) else { return Vec::new() };
    let mut leaves = compare_documents(sides, before.doc, after.doc);
    leaves.retain(|leaf| !["defaultChannel", "name"].contains(&leaf.path.as_str()));
    leaves
}

fn compare_deprecations(old: &Package, new: &Package) -> Vec<DeprecationDiff> {
    let keyed = |package: &Package| -> Vec<((Option<DeprecationTarget>, String), String)> {
        let entries = package.deprecations.iter().flat_map(|blob| &blob.entries);
        let reference = |name: Option<&String>| name.cloned().unwrap_or_default();
        entries
            .map(|entry| {
                let named = reference(entry.name.as_ref().map(|name| &name.value));
                ((entry.target.clone(), named), entry.message.value.clone())
            })
            .collect()
    };
    pair_by_key(keyed(old), keyed(new))
        .into_iter()
        .filter(|(_, before, after)| before != after)
        .map(|((target, reference), before, after)| DeprecationDiff { target, reference, before, after })
        .collect()
}

/// Returns the documents whose bytes differ but that are not in `diff`.
fn find_rewritten(
    sides: CatalogPair<'_>,
    old: &Package,
    new: &Package,
    diff: &PackageDiff,
) -> Vec<Rewritten> {
    let said = |package: &Package| -> Vec<(Rewritten, DocId)> {
        let one = |schema: &str, name: &str, doc| {
            (Rewritten { schema: schema.to_owned(), name: name.to_owned() }, doc)
        };
        let definitions =
            package.definitions.iter().map(|b| one("olm.package", b.name.value.as_str(), b.doc));
        let channels = package.channels.iter().map(|b| one("olm.channel", b.name.value.as_str(), b.doc));
        let bundles = package.bundles.iter().map(|b| one("olm.bundle", b.name.value.as_str(), b.doc));
        let deprecations = package.deprecations.iter().map(|b| one("olm.deprecations", "", b.doc));
        let others =
            package.others.iter().map(|b| one(&b.schema, b.name.as_deref().unwrap_or_default(), b.doc));
        definitions.chain(channels).chain(bundles).chain(deprecations).chain(others).collect()
    };
    let channels: HashSet<&str> = diff.channels.iter().map(|channel| channel.name.as_str()).collect();
    let bundles: HashSet<&str> = diff.bundles.iter().map(|bundle| bundle.name.as_str()).collect();
    let others: HashSet<(&str, &str)> = diff
        .others
        .iter()
        .map(|other| (other.schema.as_str(), other.name.as_deref().unwrap_or_default()))
        .collect();
    let differs = |what: &Rewritten| match what.schema.as_str() {
        "olm.package" => diff.default_channel.is_some() || !diff.description.is_empty(),
        "olm.channel" => channels.contains(what.name.as_str()),
        "olm.bundle" => bundles.contains(what.name.as_str()),
        "olm.deprecations" => !diff.deprecations.is_empty(),
        schema => others.contains(&(schema, what.name.as_str())),
    };
    pair_by_key(said(old), said(new))
        .into_iter()
        .filter(|(what, before, after)| match (before, after) {
            (Some(before), Some(after)) => !sides.has_same_bytes(*before, *after) && !differs(what),
            _ => false,
        })
        .map(|(what, ..)| what)
        .collect()
}

/// Compares objects of other schemas.
pub(super) fn compare_other_objects(
    old: &[OtherBlob],
    new: &[OtherBlob],
    sides: CatalogPair<'_>,
) -> Vec<OtherDiff> {
    let keyed = |blobs: &[OtherBlob]| -> Vec<((String, Option<String>), DocId)> {
        blobs
            .iter()
            .map(|blob| ((blob.schema.to_string(), blob.name.as_deref().map(str::to_owned)), blob.doc))
            .collect()
    };
    let mut diffs = Vec::new();
    for ((schema, name), before, after) in pair_by_key(keyed(old), keyed(new)) {
        let fate = ChangeKind::from_presence(before.is_some(), after.is_some());
        let leaves = match (before, after) {
            (Some(before), Some(after)) => match compare_documents(sides, before, after) {
                leaves if leaves.is_empty() => continue,
                leaves => leaves,
            },
            _ => Vec::new(),
        };
        diffs.push(OtherDiff { schema, name, fate, leaves });
    }
    diffs
}

/// Returns the parts in which two documents differ.
fn compare_documents(sides: CatalogPair<'_>, before: DocId, after: DocId) -> Vec<Leaf> {
    if sides.has_same_bytes(before, after) {
        return Vec::new();
    }
    sides
        .compare_contents(before, after, |old: &Node<'_>, new: &Node<'_>| find_leaves(old, new))
        .unwrap_or_default()
}

/// Pairs items with the same key, sorted by key. If keys repeat, as in broken catalogs, the n-th old item is paired with the
/// n-th new one.
pub(super) fn pair_by_key<K: Ord + Clone, T>(
    old: impl IntoIterator<Item = (K, T)>,
    new: impl IntoIterator<Item = (K, T)>,
) -> Vec<(K, Option<T>, Option<T>)> {
    let mut pairs: BTreeMap<(K, usize), (Option<T>, Option<T>)> = BTreeMap::new();
    let mut seen = BTreeMap::new();
    for (key, value) in old {
        pairs.entry(number_key(&mut seen, key)).or_default().0 = Some(value);
    }
    seen.clear();
    for (key, value) in new {
        pairs.entry(number_key(&mut seen, key)).or_default().1 = Some(value);
    }
    pairs.into_iter().map(|((key, _), (old, new))| (key, old, new)).collect()
}

/// Returns a key with the number of its earlier occurrences.
fn number_key<K: Ord + Clone>(seen: &mut BTreeMap<K, usize>, key: K) -> (K, usize) {
    let count = seen.entry(key.clone()).or_default();
    *count += 1;
    (key, *count)
}

/// Returns the surplus items of each side, in the order of that side. An item occurs as often as its counts differ.
pub(super) fn unmatched<T: Ord>(old: Vec<T>, new: Vec<T>) -> (Vec<T>, Vec<T>) {
    let mut balance: BTreeMap<&T, isize> = BTreeMap::new();
    for item in &old {
        *balance.entry(item).or_default() += 1;
    }
    for item in &new {
        *balance.entry(item).or_default() -= 1;
    }
    let keep = |items: &[T], sign: isize, balance: &mut BTreeMap<&T, isize>| -> Vec<bool> {
        // From the end, so that the last of equal items is the surplus one.
        let mut kept: Vec<bool> = items
            .iter()
            .rev()
            .map(|item| {
                let left = balance.get_mut(item);
                let is_more = left.as_ref().is_some_and(|left| **left * sign > 0);
                if let Some(left) = left.filter(|_| is_more) {
                    *left -= sign;
                }
                is_more
            })
            .collect();
        kept.reverse();
        kept
    };
    let (of_old, of_new) = (keep(&old, 1, &mut balance), keep(&new, -1, &mut balance));
    drop(balance);
    let filter = |items: Vec<T>, kept: Vec<bool>| {
        items.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(item, _)| item).collect()
    };
    (filter(old, of_old), filter(new, of_new))
}

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

    #[test]
    fn repeated_keys_are_paired_in_order() {
        let pairs = pair_by_key([("b", 1), ("a", 2), ("b", 3)], [("b", 4), ("c", 5)]);
        assert_eq!(
            pairs,
            [("a", Some(2), None), ("b", Some(1), Some(4)), ("b", Some(3), None), ("c", None, Some(5))]
        );
    }

    #[test]
    fn returns_only_surplus_items() {
        assert_eq!(unmatched(vec![1, 2, 2, 3], vec![2, 4, 3, 4]), (vec![1, 2], vec![4, 4]));
        assert_eq!(unmatched::<u8>(vec![], vec![]), (vec![], vec![]));
    }

    mod tree {
        use super::super::*;
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
}
