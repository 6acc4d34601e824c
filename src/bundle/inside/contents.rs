//! Input of the sections: the objects of a bundle from any source.

use std::{borrow::Cow, sync::Arc};

use super::{Source, Spot};
use crate::{
    bundle::{read, registry::Contents, tree::Tree},
    catalog::{Node, Span},
};

/// Known parts of a bundle.
pub(super) struct BundleContents<'m, 't> {
    pub source: Source,
    pub package: String,
    /// Name and version of the bundle in the catalog, if any.
    pub named: [String; 2],
    /// ClusterServiceVersion, or its known part in the same form.
    pub csv: Option<Piece<'m, 't>>,
    /// Other objects.
    pub objects: Vec<Piece<'m, 't>>,
    /// Bundle image; empty for a directory.
    pub image: String,
    /// Images in the catalog, by name.
    pub listed: Option<Vec<(String, String)>>,
    /// Dependencies and properties.
    pub stated: Vec<Stated>,
    /// Directory of the bundle.
    pub directory: Option<(&'m Contents<'t>, &'m Tree)>,
}

/// A dependency or property.
pub(super) struct Stated {
    pub is_dependency: bool,
    pub kind: String,
    pub value: Node<'static>,
    pub spot: Option<Spot>,
}

impl<'m, 't> BundleContents<'m, 't> {
    /// Returns the name of the bundle.
    pub fn name(&self) -> String {
        match self.text(&["metadata", "name"]) {
            name if name.is_empty() => self.named[0].clone(),
            name => name.into_owned(),
        }
    }

    /// Returns a string of the ClusterServiceVersion.
    pub fn text(&self, path: &[&str]) -> Cow<'m, str> {
        self.csv.map(|csv| csv.text(path)).unwrap_or_default()
    }

    /// Returns a part of the ClusterServiceVersion.
    pub fn at(&self, path: &[&str]) -> Option<Piece<'m, 't>> {
        self.csv?.at(path)
    }

    /// Returns the items of a list in the ClusterServiceVersion.
    pub fn items(&self, path: &[&str]) -> Vec<Piece<'m, 't>> {
        self.at(path).map(|list| list.items().collect()).unwrap_or_default()
    }

    /// Returns an annotation of the ClusterServiceVersion.
    pub fn annotation(&self, key: &str) -> Option<Piece<'m, 't>> {
        let annotations = self.at(&["metadata", "annotations"])?;
        let members = annotations.node.members();
        let member = members.iter().rfind(|member| member.key == key)?;
        Some(annotations.with(&member.value))
    }

    /// Returns the objects of a kind.
    pub fn of_kind(&self, kind: &str) -> impl Iterator<Item = Piece<'m, 't>> {
        self.objects.iter().copied().filter(move |object| object.text(&["kind"]) == kind)
    }
}

/// A node with its source text.
#[derive(Clone, Copy)]
pub(super) struct Piece<'m, 't> {
    pub node: &'m Node<'t>,
    pub ground: &'m Ground,
}

impl<'m, 't> Piece<'m, 't> {
    /// Returns another node of the same text.
    pub fn with(self, node: &'m Node<'t>) -> Self {
        Self { node, ..self }
    }

    pub fn at(self, path: &[&str]) -> Option<Self> {
        read::at(self.node, path).map(|node| self.with(node))
    }

    pub fn text(self, path: &[&str]) -> Cow<'m, str> {
        read::text(self.node, path)
    }

    /// Returns the strings of a list.
    pub fn texts(self, path: &[&str]) -> Vec<Cow<'m, str>> {
        read::texts(self.node, path).collect()
    }

    /// Returns its items, if it is a list.
    pub fn items(self) -> impl Iterator<Item = Self> {
        self.node.items().iter().map(move |node| self.with(node))
    }

    /// Returns the items of a list in it.
    pub fn list(self, path: &[&str]) -> impl Iterator<Item = Self> + use<'m, 't> {
        self.at(path).into_iter().flat_map(Self::items)
    }

    #[allow(clippy::unnecessary_wraps, reason = "a row may have no place, and most ask for it so")]
    pub fn spot(self) -> Option<Spot> {
        Some(self.ground.spot(self.node.span))
    }
}

/// A source text with its lines.
pub(super) struct Ground {
    file: Arc<str>,
    lines: Lines,
}

enum Lines {
    /// A document: its offset in the file, its first line number, and the end of each line.
    Of { start: usize, first: usize, ends: Vec<usize> },
    /// A text encoded in another one: all positions are the same.
    Encoded(Spot),
}

impl Ground {
    /// Creates the source for a document in a file.
    pub fn new(file: &str, start: usize, first_line: usize, text: &[u8]) -> Self {
        let ends = memchr::memchr_iter(b'\n', text).collect();
        Self { file: file.into(), lines: Lines::Of { start, first: first_line, ends } }
    }

    /// Creates the source for a document encoded in another one.
    pub fn encoded(spot: Spot) -> Self {
        Self { file: Arc::clone(&spot.file), lines: Lines::Encoded(spot) }
    }

    pub fn spot(&self, span: Span) -> Spot {
        match &self.lines {
            Lines::Encoded(spot) => spot.clone(),
            Lines::Of { start, first, ends } => {
                let line = ends.partition_point(|end| *end < span.start as usize) + first;
                let span = Span::new(span.start as usize + start, span.end as usize + start);
                Spot { file: Arc::clone(&self.file), line, span }
            }
        }
    }
}
