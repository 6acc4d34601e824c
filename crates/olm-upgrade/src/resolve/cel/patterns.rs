//! Cache of a rule's compiled patterns. Compiling takes longer than most rules, and a rule is evaluated for
//! thousands of entries.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use regex::Regex;

use super::re2::{PatternError, compile};

/// Maximum number of cached patterns. A rule has one or two, but it can compute any number from properties.
const MAX_PATTERNS: usize = 16;

/// Patterns of a rule, or the reasons why they cannot be used.
#[derive(Debug, Default)]
pub(super) struct Patterns(Mutex<HashMap<String, Result<Regex, PatternError>>>);

impl Patterns {
    /// Returns true if a pattern is cached.
    pub(super) fn contains(&self, pattern: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(pattern)
    }

    /// Returns a compiled pattern, or the reason why it cannot be used.
    pub(super) fn get(&self, pattern: &str) -> Result<Regex, PatternError> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().get(pattern) {
            return known.clone();
        }
        let read = compile(pattern);
        let mut kept = kept();
        if kept.len() < MAX_PATTERNS {
            kept.insert(pattern.to_owned(), read.clone());
        }
        read
    }
}
