//! Findings from the verdicts of opm, OLM Classic and OLM v1.

use std::fmt;

use super::{BundleChecks, location::BundleLocations};
use crate::{
    Finding, Rule, Severity,
    rule::{Check, RuleSubject},
    rules,
};
use olm_bundle::{
    Tree, classic,
    document::DocumentCache,
    registry::DirectoryContents,
    suites::{self, Level, Verdict},
    v1,
};

/// Program that gives a verdict.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum VerdictProgram {
    /// Suite of opm or of the api library.
    Suite,
    /// OLM Classic.
    Classic,
    /// OLM v1.
    V1,
}

/// Verdict of a program, in the program's own terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OriginalVerdict {
    /// Program that gave the verdict.
    pub program: VerdictProgram,
    /// Name of the check: a suite, `load`, or a check of a cluster.
    pub validator: &'static str,
    /// Severity of the verdict.
    pub level: Level,
    /// Error type in the program; empty if it does not have one.
    pub kind: &'static str,
    /// Field that the verdict is about; empty if there is none.
    pub field: String,
    /// Invalid value; empty if the value is not the problem.
    pub value: String,
    /// Path of the file in the bundle directory.
    pub file: Option<String>,
}

impl fmt::Display for VerdictProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Suite => "suite",
            Self::Classic => "classic",
            Self::V1 => "v1",
        })
    }
}

/// Returns the rule that reports a verdict. Checks without a rule belong to the rule about loading.
pub(super) fn verdict_rule(by: VerdictProgram, validator: &str) -> &'static Rule {
    let is_it =
        |rule: &&&Rule| matches!(rule.check, Check::Verdict(of, name) if of == by && name == validator);
    let of_loading = || match by {
        VerdictProgram::Suite => &rules::SUITE_LOAD,
        VerdictProgram::Classic => &rules::CLASSIC_LOAD,
        VerdictProgram::V1 => &rules::V1_LOAD,
    };
    rules::ALL.iter().find(is_it).copied().unwrap_or_else(of_loading)
}

/// Verdict with the program that gave it.
pub(super) type ProgramVerdict = (VerdictProgram, Verdict);

/// Returns the verdicts of all selected programs on a bundle.
pub(super) fn collect_verdicts(tree: &Tree, questions: &BundleChecks) -> Vec<ProgramVerdict> {
    let readings = DocumentCache::default();
    verdicts_on_contents(
        tree,
        &readings,
        &DirectoryContents::from_tree_with_cache(tree, &readings),
        questions,
    )
}

/// Returns the same verdicts for a bundle whose contents are already parsed.
pub(super) fn verdicts_on_contents<'t>(
    tree: &'t Tree,
    cache: &DocumentCache<'t>,
    contents: &DirectoryContents<'t>,
    checks: &BundleChecks,
) -> Vec<ProgramVerdict> {
    let by = |judge: VerdictProgram| move |verdict: Verdict| (judge, verdict);
    let suites = suites::run_suites_with_cache(tree, cache, &checks.suites, &checks.suite_settings);
    let classic = if checks.classic { classic::check_contents(contents) } else { Vec::new() };
    let v1 = if checks.v1 { v1::check_tree(tree) } else { Vec::new() };
    let suites = suites.into_iter().map(by(VerdictProgram::Suite));
    suites
        .chain(classic.into_iter().map(by(VerdictProgram::Classic)))
        .chain(v1.into_iter().map(by(VerdictProgram::V1)))
        .collect()
}

/// End of the message about an unquoted number in a field that must be a string.
const NOT_QUOTED: &str = "must be a string, not a number";

/// Converts a verdict to a finding.
pub(super) fn verdict_finding(
    locations: &BundleLocations<'_>,
    by: VerdictProgram,
    verdict: Verdict,
) -> Finding {
    let Verdict { validator, level, field, message, location: place, kind, value, cause } = verdict;
    let mut finding = Finding::new(verdict_rule(by, validator), message);
    finding.severity = match level {
        Level::Error => Severity::Error,
        Level::Warning => Severity::Warning,
    };
    finding.at = place.as_ref().map(|place| locations.location(place));
    if by == VerdictProgram::Suite && validator != "load" {
        // The message of a suite is complete; general help for the suite would not fit it.
        finding.help = Some(String::new());
    }
    if by == VerdictProgram::Suite && validator == "load" && finding.message.ends_with(NOT_QUOTED) {
        finding.help =
            Some("quote the value; until then no suite but format and content says anything".to_owned());
    }
    let file = place.map(|place| place.file);
    finding.cause = cause.map(Box::new);
    finding.verdict =
        Some(Box::new(OriginalVerdict { program: by, validator, level, kind, field, value, file }));
    finding
}

impl Rule {
    /// Returns the command that runs only this rule; `None` if `olmap validate` runs it without options.
    pub fn single_rule_command(&self) -> Option<String> {
        let options = match self.subject() {
            RuleSubject::Catalog | RuleSubject::Step | RuleSubject::Template => return None,
            RuleSubject::Console => {
                return Some(format!("olmap validate --suite console --rule {}", self.id));
            }
            RuleSubject::Bundle => format!("--rule {}", self.id),
            RuleSubject::Verdict(VerdictProgram::Suite, "load") => "--suite csv".to_owned(),
            RuleSubject::Verdict(VerdictProgram::Suite, suite) => format!("--suite {suite}"),
            RuleSubject::Verdict(VerdictProgram::Classic, _) => "--target classic".to_owned(),
            RuleSubject::Verdict(VerdictProgram::V1, _) => "--target v1".to_owned(),
        };
        Some(format!("olmap bundle validate {options}"))
    }
}
