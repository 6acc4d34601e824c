//! Catalog that is being edited. For a document with a syntax error, the last valid text is kept
//! too, so that names in it still have a meaning.

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    TextDocument,
    graphs::GraphCache,
    text::{Changes, TextId},
};
use olm_catalog::{
    Catalog, DocId, FileId, SourceFile, Span, Text, model::EditedText, package::Package, problem::ProblemKind,
};
use olm_upgrade::PackageGraph;

/// Catalog with the texts of open documents.
#[derive(Clone, Debug)]
pub struct DraftCatalog {
    current: Arc<Catalog>,
    /// Last valid text of each broken document: one with a syntax error that was valid before.
    broken: BTreeMap<DocId, Text>,
    /// Catalog with the last valid texts; `None` if no document is broken.
    last_valid: Option<Arc<Catalog>>,
    /// Texts of documents that files have.
    received: BTreeMap<FileId, TextId>,
    /// Upgrade graphs of packages that a client asked about.
    graphs: Arc<Mutex<GraphCache>>,
}

impl DraftCatalog {
    /// Creates a draft from the catalog on disk.
    pub fn new(catalog: Arc<Catalog>) -> Self {
        Self {
            current: catalog,
            broken: BTreeMap::new(),
            last_valid: None,
            received: BTreeMap::new(),
            graphs: Arc::default(),
        }
    }

    /// Returns the catalog with the current text.
    pub fn current(&self) -> &Arc<Catalog> {
        &self.current
    }

    /// Returns the catalog in which broken documents have their last valid text.
    pub fn last_valid(&self) -> &Arc<Catalog> {
        self.last_valid.as_ref().unwrap_or(&self.current)
    }

    /// Replaces the text of a file by that of a document. After the first time, only the objects near the changes are
    /// read again, so that the time does not depend on the size of the file.
    pub fn type_document(&mut self, file: FileId, document: &mut TextDocument) {
        match document.changes_since(self.received.get(&file)) {
            Changes::Nothing => return,
            Changes::Part(part) => self.store_change(self.current.with_edited_text(file, &part)),
            Changes::Whole => self.store_change(self.current.with_text(file, &document.to_bytes())),
        }
        self.received.insert(file, document.share_text());
    }

    /// Replaces the text of a file.
    pub fn type_text(&mut self, file: FileId, bytes: &[u8]) {
        self.received.remove(&file);
        self.store_change(self.current.with_text(file, bytes));
    }

    /// Stores the next state of the catalog, and the last valid texts of its changed documents.
    fn store_change(&mut self, (next, changed): (Catalog, Vec<DocId>)) {
        if changed.is_empty() && next.revision == self.current.revision {
            return;
        }
        let unreadable = |catalog: &Catalog, doc: DocId| {
            let problems = catalog.problems();
            problems.in_documents().any(|(kind, at, _)| at == doc && matches!(kind, ProblemKind::Syntax(_)))
        };
        for doc in changed {
            if !unreadable(&next, doc) {
                self.broken.remove(&doc);
            } else if !self.broken.contains_key(&doc)
                && !unreadable(&self.current, doc)
                && let Some(text) = self.current.file(doc.file).and_then(|file| file.segment(doc.serial))
            {
                self.broken.insert(doc, Text::from(text.text.as_bytes().to_vec()));
            }
        }
        self.broken.retain(|doc, _| next.document_text(*doc).is_some());
        self.current = Arc::new(next);
        self.last_valid = self.rebuild_last_valid();
    }

    /// Builds [`Self::last_valid`] from the current catalog. `None` if no document is broken.
    fn rebuild_last_valid(&self) -> Option<Arc<Catalog>> {
        let mut catalog: Option<Catalog> = None;
        let mut files: Vec<FileId> = self.broken.keys().map(|doc| doc.file).collect();
        files.dedup();
        for id in files {
            let Some(file) = self.current.file(id) else { continue };
            let text =
                LastValidText::from_segments(file, |serial| self.broken.get(&DocId { file: id, serial }));
            let before = catalog.as_ref().unwrap_or(&self.current);
            catalog = Some(before.with_edited_text(id, &text).0);
        }
        catalog.map(Arc::new)
    }

    /// Returns the upgrade graph of a package. It is built once, and kept until the package changes.
    pub fn package_graph(&self, package: &Arc<Package>) -> PackageGraph {
        self.graphs.lock().unwrap_or_else(PoisonError::into_inner).graph(package)
    }

    /// Converts an offset of the current text of a document to an offset of its last valid text.
    pub fn to_last_valid_offset(&self, doc: DocId, offset: usize) -> usize {
        match (self.broken.get(&doc), self.current.document_text(doc)) {
            (Some(was), Some(now)) => map_offset(now, was.as_bytes(), offset),
            _ => offset,
        }
    }

    /// Converts a span of the last valid text of a document to a span of its current text.
    pub fn to_current_span(&self, doc: DocId, span: Span) -> Span {
        match (self.broken.get(&doc), self.current.document_text(doc)) {
            (Some(was), Some(now)) => {
                let start = map_offset(was.as_bytes(), now, span.start as usize);
                Span::new(start, map_offset(was.as_bytes(), now, span.end as usize).max(start))
            }
            _ => span,
        }
    }

    /// Returns true if a document has a syntax error, but was valid before.
    pub fn is_broken(&self, doc: DocId) -> bool {
        self.broken.contains_key(&doc)
    }
}

/// Text of a file with the last valid texts of its broken documents.
struct LastValidText<'c> {
    parts: Vec<&'c [u8]>,
    length: usize,
    unchanged_ends: [usize; 2],
}

impl<'c> LastValidText<'c> {
    fn from_segments(file: &'c SourceFile, last_valid: impl Fn(u32) -> Option<&'c Text>) -> Self {
        let segments = file.segments().iter();
        let parts = segments.map(|segment| match last_valid(segment.serial) {
            Some(text) => (text.as_bytes(), true),
            None => (segment.text.as_bytes(), false),
        });
        let parts: Vec<(&[u8], bool)> = parts.collect();
        let length_until_change = |parts: &mut dyn Iterator<Item = &(&[u8], bool)>| {
            parts.take_while(|(_, is_changed)| !is_changed).map(|(text, _)| text.len()).sum()
        };
        Self {
            unchanged_ends: [
                length_until_change(&mut parts.iter()),
                length_until_change(&mut parts.iter().rev()),
            ],
            length: parts.iter().map(|(text, _)| text.len()).sum(),
            parts: parts.into_iter().map(|(text, _)| text).collect(),
        }
    }
}

impl EditedText for LastValidText<'_> {
    fn byte_len(&self) -> usize {
        self.length
    }

    fn bytes_in(&self, range: Range<usize>) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(range.len());
        let mut start = 0;
        for part in &self.parts {
            let end = start + part.len();
            if start >= range.end {
                break;
            }
            let [from, to] = [range.start.clamp(start, end), range.end.clamp(start, end)];
            bytes.extend_from_slice(part.get(from - start..to - start).unwrap_or_default());
            start = end;
        }
        bytes
    }

    fn unchanged_ends(&self) -> [usize; 2] {
        self.unchanged_ends
    }
}

/// Converts an offset between two texts that differ in one replaced part.
fn map_offset(from: &[u8], to: &[u8], at: usize) -> usize {
    let same = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    if at <= same {
        return at;
    }
    let rest = from.len().min(to.len()) - same;
    let below = from.iter().rev().zip(to.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let from_end = from.len().saturating_sub(at);
    if from_end <= below { to.len() - from_end } else { at.min(to.len() - below) }
}
