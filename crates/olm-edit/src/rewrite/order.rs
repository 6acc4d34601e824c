//! Position of new keys in a map.

use super::style::DocumentStyle;

/// Fields of catalog blobs in the order of opm's types; one list is enough, because the types agree.
const FIELD_ORDER: [&str; 21] = [
    "schema",
    "name",
    "package",
    "reference",
    "message",
    "defaultChannel",
    "base64data",
    "mediatype",
    "icon",
    "description",
    "image",
    "replaces",
    "skips",
    "skipRange",
    "type",
    "value",
    "entries",
    "channels",
    "bundles",
    "properties",
    "relatedImages",
];

fn field_rank(key: &str) -> Option<usize> {
    FIELD_ORDER.iter().position(|field| *field == key)
}

fn is_sorted<K: AsRef<str>>(keys: &[K]) -> bool {
    keys.is_sorted_by(|a, b| a.as_ref() <= b.as_ref())
}

/// Returns true if the known keys are in the order of opm's types.
fn is_by_rank<K: AsRef<str>>(keys: &[K]) -> bool {
    keys.iter().filter_map(|key| field_rank(key.as_ref())).is_sorted()
}

/// Returns true if new keys of a map with this label go to their sorted position. This holds for a sorted map,
/// unless similar maps are not sorted. A small map follows similar maps or the document.
pub(super) fn inserts_sorted<K: AsRef<str>>(keys: &[K], label: &str, style: &DocumentStyle) -> bool {
    let like = style.key_orders(label);
    if !is_sorted(keys) || !like.iter().all(|keys| is_sorted(keys)) {
        return false;
    }
    if keys.len() > 1 || like.iter().any(|keys| !is_by_rank(keys)) {
        return true;
    }
    let root = style.key_orders("");
    !root.is_empty() && root.iter().all(|keys| is_sorted(keys))
}

/// Returns the index of a new key among `keys`.
pub(super) fn insert_index<K: AsRef<str>>(keys: &[K], key: &str, sorted: bool) -> usize {
    if sorted {
        return keys.iter().position(|other| other.as_ref() > key).unwrap_or(keys.len());
    }
    let Some(own) = field_rank(key) else { return keys.len() };
    let ranked = |at: &usize| keys.get(*at).and_then(|other| field_rank(other.as_ref()));
    let before =
        (0..keys.len()).filter(|at| ranked(at).is_some_and(|other| other < own)).max_by_key(|at| ranked(at));
    match before {
        Some(at) => at + 1,
        None => (0..keys.len()).find(|at| ranked(at).is_some()).unwrap_or(keys.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_keys_keep_sorted_order_or_follow_opms_order() {
        let cases: [(&[&str], &str, bool, usize); 9] = [
            (&["name", "replaces", "skips"], "skipRange", true, 2),
            (&["name", "replaces", "skips"], "skipRange", false, 3),
            (&["name", "skips"], "replaces", false, 1),
            (&["name", "skipRange", "replaces"], "skips", false, 3),
            (&["replaces", "name"], "skips", false, 1),
            (&["skips"], "name", false, 0),
            (&["name", "x"], "y", false, 2),
            (&["x"], "name", false, 1),
            (&["entries", "name"], "aaa", true, 0),
        ];
        for (keys, key, sorted, expected) in cases {
            assert_eq!(insert_index(keys, key, sorted), expected, "{key} into {keys:?}");
        }
    }
}
