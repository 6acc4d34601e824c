//! Catalog that is being edited. For a document with a syntax error, the last valid text is kept
//! too, so that names in it still have a meaning.

use std::{collections::BTreeMap, sync::Arc};

use olm_catalog::{Catalog, DocId, FileId, Span, Text, problem::ProblemKind};

/// Catalog with the texts of open documents.
#[derive(Clone, Debug)]
pub struct DraftCatalog {
    current: Arc<Catalog>,
    /// Last valid text of each broken document: one with a syntax error that was valid before.
    broken: BTreeMap<DocId, Text>,
    /// Catalog with the last valid texts; `None` if no document is broken.
    last_valid: Option<Arc<Catalog>>,
}

impl DraftCatalog {
    /// Creates a draft from the catalog on disk.
    pub fn new(catalog: Arc<Catalog>) -> Self {
        Self { current: catalog, broken: BTreeMap::new(), last_valid: None }
    }

    /// Returns the catalog with the current text.
    pub fn current(&self) -> &Arc<Catalog> {
        &self.current
    }

    /// Returns the catalog in which broken documents have their last valid text.
    pub fn last_valid(&self) -> &Arc<Catalog> {
        self.last_valid.as_ref().unwrap_or(&self.current)
    }

    /// Replaces the text of a file.
    pub fn type_text(&mut self, file: FileId, bytes: &[u8]) {
        let (next, changed) = self.current.with_text(file, bytes);
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
            let mut bytes = Vec::with_capacity(file.len());
            for segment in file.segments() {
                let was = self.broken.get(&DocId { file: id, serial: segment.serial });
                bytes.extend_from_slice(was.unwrap_or(&segment.text).as_bytes());
            }
            let before = catalog.as_ref().unwrap_or(&self.current);
            catalog = Some(before.with_text(id, &bytes).0);
        }
        catalog.map(Arc::new)
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
