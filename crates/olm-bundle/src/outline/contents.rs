//! Input of the sections: the objects of a bundle from any source.

use std::{borrow::Cow, sync::Arc};

use super::{OutlineLocation, Source};
use crate::{field_access, registry::DirectoryContents, tree::Tree};
use olm_catalog::{Node, Span};

/// Known parts of a bundle.
pub(super) struct OutlineInput<'m, 't> {
    pub source: Source,
    pub package: String,
    /// Name and version of the bundle in the catalog, if any.
    pub catalog_name: [String; 2],
    /// ClusterServiceVersion, or its known part in the same form.
    pub csv: Option<Piece<'m, 't>>,
    /// Other objects.
    pub objects: Vec<Piece<'m, 't>>,
    /// Bundle image; empty for a directory.
    pub image: String,
    /// Images in the catalog, by name.
    pub listed_images: Option<Vec<(String, String)>>,
    /// Dependencies and properties.
    pub stated: Vec<StatedProperty>,
    /// Directory of the bundle.
    pub directory: Option<(&'m DirectoryContents<'t>, &'m Tree)>,
}

/// A dependency or property.
pub(super) struct StatedProperty {
    pub is_dependency: bool,
    pub kind: String,
    pub value: Node<'static>,
    pub location: Option<OutlineLocation>,
}

impl<'m, 't> OutlineInput<'m, 't> {
    /// Returns the name of the bundle.
    pub fn bundle_name(&self) -> String {
        match self.csv_text(&["metadata", "name"]) {
            name if name.is_empty() => self.catalog_name[0].clone(),
            name => name.into_owned(),
        }
    }

    /// Returns a string of the ClusterServiceVersion.
    pub fn csv_text(&self, path: &[&str]) -> Cow<'m, str> {
        self.csv.map(|csv| csv.child_text(path)).unwrap_or_default()
    }

    /// Returns a part of the ClusterServiceVersion.
    pub fn csv_piece(&self, path: &[&str]) -> Option<Piece<'m, 't>> {
        self.csv?.child(path)
    }

    /// Returns the items of a list in the ClusterServiceVersion.
    pub fn csv_items(&self, path: &[&str]) -> Vec<Piece<'m, 't>> {
        self.csv_piece(path).map(|list| list.list_items().collect()).unwrap_or_default()
    }

    /// Returns an annotation of the ClusterServiceVersion.
    pub fn csv_annotation(&self, key: &str) -> Option<Piece<'m, 't>> {
        let annotations = self.csv_piece(&["metadata", "annotations"])?;
        let members = annotations.node.members();
        let member = members.iter().rfind(|member| member.key == key)?;
        Some(annotations.with_node(&member.value))
    }

    /// Returns the objects of a kind.
    pub fn objects_of_kind(&self, kind: &str) -> impl Iterator<Item = Piece<'m, 't>> {
        self.objects.iter().copied().filter(move |object| object.child_text(&["kind"]) == kind)
    }
}

/// A node with its source text.
#[derive(Clone, Copy)]
pub(super) struct Piece<'m, 't> {
    pub node: &'m Node<'t>,
    pub source: &'m SourceText,
}

impl<'m, 't> Piece<'m, 't> {
    /// Returns another node of the same text.
    pub fn with_node(self, node: &'m Node<'t>) -> Self {
        Self { node, ..self }
    }

    pub fn child(self, path: &[&str]) -> Option<Self> {
        field_access::node_at(self.node, path).map(|node| self.with_node(node))
    }

    pub fn child_text(self, path: &[&str]) -> Cow<'m, str> {
        field_access::text_at(self.node, path)
    }

    /// Returns the strings of a list.
    pub fn child_texts(self, path: &[&str]) -> Vec<Cow<'m, str>> {
        field_access::texts_at(self.node, path).collect()
    }

    /// Returns its items, if it is a list.
    pub fn list_items(self) -> impl Iterator<Item = Self> {
        self.node.items().iter().map(move |node| self.with_node(node))
    }

    /// Returns the items of a list in it.
    pub fn child_items(self, path: &[&str]) -> impl Iterator<Item = Self> + use<'m, 't> {
        self.child(path).into_iter().flat_map(Self::list_items)
    }

    #[allow(clippy::unnecessary_wraps, reason = "a row may have no place, and most ask for it so")]
    pub fn location(self) -> Option<OutlineLocation> {
        Some(self.source.location_of(self.node.span))
    }
}

/// A source text with its lines.
pub(super) struct SourceText {
    file: Arc<str>,
    lines: LineIndex,
}

enum LineIndex {
    /// A document: its offset in the file, its first line number, and the end of each line.
    Document { start: usize, first: usize, ends: Vec<usize> },
    /// A text encoded in another one: all positions are the same.
    Encoded(OutlineLocation),
}

impl SourceText {
    /// Creates the source for a document in a file.
    pub fn new(file: &str, start: usize, first_line: usize, text: &[u8]) -> Self {
        let ends = memchr::memchr_iter(b'\n', text).collect();
        Self { file: file.into(), lines: LineIndex::Document { start, first: first_line, ends } }
    }

    /// Creates the source for a document encoded in another one.
    pub fn from_encoded(spot: OutlineLocation) -> Self {
        Self { file: Arc::clone(&spot.file), lines: LineIndex::Encoded(spot) }
    }

    pub fn location_of(&self, span: Span) -> OutlineLocation {
        match &self.lines {
            LineIndex::Encoded(spot) => spot.clone(),
            LineIndex::Document { start, first, ends } => {
                let line = ends.partition_point(|end| *end < span.start as usize) + first;
                let span = Span::new(span.start as usize + start, span.end as usize + start);
                OutlineLocation { file: Arc::clone(&self.file), line, span }
            }
        }
    }
}
