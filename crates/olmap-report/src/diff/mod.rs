//! Difference between two catalogs, for people, for programs, and for a comment on a pull request.

pub mod json;
pub mod lines;
pub mod markdown;
mod mermaid;
pub(crate) mod phrases;
pub mod text;
pub mod verdict;

use crate::{
    omissions::{OmittedPart, READ_PART_PREFIX},
    plan::PlanRange,
};
use olm_check::review::{
    ChangedUpgrade, Snapshot,
    diff::{Difference, Impact, ImpactCounts, Violation},
};
use olm_plan::planner::AllPlans;

/// Difference between two catalogs with its context.
#[derive(Clone, Debug)]
pub struct CatalogComparison<'a> {
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
    pub left_out: Vec<OmittedPart>,
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
    pub over: PlanRange,
    /// Upgrade plans of all installed versions.
    pub everyone: AllPlans,
}

impl CatalogComparison<'_> {
    /// Returns true if nothing differs, false if something does, and `None` if unread parts may
    /// differ.
    pub(super) fn is_same(&self) -> Option<bool> {
        match (self.difference.is_empty(), self.left_out.is_empty()) {
            (true, false) => None,
            (is_empty, _) => Some(is_empty),
        }
    }

    /// Describes the impact on users, worst first. Empty if no user is affected.
    pub fn describe_impacts(&self) -> Vec<(Impact, String)> {
        let mut users = phrases::describe_user_impacts(self);
        let (blocking, others): (Vec<_>, Vec<_>) = phrases::describe_deprecation_impacts(self)
            .into_iter()
            .partition(|(fortune, _)| *fortune == Impact::Stuck);
        let place = users.iter().position(|(fortune, _)| !fortune.is_harm()).unwrap_or(users.len());
        users.splice(place..place, blocking);
        users.extend(others);
        users
    }

    /// Qualifies a positive sentence if parts of the catalogs could not be read.
    fn qualify_praise(&self, words: &str) -> String {
        if self.left_out.is_empty() { words.to_owned() } else { format!("{READ_PART_PREFIX}{words}") }
    }

    /// Returns the number of packages that differ in meaning.
    pub fn count_differing_packages(&self) -> usize {
        self.difference.packages.iter().filter(|package| !package.has_same_meaning()).count()
    }

    /// Returns the impact of a changed upgrade.
    pub fn impact_of(&self, moved: &ChangedUpgrade) -> Impact {
        Impact::judge_change(moved, &self.difference.consequences.stuck, self.old, self.new)
    }

    /// Returns the number of installed versions by impact.
    pub fn count_users(&self) -> ImpactCounts {
        ImpactCounts::count_users(self.difference, self.old, self.new)
    }
}

/// Formats a number with the singular or plural noun.
fn count_noun(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
