//! A bundle as OLM v1 loads it: every document of every file.

use std::sync::Arc;

use crate::{
    bundle::{
        document::{self, Document, NoDocument},
        read::{annotation, at, text},
        registry::{BundlePlace, CRD_KIND, CSV_KIND, Object, metadata::PREFIX},
        tree::{Tree, TreeFile},
        typed::{self, Reading, text_of},
    },
    catalog::{Node, Span, Value, text::json},
};

/// Reason why a bundle does not load, and its location.
type Fault = (String, Option<BundlePlace>);

/// A bundle as v1 loads it.
#[derive(Debug)]
pub struct Loaded<'t> {
    /// Package of `metadata/annotations.yaml`; `None` if only the objects are known.
    pub package: Option<String>,
    /// All objects; lists are flattened.
    pub objects: Vec<Object<'t>>,
    csv: usize,
}

impl<'t> Loaded<'t> {
    /// Loads a bundle.
    ///
    /// # Errors
    ///
    /// The first error that v1 reports.
    pub fn read(tree: &'t Tree) -> Result<Self, Fault> {
        let package = package(tree)?;
        properties(tree)?;
        Ok(Self { package: Some(package), ..Self::read_objects(tree)? })
    }

    /// Loads the objects of a bundle without its metadata, as in a catalog.
    ///
    /// # Errors
    ///
    /// The first error for which OLM v1 does not load the objects.
    pub fn read_objects(tree: &'t Tree) -> Result<Self, Fault> {
        if let Some(folder) = tree.folders_in("manifests").next() {
            return Err((format!("{folder}: a folder inside manifests"), None));
        }
        let mut objects = Vec::new();
        let is_file = |file: &&TreeFile| {
            file.path == "manifests"
                || file.path.strip_prefix("manifests/").is_some_and(|name| !name.contains('/'))
        };
        for file in tree.files.iter().filter(is_file) {
            for document in document::all(file.bytes()) {
                let document = document.map_err(|error| unreadable(file, &error))?;
                if !document.node.is_null() {
                    add(file, document, &mut objects)?;
                }
            }
        }
        let csv = objects.iter().rposition(|object: &Object| object.kind() == CSV_KIND);
        let csv =
            csv.ok_or_else(|| ("no file in manifests/ holds a ClusterServiceVersion".to_owned(), None))?;
        let loaded = Self { package: None, objects, csv };
        let annotated = annotation(loaded.csv(), "olm.properties");
        let is_list =
            |text: &str| json::parse(text.as_bytes()).is_ok_and(|list| is_property_list(Some(&list)));
        if annotated.is_some_and(|text| !is_list(&text)) {
            return Err(("the annotation `olm.properties` is no JSON list of properties".to_owned(), None));
        }
        Ok(loaded)
    }

    /// Returns the ClusterServiceVersion; the last one if there are several.
    pub fn csv(&self) -> &Node<'t> {
        &self.csv_object().document.node
    }

    /// Returns the ClusterServiceVersion as an object.
    pub fn csv_object(&self) -> &Object<'t> {
        // `read` has checked the index.
        &self.objects[self.csv]
    }
}

fn unreadable(file: &TreeFile, error: &NoDocument) -> Fault {
    let span = match error {
        NoDocument::Unreadable(error) => error.span,
        NoDocument::Empty => Span::default(),
    };
    (format!("{} cannot be read: {error}", file.path), Some(BundlePlace { file: file.path.clone(), span }))
}

/// Returns the package of `metadata/annotations.yaml`, which must exist under that name.
fn package(tree: &Tree) -> Result<String, Fault> {
    let file = tree.position("metadata/annotations.yaml").and_then(|at| tree.files.get(at));
    let file = file.ok_or_else(|| ("metadata/annotations.yaml is missing".to_owned(), None))?;
    let document = document::whole(file.bytes()).map_err(|error| unreadable(file, &error))?;
    Ok(text(&document.node, &["annotations", &format!("{PREFIX}package.v1")]).into_owned())
}

fn properties(tree: &Tree) -> Result<(), Fault> {
    let Some(file) = tree.position("metadata/properties.yaml").and_then(|at| tree.files.get(at)) else {
        return Ok(());
    };
    let document = document::whole(file.bytes()).map_err(|error| unreadable(file, &error))?;
    if is_property_list(at(&document.node, &["properties"])) {
        return Ok(());
    }
    Err((format!("{}: `properties` is no list of properties", file.path), None))
}

/// Returns true for a list of maps with a string as `type`, or an absent one.
fn is_property_list(node: Option<&Node>) -> bool {
    let is_property = |item: &Node| {
        matches!(item.value, Value::Map(_))
            && at(item, &["type"]).is_none_or(|kind| text_of(kind, Reading::Json).is_some())
    };
    match node.map(|node| &node.value) {
        None => true,
        Some(Value::Null) => true,
        Some(Value::List(items)) => items.iter().all(is_property),
        Some(_) => false,
    }
}

/// Adds an object, or those of a list.
fn add<'t>(file: &'t TreeFile, document: Document<'t>, objects: &mut Vec<Object<'t>>) -> Result<(), Fault> {
    let start = document.start;
    // Lists may be nested as deeply as the parser allows: no recursion, and no copies.
    let mut left = vec![document.node];
    while let Some(node) = left.pop() {
        if !matches!(node.get("items").map(|items| &items.value), Some(Value::List(_))) {
            add_one(Object { file, document: Arc::new(Document { start, node }) }, objects)?;
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

fn add_one<'t>(object: Object<'t>, objects: &mut Vec<Object<'t>>) -> Result<(), Fault> {
    let file = object.file;
    let node = &object.document.node;
    let place = |span| Some(object.place(span));
    if !matches!(node.value, Value::Map(_)) || object.kind().is_empty() {
        return Err((
            format!("{} holds something that is no object with a kind", file.path),
            place(node.span),
        ));
    }
    let checks = match (object.kind(), object.text("apiVersion")) {
        (CSV_KIND, _) => {
            vec![("ObjectWithMetadata", Reading::Json), ("ClusterServiceVersion", Reading::Unstructured)]
        }
        (CRD_KIND, _) => {
            vec![("ObjectWithMetadata", Reading::Json), ("CustomResourceDefinition", Reading::Unstructured)]
        }
        _ => vec![("ObjectWithMetadata", Reading::Json)],
    };
    for (type_name, reading) in checks {
        if let Err(fault) = typed::check(node, type_name, reading) {
            return Err((format!("{}: {fault}", file.path), place(fault.span)));
        }
    }
    objects.push(object);
    Ok(())
}
