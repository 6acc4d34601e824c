//! How much work the examples of a bundle may make: examples and schemas are strangers' texts, and what has to be done
//! for them may be the product of the two.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

use regex::bytes::{Regex, RegexBuilder};

use crate::catalog::near;

/// How much may be done for all examples of a bundle. A step is one value looked at, or eight names, or 64 bytes; the
/// largest real bundles take some thousands.
const STEPS: usize = 4_000_000;
/// How many names that are none are compared with those that are.
const SUGGESTIONS: usize = 50;
/// Among more names than this nobody looks for the one that was meant.
const MOST_NAMES: usize = 500;
/// The longest name that is looked for among others, in bytes.
const LONGEST_NAME: usize = 200;
/// The sizes of the automata that patterns make, in bytes; patterns that make larger ones are left alone. Small ones cost less
/// for each byte of a text.
const PATTERN_SIZES: [usize; 3] = [1 << 12, 1 << 14, 1 << 16];

/// What is left to be done.
pub(crate) struct Budget {
    steps: Cell<usize>,
    suggestions: Cell<usize>,
    /// By their texts: those for texts in ASCII, and those for all others.
    patterns: [RefCell<HashMap<String, Pattern>>; 2],
}

/// An expression with the size of its automaton; nothing where a text is none, or makes too much of an automaton.
type Pattern = Option<(Regex, usize)>;

impl Default for Budget {
    fn default() -> Self {
        Self { steps: Cell::new(STEPS), suggestions: Cell::new(SUGGESTIONS), patterns: Default::default() }
    }
}

impl Budget {
    /// Takes steps, one at least; whether there were as many.
    pub(super) fn spend(&self, steps: usize) -> bool {
        let left = self.steps.get().saturating_sub(steps.max(1));
        self.steps.set(left);
        left > 0
    }

    /// Whether all has been spent: what was looked at since may be looked at by halves.
    pub(crate) fn is_spent(&self) -> bool {
        self.steps.get() == 0
    }

    /// The name that was probably meant among so many.
    pub(super) fn suggest<'n>(
        &self,
        name: &str,
        count: usize,
        names: impl Iterator<Item = &'n str>,
    ) -> Option<&'n str> {
        let left = self.suggestions.get().checked_sub(1)?;
        if count > MOST_NAMES || name.len() > LONGEST_NAME {
            return None;
        }
        self.suggestions.set(left);
        near::meant(name, names.filter(|name| name.len() <= LONGEST_NAME))
    }

    /// Whether a text matches a pattern; where nobody can tell, it does.
    pub(super) fn fits(&self, pattern: &str, text: &str) -> bool {
        if !self.spend(pattern.len() / 64) {
            return true;
        }
        let [ascii, any] = &self.patterns;
        let mut patterns = if text.is_ascii() { ascii } else { any }.borrow_mut();
        if !patterns.contains_key(pattern) {
            // To Go, `\d`, `\w` and `\s` have no letters but those of ASCII.
            let in_ascii = if text.is_ascii() { self.compile(pattern, false) } else { None };
            patterns.insert(pattern.to_owned(), in_ascii.or_else(|| self.compile(pattern, true)));
        }
        let Some(Some((regex, size))) = patterns.get(pattern) else { return true };
        // At worst, each byte of the text meets all of the automaton.
        !self.spend(text.len().saturating_mul(size >> 12)) || regex.is_match(text.as_bytes())
    }

    fn compile(&self, pattern: &str, is_unicode: bool) -> Pattern {
        PATTERN_SIZES.into_iter().find_map(|size| {
            if !self.spend(pattern.len() + size / 4) {
                return None;
            }
            let regex = RegexBuilder::new(pattern).unicode(is_unicode).size_limit(size).build().ok()?;
            Some((regex, size))
        })
    }
}
