//! A package through time: what each commit did to it and to its users, by the same comparison as `olmap diff`.

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

/// Rules that look at other packages of a catalog. The history is that of one package, so they are not asked.
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

/// The history of a package.
#[derive(Clone, Debug)]
pub struct History {
    /// The package.
    pub package: PackageName,
    /// What each commit did, newest first. Commits that touched only other packages in its files are left out.
    pub steps: Vec<Step>,
    /// Whether there are older commits that were not asked for.
    pub is_cut: bool,
    /// Whether the repository has only the newest part of its history.
    pub is_shallow: bool,
}

/// A commit and what it did.
#[derive(Clone, Debug)]
pub struct Step {
    /// The commit.
    pub committed: Committed,
    /// What it did.
    pub did: Did,
    /// Where the package's file came from, or went to, where the commit moved it into the catalog or out of it.
    pub moved: Option<PathBuf>,
}

/// What a commit did.
#[derive(Clone, Debug)]
pub enum Did {
    /// It changed the package.
    Changed(Box<Changed>),
    /// What it left cannot be read: why.
    Unread(String),
}

/// What a change of a package is to its users.
#[derive(Clone, Debug)]
pub struct Changed {
    /// What differs of the package.
    pub package: PackageDiff,
    /// How many of its users fare how.
    pub users: Users,
    /// Changes of its stuck versions. `None` if there are none.
    pub stuck: Option<StuckChange>,
    /// Installed bundles for which something changes, each once, by the worst that happens to it.
    pub installed: BTreeMap<BundleName, Fortune>,
    /// Findings that are new.
    pub new_findings: Counts,
    /// Findings that are fixed.
    pub fixed_findings: Counts,
    /// How many commits just before this one left something that cannot be read, so that what they did is in here too.
    pub unread_before: usize,
}

/// How many findings there are.
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

    /// All of them.
    pub fn all(self) -> usize {
        self.errors + self.warnings + self.notes
    }
}

impl Changed {
    /// What differs of a package between two states; `None` where its documents are the same.
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

    /// The bundles that became what.
    pub fn bundles(&self, fate: Fate) -> impl Iterator<Item = &BundleName> {
        self.package.bundles.iter().filter(move |bundle| bundle.fate == fate).map(|bundle| &bundle.name)
    }

    /// The installed bundles that fare so.
    pub fn faring(&self, fortune: Fortune) -> impl Iterator<Item = &BundleName> {
        self.installed.iter().filter(move |(_, fares)| **fares == fortune).map(|(name, _)| name)
    }
}

impl Step {
    /// What it changed, where that is known.
    pub fn changed(&self) -> Option<&Changed> {
        match &self.did {
            Did::Changed(changed) => Some(changed),
            Did::Unread(_) => None,
        }
    }
}
