//! What the sections are made from: the objects of a bundle, wherever they were read.

use std::{borrow::Cow, sync::Arc};

use super::{Source, Spot};
use crate::{
    bundle::{read, registry::Contents, tree::Tree},
    catalog::{Node, Span},
};

/// What is known of a bundle.
pub(super) struct Material<'m, 't> {
    pub source: Source,
    pub package: String,
    /// The bundle's name and version, where a catalog says them.
    pub named: [String; 2],
    /// The ClusterServiceVersion, or what there is of it in its form.
    pub csv: Option<Piece<'m, 't>>,
    /// The other objects.
    pub objects: Vec<Piece<'m, 't>>,
    /// The bundle's image; of a directory there is none.
    pub image: String,
    /// Images that the catalog lists, by name.
    pub listed: Option<Vec<(String, String)>>,
    /// Dependencies and properties: which of the two, type, value.
    pub stated: Vec<Stated>,
    /// The directory itself.
    pub directory: Option<(&'m Contents<'t>, &'m Tree)>,
}

/// A dependency or property.
pub(super) struct Stated {
    pub is_dependency: bool,
    pub kind: String,
    pub value: Node<'static>,
    pub spot: Option<Spot>,
}

impl<'m, 't> Material<'m, 't> {
    /// The bundle's name.
    pub fn name(&self) -> String {
        match self.text(&["metadata", "name"]) {
            name if name.is_empty() => self.named[0].clone(),
            name => name.into_owned(),
        }
    }

    /// A text of the ClusterServiceVersion.
    pub fn text(&self, path: &[&str]) -> Cow<'m, str> {
        self.csv.map(|csv| csv.text(path)).unwrap_or_default()
    }

    /// A part of the ClusterServiceVersion.
    pub fn at(&self, path: &[&str]) -> Option<Piece<'m, 't>> {
        self.csv?.at(path)
    }

    /// The items of a list of the ClusterServiceVersion.
    pub fn items(&self, path: &[&str]) -> Vec<Piece<'m, 't>> {
        self.at(path).map(|list| list.items().collect()).unwrap_or_default()
    }

    /// An annotation of the ClusterServiceVersion.
    pub fn annotation(&self, key: &str) -> Option<Piece<'m, 't>> {
        let annotations = self.at(&["metadata", "annotations"])?;
        let members = annotations.node.members();
        let member = members.iter().rfind(|member| member.key == key)?;
        Some(annotations.with(&member.value))
    }

    /// The objects of a kind.
    pub fn of_kind(&self, kind: &str) -> impl Iterator<Item = Piece<'m, 't>> {
        self.objects.iter().copied().filter(move |object| object.text(&["kind"]) == kind)
    }
}

/// A node and the text that it stands in.
#[derive(Clone, Copy)]
pub(super) struct Piece<'m, 't> {
    pub node: &'m Node<'t>,
    pub ground: &'m Ground,
}

impl<'m, 't> Piece<'m, 't> {
    /// Another node of the same text.
    pub fn with(self, node: &'m Node<'t>) -> Self {
        Self { node, ..self }
    }

    pub fn at(self, path: &[&str]) -> Option<Self> {
        read::at(self.node, path).map(|node| self.with(node))
    }

    pub fn text(self, path: &[&str]) -> Cow<'m, str> {
        read::text(self.node, path)
    }

    /// The texts of a list.
    pub fn texts(self, path: &[&str]) -> Vec<Cow<'m, str>> {
        read::texts(self.node, path).collect()
    }

    /// Its items, if it is a list.
    pub fn items(self) -> impl Iterator<Item = Self> {
        self.node.items().iter().map(move |node| self.with(node))
    }

    /// The items of a list in it.
    pub fn list(self, path: &[&str]) -> impl Iterator<Item = Self> + use<'m, 't> {
        self.at(path).into_iter().flat_map(Self::items)
    }

    #[allow(clippy::unnecessary_wraps, reason = "a row may have no place, and most ask for it so")]
    pub fn spot(self) -> Option<Spot> {
        Some(self.ground.spot(self.node.span))
    }
}

/// A text that nodes stand in, with its lines.
pub(super) struct Ground {
    file: Arc<str>,
    lines: Lines,
}

enum Lines {
    /// A document: where it begins in the file, on which line, and where each of its lines ends.
    Of { start: usize, first: usize, ends: Vec<usize> },
    /// Everything stands at one place: it is encoded there.
    Encoded(Spot),
}

impl Ground {
    /// A document in a file.
    pub fn new(file: &str, start: usize, first_line: usize, text: &[u8]) -> Self {
        let ends = memchr::memchr_iter(b'\n', text).collect();
        Self { file: file.into(), lines: Lines::Of { start, first: first_line, ends } }
    }

    /// A document that is encoded in another one.
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
