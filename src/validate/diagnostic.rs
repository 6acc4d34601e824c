//! What a rule reports.

use std::path::PathBuf;

use super::{
    bundles::{BundleFix, BundleSpot, Said},
    findings,
    rule::{Rule, Severity},
};
use crate::{
    bundle::suites::Cause,
    catalog::{BundleName, Catalog, ChannelName, PackageName, Span, file::DocId, file::Place},
    edit::Edit,
};

/// A finding: something about a catalog that its maintainer should know.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    /// The rule that reports it.
    pub rule: &'static Rule,
    /// How bad it is: as bad as its rule, unless whoever says it makes more or less of it.
    pub severity: Severity,
    /// What is wrong, naming the culprits; one sentence without a full stop.
    pub message: String,
    /// The package it is about.
    pub package: Option<PackageName>,
    /// The channel it is about.
    pub channel: Option<ChannelName>,
    /// The bundle or entry it is about.
    pub bundle: Option<BundleName>,
    /// The things it tells of, by name, where it is one finding about several: with another one it says more than before.
    pub names: Vec<String>,
    /// Where it is.
    pub at: Option<Location>,
    /// Other places that matter to it.
    pub related: Vec<Related>,
    /// What to do about this one, where that is more than the rule's own help.
    pub help: Option<String>,
    /// The edit that mends it, where there is one right answer.
    pub fix: Option<Edit>,
    /// The findings it stands for, where it is none itself but says that they are not listed.
    pub unlisted: Option<Unlisted>,
    /// What mends it in a bundle directory, where there is one right answer.
    pub bundle_fix: Option<Box<BundleFix>>,
    /// The verdict of a real program that it is.
    pub said: Option<Box<Said>>,
    /// Cause that findings of other rules have in common with it.
    pub cause: Option<Box<Cause>>,
    /// Findings of other rules that say the same, or that follow from it. They are not listed beside it.
    pub stands_for: Vec<Self>,
    /// True if it follows from the finding that stands for it, its cause. False if it says the same.
    pub is_consequence: bool,
}

/// Findings that are not listed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Unlisted {
    /// How many.
    pub count: usize,
    /// A number that they alone have, as long as the program runs.
    pub(super) hash: u64,
}

/// Where a finding is. Line and column are worked out when somebody wants to see them, so that a finding stays true
/// while other documents of its file change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// A file or folder as a whole.
    File(PathBuf),
    /// Bytes of a document.
    Document(DocId, Span),
    /// Bytes of a file in a bundle directory.
    InBundle(Box<BundleSpot>),
}

/// Another place that matters to a finding.
#[derive(Clone, PartialEq, Debug)]
pub struct Related {
    /// Why it matters.
    pub message: String,
    /// Where it is.
    pub at: Location,
}

impl Location {
    /// Line and column.
    pub fn place(&self, catalog: &Catalog) -> Option<Place> {
        match self {
            Self::File(path) => Some(Place::whole(path.clone())),
            Self::Document(doc, span) => catalog.place(*doc, *span),
            Self::InBundle(spot) => Some(spot.place()),
        }
    }
}

impl Diagnostic {
    /// A finding about nothing in particular yet.
    pub fn new(rule: &'static Rule, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity: rule.severity,
            message: message.into(),
            package: None,
            channel: None,
            bundle: None,
            names: Vec::new(),
            at: None,
            related: Vec::new(),
            help: None,
            fix: None,
            unlisted: None,
            bundle_fix: None,
            said: None,
            cause: None,
            stands_for: Vec::new(),
            is_consequence: false,
        }
    }

    /// About a package.
    #[must_use]
    pub fn package(mut self, name: &PackageName) -> Self {
        self.package = Some(name.clone());
        self
    }

    /// About a channel.
    #[must_use]
    pub fn channel(mut self, name: &ChannelName) -> Self {
        self.channel = Some(name.clone());
        self
    }

    /// About a bundle or entry.
    #[must_use]
    pub fn bundle(mut self, name: &BundleName) -> Self {
        self.bundle = Some(name.clone());
        self
    }

    /// About several things.
    #[must_use]
    pub fn names<T: ToString>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.names = names.into_iter().map(|name| name.to_string()).collect();
        self
    }

    /// At bytes of a document.
    #[must_use]
    pub fn at(mut self, doc: DocId, span: Span) -> Self {
        self.at = Some(Location::Document(doc, span));
        self
    }

    /// With another place that matters.
    #[must_use]
    pub fn related(mut self, message: impl Into<String>, doc: DocId, span: Span) -> Self {
        self.related.push(Related { message: message.into(), at: Location::Document(doc, span) });
        self
    }

    /// In a file of a bundle directory.
    #[must_use]
    pub fn place(mut self, at: Location) -> Self {
        self.at = Some(at);
        self
    }

    /// With another place in a bundle directory that matters.
    #[must_use]
    pub fn related_at(mut self, message: impl Into<String>, at: Location) -> Self {
        self.related.push(Related { message: message.into(), at });
        self
    }

    /// With a cause that it may have in common with findings of other rules.
    #[must_use]
    pub(super) fn because(mut self, cause: Cause) -> Self {
        self.cause = Some(Box::new(cause));
        self
    }

    /// With what mends it in a bundle directory.
    #[must_use]
    pub fn mended_by(mut self, fix: BundleFix) -> Self {
        self.bundle_fix = Some(Box::new(fix));
        self
    }

    /// With advice of its own.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// With the edit that mends it.
    #[must_use]
    pub fn fix(mut self, fix: Edit) -> Self {
        self.fix = Some(fix);
        self
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// What to do about it.
    pub fn advice(&self) -> &str {
        self.help.as_deref().unwrap_or(self.rule.help)
    }

    /// How many findings it is: one, unless it stands for others.
    pub fn count(&self) -> usize {
        self.unlisted.map_or(1, |unlisted| unlisted.count)
    }

    /// What makes it this finding, wherever it stands now: for telling new findings from old ones after an edit.
    pub fn identity(&self) -> Identity<'_> {
        (self.rule.id, self.package.as_ref(), self.channel.as_ref(), self.bundle.as_ref(), &self.message)
    }

    /// A number that stands for its identity, or for those of the findings it stands for, as long as the program runs.
    pub fn hash(&self) -> u64 {
        let own = || findings::hash(&(self.rule.id, &self.channel, &self.bundle, &self.message));
        self.unlisted.map_or_else(own, |unlisted| unlisted.hash)
    }
}

/// See [`Diagnostic::identity`].
pub type Identity<'a> =
    (&'static str, Option<&'a PackageName>, Option<&'a ChannelName>, Option<&'a BundleName>, &'a str);
