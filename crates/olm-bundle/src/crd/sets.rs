//! Comparison of the CRDs of two bundles: by the preflight of OLM v1, and by OLM Classic.
//!
//! Classic validates the resources on the cluster. Since they are unavailable, the examples of the old bundle
//! represent them, and changes that v1 rejects are reported as potentially breaking. Source of its rules:
//! operator-lifecycle-manager, `pkg/controller/operators/catalog` (`validateV1CRDCompatibility`,
//! `safeToUpdate`).

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use super::{
    Crd, CrdApi, CrdLocation, SourceText,
    compare::{Comparison, Incomparable, compare_crds_with_stored},
};
use crate::{
    Tree,
    document::{Document, DocumentError, parse_all},
    field_access::{self, text_at},
    registry::CSV_KIND,
    schema::{self, Budget},
};
use olm_catalog::{Catalog, Node, blob::BundleBlob, details::bundle_object, text::json};

/// A file that may contain CRDs but cannot be read completely.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnreadFile {
    /// Display path.
    pub file: String,
    /// Location at which reading stopped.
    pub place: Option<CrdLocation>,
    /// Reason.
    pub reason: String,
    /// Hint for a solution.
    pub hint: Option<&'static str>,
}

/// CRDs of a bundle or a file, with the examples of its resources.
#[derive(Debug, Default)]
pub struct CrdSet<'a> {
    /// CRDs in the order of their files; the first of a name counts.
    pub crds: Vec<Crd<'a>>,
    /// Unreadable files, which may contain further CRDs.
    pub unread: Vec<UnreadFile>,
    /// `alm-examples` of the `ClusterServiceVersion`: examples of the resources that users create.
    pub examples: Option<Examples>,
}

/// Examples of a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Examples {
    /// Text of the annotation, a JSON list.
    pub text: String,
    /// Location of the annotation.
    pub place: Option<CrdLocation>,
}

/// Reason why the manifests of a bundle cannot be compared. It says nothing about their content.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ManifestsUnavailable {
    /// The catalog has only `olm.csv.metadata`, or nothing.
    #[error("CRDs not available: {0} has no olm.bundle.object in the catalog")]
    NoObjects(String),
    /// The document of the bundle cannot be read.
    #[error("CRDs not available: {0} cannot be read in the catalog")]
    Unread(String),
    /// The manifests are in the image of the bundle, which was not fetched.
    #[error("CRDs not available: the image of {0} was not fetched")]
    NotFetched(String),
    /// The image of the bundle cannot be fetched or read.
    #[error("CRDs not available: the image of {bundle} cannot be read: {why}")]
    Image {
        /// Name of the bundle.
        bundle: String,
        /// Reason.
        why: String,
    },
    /// Images are to be fetched, but the bundle does not name one.
    #[error("CRDs not available: {0} has no image to fetch")]
    NoImage(String),
    /// A directory that may hold the bundle cannot be read.
    #[error("CRDs not available: {bundle} may be in {path}, which cannot be read: {why}")]
    Directory {
        /// Name of the bundle.
        bundle: String,
        /// Path of the directory.
        path: String,
        /// Reason.
        why: String,
    },
}

impl ManifestsUnavailable {
    /// Returns true if manifests exist but cannot be read. False if the manifests were not provided.
    pub fn is_failure(&self) -> bool {
        match self {
            Self::NoObjects(_) | Self::NotFetched(_) => false,
            Self::Unread(_) | Self::Image { .. } | Self::NoImage(_) | Self::Directory { .. } => true,
        }
    }
}

impl<'a> CrdSet<'a> {
    /// Reads the CRDs of a file with any number of documents. `shown` is its display path.
    pub fn from_file(shown: &str, bytes: &'a [u8]) -> Self {
        let mut set = Self::default();
        let documents = parse_all(bytes).into_iter().map(|read| read.map(Arc::new));
        set.add_documents(shown, bytes, documents);
        set
    }

    /// Reads the CRDs of a bundle directory: every document of every file in `manifests/`, like OLM
    /// v1. `shown` is the prefix of display paths.
    pub fn from_tree(shown: &str, tree: &'a Tree) -> Self {
        let mut set = Self::default();
        for file in tree.files_in("manifests").filter(|file| !file.is_hidden()) {
            let path = if shown.is_empty() { file.path.clone() } else { format!("{shown}/{}", file.path) };
            match &file.content {
                Ok(bytes) => set.add_documents(&path, bytes, file.all_documents().into_iter()),
                Err(reason) => {
                    let reason = reason.clone();
                    set.unread.push(UnreadFile { file: path, place: None, reason, hint: None });
                }
            }
        }
        set
    }

    fn add_documents(
        &mut self,
        shown: &str,
        bytes: &'a [u8],
        documents: impl Iterator<Item = Result<Arc<Document<'a>>, DocumentError>>,
    ) {
        let source = Arc::new(SourceText::from_file(shown, bytes));
        for document in documents {
            match document {
                Ok(document) => self.add_crd(document, &source),
                Err(DocumentError::Empty) => {}
                Err(DocumentError::Unreadable(error)) => self.unread.push(UnreadFile {
                    file: shown.to_owned(),
                    place: source.location(error.span.start as usize),
                    reason: error.to_string(),
                    hint: error.hint(),
                }),
            }
        }
    }

    fn add_crd(&mut self, document: Arc<Document<'a>>, source: &Arc<SourceText<'a>>) {
        let (node, start) = (&document.node, document.start);
        if field_access::text_at(node, &["kind"]) == CSV_KIND {
            let annotations = field_access::node_at(node, &["metadata", "annotations"]);
            if let Some(examples) = annotations.and_then(|all| all.get("alm-examples")) {
                let text = examples.as_str().unwrap_or_default().to_owned();
                self.examples = Some(Examples { text, place: source.location_of_span(start, examples.span) });
            }
            return;
        }
        self.crds.extend(Crd::from_document(document, Arc::clone(source)));
    }

    /// Returns the CRDs by name, the first of each name.
    fn crds_by_name(&self) -> HashMap<Cow<'_, str>, &Crd<'a>> {
        let mut by_name = HashMap::new();
        for crd in &self.crds {
            by_name.entry(crd.name()).or_insert(crd);
        }
        by_name
    }
}

impl CrdSet<'static> {
    /// Reads the CRDs of a bundle in a catalog.
    ///
    /// # Errors
    ///
    /// If the catalog does not have the objects of the bundle.
    pub fn from_catalog(catalog: &Catalog, blob: &BundleBlob) -> Result<Self, ManifestsUnavailable> {
        let name = || blob.name.value.to_string();
        let document = catalog
            .parse_document(blob.doc)
            .and_then(Result::ok)
            .ok_or_else(|| ManifestsUnavailable::Unread(name()))?;
        let mut set = Self::default();
        let mut objects = 0;
        for property in field_access::items_at(&document, &["properties"]) {
            if field_access::text_at(property, &["type"]) != "olm.bundle.object" {
                continue;
            }
            objects += 1;
            let place = catalog.location(blob.doc, property.span).map(|place| CrdLocation {
                file: place.path.to_string_lossy().into(),
                line: place.line,
                column: place.column,
            });
            match field_access::node_at(property, &["value"]).and_then(bundle_object) {
                Some(node) => {
                    let source = place.map_or(SourceText::Nowhere, SourceText::Encoded);
                    set.add_crd(Arc::new(Document::from_node(0, node)), &Arc::new(source));
                }
                None => set.unread.push(UnreadFile {
                    file: place.as_ref().map(|place| place.file.to_string()).unwrap_or_default(),
                    place,
                    reason: "an olm.bundle.object is no object in base64".to_owned(),
                    hint: None,
                }),
            }
        }
        if objects == 0 { Err(ManifestsUnavailable::NoObjects(name())) } else { Ok(set) }
    }
}

/// Comparison of a CRD that both sides have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrdComparison {
    /// Name, such as `widgets.example.com`.
    pub name: String,
    /// Result of OLM v1.
    pub v1: Result<Comparison, Incomparable>,
    /// Result of OLM Classic.
    pub classic: ClassicResult,
}

impl CrdComparison {
    /// Returns true if OLM v1 accepts the change. A CRD that cannot be compared is not safe.
    pub fn is_safe(&self) -> bool {
        self.v1.as_ref().is_ok_and(Comparison::is_safe)
    }
}

/// Comparison of the CRDs of two bundles.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SetComparison {
    /// CRDs that both have, by name.
    pub crds: Vec<CrdComparison>,
    /// Names that only the new bundle has.
    pub added: Vec<String>,
    /// Names that only the old bundle has. OLM v1's preflight check ignores them; they stay on the
    /// cluster or are deleted with the bundle.
    pub removed: Vec<String>,
    /// Names of CRDs of the new bundle in `v1beta1`, which OLM v1's preflight check ignores.
    pub ignored: Vec<String>,
}

impl SetComparison {
    /// Returns true if OLM v1 accepts the upgrade.
    pub fn is_safe(&self) -> bool {
        self.crds.iter().all(CrdComparison::is_safe)
    }
}

/// Compares the CRDs of two bundles by name.
pub fn compare_sets(old: &CrdSet, new: &CrdSet) -> SetComparison {
    compare_sets_with_stored(old, new, &BTreeMap::new())
}

/// Compares the CRDs of two bundles. `stored` has the versions in which objects may be stored, by
/// name of the CRD. They replace the stored versions of the old CRD.
pub fn compare_sets_with_stored(
    old: &CrdSet,
    new: &CrdSet,
    stored: &BTreeMap<String, Vec<String>>,
) -> SetComparison {
    let (before, after) = (old.crds_by_name(), new.crds_by_name());
    let mut result = SetComparison::default();
    let mut names: Vec<&Cow<str>> = before.keys().chain(after.keys()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        match (before.get(name), after.get(name)) {
            (Some(_), Some(new)) if new.api() == CrdApi::V1beta1 => {
                result.ignored.push(name.clone().into_owned());
            }
            (Some(before), Some(after)) => {
                let stored = stored.get(name.as_ref()).cloned().unwrap_or_else(|| before.stored_versions());
                result.crds.push(compare_with_examples(before, after, &stored, old.examples.as_ref()));
            }
            (None, Some(_)) => result.added.push(name.clone().into_owned()),
            (_, None) => result.removed.push(name.clone().into_owned()),
        }
    }
    result
}

/// Compares two CRDs regardless of their names.
pub fn compare_pair(old: &Crd, new: &Crd) -> CrdComparison {
    compare_with_examples(old, new, &old.stored_versions(), None)
}

fn compare_with_examples(
    old: &Crd,
    new: &Crd,
    stored: &[String],
    examples: Option<&Examples>,
) -> CrdComparison {
    let v1 = compare_crds_with_stored(old, new, stored);
    let classic = check_classic(old, new, stored, examples, v1.as_ref().ok());
    CrdComparison { name: new.name().into_owned(), v1, classic }
}

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
