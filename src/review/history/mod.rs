//! History of a package: the effects of each commit on it and on its users, with the same
//! comparison as `olmap diff`.

mod chain;
mod of_bundle;

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, path::PathBuf};

pub use chain::Chain;

use super::{
    Difference, Snapshot, StuckChange,
    diff::{Fate, Fortune, PackageDiff, Users},
};
use crate::{
    catalog::{BundleName, PackageName, load::git::history::Committed},
    validate::{Diagnostic, Rule, Severity, rules},
};

/// Rules about other packages of a catalog. They are ignored, since a history covers only one
/// package.
static ABOUT_OTHERS: [&Rule; 8] = [
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
    pub steps: Vec<Step>,
    /// True if there are older commits that were not requested.
    pub is_cut: bool,
    /// True if the repository is a shallow clone.
    pub is_shallow: bool,
}

/// Commit with its effect.
#[derive(Clone, Debug)]
pub struct Step {
    /// The commit.
    pub committed: Committed,
    /// Effect of the commit.
    pub did: Did,
    /// Other path of the package's file, if the commit moved it into the catalog or out of it.
    pub moved: Option<PathBuf>,
}

/// Effect of a commit.
#[derive(Clone, Debug)]
pub enum Did {
    /// Change of the package.
    Changed(Box<Changed>),
    /// Unknown, because the state after the commit is unreadable, with the reason.
    Unread(String),
}

/// Change of a package, with its impact on users.
#[derive(Clone, Debug)]
pub struct Changed {
    /// Difference of the package.
    pub package: PackageDiff,
    /// Number of users per impact.
    pub users: Users,
    /// Changes of its stuck versions; `None` if there are none.
    pub stuck: Option<StuckChange>,
    /// Installed bundles with a changed upgrade, each with its most severe impact.
    pub installed: BTreeMap<BundleName, Fortune>,
    /// Numbers of new findings.
    pub new_findings: Counts,
    /// Numbers of fixed findings.
    pub fixed_findings: Counts,
    /// Number of unreadable commits just before this one. Their changes are included here.
    pub unread_before: usize,
}

/// Numbers of findings.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Notes.
    pub notes: usize,
}

impl Counts {
    fn of(findings: &[Diagnostic]) -> Self {
        let mut counts = Self::default();
        for finding in findings.iter().filter(|finding| !ABOUT_OTHERS.contains(&finding.rule)) {
            *match finding.severity() {
                Severity::Error => &mut counts.errors,
                Severity::Warning => &mut counts.warnings,
                Severity::Note => &mut counts.notes,
            } += finding.count();
        }
        counts
    }

    /// Returns the total.
    pub fn all(self) -> usize {
        self.errors + self.warnings + self.notes
    }
}

impl Changed {
    /// Compares a package in two states; `None` if its documents are equal.
    pub fn between(before: &Snapshot, after: &Snapshot, package: &PackageName) -> Option<Self> {
        let mut difference = Difference::between(before, after);
        difference.keep(|name| name == package);
        let users = Users::of(&difference, before, after);
        let mut installed: BTreeMap<BundleName, Fortune> = BTreeMap::new();
        let mut add = |bundle: &BundleName, fortune: Fortune| {
            let worst = installed.entry(bundle.clone()).or_insert(fortune);
            *worst = fortune.min(*worst);
        };
        let consequences = &difference.consequences;
        for moved in &consequences.moved {
            add(&moved.installed, Fortune::of(moved, &consequences.stuck, before, after));
        }
        for change in &consequences.stuck {
            change.newly.iter().for_each(|row| add(&row.version, Fortune::Stuck));
            change.freed.iter().for_each(|(_, version)| add(version, Fortune::Freed));
        }
        let stuck = consequences.stuck.iter().find(|change| change.package() == package).cloned();
        let (new, fixed) = (Counts::of(&consequences.new_findings), Counts::of(&consequences.fixed_findings));
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
    pub fn bundles(&self, fate: Fate) -> impl Iterator<Item = &BundleName> {
        self.package.bundles.iter().filter(move |bundle| bundle.fate == fate).map(|bundle| &bundle.name)
    }

    /// Returns the installed bundles with an impact.
    pub fn faring(&self, fortune: Fortune) -> impl Iterator<Item = &BundleName> {
        self.installed.iter().filter(move |(_, fares)| **fares == fortune).map(|(name, _)| name)
    }
}

impl Step {
    /// Returns the change; `None` if it is unknown.
    pub fn changed(&self) -> Option<&Changed> {
        match &self.did {
            Did::Changed(changed) => Some(changed),
            Did::Unread(_) => None,
        }
    }
}
