//! The patterns of a rule: to make one ready takes longer than most rules, and a rule is asked of thousands of entries.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use regex::{Regex, RegexBuilder};

/// The largest pattern that is read, in bytes of what it becomes.
const MAX_PATTERN: usize = 1 << 20;
/// How many patterns are kept. A rule has one or two; those that it makes of properties may be any number.
const KEPT: usize = 16;

/// The patterns that a rule has matched with, `None` for one that cannot be read.
#[derive(Debug, Default)]
pub(super) struct Patterns(Mutex<HashMap<String, Option<Regex>>>);

impl Patterns {
    /// Whether a pattern was read before.
    pub(super) fn knows(&self, pattern: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(pattern)
    }

    /// A pattern; `None` for one that cannot be read.
    pub(super) fn get(&self, pattern: &str) -> Option<Regex> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().get(pattern) {
            return known.clone();
        }
        let read = RegexBuilder::new(pattern).size_limit(MAX_PATTERN).build().ok();
        let mut kept = kept();
        if kept.len() < KEPT {
            kept.insert(pattern.to_owned(), read.clone());
        }
        read
    }
}
