//! Fuzzy matching.

use fuzzy_matcher::{FuzzyMatcher, skim::SkimMatcherV2};

/// Fuzzy matcher. It is a trait so that the implementation can be replaced.
pub trait Matcher {
    /// Returns the score and the indexes of the matching characters; `None` if the text does not
    /// match.
    fn score(&self, text: &str, typed: &str) -> Option<(i64, Vec<usize>)>;
}

/// Matcher of the `fuzzy-matcher` crate, applied word by word because it treats spaces as
/// characters.
#[derive(Default)]
pub struct Fuzzy(SkimMatcherV2);

impl Matcher for Fuzzy {
    fn score(&self, text: &str, typed: &str) -> Option<(i64, Vec<usize>)> {
        let mut total = 0;
        let mut matched = Vec::new();
        for word in typed.split_whitespace() {
            let (score, indices) = self.0.fuzzy_indices(text, word)?;
            total += score;
            matched.extend(indices);
        }
        matched.sort_unstable();
        matched.dedup();
        Some((total, matched))
    }
}
