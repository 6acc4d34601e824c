//! A bundle as opm reads it from its directory.
//!
//! Source: operator-registry, `pkg/registry/parse.go`, `bundle.go`, `csv.go`.

mod csv;
pub(crate) mod metadata;
mod provided;

pub use csv::{Csv, DefinitionKey};
pub use metadata::{Annotations, Dependency, Metadata, Property};
pub use provided::{Api, Gvk};

use std::sync::Arc;

use super::{
    document::{Document, DocumentCache, DocumentError},
    tree::{Tree, TreeFile},
    typed::{self, DecoderKind, TypeError},
};
use olm_catalog::{Node, Span};

/// An object of a bundle.
#[derive(Debug)]
pub struct Object<'t> {
    /// File of the object.
    pub file: &'t TreeFile,
    /// Parsed document; its spans are relative to it.
    pub document: Arc<Document<'t>>,
}

impl Object<'_> {
    /// Returns a top-level string field, such as `kind` or `apiVersion`.
    pub fn string_field(&self, key: &str) -> &str {
        self.document.node.get(key).and_then(Node::as_str).unwrap_or_default()
    }

    /// Returns its kind; never empty.
    pub fn kind(&self) -> &str {
        self.string_field("kind")
    }

    /// Returns `metadata.name`.
    pub fn name(&self) -> &str {
        self.document
            .node
            .get("metadata")
            .and_then(|m| m.get("name"))
            .and_then(Node::as_str)
            .unwrap_or_default()
    }

    /// Returns the position of a span in the file.
    pub fn location(&self, span: Span) -> BundleLocation {
        let start = self.document.start;
        BundleLocation {
            file: self.file.path.clone(),
            span: Span::new(span.start as usize + start, span.end as usize + start),
        }
    }
}

/// A position in a file of a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundleLocation {
    /// Path of the file, relative to the bundle's directory.
    pub file: String,
    /// Byte span in the file.
    pub span: Span,
}

/// A file of `manifests/` that opm silently ignores, with the reason.
#[derive(Debug)]
pub struct DroppedFile<'t> {
    /// Ignored file.
    pub file: &'t TreeFile,
    /// Reason for ignoring it.
    pub reason: DropReason,
}

/// Reason why opm ignores a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DropReason {
    /// Its text is invalid.
    #[error("{0}")]
    Unreadable(DocumentError),
    /// Its first document is empty: only comments precede the first `---`.
    #[error("its first document is empty")]
    EmptyDocument,
    /// Its first document is not an object with a `kind`.
    #[error("its first document is no object with a `kind`")]
    NoKind,
    /// Another ClusterServiceVersion precedes it.
    #[error("another ClusterServiceVersion was read before it")]
    SecondCsv,
}

/// Reason why opm rejects a bundle.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BundleError {
    /// `manifests` or `metadata` is missing.
    #[error("the folder `{0}` is missing")]
    NoFolder(&'static str),
    /// `manifests/` does not have an object.
    #[error("no file in manifests/ holds an object")]
    NoObjects,
    /// `manifests/` does not have a ClusterServiceVersion.
    #[error("no file in manifests/ holds a ClusterServiceVersion")]
    NoCsv,
    /// `metadata/` does not have the annotations of a bundle.
    #[error("no file in metadata/ holds the annotations of a bundle")]
    NoAnnotations,
    /// A value of the wrong type.
    #[error("{file}: {fault}")]
    Type {
        /// Path of the file.
        file: String,
        /// Error with its location.
        fault: TypeError,
    },
    /// The ClusterServiceVersion does not have a `spec`.
    #[error("the ClusterServiceVersion has no spec")]
    NoSpec,
    /// The name of a definition is not `plural.group`.
    #[error("the CRD name `{0}` is not plural.group")]
    NameWithoutDot(String),
    /// The bundle does not have an owned CRD.
    #[error("the bundle has no CRD for {0}, which the ClusterServiceVersion owns")]
    MissingCrd(Api),
    /// A CRD of another API group than Kubernetes'.
    #[error("{file}: a CustomResourceDefinition of {api_version} cannot be read")]
    CrdVersion {
        /// Path of the file.
        file: String,
        /// `apiVersion` of the object.
        api_version: String,
    },
    /// A property or dependency with an invalid value.
    #[error("the value of {0} does not fit its type")]
    PropertyValue(String),
}

/// Content of a bundle directory as opm reads it, valid or not.
#[derive(Debug)]
pub struct DirectoryContents<'t> {
    /// Objects in the order of their files.
    pub objects: Vec<Object<'t>>,
    /// Ignored files.
    pub dropped: Vec<DroppedFile<'t>>,
    /// Objects in folders below `manifests/`, which opm does not read.
    pub nested: Vec<Object<'t>>,
    /// Content of `metadata/`.
    pub metadata: Metadata<'t>,
}

impl<'t> DirectoryContents<'t> {
    /// Reads a bundle directory.
    pub fn from_tree(tree: &'t Tree) -> Self {
        Self::from_tree_with_cache(tree, &DocumentCache::default())
    }

    /// Reads a bundle directory with a cache of documents.
    pub fn from_tree_with_cache(tree: &'t Tree, readings: &DocumentCache<'t>) -> Self {
        let (objects, dropped) = parse_manifests(tree.files_in("manifests"), readings);
        let below =
            |file: &&TreeFile| file.path.strip_prefix("manifests/").is_some_and(|path| path.contains('/'));
        let (nested, _) = parse_manifests(tree.files.iter().filter(below), readings);
        Self { objects, dropped, nested, metadata: Metadata::from_tree(tree) }
    }

    /// Returns the ClusterServiceVersion, or one in a nested folder.
    pub fn any_csv(&self) -> Option<Csv<'_, 't>> {
        let nested = || self.nested.iter().find(|object| object.kind() == CSV_KIND).map(Csv::new);
        self.csv().or_else(nested)
    }

    /// Returns the ClusterServiceVersion.
    pub fn csv(&self) -> Option<Csv<'_, 't>> {
        self.objects.iter().find(|object| object.kind() == CSV_KIND).map(Csv::new)
    }

    /// Returns the package of the annotations; empty if absent.
    pub fn package(&self) -> &str {
        self.metadata.annotations.as_ref().map_or("", |annotations| annotations.package.as_ref())
    }
}

/// A bundle that opm accepts.
#[derive(Debug)]
pub struct Bundle<'t> {
    /// Content of the directory.
    pub contents: DirectoryContents<'t>,
    csv: usize,
}

impl<'t> Bundle<'t> {
    /// Reads a bundle.
    ///
    /// # Errors
    ///
    /// If opm rejects it.
    pub fn from_tree(tree: &'t Tree) -> Result<Self, BundleError> {
        let contents = DirectoryContents::from_tree(tree);
        let csv = check_bundle(tree, &contents)?;
        Ok(Self { contents, csv })
    }

    /// Returns the ClusterServiceVersion.
    pub fn csv(&self) -> Csv<'_, 't> {
        // `read` has checked the index.
        Csv::new(&self.contents.objects[self.csv])
    }

    /// Returns the package of the annotations; empty if absent.
    pub fn package(&self) -> &str {
        self.contents.package()
    }
}

/// Checks that opm accepts a bundle, and returns the index of its ClusterServiceVersion.
///
/// # Errors
///
/// If opm rejects it.
pub fn check_bundle(tree: &Tree, contents: &DirectoryContents<'_>) -> Result<usize, BundleError> {
    for folder in ["manifests", "metadata"] {
        if !tree.has_folder(folder) {
            return Err(BundleError::NoFolder(folder));
        }
    }
    if contents.objects.is_empty() {
        return Err(BundleError::NoObjects);
    }
    let csv = contents.objects.iter().position(|object| object.kind() == CSV_KIND);
    let csv = csv.ok_or(BundleError::NoCsv)?;
    let own = Csv::new(&contents.objects[csv]);
    own.check_head()?;
    provided::check_owned_crds(&contents.objects, own)?;
    if contents.metadata.annotations.is_none() {
        return Err(BundleError::NoAnnotations);
    }
    Ok(csv)
}

/// Kind of a ClusterServiceVersion.
pub const CSV_KIND: &str = "ClusterServiceVersion";
/// Kind of a CRD.
pub const CRD_KIND: &str = "CustomResourceDefinition";
/// Other kinds that opm and OLM v1 allow in a bundle.
pub const OTHER_KINDS: [&str; 20] = [
    "Secret",
    "ClusterRole",
    "ClusterRoleBinding",
    "ConfigMap",
    "ServiceAccount",
    "Service",
    "Role",
    "RoleBinding",
    "PrometheusRule",
    "ServiceMonitor",
    "PodMonitor",
    "PodDisruptionBudget",
    "PriorityClass",
    "VerticalPodAutoscaler",
    "ConsoleYAMLSample",
    "ConsoleQuickStart",
    "ConsoleCLIDownload",
    "ConsoleLink",
    "ConsolePlugin",
    "NetworkPolicy",
];

/// Returns `v1` for `apps/v1`.
fn api_version_suffix(api_version: &str) -> &str {
    api_version.rsplit_once('/').map_or(api_version, |(_, version)| version)
}

fn parse_manifests<'t>(
    files: impl Iterator<Item = &'t TreeFile>,
    readings: &DocumentCache<'t>,
) -> (Vec<Object<'t>>, Vec<DroppedFile<'t>>) {
    let (mut objects, mut dropped) = (Vec::new(), Vec::new());
    let mut has_csv = false;
    for file in files.filter(|file| !file.is_hidden()) {
        let reason = match readings.first(file) {
            Err(error) => DropReason::Unreadable(error),
            Ok(document) if document.node.is_null() => DropReason::EmptyDocument,
            Ok(document) => {
                let object = Object { file, document };
                let is_csv = object.kind() == CSV_KIND;
                if object.kind().is_empty() {
                    DropReason::NoKind
                } else if is_csv && has_csv {
                    DropReason::SecondCsv
                } else {
                    has_csv |= is_csv;
                    objects.push(object);
                    continue;
                }
            }
        };
        dropped.push(DroppedFile { file, reason });
    }
    (objects, dropped)
}

/// Checks the type of an object like opm.
fn check_object_type(object: &Object, type_name: &str) -> Result<(), BundleError> {
    let check = typed::check_type(&object.document.node, type_name, DecoderKind::Json);
    check.map_err(|fault| BundleError::Type { file: object.file.path.clone(), fault })
}
