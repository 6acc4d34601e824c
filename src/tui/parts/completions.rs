//! Fuzzy matching, completions of names, and matches of ranges.

use fuzzy_matcher::{FuzzyMatcher, skim::SkimMatcherV2};

use crate::tui::parts::field::InputError;
use olm_catalog::{BundleName, package::Package};
use olm_version::blang::Range;

/// Returns the best matches for the typed text. Equal matches keep their order.
pub fn best_matches<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, typed: &str, most: usize) -> Vec<T> {
    let matcher = Fuzzy::default();
    let scored = texts
        .into_iter()
        .filter_map(|text| Some((matcher.score(text.as_ref(), typed.split_whitespace())?, text)));
    let mut scored: Vec<(i64, T)> = scored.collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().take(most).map(|(_, text)| text).collect()
}

/// Returns the bundles of a package, newest first, those without a version last.
pub fn bundles_newest_first(package: &Package) -> impl Iterator<Item = &BundleName> {
    let mut bundles: Vec<_> = package.bundles.iter().collect();
    bundles.sort_by(|a, b| match (&a.version, &b.version) {
        (Some(a), Some(b)) => b.cmp_precedence(a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    bundles.into_iter().map(|bundle| &bundle.name.value)
}

/// Describes the bundles of a package that match a skipRange.
///
/// # Errors
///
/// Returns an error with the column if the range is invalid.
pub fn describe_range_matches(package: &Package, range: &str) -> Result<String, InputError> {
    let range = Range::parse(range).map_err(|error| InputError {
        message: error.to_string(),
        column: Some(error.column),
        hint: None,
    })?;
    let versions = package.bundles.iter().filter_map(|b| b.version.as_ref());
    let mut matched: Vec<_> = versions.filter(|v| range.matches(&v.version)).collect();
    matched.sort_by(|a, b| b.cmp_precedence(a));
    let matched: Vec<String> = matched.into_iter().map(ToString::to_string).collect();
    Ok(match matched.as_slice() {
        [] => "matches no bundle of the package".to_owned(),
        some => format!("matches {} of {}: {}", some.len(), package.bundles.len(), some.join(" ")),
    })
}

/// Fuzzy matcher of the `fuzzy-matcher` crate, applied word by word because it treats spaces as
/// characters. It ignores case, but text in the typed case comes first.
pub struct Fuzzy {
    for_letters: SkimMatcherV2,
    for_words: SkimMatcherV2,
}

impl Default for Fuzzy {
    fn default() -> Self {
        let matcher = || SkimMatcherV2::default().ignore_case();
        Self { for_letters: matcher(), for_words: matcher() }
    }
}

/// Score of each word that the text contains in the typed case.
const SAME_CASE_SCORE: i64 = 8;

impl Fuzzy {
    /// Applies a matcher to a word. The result does not depend on earlier texts.
    ///
    /// A matcher keeps the cells of its matrix, and does not clear all that a word of several letters needs. A match
    /// of one letter leaves only four cells, which the first row of a longer text clears.
    fn match_word<T>(
        &self,
        text: &str,
        word: &str,
        run: impl Fn(&SkimMatcherV2, &str, &str) -> Option<T>,
    ) -> Option<T> {
        const MIN_LETTERS: usize = 3;
        if word.chars().nth(1).is_none() {
            return run(&self.for_letters, text, word);
        }
        if text.chars().nth(MIN_LETTERS - 1).is_none() {
            return run(&SkimMatcherV2::default().ignore_case(), text, word);
        }
        let result = run(&self.for_words, text, word)?;
        self.for_words.fuzzy_match("a", "a");
        Some(result)
    }

    /// Returns the score of a text; `None` if it does not match all words.
    pub fn score<'w>(&self, text: &str, words: impl IntoIterator<Item = &'w str>) -> Option<i64> {
        let mut total = 0;
        for word in words {
            let score = self.match_word(text, word, SkimMatcherV2::fuzzy_match)?;
            total += score + if text.contains(word) { SAME_CASE_SCORE } else { 0 };
        }
        Some(total)
    }

    /// Returns the indexes of the characters of a text that match the words.
    pub fn matching_chars<'w>(&self, text: &str, words: impl IntoIterator<Item = &'w str>) -> Vec<usize> {
        let find = |matcher: &SkimMatcherV2, text: &str, word: &str| matcher.fuzzy_indices(text, word);
        let words = words.into_iter().filter_map(|word| self.match_word(text, word, find));
        let mut matched: Vec<usize> = words.flat_map(|(_, indices)| indices).collect();
        matched.sort_unstable();
        matched.dedup();
        matched
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_upgrade::fixture;

    #[test]
    fn score_does_not_depend_on_earlier_texts() {
        let texts =
            ["sss-sssss-ssss-sssssss-ssssssss", "category: Streaming & Messaging", "kotatsu-operator fast"];
        let used = Fuzzy::default();
        for text in texts.iter().chain(texts.iter().rev()) {
            for typed in ["ss", "s", "sss ss", "s ss"] {
                let words = || typed.split_whitespace();
                let fresh = Fuzzy::default();
                assert_eq!(used.score(text, words()), fresh.score(text, words()), "{typed}: {text}");
                let fresh = Fuzzy::default();
                assert_eq!(
                    used.matching_chars(text, words()),
                    fresh.matching_chars(text, words()),
                    "{typed}: {text}"
                );
            }
        }
    }

    #[test]
    fn matching_bundles_are_sorted_by_version() {
        let graph = fixture::graph_from_lines("2.4.10 replaces=2.4.9\n2.4.2\n2.4.9 replaces=2.4.2");
        assert_eq!(
            describe_range_matches(&graph.package, ">=2.4.0 <2.5.0"),
            Ok("matches 3 of 3: 2.4.10 2.4.9 2.4.2".to_owned())
        );
    }

    #[test]
    fn best_match_with_skipped_letters_comes_first() {
        let names = ["ship-operator.v1.12.0", "ship-operator.v1.2.0", "ship-operator.v1.1.0"];
        assert_eq!(best_matches(names, "shop1.2", 5), ["ship-operator.v1.2.0", "ship-operator.v1.12.0"]);
        assert_eq!(best_matches(names, "", 2), names[..2], "what is equal stays in its order");
        assert!(best_matches(names, "boat", 5).is_empty());
        assert_eq!(best_matches(names, "Ship-Operator.V1.2", 1), ["ship-operator.v1.2.0"]);
        assert_eq!(best_matches(["stable", "Stable"], "Stable", 2), ["Stable", "stable"]);
    }
}
