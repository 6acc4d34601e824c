//! A bundle as opm reads it from its directory.
//!
//! Source: operator-registry, `pkg/registry/parse.go`, `bundle.go`, `csv.go`.

mod provided;

pub use provided::{Api, Gvk};

use std::{borrow::Cow, sync::Arc};

use crate::{
    document::{self, Document, DocumentCache, DocumentError},
    manifests::{Tree, TreeFile},
    typed::{self, DecoderKind, TypeError, check_type, field_text, find_field, find_member},
};
use olm_catalog::{Node, Span, Value};

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

    /// Returns the first value with the wrong type for a Go type.
    pub(crate) fn type_error(&self, type_name: &'static str, reading: DecoderKind) -> Option<TypeError> {
        let key = (type_name, reading.decoder_name());
        self.document.derive(key, |node| typed::check_type(node, type_name, reading).err())
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
#[non_exhaustive]
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
#[non_exhaustive]
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
fn check_object_type(object: &Object, type_name: &'static str) -> Result<(), BundleError> {
    match object.type_error(type_name, DecoderKind::Json) {
        Some(fault) => Err(BundleError::Type { file: object.file.path.clone(), fault }),
        None => Ok(()),
    }
}

/// Prefix of all annotations of a bundle.
pub(crate) const PREFIX: &str = "operators.operatorframework.io.bundle.";

/// Content of `metadata/`.
#[derive(Debug, Default)]
pub struct Metadata<'t> {
    /// Annotations of the first file that has any.
    pub annotations: Option<Annotations>,
    /// Dependencies of the bundle.
    pub dependencies: Vec<Dependency<'t>>,
    /// Properties of the bundle.
    pub properties: Vec<Property<'t>>,
}

/// Annotations that opm reads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Annotations {
    /// File of the annotations.
    pub file: String,
    /// `package.v1`.
    pub package: String,
    /// `channels.v1`: a comma-separated list.
    pub channels: String,
    /// `channel.default.v1`.
    pub default_channel: String,
}

impl Annotations {
    /// Returns the trimmed, non-empty channels.
    pub fn channel_list(&self) -> impl Iterator<Item = &str> {
        self.channels.split(',').map(str::trim).filter(|channel| !channel.is_empty())
    }
}

/// A dependency with its type and value.
pub type Dependency<'t> = Property<'t>;

/// A property with its type and value.
#[derive(Debug)]
pub struct Property<'t> {
    /// Type, such as `olm.gvk`.
    pub kind: String,
    /// Value; `None` if the key is absent, which differs from null.
    pub value: Option<Node<'t>>,
}

impl<'t> Metadata<'t> {
    fn from_tree(tree: &'t Tree) -> Self {
        let mut metadata = Self::default();
        let (mut has_dependencies, mut has_properties) = (false, false);
        for file in tree.files_in("metadata") {
            if metadata.annotations.is_none() {
                metadata.annotations = parse_annotations(file);
            }
            if !has_dependencies && let Some(found) = parse_property_list(file, "dependencies") {
                metadata.dependencies = found;
                has_dependencies = true;
            }
            if !has_properties && let Some(found) = parse_property_list(file, "properties") {
                metadata.properties = found;
                has_properties = true;
            }
        }
        metadata
    }
}

fn parse_annotations(file: &TreeFile) -> Option<Annotations> {
    let document = document::parse_first(file.content_or_empty()).ok()?;
    let map = find_field(&document.node, "annotations")?;
    let text = |key: &str| match find_field(map, &format!("{PREFIX}{key}")) {
        None => Some(Cow::Borrowed("")),
        Some(node) => field_text(node, DecoderKind::Yaml),
    };
    let read = Annotations {
        file: file.path.clone(),
        package: text("package.v1")?.into_owned(),
        channels: text("channels.v1")?.into_owned(),
        default_channel: text("channel.default.v1")?.into_owned(),
    };
    let is_empty = read.package.is_empty() && read.channels.is_empty() && read.default_channel.is_empty();
    (!is_empty).then_some(read)
}

/// Returns the list under a key of a file, if it is a non-empty list of properties.
fn parse_property_list<'t>(file: &'t TreeFile, key: &str) -> Option<Vec<Property<'t>>> {
    let Document { node, .. } = document::parse_first(file.content_or_empty()).ok()?;
    let Value::List(items) = &find_field(&node, key)?.value else { return None };
    let read: Option<Vec<Property<'t>>> = items.iter().map(parse_property).collect();
    read.filter(|items| !items.is_empty())
}

/// Parses a property; `None` if its type is not a string.
fn parse_property<'a>(node: &Node<'a>) -> Option<Property<'a>> {
    if !matches!(node.value, Value::Map(_) | Value::Null) {
        return None;
    }
    let kind = match find_field(node, "type") {
        None => String::new(),
        Some(kind) => field_text(kind, DecoderKind::Yaml)?.into_owned(),
    };
    Some(Property { kind, value: find_member(node, "value").cloned() })
}

/// A ClusterServiceVersion of a bundle.
#[derive(Clone, Copy, Debug)]
pub struct Csv<'b, 't> {
    /// Object of the bundle.
    pub object: &'b Object<'t>,
}

/// An API that a ClusterServiceVersion owns or requires.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DefinitionKey {
    /// Group; for a CRD, part of the name.
    pub group: String,
    /// Version of the API.
    pub version: String,
    /// Kind of the API.
    pub kind: String,
    /// `plural.group` of a CRD, or the plural of an API service.
    pub name: String,
}

impl<'b, 't> Csv<'b, 't> {
    fn new(object: &'b Object<'t>) -> Self {
        Self { object }
    }

    /// Returns the whole object.
    pub fn node(self) -> &'b Node<'t> {
        &self.object.document.node
    }

    /// Returns its name, which is the bundle's name.
    pub fn name(self) -> &'b str {
        self.object.name()
    }

    /// Returns `spec`, if present.
    pub fn spec(self) -> Option<&'b Node<'t>> {
        find_field(self.node(), "spec")
    }

    /// Returns a field of `spec`.
    pub fn spec_field(self, key: &str) -> Option<&'b Node<'t>> {
        find_field(self.spec()?, key)
    }

    /// Returns an annotation.
    pub fn annotation(self, key: &str) -> Option<&'b str> {
        self.node().get("metadata")?.get("annotations")?.get(key)?.as_str()
    }

    /// Applies opm's first checks.
    fn check_head(self) -> Result<(), BundleError> {
        check_object_type(self.object, "ClusterServiceVersionMeta")
    }

    /// Returns the owned and the required APIs under a key of `spec`.
    pub(crate) fn definitions(self, key: &str) -> Result<[Vec<DefinitionKey>; 2], BundleError> {
        // Null counts as an empty spec.
        find_member(self.node(), "spec").ok_or(BundleError::NoSpec)?;
        let Some(definitions) = self.spec_field(key) else { return Ok([Vec::new(), Vec::new()]) };
        self.check_type(definitions, "DefinitionKeys")?;
        let keys = |list: &str| {
            let items = find_field(definitions, list).map(Node::items).unwrap_or_default();
            items.iter().map(parse_definition_key).collect()
        };
        Ok([keys("owned"), keys("required")])
    }

    /// Returns `spec.version` as written.
    pub(crate) fn stated_version(self) -> Result<Cow<'b, str>, BundleError> {
        self.spec_string("version", false)
    }

    /// Returns `spec.release` as written, a string or a number.
    pub(crate) fn stated_release(self) -> Result<Cow<'b, str>, BundleError> {
        self.spec_string("release", true)
    }

    fn spec_string(self, key: &str, number_too: bool) -> Result<Cow<'b, str>, BundleError> {
        let Some(node) = self.spec_field(key) else { return Ok(Cow::Borrowed("")) };
        let reading = match node.value {
            Value::Number(_) if number_too => DecoderKind::Yaml,
            _ => DecoderKind::Json,
        };
        field_text(node, reading).ok_or_else(|| self.type_fault(node, key, "must be a string"))
    }

    /// Checks that a part of the object has a type.
    pub(crate) fn check_type(self, node: &Node, type_name: &str) -> Result<(), BundleError> {
        check_type(node, type_name, DecoderKind::Json)
            .map_err(|fault| BundleError::Type { file: self.object.file.path.clone(), fault })
    }

    fn type_fault(self, node: &Node, key: &str, reason: &str) -> BundleError {
        let fault = crate::typed::TypeError {
            path: format!("spec.{key}"),
            reason: reason.to_owned(),
            span: node.span,
        };
        BundleError::Type { file: self.object.file.path.clone(), fault }
    }
}

fn parse_definition_key(node: &Node) -> DefinitionKey {
    let text = |key| find_field(node, key).and_then(Node::as_str).unwrap_or_default().to_owned();
    DefinitionKey { group: text("group"), version: text("version"), kind: text("kind"), name: text("name") }
}
