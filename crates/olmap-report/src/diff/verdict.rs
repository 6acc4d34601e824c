//! Verdict on a difference and its problems, for pull requests and the report page.

use std::collections::BTreeSet;

use super::{
    CatalogComparison, count_noun,
    lines::{self, FindingReference, LineKind},
};
use crate::{changed_upgrades, stuck_changes};
use olm_catalog::{BundleName, PackageName};
use olm_check::{
    Severity,
    review::{
        ChangedUpgrade, FreshInstallChange, StuckChange,
        diff::{ChangeKind, Gate, Impact, ImpactCounts, Violation},
    },
};

/// Maximum number of violations listed per gate.
const MAX_LISTED: usize = 5;

/// Verdict on a difference, in a sentence that tells the reader whether to act.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// True if the difference needs a check before the release.
    pub is_bad: bool,
    /// First words of the sentence.
    pub lead: &'static str,
    /// Reasons and totals. Does not contain catalog text.
    pub words: String,
}

/// Problem of a difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReleaseProblem {
    /// Harmed users. Catalog text is not escaped.
    Words(String),
    /// New error that opm reports.
    Error {
        /// Rule and location.
        finding: FindingReference,
        /// Message. Catalog text is not escaped.
        message: String,
    },
    /// Failed gate.
    Gate {
        /// Gate.
        gate: Gate,
        /// First violations; empty if other problems already describe them.
        told: Vec<String>,
        /// Number of violations.
        count: usize,
    },
}

/// Reasons of errors that were already described.
#[derive(Debug, Default)]
pub(super) struct RepeatedReasons(BTreeSet<String>);

impl RepeatedReasons {
    /// Returns the sentence. A long reason that an earlier sentence already has is shortened.
    pub fn fold_reason(&mut self, words: &str) -> String {
        /// Maximum length in bytes of a reason that is repeated.
        const MAX_REPEATED: usize = 60;
        const LEAD: &str = " => error: ";
        const LIST: &str = "; all: ";
        let Some((before, reason)) = words.split_once(LEAD) else { return words.to_owned() };
        let (reason, list) = reason.rsplit_once(LIST).unwrap_or((reason, ""));
        if reason.len() <= MAX_REPEATED || self.0.insert(reason.to_owned()) {
            return words.to_owned();
        }
        let list = if list.is_empty() { String::new() } else { format!("{LIST}{list}") };
        format!("{before} => the same error{list}")
    }
}

/// Users that a difference affects, for sums over several catalogs.
#[derive(Clone, Debug)]
pub struct UserTotals {
    /// True if the difference needs a check before the release.
    pub is_bad: bool,
    users: ImpactCounts,
    stuck: Vec<StuckChange>,
}

/// Renders the numbers of affected installed versions. The number of stuck versions is present even if it is zero.
pub(super) fn user_numbers(totals: &[&UserTotals]) -> String {
    let sum: ImpactCounts = totals.iter().map(|totals| totals.users).sum();
    let changes: Vec<StuckChange> = totals.iter().flat_map(|totals| &totals.stuck).cloned().collect();
    let stuck = stuck_changes::summarize_stuck_changes(&changes);
    let unknown = changes.iter().filter(|change| change.becomes_unknown()).count();
    let mut parts = match (stuck_changes::summarize_newly_stuck(&changes), unknown) {
        (Some(words), _) => vec![words],
        (None, 0) => vec!["0 more stuck".to_owned()],
        (None, _) => Vec::new(),
    };
    parts.extend(stuck_changes::summarize_removed(&changes));
    if unknown > 0 {
        let packages = count_noun(unknown, "package", "packages");
        parts.push(format!("unknown which are stuck in {packages}"));
    }
    let counted = |count: usize, one: &str, many: &str| {
        (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { many }))
    };
    // Each version is counted once, with its most severe impact.
    let others = |impact: Impact, count: usize, one: &str, many: &str| {
        if sum.has_more_severe_than(impact) {
            counted(count, &format!("other {one}"), &format!("others {many}"))
        } else {
            counted(count, one, many)
        }
    };
    parts.extend(counted(sum.orphaned, "loses its package", "lose their package"));
    let failing = others(Impact::Failing, sum.failing, "gets an error", "get an error");
    parts.extend(failing.map(|words| words + &super::describe_all_failing(Impact::Failing, &sum)));
    parts.extend(others(Impact::Downgraded, sum.downgraded, "is downgraded", "are downgraded"));
    parts.extend(stuck.into_iter().filter(|(impact, _)| *impact == Impact::Freed).map(|(_, words)| words));
    parts.extend(others(Impact::Recovered, sum.recovered, "gets no error any more", "get no error any more"));
    parts.extend(match sum.moved {
        0 if parts.len() == 1 => Some("0 get another upgrade".to_owned()),
        count => others(Impact::Redirected, count, "gets another upgrade", "get another upgrade"),
    });
    let scope = match totals.len() {
        0 | 1 => String::new(),
        // A version that several catalogs have is counted in each of them.
        catalogs => format!(", summed over {catalogs} catalogs"),
    };
    let installed = format!("Installed versions{scope}: {}", parts.join(", "));
    // The line about a single catalog has fresh installs next to other consequences.
    match counted(sum.fresh_broken, "fails", "fail").filter(|_| totals.len() > 1) {
        Some(broken) => format!("{installed}. Fresh installs: {broken}"),
        None => installed,
    }
}

impl CatalogComparison<'_> {
    /// Returns the affected users, for a sum over several catalogs.
    pub(super) fn user_totals(&self) -> UserTotals {
        UserTotals {
            is_bad: self.verdict().is_bad,
            users: self.count_users(),
            stuck: self.difference.consequences.stuck.clone(),
        }
    }

    /// Returns the consequences that [`user_numbers`] does not count, and the number of differing
    /// packages.
    pub(super) fn describe_rest(&self) -> String {
        let users = self.count_users();
        let fresh = ImpactCounts {
            fresh_broken: users.fresh_broken,
            fresh_older: users.fresh_older,
            fresh: users.fresh,
            ..ImpactCounts::default()
        };
        let fresh = super::describe_user_counts(&fresh, &[]);
        let mut parts: Vec<String> = fresh
            .into_iter()
            .chain(super::describe_deprecation_impacts(&self.difference.consequences.deprecations))
            .map(|(_, words)| words)
            .collect();
        let errors = count_new_errors(self);
        if errors > 0 {
            parts.push(format!("{} that opm rejects", count_noun(errors, "new error", "new errors")));
        }
        if !self.violations.is_empty() {
            parts.push(count_noun(self.violations.len(), "failed check", "failed checks"));
        }
        if self.has_no_new_deprecations() == Some(true) {
            parts.push("no new deprecations".to_owned());
        }
        parts.push(count_noun(self.count_differing_packages(), "package differs", "packages differ"));
        parts.join(", ")
    }

    /// Returns the verdict.
    pub fn verdict(&self) -> Verdict {
        let is_whole = self.left_out.is_empty();
        let good = |lead, words| Verdict { is_bad: false, lead, words };
        if self.difference.is_empty() {
            let lead =
                if is_whole { "No difference in meaning" } else { "No difference in meaning in the rest," };
            return good(lead, String::new());
        }
        let (bad, rest): (Vec<_>, Vec<_>) =
            self.describe_impacts().into_iter().partition(|(fortune, _)| fortune.is_harm());
        let words =
            |users: Vec<(Impact, String)>| users.into_iter().map(|(_, words)| words).collect::<Vec<_>>();
        let (mut reasons, rest) = (words(bad), words(rest));
        let errors = count_new_errors(self);
        if errors > 0 {
            reasons.push(format!("{} that opm rejects", count_noun(errors, "new error", "new errors")));
        }
        if reasons.is_empty() && !self.violations.is_empty() {
            reasons.push(count_noun(self.violations.len(), "failed check", "failed checks"));
        }
        let mut differing = count_noun(self.count_differing_packages(), "package differs", "packages differ");
        if self.has_no_new_deprecations() == Some(true) {
            differing.push_str(", no new deprecations");
        }
        if !reasons.is_empty() {
            let besides =
                if rest.is_empty() { String::new() } else { format!("; besides, {}", rest.join(", ")) };
            return Verdict {
                is_bad: true,
                lead: "Check before you release:",
                words: format!("{}{besides}; {differing}", reasons.join(", ")),
            };
        }
        let lead =
            if is_whole { "No upgrade path gets worse:" } else { "No upgrade path gets worse in the rest:" };
        let listed = if rest.is_empty() { "no upgrade changes".to_owned() } else { rest.join(", ") };
        good(lead, format!("{listed}; {differing}"))
    }

    /// Returns the problems: package by package, then errors that opm reports, then the gates.
    pub fn release_problems(&self) -> Vec<ReleaseProblem> {
        let mut items: Vec<ReleaseProblem> = Vec::new();
        for package in self.packages_by_harm() {
            if package.change_kind == ChangeKind::Removed {
                let versions = count_noun(package.bundles.len(), "version", "versions");
                let words =
                    format!("{} is removed: users of its {versions} get no more upgrades", package.name);
                items.push(ReleaseProblem::Words(words));
            } else {
                items.extend(
                    describe_package_harm(self, &package.name).into_iter().map(ReleaseProblem::Words),
                );
            }
        }
        let mut reasons = RepeatedReasons::default();
        for item in &mut items {
            if let ReleaseProblem::Words(words) = item {
                *words = reasons.fold_reason(words);
            }
        }
        let new = self.difference.consequences.new_findings.iter();
        let new = new.filter(|finding| finding.severity() == Severity::Error);
        items.extend(new.map(|finding| ReleaseProblem::Error {
            finding: FindingReference { rule: finding.rule.id, at: finding.at.clone() },
            message: finding.message.clone(),
        }));
        items.extend(Gate::ALL.into_iter().filter_map(|gate| gate_failure(self, gate)));
        items
    }
}

/// Minimum number of violations with the same reason that share a sentence.
const MIN_FOLDED_VIOLATIONS: usize = 3;

/// Returns a sentence for each violation. Violations with the same reason share one.
pub(super) fn fold_violations(violations: &[Violation]) -> Vec<(Gate, String)> {
    let mut groups: Vec<Vec<&Violation>> = Vec::new();
    for violation in violations {
        let reason = |of: &Violation| of.parts.as_ref().map(|parts| parts.reason.clone());
        let is_same = |group: &&mut Vec<&Violation>| {
            group.first().is_some_and(|first| {
                violation.parts.is_some()
                    && (first.gate, &first.package) == (violation.gate, &violation.package)
                    && reason(first) == reason(violation)
            })
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(violation),
            None => groups.push(vec![violation]),
        }
    }
    let sentences = |group: Vec<&Violation>| -> Vec<(Gate, String)> {
        let package =
            |of: &Violation| of.package.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
        let parts: Vec<_> = group.iter().filter_map(|violation| violation.parts.as_ref()).collect();
        match (group.as_slice(), parts.as_slice()) {
            ([violation, ..], [first, .., last]) if parts.len() >= MIN_FOLDED_VIOLATIONS => {
                let (count, reason) = (parts.len(), &first.reason);
                let (first, last) = (&first.subject, &last.subject);
                let words = format!("{}{count} versions, {first} to {last}, {reason}", package(violation));
                vec![(violation.gate, words)]
            }
            (all, _) => {
                let words = |of: &&Violation| (of.gate, format!("{}{}", package(of), of.text));
                all.iter().map(words).collect()
            }
        }
    };
    groups.into_iter().flat_map(sentences).collect()
}

fn count_new_errors(compared: &CatalogComparison<'_>) -> usize {
    let new = &compared.difference.consequences.new_findings;
    new.iter().filter(|finding| finding.severity() == Severity::Error).count()
}

/// Describes the harmed users of a package, one sentence per kind of harm.
fn describe_package_harm(compared: &CatalogComparison<'_>, name: &PackageName) -> Vec<String> {
    let consequences = &compared.difference.consequences;
    // Newly stuck versions have their own sentences.
    let is_bad = |moved: &&ChangedUpgrade| {
        let fortune = if moved.package == *name { compared.impact_of(moved) } else { Impact::Redirected };
        fortune.is_harm() && fortune != Impact::Stuck
    };
    let moved: Vec<ChangedUpgrade> = consequences.changed_steps.iter().filter(is_bad).cloned().collect();
    let is_bad = |change: &&FreshInstallChange| {
        change.package == *name && compared.difference.impact_of_fresh_install(change).is_harm()
    };
    let fresh: Vec<FreshInstallChange> = consequences.fresh.iter().filter(is_bad).cloned().collect();
    let label = |package: &PackageName, bundle: &BundleName| super::bundle_label(compared, package, bundle);
    // The lines of the package list all versions.
    let sentences = changed_upgrades::fold_upgrades_by_target(&moved, label)
        .into_iter()
        .map(|of| (of.sentence.engine, of.sentence.brief));
    let fresh = changed_upgrades::fresh_installs::describe_fresh_changes(&fresh, label)
        .into_iter()
        .map(|of| (of.engine, of.words));
    let stuck = consequences.stuck.iter().filter(|change| change.package_name() == name);
    let stuck =
        stuck.flat_map(|change| stuck_changes::describe_stuck_change(change, |bundle| label(name, bundle)));
    let mut items: Vec<String> = stuck
        .filter(|of| of.impact == Impact::Stuck)
        .map(|of| format!("{name}, {}: {}", stuck_changes::engine_word(of.engine), of.words))
        .collect();
    items.extend(sentences.chain(fresh).map(|(of, words)| format!("{name}, {}: {words}", of.label())));
    let blocked = lines::deprecation_effect_lines(compared, name).into_iter();
    let blocked = blocked.filter(|line| line.head == LineKind::Deprecated(Impact::Stuck));
    items.extend(blocked.map(|line| format!("{name}, deprecation: {}", line.words)));
    items
}

/// Returns the problem for a failed gate. Violations that other problems describe are only counted.
fn gate_failure(compared: &CatalogComparison<'_>, gate: Gate) -> Option<ReleaseProblem> {
    let of: Vec<_> = compared.violations.iter().filter(|violation| violation.gate == gate).collect();
    let count = of.len();
    let words = |violation: &&Violation| {
        let package = violation.package.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
        format!("{package}{}", violation.text)
    };
    let told = match gate {
        Gate::NewErrors
        | Gate::NewStuck
        | Gate::Downgrades
        | Gate::BrokenDependencies
        | Gate::NewDeprecationBlocks => Vec::new(),
        Gate::RemovedEntries | Gate::DefaultChannel | Gate::ChangedBundles => {
            of.iter().take(MAX_LISTED).map(words).collect()
        }
    };
    (count > 0).then_some(ReleaseProblem::Gate { gate, told, count })
}
