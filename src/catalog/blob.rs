//! The typed objects of a catalog, as decoded: what is readable, each part with its span.

use std::{collections::HashSet, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{
    file::DocId,
    names::{BundleName, ChannelName, PackageName},
    span::{Span, Spanned},
};
use crate::version::{RangeError, Version, VersionRelease, VersionReleaseError, blang};

/// What a document turned out to be.
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
    /// Any other schema: kept byte for byte, understood only where a screen wants to.
    Other(OtherBlob),
}

impl Blob {
    /// The package it belongs to: for `olm.package`, its own name; empty for a typed blob that forgot to say; `None`
    /// for another schema that names none.
    pub fn package(&self) -> Option<&PackageName> {
        match self {
            Self::Package(blob) => Some(&blob.name.value),
            Self::Channel(blob) => Some(&blob.package.value),
            Self::Bundle(blob) => Some(&blob.package.value),
            Self::Deprecations(blob) => Some(&blob.package.value),
            Self::Other(blob) => blob.package.as_ref(),
        }
    }

    /// Has it share the name of its package, which is this, with others.
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

    /// The document it was read from.
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

/// An `olm.package`.
#[derive(Clone, Debug)]
pub struct PackageBlob {
    /// The document.
    pub doc: DocId,
    /// Its name; empty where absent.
    pub name: Spanned<PackageName>,
    /// The channel a subscription without one gets; `None` where absent or empty.
    pub default_channel: Option<Spanned<ChannelName>>,
    /// What the package is.
    pub description: Option<Spanned<String>>,
    /// The icon, where there is one.
    pub icon: Option<Icon>,
}

/// A package's icon. The picture stays in the document until somebody looks at it.
#[derive(Clone, Debug)]
pub struct Icon {
    /// The whole icon object.
    pub span: Span,
    /// Such as `image/png`.
    pub media_type: String,
    /// The base64 text.
    pub data: Span,
}

/// An `olm.channel`.
#[derive(Clone, Debug)]
pub struct ChannelBlob {
    /// The document.
    pub doc: DocId,
    /// Its package; empty where absent.
    pub package: Spanned<PackageName>,
    /// Its name; empty where absent.
    pub name: Spanned<ChannelName>,
    /// The bundles in it, in source order.
    pub entries: Vec<Entry>,
}

impl ChannelBlob {
    /// The entries that no other replaces or skips, in source order: opm wants exactly one (operator-registry
    /// `alpha/model/model.go`, `Channel.Head`).
    pub fn heads(&self) -> Vec<&BundleName> {
        let edges = self.entries.iter().flat_map(|entry| entry.replaces.iter().chain(&entry.skips));
        let below: HashSet<&BundleName> = edges.map(|name| &name.value).collect();
        self.entries.iter().map(|entry| &entry.name.value).filter(|name| !below.contains(name)).collect()
    }
}

/// One entry of a channel: a bundle and how one gets to it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Position in the document's list; not in [`ChannelBlob::entries`] where an item of the list is no entry.
    pub position: usize,
    /// The whole entry.
    pub span: Span,
    /// The bundle.
    pub name: Spanned<BundleName>,
    /// The bundle this one replaces; `None` where absent or empty, as for opm.
    pub replaces: Option<Spanned<BundleName>>,
    /// The bundles this one skips.
    pub skips: Vec<Spanned<BundleName>>,
    /// The versions this one can be upgraded to from.
    pub skip_range: Option<Box<SkipRange>>,
    /// Keys of the entry that OLM does not know, such as `replace`.
    pub unknown: Vec<Spanned<String>>,
}

impl Entry {
    /// The keys an entry may have.
    pub const KEYS: [&str; 4] = ["name", "replaces", "skips", "skipRange"];

    /// Whether `name` is among the skips.
    pub fn skips(&self, name: &BundleName) -> bool {
        self.skips.iter().any(|s| &s.value == name)
    }

    /// Whether the entry says something under one of [`Entry::KEYS`].
    pub fn has_key(&self, key: &str) -> bool {
        match key {
            "replaces" => self.replaces.is_some(),
            "skips" => !self.skips.is_empty(),
            "skipRange" => self.skip_range.is_some(),
            _ => true,
        }
    }

    /// Whether `name` is what the entry replaces.
    pub fn replaces(&self, name: &BundleName) -> bool {
        self.replaces.as_ref().is_some_and(|r| &r.value == name)
    }

    /// Whether the skipRange matches a version, as blang reads both.
    pub fn range_matches(&self, version: &Version) -> bool {
        self.skip_range.as_ref().and_then(|r| r.range.as_ref().ok()).is_some_and(|r| r.matches(version))
    }

    /// The entry as it would be if it asked for these edges; what is new has the place of the whole.
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

    /// What is left of the entry when only the edges it wishes for count.
    pub fn spec(&self) -> EntrySpec {
        EntrySpec {
            replaces: self.replaces.as_ref().map(|r| r.value.clone()),
            skips: self.skips.iter().map(|s| s.value.clone()).collect(),
            skip_range: self.skip_range.as_ref().map(|r| r.text.value.clone()),
        }
    }
}

/// The edges an entry asks for, as plain data: what a form edits.
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

/// A `skipRange` as written and as blang reads it.
#[derive(Clone, Debug)]
pub struct SkipRange {
    /// As written.
    pub text: Spanned<String>,
    /// As read.
    pub range: Result<blang::Range, RangeError>,
}

/// An `olm.bundle`: what answers need of it. Descriptions, examples and the like stay in the document.
#[derive(Clone, Debug)]
pub struct BundleBlob {
    /// The document.
    pub doc: DocId,
    /// Its package; empty where absent.
    pub package: Spanned<PackageName>,
    /// Its name; empty where absent.
    pub name: Spanned<BundleName>,
    /// The bundle image; `None` where absent or empty.
    pub image: Option<Spanned<String>>,
    /// Images the operator runs.
    pub related_images: Vec<RelatedImage>,
    /// Every property in source order, decoded or not.
    pub properties: Vec<Property>,
    /// The values of the `olm.package` properties; a good bundle has exactly one.
    pub package_properties: Vec<PackageProperty>,
    /// The version of the first `olm.package` property that has a good one.
    pub version: Option<VersionRelease>,
    /// What the operator needs beside it on the cluster.
    pub requires: Vec<Dependency>,
    /// The APIs it provides.
    pub provides: Vec<Gvk>,
    /// `olm.maxOpenShiftVersion` as written (a number is written out).
    pub max_openshift: Option<Spanned<String>>,
    /// What is known of its ClusterServiceVersion without reading all of it.
    pub csv: Option<CsvSummary>,
    /// Whether manifests are inlined as `olm.bundle.object`.
    pub has_objects: bool,
}

/// The part of `olm.csv.metadata` that answers need.
#[derive(Clone, Debug, Default)]
pub struct CsvSummary {
    /// The value in the document.
    pub span: Span,
    /// Install modes that are supported, such as `AllNamespaces`.
    pub install_modes: Vec<String>,
    /// The oldest Kubernetes it runs on.
    pub min_kube_version: Option<String>,
}

/// One image of `relatedImages`.
#[derive(Clone, Debug)]
pub struct RelatedImage {
    /// What it is for; often empty.
    pub name: String,
    /// The reference.
    pub image: Spanned<String>,
}

/// One property of a bundle.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its type, such as `olm.gvk`.
    pub kind: Spanned<String>,
    /// Its value in the document; empty where absent.
    pub value: Span,
}

/// The value of an `olm.package` property.
#[derive(Clone, Debug)]
pub struct PackageProperty {
    /// The whole property.
    pub span: Span,
    /// `packageName`
    pub package_name: Spanned<String>,
    /// `version` as written.
    pub version: Spanned<String>,
    /// `release` as written.
    pub release: Option<Spanned<String>>,
    /// Version and release as OLM reads them.
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

/// An API whatever its version: who requires one asks for a version, and who looks for it does not know which.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApiName {
    /// API group; empty for those of Kubernetes itself.
    pub group: String,
    /// API kind.
    pub kind: String,
}

impl Gvk {
    /// The API without its version.
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

/// Something that a bundle can require.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Thing {
    /// An API, whatever its version.
    Api(ApiName),
    /// A package.
    Package(PackageName),
}

/// `group/Kind`, or `package NAME`.
impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Api(api) => api.fmt(f),
            Self::Package(name) => write!(f, "package {name}"),
        }
    }
}

/// Something a bundle needs.
#[derive(Clone, Debug)]
pub enum Dependency {
    /// `olm.package.required`: another package in a blang range.
    Package {
        /// The property's value.
        span: Span,
        /// The package.
        package: String,
        /// The range as written.
        range: String,
    },
    /// `olm.gvk.required`: an API somebody must provide.
    Gvk {
        /// The property's value.
        span: Span,
        /// The API.
        gvk: Gvk,
    },
    /// `olm.constraint`: a compound constraint, by its own failure message.
    Constraint {
        /// The property's value.
        span: Span,
        /// What its author wants to be shown when it fails.
        message: String,
        /// The packages and APIs it cannot do without: its own, and those of its `all`. What an `any`, `not` or `cel` asks for
        /// may be met by something else.
        asks: Vec<Dependency>,
    },
}

impl Dependency {
    /// The packages and APIs that must be there: itself, or what a constraint cannot do without.
    pub fn asks(&self) -> &[Self] {
        match self {
            Self::Package { .. } | Self::Gvk { .. } => std::slice::from_ref(self),
            Self::Constraint { asks, .. } => asks,
        }
    }

    /// The property's value.
    pub fn span(&self) -> Span {
        match self {
            Self::Package { span, .. } | Self::Gvk { span, .. } | Self::Constraint { span, .. } => *span,
        }
    }
}

/// An `olm.deprecations`.
#[derive(Clone, Debug)]
pub struct DeprecationsBlob {
    /// The document.
    pub doc: DocId,
    /// Its package; empty where absent.
    pub package: Spanned<PackageName>,
    /// What is deprecated.
    pub entries: Vec<Deprecation>,
}

/// One deprecated thing and what its users are told.
#[derive(Clone, Debug)]
pub struct Deprecation {
    /// Position in the document's list; not in [`DeprecationsBlob::entries`] where an item of the list is no entry.
    pub position: usize,
    /// The whole entry.
    pub span: Span,
    /// `reference.schema` as written.
    pub schema: Spanned<String>,
    /// `reference.name` as written; `None` where absent or empty.
    pub name: Option<Spanned<String>>,
    /// What the reference means, where it means something.
    pub target: Option<DeprecationTarget>,
    /// What users are told; empty where absent.
    pub message: Spanned<String>,
}

/// What a deprecation speaks of; written down as OLM writes its `reference`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "schema", content = "name")]
pub enum DeprecationTarget {
    /// The whole package.
    #[serde(rename = "olm.package")]
    Package,
    /// A channel of it.
    #[serde(rename = "olm.channel")]
    Channel(ChannelName),
    /// A bundle of it.
    #[serde(rename = "olm.bundle")]
    Bundle(BundleName),
}

/// An object of a schema that olmap does not decode.
#[derive(Clone, Debug)]
pub struct OtherBlob {
    /// The document.
    pub doc: DocId,
    /// Its schema.
    pub schema: Arc<str>,
    /// Its package, where it names one.
    pub package: Option<PackageName>,
    /// Its name, where it has one.
    pub name: Option<Box<str>>,
}
