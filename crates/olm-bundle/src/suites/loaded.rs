//! A bundle as the api library loads it: stricter than opm, from the folder of the CSV, with annotations from
//! any folder.
//!
//! Source: `operator-framework/api`, `pkg/manifests/bundleloader.go`.

use std::collections::HashMap;

use super::{Cause, Verdict};
use crate::{
    document::{self, DocumentCache, DocumentError},
    field_access,
    manifests::{Tree, TreeFile},
    registry::{BundleLocation, CRD_KIND, CSV_KIND, Object},
    typed::{self, DecoderKind},
};
use olm_catalog::{Node, Span, Value};

/// Reason why the library does not load a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    /// Message.
    pub message: String,
    /// Location in the bundle.
    pub location: Option<BundleLocation>,
    /// True if no file holds a ClusterServiceVersion.
    has_no_csv: bool,
}

impl LoadError {
    fn new(message: impl Into<String>, place: Option<BundleLocation>) -> Self {
        Self { message: message.into(), location: place, has_no_csv: false }
    }

    fn no_csv() -> Self {
        let message = "no file of the bundle holds a ClusterServiceVersion";
        Self { has_no_csv: true, ..Self::new(message, None) }
    }

    pub(super) fn into_verdict(self) -> Verdict {
        let verdict = Verdict::error("load", self.message, self.location);
        if self.has_no_csv { verdict.with_cause(Cause::NoCsv) } else { verdict }
    }
}

/// A bundle as the library loads it.
#[derive(Debug)]
pub struct LoadedBundle<'t> {
    /// All files of the bundle.
    pub tree: &'t Tree,
    /// Objects in the folder of the CSV, in the order of their files.
    pub objects: Vec<Object<'t>>,
    csv: usize,
    /// Package of the annotations.
    pub package: String,
    /// Channels of the annotations.
    pub channels: Vec<String>,
    /// Default channel of the annotations.
    pub default_channel: String,
}

impl<'t> LoadedBundle<'t> {
    /// Loads a bundle.
    ///
    /// # Errors
    ///
    /// All errors that the library reports.
    pub fn load_tree(tree: &'t Tree, readings: &DocumentCache<'t>) -> Result<Self, Vec<LoadError>> {
        let mut faults = Vec::new();
        let mut found = None;
        for file in tree.files.iter().filter(|file| !is_in_dot_folder(file)) {
            let is_csv = readings.first(file).is_ok_and(|document| object_kind(&document.node) == CSV_KIND);
            if is_csv {
                match parse_objects(tree, folder_of(file), readings) {
                    Ok(objects) => found = Some(objects),
                    Err(fault) => faults.push(fault),
                }
            }
        }
        let annotations = collect_annotations(tree, &mut faults);
        let csv =
            found.as_ref().and_then(|objects| objects.iter().position(|object| object.kind() == CSV_KIND));
        match (found, csv) {
            (Some(objects), Some(csv)) if faults.is_empty() => {
                let text = |key: &str| annotations.get(key).cloned().unwrap_or_default();
                let channels = text("operators.operatorframework.io.bundle.channels.v1");
                Ok(Self {
                    tree,
                    objects,
                    csv,
                    package: text("operators.operatorframework.io.bundle.package.v1"),
                    channels: channels
                        .split(',')
                        .map(str::trim)
                        .filter(|c| !c.is_empty())
                        .map(str::to_owned)
                        .collect(),
                    default_channel: text("operators.operatorframework.io.bundle.channel.default.v1"),
                })
            }
            _ => {
                if faults.is_empty() {
                    faults.push(LoadError::no_csv());
                }
                Err(faults)
            }
        }
    }

    /// Creates a bundle with a single ClusterServiceVersion.
    pub(super) fn from_csv(tree: &'t Tree, csv: Object<'t>) -> Self {
        Self {
            tree,
            objects: vec![csv],
            csv: 0,
            package: String::new(),
            channels: Vec::new(),
            default_channel: String::new(),
        }
    }

    /// Returns the ClusterServiceVersion.
    pub fn csv(&self) -> &Object<'t> {
        // `read` has checked the index.
        &self.objects[self.csv]
    }

    /// Returns the root node of the ClusterServiceVersion.
    pub fn csv_node(&self) -> &Node<'t> {
        &self.csv().document.node
    }

    /// Returns the name of the ClusterServiceVersion.
    pub fn csv_name(&self) -> String {
        field_access::text_at(self.csv_node(), &["metadata", "name"]).into_owned()
    }

    /// Returns the position of a value in the CSV, or of its nearest existing parent.
    pub fn csv_location(&self, path: &[&str]) -> Option<BundleLocation> {
        let mut node = self.csv_node();
        for key in path {
            match typed::find_field(node, key) {
                Some(next) => node = next,
                None => break,
            }
        }
        let is_whole = std::ptr::eq(node, self.csv_node());
        let span = if is_whole { Span::new(0, 0) } else { node.span };
        Some(self.csv().location(span))
    }

    /// Returns the CRDs.
    pub fn crds(&self) -> impl Iterator<Item = &Object<'t>> {
        self.objects.iter().filter(|object| object.kind() == CRD_KIND)
    }

    /// Returns the deployments of the install strategy.
    pub fn deployments(&self) -> &[Node<'t>] {
        field_access::items_at(self.csv_node(), &["spec", "install", "spec", "deployments"])
    }
}

fn object_kind<'n>(node: &'n Node) -> &'n str {
    node.get("kind").and_then(Node::as_str).unwrap_or_default()
}

fn folder_of(file: &TreeFile) -> &str {
    file.path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn is_in_dot_folder(file: &TreeFile) -> bool {
    file.path.split('/').any(|part| part.starts_with('.'))
}

/// Reads the objects of a folder, up to the first error.
fn parse_objects<'t>(
    tree: &'t Tree,
    folder: &str,
    readings: &DocumentCache<'t>,
) -> Result<Vec<Object<'t>>, LoadError> {
    let whole = |file: &TreeFile| BundleLocation { file: file.path.clone(), span: Span::default() };
    let mut objects: Vec<Object> = Vec::new();
    let mut faults = Vec::new();
    let mut has_csv = false;
    if let Some(below) = tree
        .folders
        .iter()
        .find(|path| path.rsplit_once('/').map_or("", |(f, _)| f) == folder && !folder.is_empty())
    {
        return Err(LoadError::new(format!("{below}: a folder inside the folder of the manifests"), None));
    }
    for file in tree.files.iter().filter(|file| folder_of(file) == folder) {
        if file.is_hidden() {
            return Err(LoadError::new(
                format!("{}: a hidden file among the manifests", file.path),
                Some(whole(file)),
            ));
        }
        let unreadable = |error: DocumentError| {
            let span = match &error {
                DocumentError::Unreadable(error) => error.span,
                DocumentError::Empty => Span::default(),
            };
            let place = BundleLocation { file: file.path.clone(), span };
            LoadError::new(format!("{} cannot be read: {error}", file.path), Some(place))
        };
        let document = readings.first(file).map_err(unreadable)?;
        // Go decodes an empty document as an object without a kind.
        if document.node.is_null() {
            objects.push(Object { file, document });
            continue;
        }
        if object_kind(&document.node).is_empty() || !matches!(document.node.value, Value::Map(_)) {
            return Err(LoadError::new(format!("{} is no object with a kind", file.path), Some(whole(file))));
        }
        let object = Object { file, document };
        match object.kind() {
            CSV_KIND if has_csv => {
                return Err(LoadError::new(
                    format!("{} is a second ClusterServiceVersion", file.path),
                    Some(whole(file)),
                ));
            }
            CSV_KIND => {
                has_csv = true;
                faults.extend(find_type_error(&object, "ClusterServiceVersion"));
            }
            CRD_KIND => match object.string_field("apiVersion") {
                "apiextensions.k8s.io/v1" => {
                    faults.extend(find_type_error(&object, "CustomResourceDefinition"));
                }
                "apiextensions.k8s.io/v1beta1" => {
                    faults.extend(find_type_error(&object, "CustomResourceDefinitionV1beta1"));
                }
                other => faults.push(LoadError::new(
                    format!("{}: a CustomResourceDefinition of {other} is not known", file.path),
                    Some(whole(file)),
                )),
            },
            _ => {}
        }
        objects.push(object);
    }
    match faults.into_iter().next() {
        Some(fault) => Err(fault),
        None => Ok(objects),
    }
}

fn find_type_error(object: &Object, type_name: &'static str) -> Option<LoadError> {
    let fault = object.type_error(type_name, DecoderKind::Yaml)?;
    let place = object.location(fault.span);
    Some(LoadError::new(format!("{}: {fault}", object.file.path), Some(place)))
}

/// Returns the annotations of all files whose names begin with `annotations`; the last value of a key counts.
fn collect_annotations(tree: &Tree, faults: &mut Vec<LoadError>) -> HashMap<String, String> {
    let mut found = HashMap::new();
    for file in tree
        .files
        .iter()
        .filter(|file| !is_in_dot_folder(file) && file.file_name().starts_with("annotations"))
    {
        match document::parse_first_of_text(file.content_or_empty()) {
            Ok(document) => {
                let texts = field_access::node_at(&document.node, &["annotations"])
                    .map(Node::members)
                    .unwrap_or_default();
                let read: HashMap<String, String> = texts
                    .iter()
                    .filter_map(|member| {
                        let text = typed::field_text(&member.value, DecoderKind::Yaml)?.into_owned();
                        Some((member.key.clone().into_owned(), text))
                    })
                    .collect();
                found = read;
            }
            Err(error) => {
                let place = BundleLocation { file: file.path.clone(), span: Span::default() };
                faults.push(LoadError::new(format!("{} cannot be read: {error}", file.path), Some(place)));
            }
        }
    }
    found
}
