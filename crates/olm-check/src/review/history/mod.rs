//! History of a package: the effects of each commit on it and on its users, with the same
//! comparison as `olmap diff`.

mod bundle_history;
mod chain;

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, path::PathBuf};

pub use chain::StateSequence;

use super::{
    Difference, Snapshot, StuckChange,
    diff::{ChangeKind, Impact, ImpactCounts, PackageDiff},
};
use crate::{Finding, Rule, Severity, rules};
use olm_catalog::{BundleName, PackageName, load::git::history::CommitInfo};

/// Rules about other packages of a catalog. They are ignored, since a history covers only one
/// package.
static OTHER_PACKAGE_RULES: [&Rule; 8] = [
    &rules::UNMET_DEPENDENCY,
    &rules::OUTDATED_DEPENDENCY,
    &rules::DEPENDENCY_UNSATISFIABLE,
    &rules::DEPENDENCY_HEAD_UNSATISFIABLE,
    &rules::DEPENDENCY_ONLY_ELSEWHERE,
    &rules::DEPENDENCY_CIRCLE,
    &rules::RESOLUTION_UNSTABLE,
    &rules::V1_DEPENDENCIES,
];

/// History of a package.
#[derive(Clone, Debug)]
pub struct History {
    /// Name of the package.
    pub package: PackageName,
    /// Commits that change the package, newest first.
    pub steps: Vec<HistoryStep>,
    /// True if there are older commits that were not requested.
    pub is_cut: bool,
    /// True if the repository is a shallow clone.
    pub is_shallow: bool,
}

/// Commit with its effect.
#[derive(Clone, Debug)]
pub struct HistoryStep {
    /// The commit.
    pub committed: CommitInfo,
    /// Effect of the commit.
    pub effect: CommitEffect,
    /// Other path of the package's file, if the commit moved it into the catalog or out of it.
    pub moved: Option<PathBuf>,
}

/// Effect of a commit.
#[derive(Clone, Debug)]
pub enum CommitEffect {
    /// Change of the package.
    Changed(Box<PackageChange>),
    /// Unknown, because the state after the commit is unreadable, with the reason.
    Unread(String),
}

/// Change of a package, with its impact on users.
#[derive(Clone, Debug)]
pub struct PackageChange {
    /// Difference of the package.
    pub package: PackageDiff,
    /// Number of users per impact.
    pub users: ImpactCounts,
    /// Changes of its stuck versions; `None` if there are none.
    pub stuck: Option<StuckChange>,
    /// Installed bundles with a changed upgrade, each with its most severe impact.
    pub installed: BTreeMap<BundleName, Impact>,
    /// Numbers of new findings.
    pub new_findings: FindingCounts,
    /// Numbers of fixed findings.
    pub fixed_findings: FindingCounts,
    /// Number of unreadable commits just before this one. Their changes are included here.
    pub unread_before: usize,
}

/// Numbers of findings.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FindingCounts {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Notes.
    pub notes: usize,
}

impl FindingCounts {
    fn count_findings(findings: &[Finding]) -> Self {
        let mut counts = Self::default();
        for finding in findings.iter().filter(|finding| !OTHER_PACKAGE_RULES.contains(&finding.rule)) {
            *match finding.severity() {
                Severity::Error => &mut counts.errors,
                Severity::Warning => &mut counts.warnings,
                Severity::Note => &mut counts.notes,
            } += finding.finding_count();
        }
        counts
    }

    /// Returns the total.
    pub fn total(self) -> usize {
        self.errors + self.warnings + self.notes
    }
}

impl PackageChange {
    /// Compares a package in two states; `None` if its documents are equal.
    pub fn compare_package(before: &Snapshot, after: &Snapshot, package: &PackageName) -> Option<Self> {
        let mut difference = Difference::compare_catalogs(before, after);
        difference.retain_packages(|name| name == package);
        let users = ImpactCounts::count_users(&difference, before, after);
        let mut installed: BTreeMap<BundleName, Impact> = BTreeMap::new();
        let mut add = |bundle: &BundleName, fortune: Impact| {
            let worst = installed.entry(bundle.clone()).or_insert(fortune);
            *worst = fortune.min(*worst);
        };
        let consequences = &difference.consequences;
        for moved in &consequences.changed_steps {
            add(&moved.installed, Impact::judge_change(moved, &consequences.stuck, before, after));
        }
        for change in &consequences.stuck {
            change.newly_stuck.iter().for_each(|row| add(&row.version, Impact::Stuck));
            change.freed.iter().for_each(|(_, version)| add(version, Impact::Freed));
        }
        let stuck = consequences.stuck.iter().find(|change| change.package_name() == package).cloned();
        let (new, fixed) = (
            FindingCounts::count_findings(&consequences.new_findings),
            FindingCounts::count_findings(&consequences.fixed_findings),
        );
        let package = difference.packages.into_iter().find(|diff| diff.name == *package)?;
        Some(Self {
            package,
            users,
            stuck,
            installed,
            new_findings: new,
            fixed_findings: fixed,
            unread_before: 0,
        })
    }

    /// Returns the bundles with a kind of change.
    pub fn bundles_by_kind(&self, fate: ChangeKind) -> impl Iterator<Item = &BundleName> {
        self.package
            .bundles
            .iter()
            .filter(move |bundle| bundle.change_kind == fate)
            .map(|bundle| &bundle.name)
    }

    /// Returns the installed bundles with an impact.
    pub fn bundles_by_impact(&self, fortune: Impact) -> impl Iterator<Item = &BundleName> {
        self.installed.iter().filter(move |(_, fares)| **fares == fortune).map(|(name, _)| name)
    }
}

impl HistoryStep {
    /// Returns the change; `None` if it is unknown.
    pub fn package_change(&self) -> Option<&PackageChange> {
        match &self.effect {
            CommitEffect::Changed(changed) => Some(changed),
            CommitEffect::Unread(_) => None,
        }
    }
}
