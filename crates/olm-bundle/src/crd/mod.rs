//! Compatibility of a new CRD with an old one: what OLM v1's preflight and Classic reject, and the consequences
//! for existing resources.
//!
//! All checks work on olmap's trees, so that each finding has a location on both sides. Sources:
//! operator-controller, `internal/operator-controller/rukpak/preflights/crdupgradesafety` over
//! `sigs.k8s.io/crdify`; operator-lifecycle-manager, `pkg/controller/operators/catalog`.

mod compare;
mod finding;
mod flat;
mod group;
mod model;
mod sets;
mod shape;
mod unhandled;
mod validation;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;

use std::{collections::HashSet, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    field_access::text_at,
    schema::{self, Budget},
};
use olm_catalog::{Node, ReadError, Span, file::LineIndex, text::json};

pub use compare::{Comparison, Incomparable, MAX_DEPTH, compare_crds, compare_crds_with_stored};
pub use finding::{Check, CrdFinding};
pub use group::{Field, Group, group_findings};

pub use model::{Crd, CrdApi, CrdVersion};

pub use sets::{
    CrdComparison, CrdSet, Examples, ManifestsUnavailable, SetComparison, UnreadFile, compare_pair,
    compare_sets, compare_sets_with_stored,
};
pub use validation::Validation;

/// Error of a line that is not a pair of CRDs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
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

// Effect of a new CRD in OLM Classic.
//
// Classic validates the resources on the cluster. Since they are unavailable, the examples of the old bundle
// represent them, and changes that v1 rejects are reported as potentially breaking.
//
// Source: operator-lifecycle-manager, `pkg/controller/operators/catalog` (`validateV1CRDCompatibility`,
// `safeToUpdate`).

/// Result of Classic's checks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClassicResult {
    /// Removed versions in which objects may be stored: Classic rejects the change, "risk of data loss".
    pub stored_removed: Vec<String>,
    /// Other removed served versions. Clusters reject the CRD if objects were stored in one of them earlier.
    pub served_removed: Vec<String>,
    /// Examples of the old bundle that the new schema rejects: such resources block the upgrade.
    pub examples: Vec<RefusedExample>,
    /// True if Classic only warns about rejected resources, because a webhook converts them.
    pub only_warns: bool,
    /// Number of findings of v1 that Classic does not check: they may break existing resources.
    pub may_break: usize,
}

/// An example that only the new schema rejects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefusedExample {
    /// `metadata.name`; may be empty.
    pub name: String,
    /// Version of the schema.
    pub version: String,
    /// Path of the field, such as `spec.size`.
    pub field: String,
    /// Error of the field.
    pub message: String,
    /// Location of the examples.
    pub location: Option<CrdLocation>,
}

impl ClassicResult {
    /// Returns true if Classic rejects the change, as far as that is known without a cluster.
    pub fn refuses(&self) -> bool {
        !self.stored_removed.is_empty() || (!self.examples.is_empty() && !self.only_warns)
    }
}

fn check_classic(
    old: &Crd,
    new: &Crd,
    stored: &[String],
    examples: Option<&Examples>,
    v1: Option<&Comparison>,
) -> ClassicResult {
    let versions = new.versions();
    let known: HashSet<&str> = versions.iter().map(|version| version.name.as_ref()).collect();
    let gone = stored.iter().filter(|name| !known.contains(name.as_str()));
    let stored_removed: Vec<String> = gone.cloned().collect();
    let served_removed = served_versions(old)
        .filter(|name| !known.contains(name.as_str()) && !stored_removed.contains(name))
        .collect();
    // Storage is reported separately.
    let refused = v1.map_or(0, |v1| v1.findings.len());
    ClassicResult {
        may_break: refused - usize::from(!stored_removed.is_empty() && refused > 0),
        examples: examples.map(|examples| find_refused_examples(old, new, examples)).unwrap_or_default(),
        only_warns: new.converts_by_webhook(),
        served_removed,
        stored_removed,
    }
}

/// Validates each example by every version that both CRDs serve: without a webhook a resource has the same form
/// in all versions.
fn find_refused_examples(old: &Crd, new: &Crd, examples: &Examples) -> Vec<RefusedExample> {
    // Another check reports unreadable examples.
    let Ok(list) = json::parse_json(examples.text.as_bytes()) else { return Vec::new() };
    let (group, kind) = (old.group(), old.kind());
    let old_served: HashSet<String> = served_versions(old).collect();
    let both: Vec<String> = served_versions(new).filter(|name| old_served.contains(name)).collect();
    let mut refused = Vec::new();
    let budget = Budget::default();
    for example in list.items() {
        let api = text_at(example, &["apiVersion"]);
        let Some((of, own)) = api.split_once('/') else { continue };
        if of != group || text_at(example, &["kind"]) != kind {
            continue;
        }
        let own_only = new.converts_by_webhook();
        for version in both.iter().filter(|version| !own_only || version.as_str() == own) {
            refused.extend(validate_example(old, new, version, example, examples, &budget));
        }
    }
    refused
}

fn served_versions(crd: &Crd) -> impl Iterator<Item = String> {
    crd.versions().into_iter().filter(|version| version.is_served).map(|version| version.name.into_owned())
}

/// Returns the errors of an example by the new schema of a version, if the old schema accepts it.
fn validate_example(
    old: &Crd,
    new: &Crd,
    version: &str,
    example: &Node,
    examples: &Examples,
    budget: &Budget,
) -> Vec<RefusedExample> {
    let faults = |crd: &Crd| {
        let schema = schema::version_schema(crd.node(), version);
        schema.map(|schema| schema.validate_stored(example, budget).list).unwrap_or_default()
    };
    // A resource that the old schema rejects does not exist on a cluster.
    if !faults(old).is_empty() {
        return Vec::new();
    }
    let name = text_at(example, &["metadata", "name"]).into_owned();
    let refused = |fault: schema::SchemaError| RefusedExample {
        name: name.clone(),
        version: version.to_owned(),
        field: fault.field,
        message: fault.message,
        location: examples.place.clone(),
    };
    faults(new).into_iter().map(refused).collect()
}
