//! Findings from the verdicts of opm, OLM Classic and OLM v1.

use std::fmt;

use super::{Questions, spot::Places};
use crate::{
    bundle::{
        Tree, classic,
        document::Readings,
        registry::Contents,
        suites::{self, Level, Verdict},
        v1,
    },
    validate::{
        Diagnostic, Rule, Severity,
        rule::{About, Check},
        rules,
    },
};

/// Program that gives a verdict.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Judge {
    /// Suite of opm or of the api library.
    Suite,
    /// OLM Classic.
    Classic,
    /// OLM v1.
    V1,
}

/// Verdict of a program, in the program's own terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// Program that gave the verdict.
    pub by: Judge,
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

impl fmt::Display for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Suite => "suite",
            Self::Classic => "classic",
            Self::V1 => "v1",
        })
    }
}

/// Returns the rule that reports a verdict.
pub(super) fn rule(by: Judge, validator: &str) -> &'static Rule {
    let is_it =
        |rule: &&&Rule| matches!(rule.check, Check::Verdict(of, name) if of == by && name == validator);
    let of_loading = || match by {
        Judge::Suite => &rules::SUITE_LOAD,
        Judge::Classic => &rules::CLASSIC_LOAD,
        Judge::V1 => &rules::V1_LOAD,
    };
    rules::ALL.iter().find(is_it).copied().unwrap_or_else(of_loading)
}

/// Verdict with the program that gave it.
pub(super) type By = (Judge, Verdict);

/// Returns the verdicts of all selected programs on a bundle.
pub(super) fn all(tree: &Tree, questions: &Questions) -> Vec<By> {
    let readings = Readings::default();
    of(tree, &readings, &Contents::read_once(tree, &readings), questions)
}

/// Returns the verdicts on a bundle whose contents are already parsed.
pub(super) fn of<'t>(
    tree: &'t Tree,
    readings: &Readings<'t>,
    contents: &Contents<'t>,
    questions: &Questions,
) -> Vec<By> {
    let by = |judge: Judge| move |verdict: Verdict| (judge, verdict);
    let suites = suites::run_once(tree, readings, &questions.suites, &questions.settings);
    let classic = if questions.classic { classic::check_all(contents) } else { Vec::new() };
    let v1 = if questions.v1 { v1::check(tree) } else { Vec::new() };
    let suites = suites.into_iter().map(by(Judge::Suite));
    suites
        .chain(classic.into_iter().map(by(Judge::Classic)))
        .chain(v1.into_iter().map(by(Judge::V1)))
        .collect()
}

/// End of the message about a number where a string must be.
const NOT_QUOTED: &str = "must be a string, not a number";

/// Converts a verdict to a finding.
pub(super) fn finding(places: &Places<'_>, by: Judge, verdict: Verdict) -> Diagnostic {
    let Verdict { validator, level, field, message, place, kind, value, cause } = verdict;
    let mut finding = Diagnostic::new(rule(by, validator), message);
    finding.severity = match level {
        Level::Error => Severity::Error,
        Level::Warning => Severity::Warning,
    };
    finding.at = place.as_ref().map(|place| places.location(place));
    if by == Judge::Suite && validator != "load" {
        // The message of a suite is complete; general help for the suite would not fit it.
        finding.help = Some(String::new());
    }
    if by == Judge::Suite && validator == "load" && finding.message.ends_with(NOT_QUOTED) {
        finding.help =
            Some("quote the value; until then no suite but format and content says anything".to_owned());
    }
    let file = place.map(|place| place.file);
    finding.cause = cause.map(Box::new);
    finding.said = Some(Box::new(Said { by, validator, level, kind, field, value, file }));
    finding
}

impl Rule {
    /// Returns the command that runs only this rule; `None` if the rule is not about bundles.
    pub fn command(&self) -> Option<String> {
        let options = match self.about() {
            About::Catalog | About::Step | About::Template => return None,
            About::Bundle => format!("--rule {}", self.id),
            About::Verdict(Judge::Suite, "load") => "--suite csv".to_owned(),
            About::Verdict(Judge::Suite, suite) => format!("--suite {suite}"),
            About::Verdict(Judge::Classic, _) => "--target classic".to_owned(),
            About::Verdict(Judge::V1, _) => "--target v1".to_owned(),
        };
        Some(format!("olmap bundle validate {options}"))
    }
}
