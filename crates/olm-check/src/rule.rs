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

/// Rule that reports findings. Those of this crate are in [`rules`](super::rules).
///
/// A caller can add rules: [`Rule::for_packages`].
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
    /// Properties that only some rules have.
    pub(super) properties: &'static [RuleProperty],
}

/// Property that only some rules have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RuleProperty {
    /// Id of the rule in an earlier version. It stays valid in options, baselines and links.
    FormerId(&'static str),
    /// At most one finding per package. Its channel and bundle may change with an edit.
    OncePerPackage,
    /// At most one finding per channel. Its bundle may change with an edit.
    OncePerChannel,
    /// At most one finding per name. Its bundle may change with an edit.
    OncePerName,
    /// Evaluated only if the channel of the finding is valid.
    NeedsOwnChannel,
    /// Evaluated only if all channels of the package are valid.
    NeedsAllChannels,
    /// Evaluated only for channels with a head.
    NeedsHeads,
    /// Evaluated only if it is decided what OLM Classic installs from the heads, with their
    /// dependencies.
    NeedsResolution,
    /// Evaluated only if OLM v1 resolves a bundle of the package.
    NeedsV1Resolver,
    /// Evaluated only if the default channel exists.
    NeedsDefaultChannel,
    /// Evaluated only if the package is not deprecated.
    NeedsSupportedPackage,
    /// Needs data of bundle images, which a template does not have.
    NeedsImages,
    /// Reports a channel without a chain from a single head. Entries outside of the chain are then
    /// not reported.
    BreaksChain,
    /// opm applies the rule only to file-based catalogs. It checks older formats as a model, whose
    /// bundles have versions but no release.
    OnlyFileBased,
    /// Reports a property of published bundles, which many packages of a catalog share and which
    /// edits of the catalog cannot change.
    OnPublishedBundles,
    /// The findings of a package depend on other packages.
    OnOtherPackages,
    /// Reports dependencies that OLM Classic cannot resolve.
    BrokenDependency,
    /// Reports what OLM Classic rejects in webhooks and API services, like the verdicts of OLM
    /// Classic.
    ClassicWebhook,
    /// A search finds the edits that fix the finding.
    FixedBySearch,
    /// The graph of a channel shows the problem without the finding.
    ShownInGraph,
}

/// Rules are equal if their ids are.
impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Rule {
    /// Creates a rule of the caller about the packages of catalogs, for
    /// [`Checker::with_rule`](super::Checker::with_rule).
    ///
    /// The id has lower-case letters, digits and single hyphens. The title is a short description of
    /// the problem. The function is called for each package, also for the packages of templates,
    /// and adds the findings.
    pub const fn for_packages(
        id: &'static str,
        severity: Severity,
        title: &'static str,
        check: fn(&PackageSubject<'_>, &mut Findings),
    ) -> Self {
        Self {
            id,
            severity,
            parity: false,
            title,
            help: "",
            check: Check::Package(check),
            story: "",
            properties: &[],
        }
    }

    /// Sets the advice in one line. A finding may replace it ([`Finding::with_help`](super::Finding::with_help)).
    #[must_use]
    pub const fn with_help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    /// Sets the reasons for the rule, in paragraphs of Markdown. The title is the default.
    #[must_use]
    pub const fn with_explanation(self, explanation: &'static str) -> Self {
        Self { story: explanation, ..self }
    }

    /// Returns true if the rule has a property.
    pub fn has(&self, property: RuleProperty) -> bool {
        self.properties.contains(&property)
    }

    /// Returns true if the rule has this id, or had it in an earlier version.
    pub fn has_id(&self, id: &str) -> bool {
        self.id == id || self.former_ids().any(|former| former == id)
    }

    /// Returns the former ids of the rule.
    pub fn former_ids(&self) -> impl Iterator<Item = &'static str> {
        self.properties.iter().filter_map(|property| match property {
            RuleProperty::FormerId(id) => Some(*id),
            _ => None,
        })
    }

    /// Returns true if the rule reports unreadable input, whose content is therefore unknown.
    pub fn hides_content(&self) -> bool {
        matches!(self.check, Check::Problem(_)) && self.severity == Severity::Error
    }

    /// Returns the subject of the rule.
    pub fn subject(&self) -> RuleSubject {
        match self.check {
            Check::Problem(_) | Check::Package(_) | Check::Published() => RuleSubject::Catalog,
            Check::Console(_) => RuleSubject::Console,
            Check::Bundle(_) => RuleSubject::Bundle,
            Check::Step(_) => RuleSubject::Step,
            Check::Template(_) => RuleSubject::Template,
            Check::Verdict(by, validator) => RuleSubject::Verdict(by, validator),
        }
    }

    /// Returns the story of the rule: its reasons and an example.
    pub fn story(&self) -> Story {
        Story::parse(if self.story.is_empty() { self.title } else { self.story })
    }
}

/// Implementation of a rule.
#[derive(Debug)]
pub(super) enum Check {
    /// Matches problems that the loader reported.
    Problem(fn(&ProblemKind) -> bool),
    /// Checks a package.
    Package(fn(&PackageSubject<'_>, &mut Findings)),
    /// Checks a package if the suite `console` is requested.
    Console(fn(&PackageSubject<'_>, &mut Findings)),
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
    /// Catalogs as consoles show them; checked only on request.
    Console,
    /// Bundle directories.
    Bundle,
    /// Upgrades from one bundle to another.
    Step,
    /// Templates of catalogs.
    Template,
    /// Bundle directories, checked by another program: the program and the name of its check.
    Verdict(VerdictProgram, &'static str),
}
