//! Identity of a finding.

use std::{collections::BTreeSet, fmt, path::Path};

use super::{
    finding::{Finding, FindingLocation},
    rule::RuleProperty,
};
use olm_catalog::{BundleName, Catalog, ChannelName, Origin, PackageName};

/// Maximum number of characters in a name. Longer texts and texts with several lines are parts of a
/// file.
const MAX_NAME_CHARS: usize = 200;

/// Identity of a finding: its rule and its subject, but not its message or its place in a file.
///
/// It recognizes a finding again: after an edit, in another version of the catalog, in a file of
/// accepted findings, and in reports for services.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FindingKey {
    /// Name of the package, if any.
    pub package: Option<String>,
    /// ID of the rule.
    pub rule: String,
    /// Name of the channel, if any.
    pub channel: Option<String>,
    /// Name of the bundle or entry, if any.
    pub bundle: Option<String>,
    /// Path in the catalog, for findings without a package.
    pub file: Option<String>,
    /// Other names, ranges and short texts at the locations of the finding, sorted.
    pub about: Vec<String>,
    /// Further names that separate findings of a rule about the same subject, such as a field. Not
    /// in files and reports of olmap ([`FindingKey::for_files`]).
    pub details: Vec<String>,
}

impl FindingKey {
    /// Returns the identity of a finding in its catalog.
    pub fn from_finding(catalog: &Catalog, finding: &Finding) -> Self {
        let details = match finding.unlisted {
            Some(_) => Vec::new(),
            None => list_details(finding),
        };
        Self { details, ..Self::for_files(catalog, finding) }
    }

    /// Returns the identity without details, as in files of accepted findings and in fingerprints of
    /// reports. These outlive a version of olmap, so their identities never change. Several findings
    /// of a catalog may share one: files count them, and reports number them.
    pub fn for_files(catalog: &Catalog, finding: &Finding) -> Self {
        let text = |name: Option<&str>| name.map(str::to_owned);
        let package = finding.package.as_ref().map(PackageName::as_str);
        let channel = finding.channel.as_ref().map(ChannelName::as_str);
        let bundle = finding.bundle.as_ref().map(BundleName::as_str);
        let known = [package, channel, bundle];
        let places = finding.at.iter().chain(finding.related.iter().map(|related| &related.at));
        // A finding that represents several others has only the location of the first one. That
        // location is not part of its identity.
        let places = places.filter(|_| finding.unlisted.is_none());
        let about: BTreeSet<String> = places
            .filter_map(|at| short_text_at(catalog, at))
            .filter(|text| !known.contains(&Some(text)))
            .collect();
        Self {
            package: text(package),
            rule: finding.rule.id.to_owned(),
            channel: text(channel),
            bundle: text(bundle),
            file: finding.at.as_ref().filter(|_| package.is_none()).and_then(|at| relative_path(catalog, at)),
            about: about.into_iter().collect(),
            details: Vec::new(),
        }
    }

    /// Returns the identity without the file, to recognize a finding in another catalog. The catalogs
    /// may be distributed over files in another way.
    #[must_use]
    pub fn without_file(self) -> Self {
        Self { file: None, ..self }
    }

    /// Returns the subject of a finding: the part of its identity that an edit keeps. Differs from
    /// the identity if a rule has at most one finding per package, channel or name.
    pub(crate) fn subject_of(finding: &Finding) -> Self {
        let is = |property| finding.rule.has(property);
        let is_per_name = is(RuleProperty::OncePerName);
        let has_channel = !is(RuleProperty::OncePerPackage) && !is_per_name;
        let has_bundle = has_channel && !is(RuleProperty::OncePerChannel);
        Self {
            rule: finding.rule.id.to_owned(),
            package: finding.package.as_ref().map(ToString::to_string),
            channel: finding.channel.as_ref().filter(|_| has_channel).map(ToString::to_string),
            bundle: finding.bundle.as_ref().filter(|_| has_bundle).map(ToString::to_string),
            about: if is_per_name { finding.names.clone() } else { Vec::new() },
            ..Self::default()
        }
    }

    /// Returns true if an earlier version of olmap used this identity for the finding. That version
    /// used a former ID of the rule and listed all affected channels: the first as the channel, the
    /// others in `about`.
    pub(crate) fn is_earlier_form_of(&self, finding: &Finding) -> bool {
        let Some(channel) = finding.channel.as_ref().map(ChannelName::as_str) else { return false };
        finding.rule.former_ids().any(|former| former == self.rule)
            && self.package.as_deref() == finding.package.as_ref().map(PackageName::as_str)
            && (self.channel.as_deref() == Some(channel) || self.about.iter().any(|name| name == channel))
    }
}

/// Formats the identity as `dead-end kiln stable kiln.v1.0.0`.
impl fmt::Display for FindingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rule)?;
        for part in [&self.package, &self.channel, &self.bundle, &self.file].into_iter().flatten() {
            write!(f, " {part}")?;
        }
        if !self.about.is_empty() && self.bundle.is_none() {
            write!(f, " ({})", self.about.join(", "))?;
        }
        Ok(())
    }
}

/// Lists the data that separates a finding from others of its rule about the same subject.
fn list_details(finding: &Finding) -> Vec<String> {
    let mut details = finding.details.clone();
    if let Some(verdict) = &finding.verdict {
        details.extend([verdict.validator, verdict.kind].map(str::to_owned));
        details.extend([verdict.field.clone(), verdict.value.clone()]);
        details.extend(verdict.file.clone());
    }
    details.extend(finding.cause.as_ref().map(|cause| format!("{cause:?}")));
    // Locations in catalogs are in `about`.
    if let Some(FindingLocation::InBundle(spot)) = &finding.at {
        let range = spot.marked_range();
        let text = spot.source.get(range.start..range.end.min(spot.source.len())).unwrap_or_default();
        details.push(String::from_utf8_lossy(text).into_owned());
    }
    details
}

/// Returns the name, range or other short text at a location, without quotes.
fn short_text_at(catalog: &Catalog, at: &FindingLocation) -> Option<String> {
    let FindingLocation::Document(doc, span) = at else { return None };
    let text = std::str::from_utf8(catalog.document_text(*doc)?.get(span.range())?).ok()?.trim();
    let text =
        ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote)).unwrap_or(text);
    (!text.is_empty() && !text.contains(['\n', '\r']) && text.chars().count() <= MAX_NAME_CHARS)
        .then(|| text.to_owned())
}

/// Returns the path of a file relative to the catalog, which is the same on every machine.
fn relative_path(catalog: &Catalog, at: &FindingLocation) -> Option<String> {
    let place = at.resolve_in_catalog(catalog)?;
    let path: &Path = match &catalog.origin {
        Origin::Directory(root) | Origin::Bundles(root) => {
            place.path.strip_prefix(root).unwrap_or(&place.path)
        }
        Origin::File(file) if *file == place.path => Path::new(file.file_name()?),
        _ => &place.path,
    };
    let parts = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    Some(parts.collect::<Vec<_>>().join("/"))
}
