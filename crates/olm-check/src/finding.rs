//! Findings of rules.

use std::{fmt, path::PathBuf};

use super::{
    bundles::{BundleFileLocation, BundleFix, OriginalVerdict},
    findings,
    rule::{Rule, Severity},
};
use olm_bundle::suites::Cause;
use olm_catalog::{
    BundleName, Catalog, ChannelName, Origin, PackageName, Span,
    file::{DocId, Location},
};
use olm_edit::Edit;

/// Finding of a rule about a catalog or a bundle directory.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// Rule that reports the finding.
    pub rule: &'static Rule,
    /// Severity; differs from the default of the rule in some cases.
    pub severity: Severity,
    /// Problem with the affected names, in one sentence without a full stop.
    pub message: String,
    /// Affected package.
    pub package: Option<PackageName>,
    /// Affected channel.
    pub channel: Option<ChannelName>,
    /// Affected bundle or entry.
    pub bundle: Option<BundleName>,
    /// Channel and name of the entry to edit; `None` if it is the affected one.
    pub edited_entry: Option<Box<(ChannelName, BundleName)>>,
    /// Names of the affected items if the finding is about several. A finding with further names
    /// counts as new after an edit.
    pub names: Vec<String>,
    /// Names that separate the finding from others of its rule about the same package, channel,
    /// bundle and text, such as a field ([`FindingKey`](super::FindingKey)).
    pub details: Vec<String>,
    /// Location; `None` if unknown.
    pub at: Option<FindingLocation>,
    /// Related locations.
    pub related: Vec<Related>,
    /// Advice for this finding; `None` if the help of the rule is enough.
    pub help: Option<String>,
    /// Edit that fixes the problem; `None` unless there is a single right answer.
    pub fix: Option<Edit>,
    /// Number of unlisted findings; `None` unless this only counts findings that are not listed.
    pub unlisted: Option<Unlisted>,
    /// Fix in a bundle directory; `None` unless there is a single right answer.
    pub bundle_fix: Option<Box<BundleFix>>,
    /// Original verdict if another program reports the finding.
    pub verdict: Option<Box<OriginalVerdict>>,
    /// Cause that findings of other rules may share.
    pub cause: Option<Box<Cause>>,
    /// Merged findings of other rules: duplicates and consequences. They are not listed
    /// separately.
    pub merged: Vec<Self>,
    /// True for a merged finding that follows from another one; false for a duplicate.
    pub is_consequence: bool,
}

/// Count of findings that are not listed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Unlisted {
    /// Number of findings.
    pub count: usize,
    /// Hash of all of these findings; valid only in this process.
    pub(super) hash: u64,
}

/// Location of a finding. Line and column are computed on demand, so a location stays valid while
/// other documents of its file change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingLocation {
    /// Whole file or folder.
    File(PathBuf),
    /// Span of a document.
    Document(DocId, Span),
    /// Span of a file in a bundle directory.
    InBundle(Box<BundleFileLocation>),
}

/// Related location of a finding.
#[derive(Clone, PartialEq, Debug)]
pub struct Related {
    /// Relation to the finding.
    pub message: String,
    /// Location.
    pub at: FindingLocation,
}

/// Formats the finding as `SEVERITY RULE: MESSAGE`. Names of the catalog are not escaped.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.severity.as_str(), self.rule.id, self.message)
    }
}

impl FindingLocation {
    /// Returns path, line and column. The path can be opened: it is absolute, or relative to the
    /// working directory of the program.
    pub fn resolve(&self, catalog: &Catalog) -> Option<Location> {
        let location = self.resolve_in_catalog(catalog)?;
        let on_disk = match self {
            Self::Document(doc, _) => catalog.file(doc.file).and_then(|file| file.disk.clone()),
            Self::InBundle(_) => return Some(location),
            Self::File(_) => None,
        };
        let path = match (on_disk, &catalog.origin) {
            (Some(path), _) => path,
            (None, Origin::Revision(at)) if !at.is_file => at.path.join(&location.path),
            (None, Origin::Directory(root) | Origin::Bundles(root)) if !location.path.starts_with(root) => {
                root.join(&location.path)
            }
            (None, _) => location.path.clone(),
        };
        Some(Location { path, ..location })
    }

    /// Returns path, line and column. The path is relative to the directory of the catalog, as
    /// screens show it. [`FindingLocation::resolve`] returns one that can be opened.
    pub fn resolve_in_catalog(&self, catalog: &Catalog) -> Option<Location> {
        match self {
            Self::File(path) => Some(Location::whole_file(path.clone())),
            Self::Document(doc, span) => catalog.location(*doc, *span),
            Self::InBundle(spot) => Some(spot.to_file_location()),
        }
    }
}

impl Finding {
    /// Creates a finding without a subject or location.
    pub fn new(rule: &'static Rule, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity: rule.severity,
            message: message.into(),
            package: None,
            channel: None,
            bundle: None,
            names: Vec::new(),
            details: Vec::new(),
            at: None,
            related: Vec::new(),
            help: None,
            fix: None,
            edited_entry: None,
            unlisted: None,
            bundle_fix: None,
            verdict: None,
            cause: None,
            merged: Vec::new(),
            is_consequence: false,
        }
    }

    /// Sets the package.
    #[must_use]
    pub fn with_package(mut self, name: &PackageName) -> Self {
        self.package = Some(name.clone());
        self
    }

    /// Sets the channel.
    #[must_use]
    pub fn with_channel(mut self, name: &ChannelName) -> Self {
        self.channel = Some(name.clone());
        self
    }

    /// Sets the bundle or entry.
    #[must_use]
    pub fn with_bundle(mut self, name: &BundleName) -> Self {
        self.bundle = Some(name.clone());
        self
    }

    /// Sets the names of several items.
    #[must_use]
    pub fn with_names<T: ToString>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.names = names.into_iter().map(|name| name.to_string()).collect();
        self
    }

    /// Sets the entry to edit, if none is set.
    #[must_use]
    pub fn with_edited_entry(mut self, channel: &ChannelName, entry: &BundleName) -> Self {
        self.edited_entry.get_or_insert_with(|| Box::new((channel.clone(), entry.clone())));
        self
    }

    /// Adds a name that separates the finding from others of its rule about the same subject.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.details.push(detail.into());
        self
    }

    /// Sets the location to a span of a document.
    #[must_use]
    pub fn at_span(mut self, doc: DocId, span: Span) -> Self {
        self.at = Some(FindingLocation::Document(doc, span));
        self
    }

    /// Adds a related location in a document.
    #[must_use]
    pub fn with_related(mut self, message: impl Into<String>, doc: DocId, span: Span) -> Self {
        self.related.push(Related { message: message.into(), at: FindingLocation::Document(doc, span) });
        self
    }

    /// Sets the location.
    #[must_use]
    pub fn at_location(mut self, at: FindingLocation) -> Self {
        self.at = Some(at);
        self
    }

    /// Adds a related location.
    #[must_use]
    pub fn with_related_location(mut self, message: impl Into<String>, at: FindingLocation) -> Self {
        self.related.push(Related { message: message.into(), at });
        self
    }

    /// Sets the cause, which findings of other rules may share.
    #[must_use]
    pub(super) fn with_cause(mut self, cause: Cause) -> Self {
        self.cause = Some(Box::new(cause));
        self
    }

    /// Sets the fix in a bundle directory.
    #[must_use]
    pub fn with_bundle_fix(mut self, fix: BundleFix) -> Self {
        self.bundle_fix = Some(Box::new(fix));
        self
    }

    /// Sets the advice, instead of the help of the rule.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the edit that fixes the problem.
    #[must_use]
    pub fn with_fix(mut self, fix: Edit) -> Self {
        self.fix = Some(fix);
        self
    }

    /// Returns path, line and column; `None` if the location is unknown. The path can be opened.
    pub fn locate(&self, catalog: &Catalog) -> Option<Location> {
        self.at.as_ref()?.resolve(catalog)
    }

    /// Returns the severity.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Returns the advice, or the help of the rule.
    pub fn advice(&self) -> &str {
        self.help.as_deref().unwrap_or(self.rule.help)
    }

    /// Returns the number of findings: 1, unless this counts unlisted findings.
    pub fn finding_count(&self) -> usize {
        self.unlisted.map_or(1, |unlisted| unlisted.count)
    }

    /// Returns a hash of the content, or of the unlisted findings, to notice changes; valid only in
    /// this process.
    pub(super) fn content_hash(&self) -> u64 {
        let own = || findings::keyed_hash(&(self.rule.id, &self.channel, &self.bundle, &self.message));
        self.unlisted.map_or_else(own, |unlisted| unlisted.hash)
    }
}
