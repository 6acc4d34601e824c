//! History of a package: the effects of each commit on it and on its users, with the same
//! comparison as `olmap diff`.

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    path::PathBuf,
    sync::Arc,
};

use rayon::prelude::*;

use super::{
    Difference, Snapshot, StuckChange,
    diff::{ChangeKind, Impact, ImpactCounts, PackageDiff},
};
use crate::{Finding, RuleProperty, Severity, review::diff::ChannelDiff};
use olm_catalog::{
    BundleName, Catalog, PackageName, blob::DeprecationTarget, load::git::history::CommitInfo,
};

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
        // A history covers only one package.
        for finding in findings.iter().filter(|finding| !finding.rule.has(RuleProperty::OnOtherPackages)) {
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
        let users = ImpactCounts::count_users(&difference);
        let mut installed: BTreeMap<BundleName, Impact> = BTreeMap::new();
        let mut add = |bundle: &BundleName, fortune: Impact| {
            let worst = installed.entry(bundle.clone()).or_insert(fortune);
            *worst = fortune.min(*worst);
        };
        let consequences = &difference.consequences;
        for moved in &consequences.changed_steps {
            add(&moved.installed, difference.impact_of_upgrade(moved));
        }
        for change in &consequences.stuck {
            change.newly_stuck.iter().for_each(|row| add(&row.version, Impact::Stuck));
            change.freed.iter().for_each(|row| add(&row.version, Impact::Freed));
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

/// Iteration over states. Compares each commit with the closest earlier one whose state can be read.
#[derive(Debug)]
pub struct StateSequence {
    package: PackageName,
    /// Oldest readable state so far, with its number.
    newer: Option<(usize, Arc<Snapshot>)>,
    /// Number of the next state.
    next: usize,
}

/// Two states, with the numbers of their commits.
struct StatePair {
    number: usize,
    older_number: usize,
    newer: Arc<Snapshot>,
    older: Arc<Snapshot>,
}

impl StateSequence {
    /// Creates a chain without states.
    pub fn new(package: PackageName) -> Self {
        Self { package, newer: None, next: 0 }
    }

    /// Adds the next states, newest first, or the reasons why they cannot be read. Returns the changes of commits that are
    /// now known, each with its number, in any order. Skips commits that do not change the package.
    pub fn add_states(&mut self, states: Vec<Result<Catalog, String>>) -> Vec<(usize, CommitEffect)> {
        let judged: Vec<Result<Arc<Snapshot>, String>> =
            states.into_par_iter().map(|state| Ok(Arc::new(Snapshot::new(state?)))).collect();
        let (mut pairs, mut told) = (Vec::new(), Vec::new());
        for state in judged {
            let number = self.next;
            self.next += 1;
            match state {
                Err(why) => told.push((number, CommitEffect::Unread(why))),
                Ok(older) => {
                    if let Some((before, newer)) = self.newer.replace((number, Arc::clone(&older))) {
                        pairs.push(StatePair { number: before, older_number: number, newer, older });
                    }
                }
            }
        }
        let package = &self.package;
        told.par_extend(pairs.into_par_iter().filter_map(|pair| {
            let mut changed = PackageChange::compare_package(&pair.older, &pair.newer, package)?;
            changed.unread_before = pair.older_number.saturating_sub(pair.number + 1);
            Some((pair.number, CommitEffect::Changed(Box::new(changed))))
        }));
        told
    }

    /// Ends the chain: the last state was before the oldest commit.
    pub fn finish_sequence(&mut self) -> Option<(usize, CommitEffect)> {
        let (number, _) = mem::take(&mut self.newer)?;
        let why = || "what was there before cannot be read".to_owned();
        (number + 1 < self.next).then(|| (number, CommitEffect::Unread(why())))
    }
}

impl History {
    /// Returns all bundles and entries in the steps.
    pub fn all_bundles(&self) -> BTreeSet<&BundleName> {
        let packages =
            self.steps.iter().filter_map(HistoryStep::package_change).map(|changed| &changed.package);
        packages
            .flat_map(|package| {
                let entries = package.channels.iter().flat_map(|channel| &channel.entries);
                package.bundles.iter().map(|bundle| &bundle.name).chain(entries.map(|entry| &entry.name))
            })
            .collect()
    }

    /// Removes everything that is not about a bundle. Unreadable steps stay, since they may be
    /// about it.
    #[must_use]
    pub fn for_bundle(&self, bundle: &BundleName) -> Self {
        let steps = self.steps.iter().filter_map(|step| {
            let did = match &step.effect {
                CommitEffect::Changed(changed) => {
                    CommitEffect::Changed(Box::new(changed.part_for_bundle(bundle)?))
                }
                unread @ CommitEffect::Unread(_) => unread.clone(),
            };
            Some(HistoryStep { effect: did, ..step.clone() })
        });
        Self { steps: steps.collect(), package: self.package.clone(), ..*self }
    }
}

impl PackageChange {
    fn part_for_bundle(&self, bundle: &BundleName) -> Option<Self> {
        let is_it = |target: &Option<DeprecationTarget>| matches!(target, Some(DeprecationTarget::Bundle(name)) if name == bundle);
        let whole = &self.package;
        let channels: Vec<ChannelDiff> =
            whole.channels.iter().filter_map(|c| channel_part_for_bundle(c, bundle)).collect();
        let package = PackageDiff {
            default_channel: None,
            description: Vec::new(),
            channels,
            bundles: whole.bundles.iter().filter(|diff| diff.name == *bundle).cloned().collect(),
            deprecations: whole.deprecations.iter().filter(|diff| is_it(&diff.target)).cloned().collect(),
            others: Vec::new(),
            rewritten: Vec::new(),
            ..whole.clone()
        };
        let installed: Vec<_> = self.installed.get_key_value(bundle).into_iter().collect();
        let is_about = !package.channels.is_empty()
            || !package.bundles.is_empty()
            || !package.deprecations.is_empty()
            || !installed.is_empty();
        is_about.then(|| Self {
            package,
            users: ImpactCounts::default(),
            stuck: None,
            installed: installed.into_iter().map(|(name, fortune)| (name.clone(), *fortune)).collect(),
            new_findings: FindingCounts::default(),
            fixed_findings: FindingCounts::default(),
            unread_before: self.unread_before,
        })
    }
}

/// Returns the part of a channel difference about a bundle: its entry, and whether it becomes a
/// head or stops being one.
fn channel_part_for_bundle(channel: &ChannelDiff, bundle: &BundleName) -> Option<ChannelDiff> {
    let entries: Vec<_> = channel.entries.iter().filter(|entry| entry.name == *bundle).cloned().collect();
    let heads =
        channel.heads.as_ref().filter(|heads| heads.before.contains(bundle) != heads.after.contains(bundle));
    (!entries.is_empty() || heads.is_some()).then(|| ChannelDiff {
        // Even if the channel is new or removed, the entry itself can be reported as added or
        // removed.
        change_kind: ChangeKind::Changed,
        entries,
        heads: heads.cloned(),
        new_edges: Vec::new(),
        removed_edges: Vec::new(),
        has_more_edges: false,
        ..channel.clone()
    })
}
