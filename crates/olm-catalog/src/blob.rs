//! Typed objects of a catalog, decoded as far as they are readable, with the span of each part.

use std::{collections::HashSet, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    file::DocId,
    names::{BundleName, ChannelName, PackageName},
    span::{Span, Spanned},
};
use olm_version::{RangeError, Version, VersionRelease, VersionReleaseError, blang};

/// A decoded catalog object, by schema.
#[derive(Clone, Debug)]
pub enum Blob {
    /// `olm.package`
    Package(PackageBlob),
    /// `olm.channel`
    Channel(ChannelBlob),
    /// `olm.bundle`
    Bundle(Box<BundleBlob>),
    /// `olm.deprecations`
    Deprecations(DeprecationsBlob),
    /// Any other schema: kept byte for byte and decoded only on request.
    Other(OtherBlob),
}

impl Blob {
    /// Returns the package of the object: its own name for `olm.package`, and an empty name if a typed blob
    /// does not have one. `None` if an object of another schema does not name a package.
    pub fn package(&self) -> Option<&PackageName> {
        match self {
            Self::Package(blob) => Some(&blob.name.value),
            Self::Channel(blob) => Some(&blob.package.value),
            Self::Bundle(blob) => Some(&blob.package.value),
            Self::Deprecations(blob) => Some(&blob.package.value),
            Self::Other(blob) => blob.package.as_ref(),
        }
    }

    /// Replaces the package name by `name`, which has the same text, to share its memory.
    pub(super) fn share_package(&mut self, name: &PackageName) {
        let shared = match self {
            Self::Package(blob) => &mut blob.name.value,
            Self::Channel(blob) => &mut blob.package.value,
            Self::Bundle(blob) => &mut blob.package.value,
            Self::Deprecations(blob) => &mut blob.package.value,
            Self::Other(blob) => match &mut blob.package {
                Some(package) => package,
                None => return,
            },
        };
        shared.clone_from(name);
    }

    /// Returns the document that contains the object.
    pub fn doc(&self) -> DocId {
        match self {
            Self::Package(blob) => blob.doc,
            Self::Channel(blob) => blob.doc,
            Self::Bundle(blob) => blob.doc,
            Self::Deprecations(blob) => blob.doc,
            Self::Other(blob) => blob.doc,
        }
    }
}

/// An `olm.package` object.
#[derive(Clone, Debug)]
pub struct PackageBlob {
    /// Document of the object.
    pub doc: DocId,
    /// Name; empty if absent.
    pub name: Spanned<PackageName>,
    /// Channel of a Subscription that does not name one; `None` if absent or empty.
    pub default_channel: Option<Spanned<ChannelName>>,
    /// Description of the package.
    pub description: Option<Spanned<String>>,
    /// Icon, if any.
    pub icon: Option<Icon>,
}

/// Icon of a package. The image data stays in the document.
#[derive(Clone, Debug)]
pub struct Icon {
    /// Span of the icon object.
    pub span: Span,
    /// Media type, such as `image/png`.
    pub media_type: String,
    /// Span of the base64 text.
    pub data: Span,
}

/// An `olm.channel` object.
#[derive(Clone, Debug)]
pub struct ChannelBlob {
    /// Document of the object.
    pub doc: DocId,
    /// Package; empty if absent.
    pub package: Spanned<PackageName>,
    /// Name; empty if absent.
    pub name: Spanned<ChannelName>,
    /// Entries in source order.
    pub entries: Vec<Entry>,
}

impl ChannelBlob {
    /// Returns the entries that no other entry replaces or skips, in source order. opm requires exactly one
    /// (operator-registry `alpha/model/model.go`, `Channel.Head`).
    pub fn heads(&self) -> Vec<&BundleName> {
        let edges = self.entries.iter().flat_map(|entry| entry.replaces.iter().chain(&entry.skips));
        let below: HashSet<&BundleName> = edges.map(|name| &name.value).collect();
        self.entries.iter().map(|entry| &entry.name.value).filter(|name| !below.contains(name)).collect()
    }
}

/// A channel entry: a bundle and the upgrade edges to it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Index in the list of the document. It can differ from the index in [`ChannelBlob::entries`], which omits
    /// invalid items.
    pub position: usize,
    /// Span of the entry.
    pub span: Span,
    /// Name of the bundle.
    pub name: Spanned<BundleName>,
    /// Bundle that this one replaces; `None` if absent or empty, as in opm.
    pub replaces: Option<Spanned<BundleName>>,
    /// Bundles that this one skips.
    pub skips: Vec<Spanned<BundleName>>,
    /// Range of versions that can upgrade to this bundle.
    pub skip_range: Option<Box<SkipRange>>,
    /// Keys that OLM does not know, such as `replace`.
    pub unknown: Vec<Spanned<String>>,
}

impl Entry {
    /// Keys of an entry.
    pub const KEYS: [&str; 4] = ["name", "replaces", "skips", "skipRange"];

    /// Returns true if `name` is among the skips.
    pub fn skips(&self, name: &BundleName) -> bool {
        self.skips.iter().any(|s| &s.value == name)
    }

    /// Returns true if the entry has a value for one of [`Entry::KEYS`].
    pub fn has_key(&self, key: &str) -> bool {
        match key {
            "replaces" => self.replaces.is_some(),
            "skips" => !self.skips.is_empty(),
            "skipRange" => self.skip_range.is_some(),
            _ => true,
        }
    }

    /// Returns true if the entry replaces `name`.
    pub fn replaces(&self, name: &BundleName) -> bool {
        self.replaces.as_ref().is_some_and(|r| &r.value == name)
    }

    /// Returns true if the skipRange contains a version according to blang.
    pub fn range_matches(&self, version: &Version) -> bool {
        self.skip_range.as_ref().and_then(|r| r.range.as_ref().ok()).is_some_and(|r| r.matches(version))
    }

    /// Returns the entry with other edges. New values have the span of the whole entry.
    #[must_use]
    pub fn with_spec(&self, spec: &EntrySpec) -> Self {
        let here = |name: &BundleName| Spanned::new(name.clone(), self.span);
        Self {
            replaces: spec.replaces.as_ref().map(here),
            skips: spec.skips.iter().map(here).collect(),
            skip_range: spec.skip_range.as_ref().map(|text| {
                let range = blang::Range::parse(text);
                Box::new(SkipRange { range, text: Spanned::new(text.clone(), self.span) })
            }),
            ..self.clone()
        }
    }

    /// Returns the edges of the entry.
    pub fn to_spec(&self) -> EntrySpec {
        EntrySpec {
            replaces: self.replaces.as_ref().map(|r| r.value.clone()),
            skips: self.skips.iter().map(|s| s.value.clone()).collect(),
            skip_range: self.skip_range.as_ref().map(|r| r.text.value.clone()),
        }
    }
}

/// Edges of an entry as plain data, as edited in a form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct EntrySpec {
    /// See [`Entry::replaces`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<BundleName>,
    /// See [`Entry::skips`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skips: Vec<BundleName>,
    /// See [`Entry::skip_range`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_range: Option<String>,
}

/// Place of a bundle in a channel, to be edited.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelPlacement {
    /// Name of the channel.
    pub channel: ChannelName,
    /// Edges of the bundle in the channel.
    pub spec: EntrySpec,
    /// Other entries that change, with their new edges.
    pub changes: Vec<(BundleName, EntrySpec)>,
}

impl ChannelPlacement {
    /// Creates a place that changes no other entries.
    pub fn with_spec(channel: ChannelName, spec: EntrySpec) -> Self {
        Self { channel, spec, changes: Vec::new() }
    }
}

/// A `skipRange` as text and as parsed by blang.
#[derive(Clone, Debug)]
pub struct SkipRange {
    /// Text of the range.
    pub text: Spanned<String>,
    /// Parsed range.
    pub range: Result<blang::Range, RangeError>,
}

/// An `olm.bundle` object, without descriptions, examples and other details, which stay in the document.
#[derive(Clone, Debug)]
pub struct BundleBlob {
    /// Document of the object.
    pub doc: DocId,
    /// Package; empty if absent.
    pub package: Spanned<PackageName>,
    /// Name; empty if absent.
    pub name: Spanned<BundleName>,
    /// Bundle image; `None` if absent or empty.
    pub image: Option<Spanned<String>>,
    /// Images that the operator runs.
    pub related_images: Vec<RelatedImage>,
    /// All properties in source order, decoded or not.
    pub properties: Vec<Property>,
    /// Values of the `olm.package` properties; a valid bundle has exactly one.
    pub package_properties: Vec<PackageProperty>,
    /// Version of the first `olm.package` property with a valid version.
    pub version: Option<VersionRelease>,
    /// Dependencies of the operator.
    pub requires: Vec<Dependency>,
    /// APIs that the operator provides.
    pub provides: Vec<Gvk>,
    /// `olm.maxOpenShiftVersion` as text, also if it is a number.
    pub max_openshift: Option<Spanned<String>>,
    /// Summary of the ClusterServiceVersion, if `olm.csv.metadata` is present.
    pub csv: Option<CsvSummary>,
    /// True if manifests are inlined as `olm.bundle.object`.
    pub has_objects: bool,
}

impl BundleBlob {
    /// Returns the first `olm.package` property; `None` if its value cannot be decoded, or if there is none.
    pub fn first_package_property(&self) -> Option<&PackageProperty> {
        let first = self.properties.iter().position(|property| property.kind.value == "olm.package")?;
        self.package_properties.first().filter(|property| property.position == first)
    }

    /// Creates a bundle without an image and properties.
    pub(crate) fn new(doc: DocId, package: Spanned<PackageName>, name: Spanned<BundleName>) -> Self {
        Self {
            doc,
            package,
            name,
            image: None,
            related_images: Vec::new(),
            properties: Vec::new(),
            package_properties: Vec::new(),
            version: None,
            requires: Vec::new(),
            provides: Vec::new(),
            max_openshift: None,
            csv: None,
            has_objects: false,
        }
    }
}

/// Decoded part of `olm.csv.metadata`.
#[derive(Clone, Debug, Default)]
pub struct CsvSummary {
    /// Span of the value in the document.
    pub span: Span,
    /// Supported install modes, such as `AllNamespaces`.
    pub install_modes: Vec<String>,
    /// Minimum Kubernetes version.
    pub min_kube_version: Option<String>,
}

/// An image of `relatedImages`.
#[derive(Clone, Debug)]
pub struct RelatedImage {
    /// Purpose of the image; often empty.
    pub name: String,
    /// Image reference.
    pub image: Spanned<String>,
}

/// A property of a bundle.
#[derive(Clone, Debug)]
pub struct Property {
    /// Type of the property, such as `olm.gvk`.
    pub kind: Spanned<String>,
    /// Span of the value; empty if absent.
    pub value: Span,
}

/// Value of an `olm.package` property.
#[derive(Clone, Debug)]
pub struct PackageProperty {
    /// Index in [`BundleBlob::properties`].
    pub position: usize,
    /// Span of the property.
    pub span: Span,
    /// `packageName`
    pub package_name: Spanned<String>,
    /// `version` as text.
    pub version: Spanned<String>,
    /// `release` as text.
    pub release: Option<Spanned<String>>,
    /// Version and release as parsed by OLM.
    pub parsed: Result<VersionRelease, VersionReleaseError>,
}

/// Group, version and kind of an API.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gvk {
    /// API group.
    pub group: String,
    /// API version.
    pub version: String,
    /// API kind.
    pub kind: String,
}

/// Group and kind of an API. Requirements have a version, but searches for an API ignore it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApiName {
    /// API group; empty for the core group of Kubernetes.
    pub group: String,
    /// API kind.
    pub kind: String,
}

impl Gvk {
    /// Returns the API without its version.
    pub fn api(&self) -> ApiName {
        ApiName { group: self.group.clone(), kind: self.kind.clone() }
    }
}

/// `group/version Kind`
impl fmt::Display for Gvk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.group.as_str() {
            "" => write!(f, "{} {}", self.version, self.kind),
            group => write!(f, "{group}/{} {}", self.version, self.kind),
        }
    }
}

/// `group/Kind`
impl fmt::Display for ApiName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.group.as_str() {
            "" => f.write_str(&self.kind),
            group => write!(f, "{group}/{}", self.kind),
        }
    }
}

/// Target of a dependency.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DependencyTarget {
    /// An API in any version.
    Api(ApiName),
    /// A package.
    Package(PackageName),
}

/// `group/Kind`, or `package NAME`.
impl fmt::Display for DependencyTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Api(api) => api.fmt(f),
            Self::Package(name) => write!(f, "package {name}"),
        }
    }
}

/// Dependency of a bundle.
#[derive(Clone, Debug)]
pub enum Dependency {
    /// `olm.package.required`: a package in a blang range.
    Package {
        /// Span of the property's value.
        span: Span,
        /// Name of the package.
        package: String,
        /// Range as text.
        range: String,
    },
    /// `olm.gvk.required`: an API.
    Gvk {
        /// Span of the property's value.
        span: Span,
        /// Required API.
        gvk: Gvk,
    },
    /// `olm.constraint`: a compound constraint with its own failure message.
    Constraint {
        /// Span of the property's value.
        span: Span,
        /// Message of the author for a failed constraint.
        message: String,
        /// Packages and APIs that the constraint always requires: its own and those of its `all`. Operands of
        /// `any`, `not` and `cel` are omitted because alternatives may satisfy them.
        requirements: Vec<Dependency>,
    },
}

impl Dependency {
    /// Returns the packages and APIs that are always required: the dependency itself, or those of a constraint.
    pub fn requirements(&self) -> &[Self] {
        match self {
            Self::Package { .. } | Self::Gvk { .. } => std::slice::from_ref(self),
            Self::Constraint { requirements: asks, .. } => asks,
        }
    }

    /// Returns the span of the property's value.
    pub fn span(&self) -> Span {
        match self {
            Self::Package { span, .. } | Self::Gvk { span, .. } | Self::Constraint { span, .. } => *span,
        }
    }
}

/// An `olm.deprecations` object.
#[derive(Clone, Debug)]
pub struct DeprecationsBlob {
    /// Document of the object.
    pub doc: DocId,
    /// Package; empty if absent.
    pub package: Spanned<PackageName>,
    /// Name; empty if absent, as in most catalogs.
    pub name: String,
    /// Deprecated items.
    pub entries: Vec<Deprecation>,
}

/// A deprecated item with the message for its users.
#[derive(Clone, Debug)]
pub struct Deprecation {
    /// Index in the list of the document. It can differ from the index in [`DeprecationsBlob::entries`], which
    /// omits invalid items.
    pub position: usize,
    /// Span of the entry.
    pub span: Span,
    /// `reference.schema` as text.
    pub schema: Spanned<String>,
    /// `reference.name` as text; `None` if absent or empty.
    pub name: Option<Spanned<String>>,
    /// Target of the reference, if it is valid.
    pub target: Option<DeprecationTarget>,
    /// Message for users; empty if absent.
    pub message: Spanned<String>,
}

/// Target of a deprecation, serialized like OLM's `reference`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "schema", content = "name")]
pub enum DeprecationTarget {
    /// The whole package.
    #[serde(rename = "olm.package")]
    Package,
    /// A channel of the package.
    #[serde(rename = "olm.channel")]
    Channel(ChannelName),
    /// A bundle of the package.
    #[serde(rename = "olm.bundle")]
    Bundle(BundleName),
}

/// An object whose schema olmap does not decode.
#[derive(Clone, Debug)]
pub struct OtherBlob {
    /// Document of the object.
    pub doc: DocId,
    /// Schema of the object.
    pub schema: Arc<str>,
    /// Package, if the object names one.
    pub package: Option<PackageName>,
    /// Name, if any.
    pub name: Option<Box<str>>,
}
