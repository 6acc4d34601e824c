//! Reads a bundle from its directory.

use super::{
    Inside, Source,
    contents::{BundleContents, Ground, Piece, Stated},
};
use crate::{
    bundle::{
        document::Document,
        read,
        registry::{CSV_KIND, Contents, Object, Property},
        tree::{Tree, TreeFile},
    },
    catalog::{Node, text::json},
};

impl Inside {
    /// Reads the outline of a bundle directory.
    pub fn of_directory(contents: &Contents, tree: &Tree) -> Self {
        let csv = contents.any_csv();
        let csv_ground = csv.map(|csv| ground(csv.object));
        let others: Vec<(&Object, Ground)> = contents
            .objects
            .iter()
            .filter(|object| object.kind() != CSV_KIND)
            .map(|object| (object, ground(object)))
            .collect();
        let piece = |object, ground| Piece { node: node(object), ground };
        let objects = others.iter().map(|(object, ground)| piece(object, ground)).collect();
        let csv = csv.zip(csv_ground.as_ref()).map(|(csv, ground)| piece(csv.object, ground));
        let metadata = &contents.metadata;
        let stated = |list: &[Property], is_dependency| -> Vec<Stated> {
            list.iter().map(|property| stated(property, is_dependency)).collect()
        };
        let mut listed = stated(&metadata.dependencies, true);
        listed.extend(stated(&metadata.properties, false));
        listed.extend(csv.into_iter().flat_map(annotated));
        Self::from_contents(&BundleContents {
            source: Source::Directory,
            package: contents.package().to_owned(),
            named: Default::default(),
            csv,
            objects,
            image: String::new(),
            listed: None,
            stated: listed,
            directory: Some((contents, tree)),
        })
    }
}

fn node<'m, 't>(object: &'m Object<'t>) -> &'m Node<'t> {
    &object.document.node
}

fn ground(object: &Object) -> Ground {
    ground_of(object.file, &object.document)
}

pub(super) fn ground_of(file: &TreeFile, document: &Document) -> Ground {
    let (start, bytes) = (document.start, file.bytes());
    let (before, text) = bytes.split_at_checked(start).unwrap_or((bytes, &[]));
    Ground::new(&file.path, start, memchr::memchr_iter(b'\n', before).count() + 1, text)
}

/// Returns the properties in an annotation of the CSV, as opm does.
fn annotated(csv: Piece) -> Vec<Stated> {
    let Some(annotation) = csv.at(&["metadata", "annotations"]).and_then(|all| all.at(&["olm.properties"]))
    else {
        return Vec::new();
    };
    let Ok(list) = json::parse(annotation.text(&[]).as_bytes()).map(|list| list.detached()) else {
        return Vec::new();
    };
    let stated = |property: &Node<'static>| Stated {
        is_dependency: false,
        kind: read::text(property, &["type"]).into_owned(),
        value: read::at(property, &["value"]).map_or_else(super::metadata::null, Node::clone),
        spot: annotation.spot(),
    };
    list.items().iter().map(stated).collect()
}

fn stated(property: &Property, is_dependency: bool) -> Stated {
    let value = property.value.as_ref().map(Node::detached);
    Stated {
        is_dependency,
        kind: property.kind.clone(),
        value: value.unwrap_or_else(super::metadata::null),
        spot: None,
    }
}
