//! Three-way merge of the content of a document.

use std::collections::{HashMap, HashSet};

use super::super::rewrite::ValueTree;

/// Maximum depth at which values are merged member by member; deeper values are merged as a whole.
const MAX_DEPTH: usize = 32;

/// Merged value, with the value of each side where both change it. `None` if it is removed.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct MergedValue {
    pub ours: Option<ValueTree>,
    pub theirs: Option<ValueTree>,
}

impl MergedValue {
    fn agreed(value: Option<&ValueTree>) -> Self {
        Self { ours: value.cloned(), theirs: value.cloned() }
    }
}

/// Merges the base, our and their version of a document. Returns the paths of values that both sides change. Items of
/// lists are matched by name only in documents of OLM.
pub(super) fn merge_trees(versions: [Option<&ValueTree>; 3], is_olm: bool) -> (MergedValue, Vec<String>) {
    let mut merger = Merger { is_olm, path: Vec::new(), conflicts: Vec::new() };
    let merged = merger.merge_values(versions);
    (merged, merger.conflicts)
}

/// Returns true if two values mean the same, in any order of keys and of items that have names.
pub(super) fn is_same_meaning(a: &ValueTree, b: &ValueTree) -> bool {
    a.has_same_content(b) || sort_items(a, "", 0).has_same_content(&sort_items(b, "", 0))
}

fn is_same(a: Option<&ValueTree>, b: Option<&ValueTree>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.has_same_content(b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Returns a copy whose lists of named items are sorted.
fn sort_items(value: &ValueTree, label: &str, depth: usize) -> ValueTree {
    if depth > MAX_DEPTH {
        return value.clone();
    }
    match value {
        ValueTree::Map(members) => ValueTree::Map(
            members.iter().map(|(key, value)| (key.clone(), sort_items(value, key, depth + 1))).collect(),
        ),
        ValueTree::List(items) => {
            let mut sorted: Vec<ValueTree> =
                items.iter().map(|item| sort_items(item, "", depth + 1)).collect();
            if let Some([keys]) = item_keys(label, [items]) {
                let mut keyed: Vec<_> = keys.into_iter().zip(sorted).collect();
                keyed.sort_by(|(a, _), (b, _)| a.cmp(b));
                sorted = keyed.into_iter().map(|(_, item)| item).collect();
            }
            ValueTree::List(sorted)
        }
        scalar => scalar.clone(),
    }
}

/// Returns keys in the order of `ours`. A key that only `theirs` has follows its predecessor there, and what only `ours`
/// has after that.
pub(super) fn merge_order<'k>(ours: &[&'k str], theirs: &[&'k str]) -> Vec<&'k str> {
    let (in_ours, in_theirs): (HashSet<&str>, HashSet<&str>) =
        (ours.iter().copied().collect(), theirs.iter().copied().collect());
    // Runs of keys that only `theirs` has, by the key before.
    let mut runs: HashMap<Option<&str>, Vec<&'k str>> = HashMap::new();
    let mut before = None;
    for key in theirs {
        if in_ours.contains(key) {
            before = Some(*key);
        } else {
            runs.entry(before).or_default().push(key);
        }
    }
    let mut order = Vec::new();
    let mut pending = runs.remove(&None).unwrap_or_default();
    for key in ours {
        if in_theirs.contains(key) {
            order.append(&mut pending);
            pending = runs.remove(&Some(*key)).unwrap_or_default();
        }
        order.push(*key);
    }
    order.append(&mut pending);
    order
}

struct Merger {
    is_olm: bool,
    path: Vec<String>,
    conflicts: Vec<String>,
}

impl Merger {
    fn merge_values(&mut self, [base, ours, theirs]: [Option<&ValueTree>; 3]) -> MergedValue {
        if is_same(ours, theirs) || is_same(base, theirs) {
            return MergedValue::agreed(ours);
        }
        if is_same(base, ours) {
            return MergedValue::agreed(theirs);
        }
        let merged = match (ours, theirs) {
            _ if self.path.len() > MAX_DEPTH => None,
            (Some(ValueTree::Map(ours)), Some(ValueTree::Map(theirs))) => {
                Some(self.merge_maps(base.map(ValueTree::members).unwrap_or_default(), ours, theirs))
            }
            (Some(ValueTree::List(ours)), Some(ValueTree::List(theirs))) if self.is_olm => {
                self.merge_lists(base.map(ValueTree::items).unwrap_or_default(), ours, theirs)
            }
            _ => None,
        };
        merged.unwrap_or_else(|| {
            self.conflicts.push(self.path.concat());
            MergedValue { ours: ours.cloned(), theirs: theirs.cloned() }
        })
    }

    fn merge_maps(
        &mut self,
        base: &[(String, ValueTree)],
        ours: &[(String, ValueTree)],
        theirs: &[(String, ValueTree)],
    ) -> MergedValue {
        let (our_keys, their_keys) = (unique_keys(ours), unique_keys(theirs));
        // The last of several equal keys counts.
        let find =
            |members: &'_ [(String, ValueTree)], key: &str| members.iter().rposition(|(name, _)| name == key);
        let (mut in_ours, mut in_theirs) = (Vec::new(), Vec::new());
        for key in merge_order(&our_keys, &their_keys) {
            let separator = if self.path.is_empty() { "" } else { "." };
            self.path.push(format!("{separator}{key}"));
            let versions = [base, ours, theirs]
                .map(|members| find(members, key).and_then(|at| members.get(at)).map(|(_, value)| value));
            let merged = self.merge_values(versions);
            self.path.pop();
            in_ours.extend(merged.ours.map(|value| (key.to_owned(), value)));
            in_theirs.extend(merged.theirs.map(|value| (key.to_owned(), value)));
        }
        MergedValue { ours: Some(ValueTree::Map(in_ours)), theirs: Some(ValueTree::Map(in_theirs)) }
    }

    /// Merges lists whose items have names; `None` if they do not.
    fn merge_lists(
        &mut self,
        base: &[ValueTree],
        ours: &[ValueTree],
        theirs: &[ValueTree],
    ) -> Option<MergedValue> {
        let label = self.path.last()?.trim_start_matches('.').to_owned();
        let [base_keys, our_keys, their_keys] = item_keys(&label, [base, ours, theirs])?;
        let find = |keys: &[String], key: &str| keys.iter().position(|own| own == key);
        let our_names: Vec<&str> = our_keys.iter().map(String::as_str).collect();
        let their_names: Vec<&str> = their_keys.iter().map(String::as_str).collect();
        let (mut in_ours, mut in_theirs) = (Vec::new(), Vec::new());
        for key in merge_order(&our_names, &their_names) {
            let versions = [
                find(&base_keys, key).and_then(|at| base.get(at)),
                find(&our_keys, key).and_then(|at| ours.get(at)),
                find(&their_keys, key).and_then(|at| theirs.get(at)),
            ];
            self.path.push(format!("[{}]", key.split('\0').next().unwrap_or(key)));
            let merged = self.merge_values(versions);
            self.path.pop();
            in_ours.extend(merged.ours);
            in_theirs.extend(merged.theirs);
        }
        Some(MergedValue { ours: Some(ValueTree::List(in_ours)), theirs: Some(ValueTree::List(in_theirs)) })
    }
}

/// Returns the keys of a map, each once.
fn unique_keys(members: &[(String, ValueTree)]) -> Vec<&str> {
    let mut seen = HashSet::new();
    members.iter().map(|(key, _)| key.as_str()).filter(|key| seen.insert(*key)).collect()
}

/// Returns the name of each item of several versions of a list; `None` if the items do not have unique names. `label` is
/// the key of the list.
fn item_keys<const N: usize>(label: &str, lists: [&[ValueTree]; N]) -> Option<[Vec<String>; N]> {
    let label = label.to_ascii_lowercase();
    match label.as_str() {
        "properties" => property_keys(lists),
        // Names are unique in most bundles, and empty in some.
        "relatedimages" => unique_item_keys("image-names", lists).or_else(|| unique_item_keys(&label, lists)),
        _ => unique_item_keys(&label, lists),
    }
}

/// Returns the name of each item; `None` if an item has none, or a list has a name twice.
fn unique_item_keys<const N: usize>(label: &str, lists: [&[ValueTree]; N]) -> Option<[Vec<String>; N]> {
    let mut keys = lists.map(|_| Vec::new());
    for (keys, items) in keys.iter_mut().zip(lists) {
        let mut seen = HashSet::new();
        for item in items {
            let key = item_key(label, item)?;
            if !seen.insert(key.clone()) {
                return None;
            }
            keys.push(key);
        }
    }
    Some(keys)
}

/// Returns the text of a member, ignoring the case of its key.
pub(super) fn member_text<'v>(value: &'v ValueTree, key: &str) -> Option<&'v str> {
    let members = value.members().iter().rev();
    members.filter(|(name, _)| name.eq_ignore_ascii_case(key)).find_map(|(_, value)| value.as_str())
}

/// Returns the name of an item in a list with this key in lower case.
fn item_key(label: &str, item: &ValueTree) -> Option<String> {
    let name = |key: &str| member_text(item, key).filter(|text| !text.is_empty()).map(str::to_owned);
    match label {
        "skips" => item.as_str().map(str::to_owned),
        "entries" => {
            if let Some(schema) = name("schema") {
                let own = name("name").or_else(|| name("image")).unwrap_or_default();
                return Some(format!("{schema} {} {own}", name("package").unwrap_or_default()));
            }
            let reference = item.members().iter().find(|(key, _)| key == "reference");
            if let Some((_, reference)) = reference {
                let target = member_text(reference, "name").unwrap_or_default();
                return Some(format!("{} {target}", member_text(reference, "schema")?));
            }
            name("name")
        }
        "relatedimages" => Some(format!("{}\0{}", name("image")?, name("name").unwrap_or_default())),
        "image-names" => name("name"),
        "bundles" => name("image"),
        "substitutions" | "components" | "catalogs" => name("name"),
        _ => None,
    }
}

/// Returns what a property of a type that a bundle may have several times is about; `None` if that is its whole value.
fn property_subject(item: &ValueTree) -> Option<String> {
    let value = item.get("value")?;
    match member_text(item, "type")? {
        "olm.package.required" => member_text(value, "packageName").map(str::to_owned),
        _ => None,
    }
}

/// Returns the names of properties: the type, if each version has at most one of it, otherwise the type and its subject or
/// value.
fn property_keys<const N: usize>(lists: [&[ValueTree]; N]) -> Option<[Vec<String>; N]> {
    let mut several: HashSet<&str> = HashSet::new();
    for items in lists {
        let mut seen = HashSet::new();
        for item in items {
            let kind = member_text(item, "type")?;
            if !seen.insert(kind) {
                several.insert(kind);
            }
        }
    }
    let mut pool: Vec<&ValueTree> = Vec::new();
    let mut keys = lists.map(|_| Vec::new());
    for (keys, items) in keys.iter_mut().zip(lists) {
        let mut seen = HashSet::new();
        for item in items {
            let kind = member_text(item, "type")?;
            let key = if !several.contains(kind) {
                kind.to_owned()
            } else if let Some(subject) = property_subject(item) {
                format!("{kind}\0{subject}")
            } else {
                let at = pool.iter().position(|other| other.has_same_content(item)).unwrap_or_else(|| {
                    pool.push(item);
                    pool.len() - 1
                });
                format!("{kind}\0{at}")
            };
            if !seen.insert(key.clone()) {
                return None;
            }
            keys.push(key);
        }
    }
    Some(keys)
}
