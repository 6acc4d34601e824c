//! Differences between two trees.

use std::collections::{HashMap, HashSet};

use super::ValueTree;

/// Maximum depth of a change; catalogs have only a few levels.
pub(super) const MAX_DEPTH: usize = 200;

/// Change of a value.
#[derive(PartialEq, Debug)]
pub(super) enum ValueChange<'n> {
    /// Unchanged.
    Unchanged,
    /// Replaced by another value.
    Replace(&'n ValueTree),
    /// Change of a list that is not empty before and after.
    List(Vec<ListStep<'n>>),
    /// Change of a map that is not empty before and after.
    Map(MapChange<'n>),
}

/// Step from an old list to the new one, in order.
#[derive(PartialEq, Debug)]
pub(super) enum ListStep<'n> {
    /// Keeps the old item with this index, possibly changed.
    Keep(usize, ValueChange<'n>),
    /// Removes the old item with this index.
    Remove(usize),
    /// Inserts a new item.
    Insert(&'n ValueTree),
}

/// Change of a map; other keys stay unchanged.
#[derive(PartialEq, Debug, Default)]
pub(super) struct MapChange<'n> {
    pub changed: Vec<(&'n str, ValueChange<'n>)>,
    pub removed: Vec<&'n str>,
    pub added: Vec<(&'n str, &'n ValueTree)>,
}

/// Error for a change deeper than [`MAX_DEPTH`].
#[derive(PartialEq, Eq, Debug)]
pub(super) struct TooDeep;

/// Returns the change from `old` to `new`.
pub(super) fn diff_trees<'n>(old: &'n ValueTree, new: &'n ValueTree) -> Result<ValueChange<'n>, TooDeep> {
    if old.has_same_content(new) { Ok(ValueChange::Unchanged) } else { diff_different(old, new, 0) }
}

fn diff_nested<'n>(old: &'n ValueTree, new: &'n ValueTree, depth: usize) -> Result<ValueChange<'n>, TooDeep> {
    if old.has_same_content(new) { Ok(ValueChange::Unchanged) } else { diff_different(old, new, depth + 1) }
}

fn diff_different<'n>(
    old: &'n ValueTree,
    new: &'n ValueTree,
    depth: usize,
) -> Result<ValueChange<'n>, TooDeep> {
    if depth > MAX_DEPTH {
        return Err(TooDeep);
    }
    match (old, new) {
        (ValueTree::List(old), ValueTree::List(new)) if !old.is_empty() && !new.is_empty() => {
            Ok(ValueChange::List(diff_lists(old, new, depth)?))
        }
        (ValueTree::Map(old), ValueTree::Map(new)) if !old.is_empty() && !new.is_empty() => {
            Ok(ValueChange::Map(diff_maps(old, new, depth)?))
        }
        _ => Ok(ValueChange::Replace(new)),
    }
}

fn diff_maps<'n>(
    old: &'n [(String, ValueTree)],
    new: &'n [(String, ValueTree)],
    depth: usize,
) -> Result<MapChange<'n>, TooDeep> {
    let before: HashMap<&str, &ValueTree> = old.iter().map(|(key, value)| (key.as_str(), value)).collect();
    let after: HashMap<&str, &ValueTree> = new.iter().map(|(key, value)| (key.as_str(), value)).collect();
    let mut change = MapChange::default();
    let mut seen = HashSet::new();
    for key in old.iter().map(|(key, _)| key.as_str()).filter(|key| seen.insert(*key)) {
        if !after.contains_key(key) {
            change.removed.push(key);
        }
    }
    seen.clear();
    for key in new.iter().map(|(key, _)| key.as_str()).filter(|key| seen.insert(*key)) {
        let Some(value) = after.get(key) else { continue };
        match before.get(key) {
            None => change.added.push((key, value)),
            Some(old) => match diff_nested(old, value, depth)? {
                ValueChange::Unchanged => {}
                different => change.changed.push((key, different)),
            },
        }
    }
    Ok(change)
}

fn diff_lists<'n>(
    old: &'n [ValueTree],
    new: &'n [ValueTree],
    depth: usize,
) -> Result<Vec<ListStep<'n>>, TooDeep> {
    let mut steps = Vec::with_capacity(new.len());
    let same = |(a, b): &(&ValueTree, &ValueTree)| a.has_same_content(b);
    let front = old.iter().zip(new).take_while(same).count();
    let (old_rest, new_rest) = (&old[front..], &new[front..]);
    let back = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same).count();
    let (old_middle, new_middle) = (&old_rest[..old_rest.len() - back], &new_rest[..new_rest.len() - back]);

    steps.extend((0..front).map(|at| ListStep::Keep(at, ValueChange::Unchanged)));
    let mut done = (0, 0);
    for (at_old, at_new) in
        match_items(old_middle, new_middle).into_iter().chain([(old_middle.len(), new_middle.len())])
    {
        diff_run(
            &old_middle[done.0..at_old],
            front + done.0,
            &new_middle[done.1..at_new],
            depth,
            &mut steps,
        )?;
        if let (Some(a), Some(b)) = (old_middle.get(at_old), new_middle.get(at_new)) {
            steps.push(ListStep::Keep(front + at_old, diff_nested(a, b, depth)?));
        }
        done = (at_old + 1, at_new + 1);
    }
    steps.extend((old.len() - back..old.len()).map(|at| ListStep::Keep(at, ValueChange::Unchanged)));
    Ok(steps)
}

/// Matches the items of two lists, as the longest sequence of pairs that is ascending in both. Maps with a
/// unique `name` are identified by it, other items by their content. Items with the same identity are matched
/// in order.
fn match_items(old: &[ValueTree], new: &[ValueTree]) -> Vec<(usize, usize)> {
    let shared: HashSet<&str> = repeated_names(old).chain(repeated_names(new)).collect();
    let places: HashMap<_, usize> =
        item_identities(old, &shared).into_iter().enumerate().map(|(at, id)| (id, at)).collect();
    let pairs: Vec<(usize, usize)> = item_identities(new, &shared)
        .into_iter()
        .enumerate()
        .filter_map(|(at_new, id)| places.get(&id).map(|at_old| (*at_old, at_new)))
        .collect();
    longest_ascending(&pairs)
}

fn item_name(item: &ValueTree) -> Option<&str> {
    item.get("name").and_then(ValueTree::as_str)
}

/// Iterates over names that several items of a list have.
fn repeated_names(items: &[ValueTree]) -> impl Iterator<Item = &str> {
    let mut seen = HashSet::new();
    items.iter().filter_map(item_name).filter(move |name| !seen.insert(*name))
}

/// Returns the identity of each item, with the number of earlier items of the same identity.
fn item_identities(items: &[ValueTree], shared: &HashSet<&str>) -> Vec<(String, usize)> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    items
        .iter()
        .map(|item| {
            let id = match item_name(item).filter(|name| !shared.contains(name)) {
                Some(name) => format!("name {name}"),
                None => item.fingerprint(),
            };
            let count = seen.entry(id.clone()).and_modify(|n| *n += 1).or_insert(0);
            (id, *count)
        })
        .collect()
}

/// Returns the longest ascending subsequence of pairs, whose second parts already ascend. Uses patience
/// sorting.
fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `piles` has the pair on top of each pile; `before` has the top of the previous pile when a pair was
    // added.
    let mut piles: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, (old, _)) in pairs.iter().enumerate() {
        let pile = piles.partition_point(|top| pairs[*top].0 < *old);
        before.push(pile.checked_sub(1).map(|left| piles[left]));
        if pile == piles.len() {
            piles.push(at);
        } else {
            piles[pile] = at;
        }
    }
    let mut found = Vec::with_capacity(piles.len());
    let mut next = piles.last().copied();
    while let Some(at) = next {
        found.push(pairs[at]);
        next = before[at];
    }
    found.reverse();
    found
}

/// Diffs a run of old items between two kept items. Similar items count as changed, so that the text around
/// them stays, for example for a renamed entry.
fn diff_run<'n>(
    old: &'n [ValueTree],
    offset: usize,
    new: &'n [ValueTree],
    depth: usize,
    steps: &mut Vec<ListStep<'n>>,
) -> Result<(), TooDeep> {
    // Long runs are not renames, and the search would take too much time.
    let likely = old.len() * new.len() <= 10_000;
    let one_to_one = old.len() == new.len();
    let mut left = 0;
    for (at_new, item) in new.iter().enumerate() {
        let partner = match item {
            _ if !likely => None,
            ValueTree::Map(_) => (left..old.len()).find(|at| is_similar(&old[*at], item)),
            ValueTree::List(_) => (one_to_one && matches!(old[at_new], ValueTree::List(_))).then_some(at_new),
            _ => (one_to_one && old[at_new].is_scalar()).then_some(at_new),
        };
        match partner.filter(|at| *at >= left) {
            Some(at) => {
                steps.extend((left..at).map(|at| ListStep::Remove(offset + at)));
                steps.push(ListStep::Keep(offset + at, diff_nested(&old[at], item, depth)?));
                left = at + 1;
            }
            None => steps.push(ListStep::Insert(item)),
        }
    }
    steps.extend((left..old.len()).map(|at| ListStep::Remove(offset + at)));
    Ok(())
}

/// Returns true if at least half of the members of two maps are equal.
fn is_similar(old: &ValueTree, new: &ValueTree) -> bool {
    let (a, b) = (old.members(), new.members());
    let same = a
        .iter()
        .filter(|(key, value)| new.get(key).is_some_and(|other| value.has_same_content(other)))
        .count();
    same > 0 && same * 2 >= a.len().max(b.len())
}
