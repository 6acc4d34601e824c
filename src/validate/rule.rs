//! What a rule is.

use super::{
    bundles::{Inside, Judge},
    findings::Findings,
    steps::Cause,
    story::Story,
    subject::Subject,
    templates::TemplateSubject,
};
use crate::{catalog::problem::ProblemKind, upgrade::safety};

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// opm or OLM refuses or breaks.
    Error,
    /// Users get hurt.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word used on screens and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A rule. All of them are in [`rules`](super::rules).
#[derive(Debug)]
pub struct Rule {
    /// A stable word, such as `multiple-heads`.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Whether `opm validate` rejects what it reports.
    pub parity: bool,
    /// What it looks for, in a few words.
    pub title: &'static str,
    /// What to do about it, in one line.
    pub help: &'static str,
    /// The function that is the rule.
    pub(super) check: Check,
    /// The text of its story.
    pub(super) story: &'static str,
}

/// Rules are told apart by their ids.
impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Rule {
    /// Whether it says that something could not be read, so that nothing is known of what it holds.
    pub fn hides_something(&self) -> bool {
        matches!(self.check, Check::Problem(_)) && self.severity == Severity::Error
    }

    /// What it is about.
    pub fn about(&self) -> About {
        match self.check {
            Check::Problem(_) | Check::Package(_) | Check::Published() => About::Catalog,
            Check::Bundle(_) => About::Bundle,
            Check::Step(_) => About::Step,
            Check::Template(_) => About::Template,
            Check::Verdict(by, validator) => About::Verdict(by, validator),
        }
    }

    /// Why it matters, and an example.
    pub fn story(&self) -> Story {
        Story::parse(self.story)
    }
}

/// How a rule finds what it looks for.
#[derive(Debug)]
pub(super) enum Check {
    /// It speaks of problems that came up while the catalog was read: these.
    Problem(fn(&ProblemKind) -> bool),
    /// It looks at a package.
    Package(fn(&Subject<'_>, &mut Findings)),
    /// It looks into a bundle directory.
    Bundle(fn(&Inside<'_>, &mut Findings)),
    /// It returns the causes of findings about an upgrade step.
    Step(fn(&safety::Findings) -> Vec<Cause>),
    /// It looks at a template.
    Template(fn(&TemplateSubject<'_>, &mut Findings)),
    /// It compares a catalog with the template that makes it, which another room reads.
    Published(),
    /// It is what a real program says of a bundle directory: the program, and the name of the check.
    Verdict(Judge, &'static str),
}

/// What a rule is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// Catalogs.
    Catalog,
    /// Bundle directories.
    Bundle,
    /// Upgrades from one bundle to another.
    Step,
    /// Templates of catalogs.
    Template,
    /// Bundle directories, as a real program sees them: the program, and the name of the check.
    Verdict(Judge, &'static str),
}
