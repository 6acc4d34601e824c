//! The verdicts of the real programs as findings.

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

/// Whose verdict it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Judge {
    /// A suite of opm or of the api library.
    Suite,
    /// OLM Classic.
    Classic,
    /// OLM v1.
    V1,
}

/// What a real program says, in its terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// Whose verdict it is.
    pub by: Judge,
    /// The check: the name of a suite, `load`, or a check of a cluster.
    pub validator: &'static str,
    /// How bad it is.
    pub level: Level,
    /// The type of the error, as the program has it; empty where it has none.
    pub kind: &'static str,
    /// The field it is about, where there is one.
    pub field: String,
    /// What is there, where that is what is wrong.
    pub value: String,
    /// The file it is in, from the bundle's directory.
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

/// The rule that a verdict is a finding of.
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

/// A verdict, and whose it is.
pub(super) type By = (Judge, Verdict);

/// What the real programs that are asked say of a bundle.
pub(super) fn all(tree: &Tree, questions: &Questions) -> Vec<By> {
    let readings = Readings::default();
    of(tree, &readings, &Contents::read_once(tree, &readings), questions)
}

/// The same of what was read already.
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

/// A verdict as a finding.
pub(super) fn finding(places: &Places<'_>, by: Judge, verdict: Verdict) -> Diagnostic {
    let Verdict { validator, level, field, message, place, kind, value, cause } = verdict;
    let mut finding = Diagnostic::new(rule(by, validator), message);
    finding.severity = match level {
        Level::Error => Severity::Error,
        Level::Warning => Severity::Warning,
    };
    finding.at = place.as_ref().map(|place| places.location(place));
    if by == Judge::Suite && validator != "load" {
        // Its message says it all; what helps with the whole suite helps with none of it.
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
    /// How to ask for it alone, where it is about bundles.
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
