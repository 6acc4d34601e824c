//! Definition of a rule.

use std::fmt;

use super::{
    bundles::{BundleSubject, VerdictProgram},
    findings::Findings,
    steps::StepCause,
    story::Story,
    subject::PackageSubject,
    templates::TemplateSubject,
};
use olm_catalog::problem::ProblemKind;
use olm_upgrade::safety;

/// Severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Problem that opm or OLM rejects or that breaks them.
    Error,
    /// Problem that harms users.
    Warning,
    /// Information.
    Note,
}

impl Severity {
    /// Returns the word used on screens and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Rule that reports findings. All of them are in [`rules`](super::rules).
#[derive(Debug)]
pub struct Rule {
    /// Stable identifier, such as `multiple-heads`.
    pub id: &'static str,
    /// Default severity of its findings.
    pub severity: Severity,
    /// True if `opm validate` rejects the same input.
    pub parity: bool,
    /// Short description of the problem.
    pub title: &'static str,
    /// Advice in one line.
    pub help: &'static str,
    /// Function that implements the rule.
    pub(super) check: Check,
    /// Source text of the story.
    pub(super) story: &'static str,
}

/// Rules are equal if their ids are.
impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Rule {
    /// Returns true if the rule reports unreadable input, whose content is therefore unknown.
    pub fn hides_content(&self) -> bool {
        matches!(self.check, Check::Problem(_)) && self.severity == Severity::Error
    }

    /// Returns the subject of the rule.
    pub fn subject(&self) -> RuleSubject {
        match self.check {
            Check::Problem(_) | Check::Package(_) | Check::Published() => RuleSubject::Catalog,
            Check::Bundle(_) => RuleSubject::Bundle,
            Check::Step(_) => RuleSubject::Step,
            Check::Template(_) => RuleSubject::Template,
            Check::Verdict(by, validator) => RuleSubject::Verdict(by, validator),
        }
    }

    /// Returns the story of the rule: its reasons and an example.
    pub fn story(&self) -> Story {
        Story::parse(self.story)
    }
}

/// Implementation of a rule.
#[derive(Debug)]
pub(super) enum Check {
    /// Matches problems that the loader reported.
    Problem(fn(&ProblemKind) -> bool),
    /// Checks a package.
    Package(fn(&PackageSubject<'_>, &mut Findings)),
    /// Checks a bundle directory.
    Bundle(fn(&BundleSubject<'_>, &mut Findings)),
    /// Returns the causes of findings about an upgrade step.
    Step(fn(&safety::Findings) -> Vec<StepCause>),
    /// Checks a template.
    Template(fn(&TemplateSubject<'_>, &mut Findings)),
    /// Compares a catalog with its template; implemented in another module.
    Published(),
    /// Reports the verdict of another program on a bundle directory: the program and the name of its check.
    Verdict(VerdictProgram, &'static str),
}

/// Subject of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleSubject {
    /// Catalogs.
    Catalog,
    /// Bundle directories.
    Bundle,
    /// Upgrades from one bundle to another.
    Step,
    /// Templates of catalogs.
    Template,
    /// Bundle directories, checked by another program: the program and the name of its check.
    Verdict(VerdictProgram, &'static str),
}
