//! Compatibility of a new CRD with an old one: what OLM v1's preflight and Classic reject, and the consequences
//! for existing resources.
//!
//! All checks work on olmap's trees, so that each finding has a location on both sides. Sources:
//! operator-controller, `internal/operator-controller/rukpak/preflights/crdupgradesafety` over
//! `sigs.k8s.io/crdify`; operator-lifecycle-manager, `pkg/controller/operators/catalog`.

mod compare;
mod group;
mod resources;
mod schema_nodes;
mod sets;
mod unhandled;
mod validation;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, collections::BTreeSet, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    document::Document,
    field_access::{is_true_at, items_at, node_at, text_at},
    registry::CRD_KIND,
};
use olm_catalog::{Node, ReadError, Span, file::LineIndex, text::json};

pub use compare::{Comparison, Incomparable, MAX_DEPTH, compare_crds, compare_crds_with_stored};
pub use group::{Field, Group, group_findings};
pub use resources::{CheckedCrd, ResourceCheck, ResourceMisfit, ResourceName, ResourceSet, check_resources};
pub use sets::{
    ClassicResult, CrdComparison, CrdSet, Examples, ManifestsUnavailable, RefusedExample, SetComparison,
    UnreadFile, compare_pair, compare_sets, compare_sets_with_stored,
};
pub use validation::Validation;

/// Error of a line that is not a pair of CRDs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PairError {
    /// The line is not JSON.
    #[error("{0}")]
    Unreadable(ReadError),
    /// A side is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A side is not a CRD.
    #[error("`{0}` is no CustomResourceDefinition of apiextensions.k8s.io")]
    NoCrd(&'static str),
}

/// Parses a line.
///
/// # Errors
///
/// If the line is not JSON, or does not have two CRDs.
pub fn parse_pair(line: &[u8]) -> Result<[Crd<'_>; 2], PairError> {
    let tree = json::parse_json(line).map_err(PairError::Unreadable)?;
    let side = |key: &'static str| {
        let node = tree.get(key).ok_or(PairError::Missing(key))?;
        Crd::from_node(node.clone(), Arc::new(SourceText::Nowhere), 0).ok_or(PairError::NoCrd(key))
    };
    Ok([side("old")?, side("new")?])
}

/// A location in a file.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct CrdLocation {
    /// Display path of the file.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// Source text of a CRD.
#[derive(Debug)]
pub enum SourceText<'a> {
    /// A file.
    File(IndexedFile<'a>),
    /// Text that is encoded inside another text; all locations are that of the encoded text.
    Encoded(CrdLocation),
    /// Text without a location, such as input from a pipe.
    Nowhere,
}

/// A file with a line index.
#[derive(Debug)]
pub struct IndexedFile<'a> {
    file: Arc<str>,
    text: &'a [u8],
    lines: LineIndex,
}

impl<'a> SourceText<'a> {
    /// Creates the source for a file with its display path and content.
    pub fn from_file(shown: &str, text: &'a [u8]) -> Self {
        Self::File(IndexedFile { file: shown.into(), text, lines: LineIndex::new(std::iter::once(text)) })
    }

    /// Returns the location of a byte.
    pub fn location(&self, offset: usize) -> Option<CrdLocation> {
        match self {
            Self::File(IndexedFile { file, text, lines }) => {
                let at = lines.position(0, offset.min(text.len()), |_| text);
                Some(CrdLocation { file: Arc::clone(file), line: 1 + at.lines, column: 1 + at.column })
            }
            Self::Encoded(place) => Some(place.clone()),
            Self::Nowhere => None,
        }
    }

    /// Returns the location of a span in a document that begins at `start`.
    fn location_of_span(&self, start: usize, span: Span) -> Option<CrdLocation> {
        self.location(start + span.start as usize)
    }
}

/// Prefix of the API versions of CRDs.
const CRD_API_PREFIX: &str = "apiextensions.k8s.io/";

/// API version of a CRD.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CrdApi {
    /// `apiextensions.k8s.io/v1`.
    V1,
    /// `apiextensions.k8s.io/v1beta1`, which Kubernetes 1.22 removed and OLM v1 ignores.
    V1beta1,
}

/// A CRD with its location.
#[derive(Debug)]
pub struct Crd<'a> {
    document: Arc<Document<'a>>,
    api: CrdApi,
    source: Arc<SourceText<'a>>,
}

/// A version of a CRD.
#[derive(Clone, Debug)]
pub struct CrdVersion<'n> {
    /// Name, such as `v1alpha1`.
    pub name: Cow<'n, str>,
    /// True if resources can be read and written in it.
    pub is_served: bool,
    /// True if resources are stored in it.
    pub is_stored: bool,
    /// Schema, if any.
    pub schema: Option<&'n Node<'n>>,
    /// Span in the document.
    span: Span,
}

impl<'a> Crd<'a> {
    /// Interprets a document as a CRD, if it is one. `start` is the offset of the document in its file.
    pub fn from_node(node: Node<'a>, ground: Arc<SourceText<'a>>, start: usize) -> Option<Self> {
        Self::from_document(Arc::new(Document::from_node(start, node)), ground)
    }

    /// Interprets a document as a CRD, if it is one.
    pub(crate) fn from_document(document: Arc<Document<'a>>, source: Arc<SourceText<'a>>) -> Option<Self> {
        if text_at(&document.node, &["kind"]) != CRD_KIND {
            return None;
        }
        let api = match text_at(&document.node, &["apiVersion"]).strip_prefix(CRD_API_PREFIX) {
            Some("v1") => CrdApi::V1,
            Some("v1beta1") => CrdApi::V1beta1,
            _ => return None,
        };
        Some(Self { document, api, source })
    }

    /// Returns `metadata.name`, such as `widgets.example.com`.
    pub fn name(&self) -> Cow<'_, str> {
        text_at(&self.document.node, &["metadata", "name"])
    }

    /// Returns the API version.
    pub fn api(&self) -> CrdApi {
        self.api
    }

    /// Returns `spec.group`.
    pub fn group(&self) -> Cow<'_, str> {
        text_at(&self.document.node, &["spec", "group"])
    }

    /// Returns `spec.names.kind`.
    pub fn kind(&self) -> Cow<'_, str> {
        text_at(&self.document.node, &["spec", "names", "kind"])
    }

    /// Returns `spec.scope`; in the old API, `Namespaced` if absent.
    pub fn scope(&self) -> Cow<'_, str> {
        match text_at(&self.document.node, &["spec", "scope"]) {
            scope if scope.is_empty() && self.api == CrdApi::V1beta1 => "Namespaced".into(),
            scope => scope,
        }
    }

    /// Returns true if a webhook converts between versions.
    pub fn converts_by_webhook(&self) -> bool {
        text_at(&self.document.node, &["spec", "conversion", "strategy"]) == "Webhook"
    }

    /// Returns the versions in order.
    pub fn versions(&self) -> Vec<CrdVersion<'_>> {
        let is_old = self.api == CrdApi::V1beta1;
        // In the old API, a common schema is outside of the versions.
        let common =
            node_at(&self.document.node, &["spec", "validation", "openAPIV3Schema"]).filter(|_| is_old);
        let versions =
            items_at(&self.document.node, &["spec", "versions"]).iter().map(|version| CrdVersion {
                name: text_at(version, &["name"]),
                is_served: is_true_at(version, &["served"]),
                is_stored: is_true_at(version, &["storage"]),
                schema: node_at(version, &["schema", "openAPIV3Schema"]).or(common),
                span: version.span,
            });
        let versions: Vec<_> = versions.collect();
        let only = text_at(&self.document.node, &["spec", "version"]);
        if !is_old || !versions.is_empty() || only.is_empty() {
            return versions;
        }
        let span = node_at(&self.document.node, &["spec"]).unwrap_or(&self.document.node).span;
        vec![CrdVersion { name: only, is_served: true, is_stored: true, schema: common, span }]
    }

    /// Returns the versions in which objects may be stored: `status.storedVersions`, or the storage version if
    /// that is empty, as in bundles. The preflight of OLM v1 does the same.
    pub fn stored_versions(&self) -> Vec<String> {
        let stated = items_at(&self.document.node, &["status", "storedVersions"]);
        if !stated.is_empty() {
            return stated.iter().map(|name| text_at(name, &[]).into_owned()).collect();
        }
        let stored = self.versions().into_iter().filter(|version| version.is_stored);
        stored.map(|version| version.name.into_owned()).collect()
    }

    /// Returns true if two CRDs have the same content.
    pub fn has_same_content(&self, other: &Crd) -> bool {
        self.document.node.has_same_value(&other.document.node)
    }

    /// Returns the location of its first byte.
    pub fn location(&self) -> Option<CrdLocation> {
        self.location_of(self.document.node.span)
    }

    fn location_of(&self, span: Span) -> Option<CrdLocation> {
        self.source.location_of_span(self.document.start, span)
    }

    /// Returns the document, for results that equal files share.
    pub(crate) fn document(&self) -> &Document<'a> {
        &self.document
    }

    /// Returns the root node.
    pub(crate) fn node(&self) -> &Node<'a> {
        &self.document.node
    }

    /// Returns the location of a field, or of the CRD if it does not have the field.
    pub(crate) fn location_at(&self, path: &[&str]) -> Option<CrdLocation> {
        self.location_of(node_at(&self.document.node, path).unwrap_or(&self.document.node).span)
    }
}

/// Check of the preflight that rejects the change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Check {
    /// The CRD as a whole: its scope, stored versions, removed fields.
    Crd,
    /// A version in the old CRD and in the new one.
    Same,
    /// Two served versions of the new CRD; the lower one counts as the old.
    Served,
}

impl Check {
    /// Returns its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crd => "crd",
            Self::Same => "same",
            Self::Served => "served",
        }
    }
}

/// A rejected change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrdFinding {
    /// Check that rejects the change.
    pub check: Check,
    /// Version `v1`, or two versions `v1beta1 -> v1`; `None` for the CRD as a whole.
    pub version: Option<String>,
    /// Path of the field, such as `^.spec.size`; `^` is the root of the schema.
    pub path: Option<String>,
    /// Rule that was violated.
    pub validation: Validation,
    /// Message in the words of the preflight.
    pub message: String,
    /// Newly required names.
    pub names: BTreeSet<String>,
    /// Location in the old CRD, or of the other version.
    pub old: Option<CrdLocation>,
    /// Location in the new CRD.
    pub new: Option<CrdLocation>,
    /// True if it is rejected because OLM cannot check it, although the change is harmless.
    pub is_harmless: bool,
}

impl CrdFinding {
    /// Returns the version as in the preflight's output. `None` for the check of the whole CRD, whose message
    /// names it.
    pub fn reported_version(&self) -> Option<&str> {
        self.version.as_deref().filter(|_| self.check != Check::Crd)
    }

    /// Returns the property as in the preflight's output.
    pub fn reported_property(&self) -> Option<&str> {
        self.path.as_deref().filter(|_| self.check != Check::Crd)
    }

    /// Returns the consequence for existing resources.
    pub fn consequence(&self) -> &'static str {
        consequence_of(self.validation, self.check, self.is_harmless)
    }

    /// Returns a suggested action.
    pub fn suggestion(&self) -> &'static str {
        suggestion_for(self.validation, self.check)
    }
}

fn consequence_of(validation: Validation, check: Check, is_harmless: bool) -> &'static str {
    if check == Check::Served && !matches!(validation, Validation::Unhandled | Validation::Default) {
        return "a resource that is valid in the lower version may be refused in the higher one, though nothing converts it";
    }
    match validation {
        Validation::StoredVersionRemoval => {
            "objects may still be stored in this version, and without it the API server cannot read them"
        }
        Validation::Scope => {
            "the API server does not change the scope of a CRD: the upgrade fails, and existing resources would be lost"
        }
        Validation::ExistingFieldRemoval => {
            "existing resources that set the field lose its value when they are written next"
        }
        Validation::Type => "existing resources with a value of the old type are invalid",
        Validation::Required => "existing resources without the field are invalid and cannot be updated",
        Validation::Enum => "existing resources with another value are invalid",
        Validation::Pattern => "existing resources whose value does not match the pattern are invalid",
        Validation::Minimum
        | Validation::Maximum
        | Validation::MinLength
        | Validation::MaxLength
        | Validation::MinItems
        | Validation::MaxItems
        | Validation::MinProperties
        | Validation::MaxProperties => "existing resources outside of the new limit are invalid",
        Validation::OneOf => "existing resources may fit none, or more than one, of the schemas",
        Validation::Nullable => "existing resources with null here, or clients that expect none, may fail",
        Validation::Default => {
            "existing resources that leave the field out get another value when they are read"
        }
        Validation::Description => "nothing",
        Validation::Unhandled if is_harmless => {
            "nothing, as far as olmap can tell: OLM v1 refuses it because it cannot judge it"
        }
        Validation::Unhandled => "perhaps nothing: OLM v1 refuses it because it cannot judge it",
    }
}

fn suggestion_for(validation: Validation, check: Check) -> &'static str {
    if check == Check::Served {
        return "make both versions accept the same values, or convert between them by a webhook";
    }
    match validation {
        Validation::StoredVersionRemoval => {
            "keep the version with served: false until all objects are rewritten and status.storedVersions is pruned"
        }
        Validation::Scope => "keep the scope; for another one, add a CRD with another name",
        Validation::ExistingFieldRemoval => {
            "keep the field and call it deprecated in its description; leave it out in a new version of the API"
        }
        Validation::Type => "keep the type; add a field with another name for the new one",
        Validation::Required => "leave it optional, and let the operator fill in what is missing",
        Validation::Enum => {
            "keep the values that were allowed, and let the operator report those it no longer supports"
        }
        Validation::Pattern => {
            "keep the pattern; check the value in the operator or in a webhook for new resources"
        }
        Validation::Minimum
        | Validation::Maximum
        | Validation::MinLength
        | Validation::MaxLength
        | Validation::MinItems
        | Validation::MaxItems
        | Validation::MinProperties
        | Validation::MaxProperties => {
            "keep the limit; check the value in the operator or in a webhook for new resources"
        }
        Validation::OneOf => "keep the schemas of oneOf as they are",
        Validation::Nullable => "keep nullable as it is",
        Validation::Default => {
            "keep the default in the schema, and let the operator use another one for new resources"
        }
        Validation::Description => "nothing",
        Validation::Unhandled => {
            "undo it, put it into a new version of the API, or tell users to set crdUpgradeSafety.enforcement: None"
        }
    }
}
