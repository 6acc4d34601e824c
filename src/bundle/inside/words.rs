//! Words of a bundle where they are repeated: whatever the bundle says, each of many rows stays short.

/// How long a word may be where it is repeated, in characters, and how many are listed.
const LONGEST: usize = 120;
const MOST: usize = 24;

/// A word, or its beginning.
pub(super) fn short(word: &str) -> &str {
    match word.char_indices().nth(LONGEST) {
        Some((at, _)) => word.get(..at).unwrap_or_default(),
        None => word,
    }
}

/// Words in one line; of very many the first.
pub(super) fn listed<T: AsRef<str>>(words: &[T], between: &str) -> String {
    let mut first: Vec<&str> = words.iter().take(MOST).map(|word| short(word.as_ref())).collect();
    let more = words.len().saturating_sub(MOST);
    let rest = format!("and {more} more");
    if more > 0 {
        first.push(&rest);
    }
    first.join(between)
}
