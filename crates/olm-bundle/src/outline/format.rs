//! Shortened text of a bundle for repeated use, so that each of many rows stays short.

/// Maximum length of a repeated word in characters, and maximum number of listed words.
const MAX_LEN: usize = 120;
const MAX_COUNT: usize = 24;

/// Returns a word, or its beginning.
pub(super) fn shorten_word(word: &str) -> &str {
    match word.char_indices().nth(MAX_LEN) {
        Some((at, _)) => word.get(..at).unwrap_or_default(),
        None => word,
    }
}

/// Joins words on one line; shortened if there are many.
pub(super) fn join_words<T: AsRef<str>>(words: &[T], between: &str) -> String {
    let mut first: Vec<&str> = words.iter().take(MAX_COUNT).map(|word| shorten_word(word.as_ref())).collect();
    let more = words.len().saturating_sub(MAX_COUNT);
    let rest = format!("and {more} more");
    if more > 0 {
        first.push(&rest);
    }
    first.join(between)
}
