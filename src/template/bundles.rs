//! Bundles by image: where they come from, and what is used of them.

use std::collections::HashMap;

use crate::{
    bundle::{
        render::{RawProperty, metadata_property, order_metadata},
        typed::{field, member},
    },
    catalog::{
        Catalog, DocId, FileId, Node, Value,
        blob::{Blob, BundleBlob},
        decode,
        problem::ProblemKind,
        text::{
            canonical, json,
            split::{self, Format},
            yaml,
        },
    },
};

use super::tree;

/// The property that carries a manifest.
const OBJECT: &str = "olm.bundle.object";
/// The property that carries what a console shows of the ClusterServiceVersion.
const CSV_METADATA: &str = "olm.csv.metadata";

/// Somewhere bundles are known by image: catalogs, later a registry.
pub trait Bundles {
    /// The `olm.bundle` with an image, which must be the same letter by letter; `None` where it is not known.
    fn blob(&self, image: &str) -> Option<Node<'_>>;
}

/// The bundles of catalogs: of those with one image the first in the first catalog that has it.
#[derive(Debug)]
pub struct CatalogBundles<'c> {
    catalogs: Vec<&'c Catalog>,
    by_image: HashMap<&'c str, (usize, DocId)>,
}

impl<'c> CatalogBundles<'c> {
    /// The bundles of catalogs. Those that are templates themselves know none.
    pub fn of(catalogs: impl IntoIterator<Item = &'c Catalog>) -> Self {
        let catalogs: Vec<_> = catalogs.into_iter().filter(|catalog| catalog.template().is_none()).collect();
        let mut by_image: HashMap<&str, (usize, DocId)> = HashMap::new();
        for (number, catalog) in catalogs.iter().enumerate() {
            let place = |doc: DocId| {
                let file = catalog.file(doc.file);
                (doc.file, file.and_then(|file| file.position(doc.serial)))
            };
            for bundle in catalog.packages().flat_map(|package| &package.bundles) {
                let Some(image) = &bundle.image else { continue };
                let known = by_image.entry(&image.value).or_insert((number, bundle.doc));
                if known.0 == number && place(bundle.doc) < place(known.1) {
                    known.1 = bundle.doc;
                }
            }
        }
        Self { catalogs, by_image }
    }
}

impl Bundles for CatalogBundles<'_> {
    fn blob(&self, image: &str) -> Option<Node<'_>> {
        let (number, doc) = *self.by_image.get(image)?;
        self.catalogs.get(number)?.tree(doc)?.ok()
    }
}

/// A bundle as it is used.
#[derive(Debug)]
pub(super) struct Pulled {
    /// The blob as opm holds it, migrated where that was asked for.
    pub node: Node<'static>,
    /// What is in it.
    pub blob: BundleBlob,
    /// Values of its properties that are not what their types say. Only some uses mind.
    pub odd: Vec<ProblemKind>,
    /// Its ClusterServiceVersion, where it carries it.
    pub csv: Option<Node<'static>>,
    /// Whether it has an `olm.csv.metadata` to begin with.
    pub has_metadata: bool,
}

/// A document that stands in no catalog.
pub(super) const NO_DOC: DocId = DocId { file: FileId(0), serial: 0 };

/// Uses a blob as opm uses what it pulled.
///
/// # Errors
///
/// Why opm could not, in words.
pub(super) fn pull(blob: &Node, migrate: bool) -> Result<Pulled, String> {
    let decoded = decode::decode(NO_DOC, blob);
    let problems = || decoded.problems.told().iter().map(|problem| &problem.kind);
    if let Some(problem) = problems().find(|kind| kind.stops_opm()) {
        return Err(problem.to_string());
    }
    let Some(Blob::Bundle(bundle)) = decoded.blob else { return Err("it is no olm.bundle".to_owned()) };
    let odd: Vec<ProblemKind> = problems().filter(|kind| kind.is_error()).cloned().collect();
    let is_object = |kind: &&ProblemKind| {
        let index = property_of(kind).and_then(|index| bundle.properties.get(index));
        index.is_some_and(|property| property.kind.value == OBJECT)
    };
    if let Some(problem) = odd.iter().find(is_object) {
        return Err(problem.to_string());
    }
    let csv = csv(blob);
    let has = |kind: &str| bundle.properties.iter().any(|property| property.kind.value == kind);
    let has_metadata = has(CSV_METADATA);
    let mut node = canonical::normalise(blob).detached();
    // opm pulls the image, so it never sorts the keys.
    order_metadata(&mut node);
    if let Some(csv) = csv.as_ref().filter(|_| migrate && bundle.image.is_some() && !has_metadata) {
        let property = metadata_property(csv).map_err(|fault| fault.to_string())?;
        put_metadata(&mut node, &property);
    }
    Ok(Pulled { node, blob: *bundle, odd, csv, has_metadata })
}

/// The number of the property that a problem is in.
fn property_of(kind: &ProblemKind) -> Option<usize> {
    let (ProblemKind::WrongType { field, .. }
    | ProblemKind::Missing { field }
    | ProblemKind::BadEncoding { field, .. }) = kind
    else {
        return None;
    };
    field.strip_prefix("properties[")?.split_once(']')?.0.parse().ok()
}

/// Returns the first ClusterServiceVersion among the manifests that a blob carries.
///
/// opm reads JSON as YAML to find it, and passes over what go-yaml refuses, such as escaped surrogates.
fn csv(blob: &Node) -> Option<Node<'static>> {
    let properties = field(blob, "properties").map(Node::items).unwrap_or_default();
    let is_object =
        |property: &&Node| field(property, "type").and_then(Node::as_str).is_some_and(|kind| kind == OBJECT);
    properties.iter().filter(is_object).find_map(|property| {
        let data = field(field(property, "value")?, "data")?;
        let bytes = decode::base64(data.as_str()?)?;
        let object = json::parse(&bytes).or_else(|_| split::parse(Format::Yaml, &bytes)).ok()?;
        let is_csv = object.get("kind").and_then(Node::as_str) == Some("ClusterServiceVersion");
        (is_csv && yaml::parse_stream(&bytes).is_ok()).then(|| object.detached())
    })
}

/// Puts the property in place of the manifests.
fn put_metadata(bundle: &mut Node<'static>, property: &RawProperty) {
    let Ok(value) = json::parse(property.value.as_bytes()) else { return };
    let value = value.detached();
    let Value::Map(members) = &mut bundle.value else { return };
    for member in members.iter_mut().filter(|member| member.key == "properties") {
        let Value::List(items) = &mut member.value.value else { continue };
        items.retain(|item| item.get("type").and_then(Node::as_str) != Some(OBJECT));
        items.push(tree::map(vec![("type", tree::text(&property.kind)), ("value", value)]));
        return;
    }
}

impl Pulled {
    /// The annotations of its ClusterServiceVersion, as manifest or as metadata.
    pub fn annotation(&self, key: &str) -> Option<String> {
        let text = |annotations: &Node| annotations.get(key).and_then(Node::as_str).map(str::to_owned);
        let in_csv = self.csv.as_ref().and_then(|csv| text(csv.get("metadata")?.get("annotations")?));
        in_csv.or_else(|| annotation(&self.node, key))
    }
}

/// An annotation of the `olm.csv.metadata` of a bundle, or of the ClusterServiceVersion it carries.
pub(super) fn annotation(bundle: &Node, key: &str) -> Option<String> {
    let properties = field(bundle, "properties").map(Node::items).unwrap_or_default();
    let mut metadata = properties.iter().filter_map(|property| {
        let kind = field(property, "type").and_then(Node::as_str);
        field(property, "value").filter(|_| kind == Some(CSV_METADATA))
    });
    let text = |node: &Node| member(node, key).and_then(Node::as_str).map(str::to_owned);
    let found = metadata.find_map(|value| text(field(value, "annotations")?));
    found.or_else(|| text(csv(bundle)?.get("metadata")?.get("annotations")?))
}
