//! A bundle as OLM v1 loads it: every document of every file.

use std::sync::Arc;

use crate::{
    document::{self, Document, DocumentError},
    field_access::{annotation_value, node_at, text_at},
    registry::{BundleLocation, CRD_KIND, CSV_KIND, Object, PREFIX},
    tree::{Tree, TreeFile},
    typed::{self, DecoderKind, field_text},
};
use olm_catalog::{Node, Span, Value, text::json};

/// Reason why a bundle does not load, and its location.
type LoadError = (String, Option<BundleLocation>);

/// A bundle as v1 loads it.
#[derive(Debug)]
pub struct LoadedBundle<'t> {
    /// Package of `metadata/annotations.yaml`; `None` if only the objects are known.
    pub package: Option<String>,
    /// All objects; lists are flattened.
    pub objects: Vec<Object<'t>>,
    csv: usize,
}

impl<'t> LoadedBundle<'t> {
    /// Loads a bundle.
    ///
    /// # Errors
    ///
    /// The first error that v1 reports.
    pub fn load_tree(tree: &'t Tree) -> Result<Self, LoadError> {
        let package = load_package(tree)?;
        check_properties(tree)?;
        Ok(Self { package: Some(package), ..Self::load_objects(tree)? })
    }

    /// Loads the objects of a bundle without its metadata, as in a catalog.
    ///
    /// # Errors
    ///
    /// The first error for which OLM v1 does not load the objects.
    pub fn load_objects(tree: &'t Tree) -> Result<Self, LoadError> {
        if let Some(folder) = tree.folders_in("manifests").next() {
            return Err((format!("{folder}: a folder inside manifests"), None));
        }
        let mut objects = Vec::new();
        let is_file = |file: &&TreeFile| {
            file.path == "manifests"
                || file.path.strip_prefix("manifests/").is_some_and(|name| !name.contains('/'))
        };
        for file in tree.files.iter().filter(is_file) {
            for document in document::parse_all(file.content_or_empty()) {
                let document = document.map_err(|error| unreadable_file_error(file, &error))?;
                if !document.node.is_null() {
                    add_objects(file, document, &mut objects)?;
                }
            }
        }
        let csv = objects.iter().rposition(|object: &Object| object.kind() == CSV_KIND);
        let csv =
            csv.ok_or_else(|| ("no file in manifests/ holds a ClusterServiceVersion".to_owned(), None))?;
        let loaded = Self { package: None, objects, csv };
        let annotated = annotation_value(loaded.csv_node(), "olm.properties");
        let is_list =
            |text: &str| json::parse_json(text.as_bytes()).is_ok_and(|list| is_property_list(Some(&list)));
        if annotated.is_some_and(|text| !is_list(&text)) {
            return Err(("the annotation `olm.properties` is no JSON list of properties".to_owned(), None));
        }
        Ok(loaded)
    }

    /// Returns the ClusterServiceVersion; the last one if there are several.
    pub fn csv_node(&self) -> &Node<'t> {
        &self.csv_object().document.node
    }

    /// Returns the ClusterServiceVersion as an object.
    pub fn csv_object(&self) -> &Object<'t> {
        // `read` has checked the index.
        &self.objects[self.csv]
    }
}

fn unreadable_file_error(file: &TreeFile, error: &DocumentError) -> LoadError {
    let span = match error {
        DocumentError::Unreadable(error) => error.span,
        DocumentError::Empty => Span::default(),
    };
    (format!("{} cannot be read: {error}", file.path), Some(BundleLocation { file: file.path.clone(), span }))
}

/// Returns the package of `metadata/annotations.yaml`, which must exist under that name.
fn load_package(tree: &Tree) -> Result<String, LoadError> {
    let file = tree.file_index("metadata/annotations.yaml").and_then(|at| tree.files.get(at));
    let file = file.ok_or_else(|| ("metadata/annotations.yaml is missing".to_owned(), None))?;
    let document = document::parse_first_of_text(file.content_or_empty())
        .map_err(|error| unreadable_file_error(file, &error))?;
    Ok(text_at(&document.node, &["annotations", &format!("{PREFIX}package.v1")]).into_owned())
}

fn check_properties(tree: &Tree) -> Result<(), LoadError> {
    let Some(file) = tree.file_index("metadata/properties.yaml").and_then(|at| tree.files.get(at)) else {
        return Ok(());
    };
    let document = document::parse_first_of_text(file.content_or_empty())
        .map_err(|error| unreadable_file_error(file, &error))?;
    if is_property_list(node_at(&document.node, &["properties"])) {
        return Ok(());
    }
    Err((format!("{}: `properties` is no list of properties", file.path), None))
}

/// Returns true for a list of maps with a string as `type`, or an absent one.
fn is_property_list(node: Option<&Node>) -> bool {
    let is_property = |item: &Node| {
        matches!(item.value, Value::Map(_))
            && node_at(item, &["type"]).is_none_or(|kind| field_text(kind, DecoderKind::Json).is_some())
    };
    match node.map(|node| &node.value) {
        None => true,
        Some(Value::Null) => true,
        Some(Value::List(items)) => items.iter().all(is_property),
        Some(_) => false,
    }
}

/// Adds an object, or those of a list.
fn add_objects<'t>(
    file: &'t TreeFile,
    document: Document<'t>,
    objects: &mut Vec<Object<'t>>,
) -> Result<(), LoadError> {
    let start = document.start;
    // Lists may be nested as deeply as the parser allows: no recursion, and no copies.
    let mut left = vec![document.node];
    while let Some(node) = left.pop() {
        if !matches!(node.get("items").map(|items| &items.value), Some(Value::List(_))) {
            add_object(Object { file, document: Arc::new(Document { start, node }) }, objects)?;
            continue;
        }
        let Value::Map(members) = node.into_value() else { continue };
        let items = members.into_iter().rfind(|member| member.key == "items");
        if let Some(Value::List(items)) = items.map(|member| member.value.into_value()) {
            left.extend(items.into_iter().rev());
        }
    }
    Ok(())
}

fn add_object<'t>(object: Object<'t>, objects: &mut Vec<Object<'t>>) -> Result<(), LoadError> {
    let file = object.file;
    let node = &object.document.node;
    let place = |span| Some(object.location(span));
    if !matches!(node.value, Value::Map(_)) || object.kind().is_empty() {
        return Err((
            format!("{} holds something that is no object with a kind", file.path),
            place(node.span),
        ));
    }
    let checks = match (object.kind(), object.string_field("apiVersion")) {
        (CSV_KIND, _) => {
            vec![
                ("ObjectWithMetadata", DecoderKind::Json),
                ("ClusterServiceVersion", DecoderKind::Unstructured),
            ]
        }
        (CRD_KIND, _) => {
            vec![
                ("ObjectWithMetadata", DecoderKind::Json),
                ("CustomResourceDefinition", DecoderKind::Unstructured),
            ]
        }
        _ => vec![("ObjectWithMetadata", DecoderKind::Json)],
    };
    for (type_name, reading) in checks {
        if let Err(fault) = typed::check_type(node, type_name, reading) {
            return Err((format!("{}: {fault}", file.path), place(fault.span)));
        }
    }
    objects.push(object);
    Ok(())
}
