//! Bundles by image: their sources, and the parts that templates use.

use std::collections::HashMap;

use crate::{
    render::{RawProperty, metadata_property, order_metadata},
    typed::{find_field, find_member},
};
use olm_catalog::{
    Catalog, DocId, FileId, Node, Value,
    blob::{Blob, BundleBlob},
    decode,
    problem::ProblemKind,
    text::{
        canonical, json,
        split::{self, Format},
        yaml,
    },
};

use super::semver;

/// Type of the property with a manifest.
const OBJECT: &str = "olm.bundle.object";
/// Type of the property with the ClusterServiceVersion's metadata for consoles.
const CSV_METADATA: &str = "olm.csv.metadata";

/// A source of bundles by image, such as catalogs.
pub trait BundleProvider {
    /// Returns the `olm.bundle` with exactly this image; `None` if there is none.
    fn find_by_image(&self, image: &str) -> Option<Node<'_>>;
}

/// Bundles of catalogs. If several have one image, the first in the first catalog wins.
#[derive(Debug)]
pub struct CatalogBundles<'c> {
    catalogs: Vec<&'c Catalog>,
    by_image: HashMap<&'c str, (usize, DocId)>,
}

impl<'c> CatalogBundles<'c> {
    /// Collects the bundles of catalogs, except those that are templates themselves.
    pub fn new(catalogs: impl IntoIterator<Item = &'c Catalog>) -> Self {
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

impl BundleProvider for CatalogBundles<'_> {
    fn find_by_image(&self, image: &str) -> Option<Node<'_>> {
        let (number, doc) = *self.by_image.get(image)?;
        self.catalogs.get(number)?.parse_document(doc)?.ok()
    }
}

/// A bundle prepared for a template.
#[derive(Debug)]
pub(super) struct PreparedBundle {
    /// The blob as opm represents it, migrated if requested.
    pub node: Node<'static>,
    /// The decoded blob.
    pub blob: BundleBlob,
    /// Property values of wrong types, which only some kinds of templates refuse.
    pub mistyped_values: Vec<ProblemKind>,
    /// The ClusterServiceVersion in the blob, if there is one.
    pub csv: Option<Node<'static>>,
    /// True if the blob originally had an `olm.csv.metadata`.
    pub has_metadata: bool,
}

/// Identifier of a document outside of catalogs.
pub(super) const NO_DOC: DocId = DocId { file: FileId(0), serial: 0 };

/// Prepares a blob as opm prepares a pulled image.
///
/// # Errors
///
/// The reason in words, if opm could not use it.
pub(super) fn prepare_bundle(blob: &Node, migrate: bool) -> Result<PreparedBundle, String> {
    let decoded = decode::decode_document(NO_DOC, blob);
    let problems = || decoded.problems.complete_problems().iter().map(|problem| &problem.kind);
    if let Some(problem) = problems().find(|kind| kind.stops_opm()) {
        return Err(problem.to_string());
    }
    let Some(Blob::Bundle(bundle)) = decoded.blob else { return Err("it is no olm.bundle".to_owned()) };
    let mismatches: Vec<ProblemKind> = problems().filter(|kind| kind.is_error()).cloned().collect();
    let is_object = |kind: &&ProblemKind| {
        let index = property_index(kind).and_then(|index| bundle.properties.get(index));
        index.is_some_and(|property| property.kind.value == OBJECT)
    };
    if let Some(problem) = mismatches.iter().find(is_object) {
        return Err(problem.to_string());
    }
    let csv = find_csv(blob);
    let has = |kind: &str| bundle.properties.iter().any(|property| property.kind.value == kind);
    let has_metadata = has(CSV_METADATA);
    let mut node = canonical::normalize(blob).detached();
    // opm renders the bundle from its image, so the keys have the order of a rendered image, not of
    // a catalog.
    order_metadata(&mut node);
    if let Some(csv) = csv.as_ref().filter(|_| migrate && bundle.image.is_some() && !has_metadata) {
        let property = metadata_property(csv).map_err(|fault| fault.to_string())?;
        replace_manifests(&mut node, &property);
    }
    Ok(PreparedBundle { node, blob: *bundle, mistyped_values: mismatches, csv, has_metadata })
}

/// Returns the index in `properties` that the field of a problem names; `None` for other fields.
fn property_index(kind: &ProblemKind) -> Option<usize> {
    let (ProblemKind::WrongType { field, .. }
    | ProblemKind::Missing { field }
    | ProblemKind::BadEncoding { field, .. }) = kind
    else {
        return None;
    };
    field.strip_prefix("properties[")?.split_once(']')?.0.parse().ok()
}

/// Returns the first ClusterServiceVersion among the manifests in a blob.
///
/// opm parses JSON as YAML for this, and skips text that go-yaml refuses, such as escaped surrogates.
fn find_csv(blob: &Node) -> Option<Node<'static>> {
    let properties = find_field(blob, "properties").map(Node::items).unwrap_or_default();
    let is_object = |property: &&Node| {
        find_field(property, "type").and_then(Node::as_str).is_some_and(|kind| kind == OBJECT)
    };
    properties.iter().filter(is_object).find_map(|property| {
        let data = find_field(find_field(property, "value")?, "data")?;
        let bytes = decode::decode_base64(data.as_str()?)?;
        let object = json::parse_json(&bytes).or_else(|_| split::parse_chunk(Format::Yaml, &bytes)).ok()?;
        let is_csv = object.get("kind").and_then(Node::as_str) == Some("ClusterServiceVersion");
        (is_csv && yaml::parse_stream(&bytes).is_ok()).then(|| object.detached())
    })
}

/// Removes all `olm.bundle.object` properties and adds a property.
fn replace_manifests(bundle: &mut Node<'static>, property: &RawProperty) {
    let Ok(value) = json::parse_json(property.value.as_bytes()) else { return };
    let value = value.detached();
    let Value::Map(members) = &mut bundle.value else { return };
    for member in members.iter_mut().filter(|member| member.key == "properties") {
        let Value::List(items) = &mut member.value.value else { continue };
        items.retain(|item| item.get("type").and_then(Node::as_str) != Some(OBJECT));
        items.push(semver::map_node(vec![("type", semver::text_node(&property.kind)), ("value", value)]));
        return;
    }
}

impl PreparedBundle {
    /// Returns an annotation of the ClusterServiceVersion, from the manifest or the metadata.
    pub fn annotation(&self, key: &str) -> Option<String> {
        let text = |annotations: &Node| annotations.get(key).and_then(Node::as_str).map(str::to_owned);
        let in_csv = self.csv.as_ref().and_then(|csv| text(csv.get("metadata")?.get("annotations")?));
        in_csv.or_else(|| bundle_annotation(&self.node, key))
    }
}

/// Returns an annotation of the `olm.csv.metadata` of a bundle, or of its ClusterServiceVersion.
pub(super) fn bundle_annotation(bundle: &Node, key: &str) -> Option<String> {
    let properties = find_field(bundle, "properties").map(Node::items).unwrap_or_default();
    let mut metadata = properties.iter().filter_map(|property| {
        let kind = find_field(property, "type").and_then(Node::as_str);
        find_field(property, "value").filter(|_| kind == Some(CSV_METADATA))
    });
    let text = |node: &Node| find_member(node, key).and_then(Node::as_str).map(str::to_owned);
    let found = metadata.find_map(|value| text(find_field(value, "annotations")?));
    found.or_else(|| text(find_csv(bundle)?.get("metadata")?.get("annotations")?))
}
