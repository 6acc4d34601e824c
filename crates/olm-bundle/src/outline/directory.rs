//! Reads a bundle from its directory.

use super::{
    Outline, Source,
    contents::{OutlineInput, Piece, SourceText, StatedProperty},
};
use crate::{
    document::Document,
    field_access,
    registry::{CSV_KIND, DirectoryContents, Object, Property},
    tree::{Tree, TreeFile},
};
use olm_catalog::{Node, text::json};

impl Outline {
    /// Reads the outline of a bundle directory.
    pub fn from_directory(contents: &DirectoryContents, tree: &Tree) -> Self {
        let csv = contents.any_csv();
        let csv_ground = csv.map(|csv| object_source(csv.object));
        let others: Vec<(&Object, SourceText)> = contents
            .objects
            .iter()
            .filter(|object| object.kind() != CSV_KIND)
            .map(|object| (object, object_source(object)))
            .collect();
        let piece = |object, ground| Piece { node: object_node(object), source: ground };
        let objects = others.iter().map(|(object, ground)| piece(object, ground)).collect();
        let csv = csv.zip(csv_ground.as_ref()).map(|(csv, ground)| piece(csv.object, ground));
        let metadata = &contents.metadata;
        let stated = |list: &[Property], is_dependency| -> Vec<StatedProperty> {
            list.iter().map(|property| stated_property(property, is_dependency)).collect()
        };
        let mut listed = stated(&metadata.dependencies, true);
        listed.extend(stated(&metadata.properties, false));
        listed.extend(csv.into_iter().flat_map(annotated_properties));
        Self::from_contents(&OutlineInput {
            source: Source::Directory,
            package: contents.package().to_owned(),
            catalog_name: Default::default(),
            csv,
            objects,
            image: String::new(),
            listed_images: None,
            stated: listed,
            directory: Some((contents, tree)),
        })
    }
}

fn object_node<'m, 't>(object: &'m Object<'t>) -> &'m Node<'t> {
    &object.document.node
}

fn object_source(object: &Object) -> SourceText {
    file_source(object.file, &object.document)
}

pub(super) fn file_source(file: &TreeFile, document: &Document) -> SourceText {
    let (start, bytes) = (document.start, file.content_or_empty());
    let (before, text) = bytes.split_at_checked(start).unwrap_or((bytes, &[]));
    SourceText::new(&file.path, start, memchr::memchr_iter(b'\n', before).count() + 1, text)
}

/// Returns the properties in an annotation of the CSV, as opm does.
fn annotated_properties(csv: Piece) -> Vec<StatedProperty> {
    let Some(annotation) =
        csv.child(&["metadata", "annotations"]).and_then(|all| all.child(&["olm.properties"]))
    else {
        return Vec::new();
    };
    let Ok(list) = json::parse_json(annotation.child_text(&[]).as_bytes()).map(|list| list.detached()) else {
        return Vec::new();
    };
    let stated = |property: &Node<'static>| StatedProperty {
        is_dependency: false,
        kind: field_access::text_at(property, &["type"]).into_owned(),
        value: field_access::node_at(property, &["value"])
            .map_or_else(super::metadata::null_node, Node::clone),
        location: annotation.location(),
    };
    list.items().iter().map(stated).collect()
}

fn stated_property(property: &Property, is_dependency: bool) -> StatedProperty {
    let value = property.value.as_ref().map(Node::detached);
    StatedProperty {
        is_dependency,
        kind: property.kind.clone(),
        value: value.unwrap_or_else(super::metadata::null_node),
        location: None,
    }
}
