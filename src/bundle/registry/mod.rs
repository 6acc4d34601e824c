//! A bundle as opm reads it from its directory.
//!
//! Source: operator-registry, `pkg/registry/parse.go`, `bundle.go`, `csv.go`.

mod csv;
pub(in crate::bundle) mod metadata;
mod provided;

pub use csv::{Csv, DefinitionKey};
pub use metadata::{Annotations, Dependency, Metadata, Property};
pub use provided::{Api, Gvk};

use std::sync::Arc;

use super::{
    document::{Document, NoDocument, Readings},
    tree::{Tree, TreeFile},
    typed::{self, Reading, TypeFault},
};
use crate::catalog::{Node, Span};

/// An object of a bundle.
#[derive(Debug)]
pub struct Object<'t> {
    /// The file it is in.
    pub file: &'t TreeFile,
    /// Its text, from where its spans count.
    pub document: Arc<Document<'t>>,
}

impl Object<'_> {
    /// A field of text of the object itself: `kind`, `apiVersion`.
    pub fn text(&self, key: &str) -> &str {
        self.document.node.get(key).and_then(Node::as_str).unwrap_or_default()
    }

    /// Its kind; never empty.
    pub fn kind(&self) -> &str {
        self.text("kind")
    }

    /// `metadata.name`.
    pub fn name(&self) -> &str {
        self.document
            .node
            .get("metadata")
            .and_then(|m| m.get("name"))
            .and_then(Node::as_str)
            .unwrap_or_default()
    }

    /// A place in the file.
    pub fn place(&self, span: Span) -> BundlePlace {
        let start = self.document.start;
        BundlePlace {
            file: self.file.path.clone(),
            span: Span::new(span.start as usize + start, span.end as usize + start),
        }
    }
}

/// A place in a file of a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundlePlace {
    /// The file, from the bundle's directory.
    pub file: String,
    /// The bytes in it.
    pub span: Span,
}

/// A file of `manifests/` that opm leaves out without a word, and why.
#[derive(Debug)]
pub struct Dropped<'t> {
    /// The file.
    pub file: &'t TreeFile,
    /// Why.
    pub reason: DropReason,
}

/// Reason why opm ignores a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DropReason {
    /// Its text cannot be read.
    #[error("{0}")]
    Unreadable(NoDocument),
    /// Its first document is empty: only comments stand before the first `---`.
    #[error("its first document is empty")]
    EmptyDocument,
    /// Its first document is no object with a `kind`.
    #[error("its first document is no object with a `kind`")]
    NoKind,
    /// A ClusterServiceVersion was read already.
    #[error("another ClusterServiceVersion was read before it")]
    SecondCsv,
}

/// Reason why opm refuses a bundle.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BundleFault {
    /// No `manifests` or no `metadata`.
    #[error("the folder `{0}` is missing")]
    NoFolder(&'static str),
    /// No file of `manifests/` gives an object.
    #[error("no file in manifests/ holds an object")]
    NoObjects,
    /// No object is a ClusterServiceVersion.
    #[error("no file in manifests/ holds a ClusterServiceVersion")]
    NoCsv,
    /// No file of `metadata/` has the annotations of a bundle.
    #[error("no file in metadata/ holds the annotations of a bundle")]
    NoAnnotations,
    /// A value of the wrong type.
    #[error("{file}: {fault}")]
    Type {
        /// The file.
        file: String,
        /// What and where.
        fault: TypeFault,
    },
    /// The ClusterServiceVersion has no `spec`.
    #[error("the ClusterServiceVersion has no spec")]
    NoSpec,
    /// A definition's name is not `plural.group`.
    #[error("the CRD name `{0}` is not plural.group")]
    NameWithoutDot(String),
    /// An owned CRD that the bundle does not have.
    #[error("the bundle has no CRD for {0}, which the ClusterServiceVersion owns")]
    MissingCrd(Api),
    /// A CRD of a group that is not Kubernetes' own.
    #[error("{file}: a CustomResourceDefinition of {api_version} cannot be read")]
    CrdVersion {
        /// The file.
        file: String,
        /// Its `apiVersion`.
        api_version: String,
    },
    /// A property or dependency whose value does not fit its type.
    #[error("the value of {0} does not fit its type")]
    PropertyValue(String),
}

/// What is in a bundle directory as opm finds it, whatever is wrong with it.
#[derive(Debug)]
pub struct Contents<'t> {
    /// The objects in the order of their files.
    pub objects: Vec<Object<'t>>,
    /// The files that were left out.
    pub dropped: Vec<Dropped<'t>>,
    /// The objects in folders below `manifests/`, which opm does not look into.
    pub nested: Vec<Object<'t>>,
    /// What `metadata/` says.
    pub metadata: Metadata<'t>,
}

impl<'t> Contents<'t> {
    /// Reads what is there.
    pub fn read(tree: &'t Tree) -> Self {
        Self::read_once(tree, &Readings::default())
    }

    /// Reads what is there, and nothing twice.
    pub fn read_once(tree: &'t Tree, readings: &Readings<'t>) -> Self {
        let (objects, dropped) = manifests(tree.files_in("manifests"), readings);
        let below =
            |file: &&TreeFile| file.path.strip_prefix("manifests/").is_some_and(|path| path.contains('/'));
        let (nested, _) = manifests(tree.files.iter().filter(below), readings);
        Self { objects, dropped, nested, metadata: Metadata::read(tree) }
    }

    /// The ClusterServiceVersion, or one in a folder below where it should be.
    pub fn any_csv(&self) -> Option<Csv<'_, 't>> {
        let nested = || self.nested.iter().find(|object| object.kind() == CSV_KIND).map(Csv::new);
        self.csv().or_else(nested)
    }

    /// The ClusterServiceVersion.
    pub fn csv(&self) -> Option<Csv<'_, 't>> {
        self.objects.iter().find(|object| object.kind() == CSV_KIND).map(Csv::new)
    }

    /// The package, as the annotations have it; empty where they do not say.
    pub fn package(&self) -> &str {
        self.metadata.annotations.as_ref().map_or("", |annotations| annotations.package.as_ref())
    }
}

/// A bundle as opm reads it: one that it does not refuse.
#[derive(Debug)]
pub struct Bundle<'t> {
    /// What is in it.
    pub contents: Contents<'t>,
    csv: usize,
}

impl<'t> Bundle<'t> {
    /// Reads a bundle.
    ///
    /// # Errors
    ///
    /// What makes opm refuse it.
    pub fn read(tree: &'t Tree) -> Result<Self, BundleFault> {
        let contents = Contents::read(tree);
        let csv = check(tree, &contents)?;
        Ok(Self { contents, csv })
    }

    /// The ClusterServiceVersion.
    pub fn csv(&self) -> Csv<'_, 't> {
        // `read` has found it there.
        Csv::new(&self.contents.objects[self.csv])
    }

    /// The package, as the annotations have it; empty where they do not say.
    pub fn package(&self) -> &str {
        self.contents.package()
    }
}

/// Checks whether opm takes a bundle, and returns the index of its ClusterServiceVersion.
///
/// # Errors
///
/// The fault for which opm refuses the bundle.
pub fn check(tree: &Tree, contents: &Contents<'_>) -> Result<usize, BundleFault> {
    for folder in ["manifests", "metadata"] {
        if !tree.has_folder(folder) {
            return Err(BundleFault::NoFolder(folder));
        }
    }
    if contents.objects.is_empty() {
        return Err(BundleFault::NoObjects);
    }
    let csv = contents.objects.iter().position(|object| object.kind() == CSV_KIND);
    let csv = csv.ok_or(BundleFault::NoCsv)?;
    let own = Csv::new(&contents.objects[csv]);
    own.check_head()?;
    provided::check_owned(&contents.objects, own)?;
    if contents.metadata.annotations.is_none() {
        return Err(BundleFault::NoAnnotations);
    }
    Ok(csv)
}

/// The kind of a ClusterServiceVersion.
pub const CSV_KIND: &str = "ClusterServiceVersion";
/// The kind of a CRD.
pub const CRD_KIND: &str = "CustomResourceDefinition";
/// The kinds that a bundle may have besides those two, for opm and for OLM v1.
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

/// `v1` of `apps/v1`.
fn version_of(api_version: &str) -> &str {
    api_version.rsplit_once('/').map_or(api_version, |(_, version)| version)
}

fn manifests<'t>(
    files: impl Iterator<Item = &'t TreeFile>,
    readings: &Readings<'t>,
) -> (Vec<Object<'t>>, Vec<Dropped<'t>>) {
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
        dropped.push(Dropped { file, reason });
    }
    (objects, dropped)
}

/// Checks an object against a type as opm does.
fn typed(object: &Object, type_name: &str) -> Result<(), BundleFault> {
    let check = typed::check(&object.document.node, type_name, Reading::Json);
    check.map_err(|fault| BundleFault::Type { file: object.file.path.clone(), fault })
}
