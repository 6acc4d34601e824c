//! Pairing of old and new items.

use std::collections::BTreeMap;

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
}
