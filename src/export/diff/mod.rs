//! What differs between two catalogs: for people, for programs, and for a comment on a pull request.

pub mod json;
pub mod lines;
pub mod markdown;
mod mermaid;
pub mod text;
pub mod verdict;
pub(in crate::export) mod words;

use crate::{
    export::{
        left_out::{LeftOut, OF_THE_REST},
        plan::Over,
    },
    plan::planner::Everyone,
    review::{
        Moved, Snapshot,
        diff::{Difference, Fortune, Users, Violation},
    },
};

/// A difference and everything that is told of it.
#[derive(Clone, Debug)]
pub struct Compared<'a> {
    /// How people call the old catalog.
    pub old_label: &'a str,
    /// How people call the new one.
    pub new_label: &'a str,
    /// The old catalog.
    pub old: &'a Snapshot,
    /// The new one.
    pub new: &'a Snapshot,
    /// What differs.
    pub difference: &'a Difference,
    /// What a release must not do, and this one does.
    pub violations: &'a [Violation],
    /// What could not be read of the two, and so is not compared.
    pub left_out: Vec<LeftOut>,
    /// Whether documents are told of that are only written differently.
    pub formatting: bool,
    /// Who gets from the old catalog to the new one, where the two are for different OpenShift versions.
    pub update: Option<Update>,
}

/// Who gets from one catalog to that of a later OpenShift version.
#[derive(Clone, Debug)]
pub struct Update {
    /// The two.
    pub over: Over,
    /// The plans of everybody.
    pub everyone: Everyone,
}

impl Compared<'_> {
    /// Returns true if nothing differs, false if something does, and `None` if nothing that could be read does.
    pub(super) fn is_same(&self) -> Option<bool> {
        match (self.difference.is_empty(), self.left_out.is_empty()) {
            (true, false) => None,
            (is_empty, _) => Some(is_empty),
        }
    }

    /// How users fare, in words, the worst first; nothing where nobody is moved.
    pub fn fortunes(&self) -> Vec<(Fortune, String)> {
        let mut users = words::users(self);
        let (blocking, others): (Vec<_>, Vec<_>) =
            words::deprecations(self).into_iter().partition(|(fortune, _)| *fortune == Fortune::Stuck);
        let place = users.iter().position(|(fortune, _)| !fortune.is_harm()).unwrap_or(users.len());
        users.splice(place..place, blocking);
        users.extend(others);
        users
    }

    /// A sentence that praises, no more than what was read allows.
    fn praise(&self, words: &str) -> String {
        if self.left_out.is_empty() { words.to_owned() } else { format!("{OF_THE_REST}{words}") }
    }

    /// How many packages differ in meaning.
    pub fn differing(&self) -> usize {
        self.difference.packages.iter().filter(|package| !package.means_the_same()).count()
    }

    /// Returns the impact of a changed upgrade.
    pub fn fortune_of(&self, moved: &Moved) -> Fortune {
        Fortune::of(moved, &self.difference.consequences.stuck, self.old, self.new)
    }

    /// How many installed versions fare how.
    pub fn users(&self) -> Users {
        Users::of(self.difference, self.old, self.new)
    }
}

/// How many of something, in words.
fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
