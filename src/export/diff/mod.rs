//! Difference between two catalogs, for people, for programs, and for a comment on a pull request.

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

/// Difference between two catalogs with its context.
#[derive(Clone, Debug)]
pub struct Compared<'a> {
    /// Display name of the old catalog.
    pub old_label: &'a str,
    /// Display name of the new catalog.
    pub new_label: &'a str,
    /// Old catalog.
    pub old: &'a Snapshot,
    /// New catalog.
    pub new: &'a Snapshot,
    /// Difference.
    pub difference: &'a Difference,
    /// Violated release rules.
    pub violations: &'a [Violation],
    /// Parts of both catalogs that could not be read and are not compared.
    pub left_out: Vec<LeftOut>,
    /// True if documents are reported that differ only in formatting.
    pub formatting: bool,
    /// Cluster update from the old to the new catalog, if they are for different OpenShift
    /// versions.
    pub update: Option<Update>,
}

/// Update of a cluster from one catalog to that of a later OpenShift version.
#[derive(Clone, Debug)]
pub struct Update {
    /// Catalogs of the update.
    pub over: Over,
    /// Upgrade plans of all installed versions.
    pub everyone: Everyone,
}

impl Compared<'_> {
    /// Returns true if nothing differs, false if something does, and `None` if unread parts may
    /// differ.
    pub(super) fn is_same(&self) -> Option<bool> {
        match (self.difference.is_empty(), self.left_out.is_empty()) {
            (true, false) => None,
            (is_empty, _) => Some(is_empty),
        }
    }

    /// Describes the impact on users, worst first. Empty if no user is affected.
    pub fn fortunes(&self) -> Vec<(Fortune, String)> {
        let mut users = words::users(self);
        let (blocking, others): (Vec<_>, Vec<_>) =
            words::deprecations(self).into_iter().partition(|(fortune, _)| *fortune == Fortune::Stuck);
        let place = users.iter().position(|(fortune, _)| !fortune.is_harm()).unwrap_or(users.len());
        users.splice(place..place, blocking);
        users.extend(others);
        users
    }

    /// Qualifies a positive sentence if parts of the catalogs could not be read.
    fn praise(&self, words: &str) -> String {
        if self.left_out.is_empty() { words.to_owned() } else { format!("{OF_THE_REST}{words}") }
    }

    /// Returns the number of packages that differ in meaning.
    pub fn differing(&self) -> usize {
        self.difference.packages.iter().filter(|package| !package.means_the_same()).count()
    }

    /// Returns the impact of a changed upgrade.
    pub fn fortune_of(&self, moved: &Moved) -> Fortune {
        Fortune::of(moved, &self.difference.consequences.stuck, self.old, self.new)
    }

    /// Returns the number of installed versions by impact.
    pub fn users(&self) -> Users {
        Users::of(self.difference, self.old, self.new)
    }
}

/// Formats a number with the singular or plural noun.
fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
