//! Sorted findings of the Problems screen.

use std::collections::{HashMap, HashSet};

use crate::tui::{
    parts::list::{ListOrder, passes_filter},
    session::Session,
};
use olm_catalog::{BundleName, PackageName, file::Location};
use olm_check::{Finding, repetition, review::Snapshot, rule::RuleSubject, rules};

/// Listed finding.
#[derive(Clone, Debug)]
pub struct ListedFinding {
    /// The finding.
    pub finding: Finding,
    /// Current location.
    pub location: Option<Location>,
    /// Reason of the acceptance. `None` if the finding is not accepted.
    pub accepted: Option<String>,
    /// Number of versions whose users the finding and its repetitions concern.
    pub affected_versions: usize,
    /// Repetitions of this finding, which do not have their own rows.
    pub repeated: Vec<Self>,
}

impl ListedFinding {
    /// Returns the number of packages that the finding and its repetitions are about.
    pub fn count_packages(&self) -> usize {
        let all = std::iter::once(self).chain(&self.repeated);
        all.map(|problem| &problem.finding.package).collect::<HashSet<_>>().len()
    }
}

/// Returns the number of versions whose users a finding concerns: those it names, otherwise all of
/// its channel or package. 0 for findings about templates, which reach users only through a catalog.
fn count_affected_versions(finding: &Finding, snapshot: &Snapshot) -> usize {
    if finding.rule.subject() == RuleSubject::Template || finding.rule.id == rules::TEMPLATE_DIFFERS.id {
        return 0;
    }
    let state = finding.package.as_ref().and_then(|name| snapshot.package(name.as_str()));
    let Some(package) = state.map(|state| state.package()) else { return 0 };
    // This finding names the heads, but concerns the whole channel.
    if finding.rule.id != rules::MULTIPLE_HEADS.id {
        let named = finding.names.iter().filter(|name| package.bundle(name).is_some()).count();
        if named > 0 || finding.bundle.is_some() {
            return named.max(1);
        }
    }
    let channel = finding.channel.as_ref().and_then(|name| package.channel(name.as_str()));
    channel.map_or(package.bundles.len(), |channel| channel.entries.len())
}

/// Returns the number of versions that findings of one rule concern. A version that several of them name counts
/// once.
fn count_affected_by_all<'a>(
    findings: impl Iterator<Item = &'a ListedFinding>,
    snapshot: &Snapshot,
) -> usize {
    let mut named: HashSet<(&Option<PackageName>, &str)> = HashSet::new();
    let mut packages: HashSet<&Option<PackageName>> = HashSet::new();
    let mut others = 0;
    for ListedFinding { finding, affected_versions, .. } in findings {
        packages.insert(&finding.package);
        let bundle = finding.bundle.iter().map(BundleName::as_str);
        match (finding.names.is_empty(), *affected_versions) {
            (false, count) if count == finding.names.len() => {
                named.extend(finding.names.iter().map(|name| (&finding.package, name.as_str())));
            }
            (true, 1) if finding.bundle.is_some() => {
                named.extend(bundle.map(|name| (&finding.package, name)));
            }
            (_, count) => others += count,
        }
    }
    // Findings about several channels of a package concern its versions only once.
    let states = packages.into_iter().flatten().filter_map(|name| snapshot.package(name.as_str()));
    let all: usize = states.map(|state| state.package().bundles.len()).sum();
    (named.len() + others).min(all)
}

/// Row of the list.
#[derive(Clone, Copy, Debug)]
pub enum Row<'a> {
    /// A finding.
    Finding(&'a ListedFinding),
    /// The row above the accepted findings.
    Accepted {
        /// Number of accepted findings.
        count: usize,
        /// Whether the accepted findings are unfolded.
        is_open: bool,
    },
}

/// Returns the findings that pass a filter, accepted ones last.
pub(super) fn filter_findings(
    session: &Session,
    filter: &str,
    order: Option<ListOrder>,
) -> Vec<ListedFinding> {
    let Some(snapshot) = session.snapshot() else { return Vec::new() };
    let mut problems: Vec<ListedFinding> = session
        .findings_with_acceptance()
        .filter(|(f, _)| {
            let package = f.package.as_ref().map(PackageName::as_str).unwrap_or_default();
            filter.is_empty()
                || passes_filter(
                    filter,
                    &format!("{} {} {package} {}", f.severity().as_str(), f.rule_ids(), f.message),
                )
        })
        .map(|(finding, row)| ListedFinding {
            accepted: row.map(|row| row.reason.clone()),
            location: finding.at.as_ref().and_then(|at| at.resolve_in_catalog(&snapshot.catalog)),
            affected_versions: count_affected_versions(finding, snapshot),
            finding: finding.clone(),
            repeated: Vec::new(),
        })
        .collect();
    problems.sort_by(|a, b| {
        let severity = || a.finding.severity().cmp(&b.finding.severity());
        let package = || a.finding.package.cmp(&b.finding.package);
        let place =
            || a.location.as_ref().map(Location::sort_key).cmp(&b.location.as_ref().map(Location::sort_key));
        let rule = || a.finding.rule.id.cmp(b.finding.rule.id);
        a.accepted.is_some().cmp(&b.accepted.is_some()).then_with(|| match order {
            Some(ListOrder::FindingPackages) => {
                package().then_with(severity).then_with(place).then_with(rule)
            }
            Some(ListOrder::FindingRules) => rule().then_with(package).then_with(place),
            Some(ListOrder::FindingLocations) => place().then_with(severity).then_with(rule),
            _ => severity().then_with(package).then_with(place).then_with(rule),
        })
    });
    // With a filter, repetitions have their own rows.
    if filter.is_empty() {
        problems = group_repetitions(problems, snapshot);
    }
    if order == Some(ListOrder::WorstFirst) {
        problems.sort_by_key(|problem| {
            let affected = std::cmp::Reverse(problem.affected_versions);
            (problem.accepted.is_some(), problem.finding.severity(), affected)
        });
    }
    problems
}

/// Groups findings with their repetitions.
fn group_repetitions(problems: Vec<ListedFinding>, snapshot: &Snapshot) -> Vec<ListedFinding> {
    let groups = repetition::group_repeated(problems, |problem| {
        problem.accepted.is_none().then_some(&problem.finding)
    });
    let groups = merge_stuck_groups(groups).into_iter().filter_map(|group| {
        let mut group = group.into_iter();
        let first = group.next()?;
        let repeated: Vec<ListedFinding> = group.collect();
        if repeated.is_empty() {
            return Some(first);
        }
        let affected_versions = count_affected_by_all(std::iter::once(&first).chain(&repeated), snapshot);
        Some(ListedFinding { affected_versions, repeated, ..first })
    });
    groups.collect()
}

/// Merges the findings about the stuck versions of a package into one group, the worst and then the
/// largest first. Their reasons differ, but they are one problem of the package.
fn merge_stuck_groups(groups: Vec<Vec<ListedFinding>>) -> Vec<Vec<ListedFinding>> {
    let mut merged: Vec<Vec<ListedFinding>> = Vec::new();
    let mut stuck_packages: HashMap<Option<PackageName>, usize> = HashMap::new();
    for group in groups {
        let is_stuck = |problem: &&ListedFinding| {
            problem.accepted.is_none() && problem.finding.rule.id == rules::STUCK.id
        };
        let Some(first) = group.first().filter(is_stuck) else {
            merged.push(group);
            continue;
        };
        let at = *stuck_packages.entry(first.finding.package.clone()).or_insert(merged.len());
        match merged.get_mut(at) {
            Some(known) => known.extend(group),
            None => merged.push(group),
        }
    }
    for at in stuck_packages.into_values() {
        if let Some(group) = merged.get_mut(at) {
            group.sort_by_key(|problem| {
                (problem.finding.severity(), std::cmp::Reverse(problem.affected_versions))
            });
        }
    }
    merged
}
