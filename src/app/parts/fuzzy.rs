//! Finding by a few letters.

use fuzzy_matcher::{FuzzyMatcher, skim::SkimMatcherV2};

/// How well a text matches what was typed: a score, and the characters that match. Behind a trait, so that the
/// matcher can be swapped.
pub trait Matcher {
    /// `None` where the text does not match.
    fn score(&self, text: &str, typed: &str) -> Option<(i64, Vec<usize>)>;
}

/// The fuzzy-matcher crate, asked word by word: it takes a blank for a letter.
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
