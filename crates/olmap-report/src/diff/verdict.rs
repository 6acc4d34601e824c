//! Verdict on a difference and its problems, for pull requests and the report page.

use super::{
    CatalogComparison, count_noun,
    lines::{self, LineKind},
};
use crate::{changed_upgrades, stuck_changes};
use olm_catalog::{BundleName, PackageName};
use olm_check::{
    Severity,
    review::{
        ChangedUpgrade, FreshInstallChange,
        diff::{ChangeKind, Gate, Impact, Violation},
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
    /// Harmed users, or errors that opm reports. Catalog text is not escaped.
    Words(String),
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

impl CatalogComparison<'_> {
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
        let differing = count_noun(self.count_differing_packages(), "package differs", "packages differ");
        if !reasons.is_empty() {
            let besides =
                if rest.is_empty() { String::new() } else { format!("; besides, {}", rest.join(", ")) };
            return Verdict {
                is_bad: true,
                lead: "Check before you release:",
                words: format!("{}{besides}; {differing}", reasons.join(", ")),
            };
        }
        let lead = if is_whole { "No users are worse off:" } else { "No users are worse off in the rest:" };
        let listed = if rest.is_empty() { "no upgrade changes".to_owned() } else { rest.join(", ") };
        good(lead, format!("{listed}; {differing}"))
    }

    /// Returns the problems: package by package, then errors that opm reports, then the gates.
    pub fn release_problems(&self) -> Vec<ReleaseProblem> {
        let mut items: Vec<ReleaseProblem> = Vec::new();
        for package in &self.difference.packages {
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
        let new = self.difference.consequences.new_findings.iter();
        let new = new.filter(|finding| finding.severity() == Severity::Error);
        items.extend(new.map(|finding| {
            ReleaseProblem::Words(format!("new error {}: {}", finding.rule.id, finding.message))
        }));
        items.extend(Gate::ALL.into_iter().filter_map(|gate| gate_failure(self, gate)));
        items
    }
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
    let sentences = changed_upgrades::describe_changed_upgrades(&moved, label)
        .into_iter()
        .map(|of| (of.engine, of.words));
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
