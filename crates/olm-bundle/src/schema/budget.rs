//! Limits of the work for the examples of a bundle. Examples and schemas are untrusted, and the cost may be the
//! product of their sizes.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

use regex::bytes::{Regex, RegexBuilder};

use olm_catalog::similar_names;

/// Steps for all examples of a bundle. A step is one value, eight names, or 64 bytes; the largest real bundles
/// need some thousands.
const MAX_STEPS: usize = 4_000_000;
/// Maximum number of suggestions for unknown names.
const MAX_SUGGESTIONS: usize = 50;
/// Maximum number of candidates for a suggestion.
const MAX_NAMES: usize = 500;
/// Maximum length in bytes of an unknown name with a suggestion.
const MAX_NAME_LEN: usize = 200;
/// Size limits of compiled patterns in bytes; larger patterns are not checked. Smaller automata cost less per
/// byte of text.
const PATTERN_SIZES: [usize; 3] = [1 << 12, 1 << 14, 1 << 16];

/// Remaining work.
pub struct Budget {
    steps: Cell<usize>,
    suggestions: Cell<usize>,
    /// Compiled patterns by text: for ASCII texts, and for all others.
    patterns: [RefCell<HashMap<String, Pattern>>; 2],
}

/// A compiled pattern with its size; `None` if it is invalid or too large.
type Pattern = Option<(Regex, usize)>;

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: Cell::new(MAX_STEPS),
            suggestions: Cell::new(MAX_SUGGESTIONS),
            patterns: Default::default(),
        }
    }
}

impl Budget {
    /// Consumes steps, at least one; returns true if they were available.
    pub(super) fn spend(&self, steps: usize) -> bool {
        let left = self.steps.get().saturating_sub(steps.max(1));
        self.steps.set(left);
        left > 0
    }

    /// Returns true if the budget is exhausted, so that later results may be incomplete.
    pub fn is_spent(&self) -> bool {
        self.steps.get() == 0
    }

    /// Returns the most similar of `count` names, if any is similar enough.
    pub(super) fn suggest_name<'n>(
        &self,
        name: &str,
        count: usize,
        names: impl Iterator<Item = &'n str>,
    ) -> Option<&'n str> {
        let left = self.suggestions.get().checked_sub(1)?;
        if count > MAX_NAMES || name.len() > MAX_NAME_LEN {
            return None;
        }
        self.suggestions.set(left);
        similar_names::suggest_closest(name, names.filter(|name| name.len() <= MAX_NAME_LEN))
    }

    /// Returns true if a text matches a pattern, or if that cannot be checked.
    pub(super) fn matches_pattern(&self, pattern: &str, text: &str) -> bool {
        if !self.spend(pattern.len() / 64) {
            return true;
        }
        let [ascii, any] = &self.patterns;
        let mut patterns = if text.is_ascii() { ascii } else { any }.borrow_mut();
        if !patterns.contains_key(pattern) {
            // In Go, `\d`, `\w` and `\s` match only ASCII.
            let in_ascii = if text.is_ascii() { self.compile_pattern(pattern, false) } else { None };
            patterns.insert(pattern.to_owned(), in_ascii.or_else(|| self.compile_pattern(pattern, true)));
        }
        let Some(Some((regex, size))) = patterns.get(pattern) else { return true };
        // In the worst case, each byte of the text visits the whole automaton.
        !self.spend(text.len().saturating_mul(size >> 12)) || regex.is_match(text.as_bytes())
    }

    fn compile_pattern(&self, pattern: &str, is_unicode: bool) -> Pattern {
        PATTERN_SIZES.into_iter().find_map(|size| {
            if !self.spend(pattern.len() + size / 4) {
                return None;
            }
            let regex = RegexBuilder::new(pattern).unicode(is_unicode).size_limit(size).build().ok()?;
            Some((regex, size))
        })
    }
}
