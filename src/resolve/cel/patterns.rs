//! The patterns of a rule: to make one ready takes longer than most rules, and a rule is asked of thousands of entries.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use regex::Regex;

use super::re2::{Unread, read};

/// How many patterns are kept. A rule has one or two; those that it makes of properties may be any number.
const KEPT: usize = 16;

/// The patterns that a rule has matched with, or why they cannot be.
#[derive(Debug, Default)]
pub(super) struct Patterns(Mutex<HashMap<String, Result<Regex, Unread>>>);

impl Patterns {
    /// Whether a pattern was read before.
    pub(super) fn knows(&self, pattern: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(pattern)
    }

    /// A pattern, or why it cannot be matched with.
    pub(super) fn get(&self, pattern: &str) -> Result<Regex, Unread> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().get(pattern) {
            return known.clone();
        }
        let read = read(pattern);
        let mut kept = kept();
        if kept.len() < KEPT {
            kept.insert(pattern.to_owned(), read.clone());
        }
        read
    }
}
