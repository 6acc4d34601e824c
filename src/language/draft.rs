//! A catalog while it is being written: what cannot be read just now is still known as it was.

use std::{collections::BTreeMap, sync::Arc};

use crate::catalog::{Catalog, DocId, FileId, Span, Text, problem::ProblemKind};

/// A catalog with the texts of open documents.
#[derive(Clone, Debug)]
pub struct Draft {
    now: Arc<Catalog>,
    /// The documents that cannot be read, as they were when they could.
    broken: BTreeMap<DocId, Text>,
    /// The catalog with those in their places; `None` where there are none.
    sound: Option<Arc<Catalog>>,
}

impl Draft {
    /// A catalog as it is on disk.
    pub fn new(catalog: Arc<Catalog>) -> Self {
        Self { now: catalog, broken: BTreeMap::new(), sound: None }
    }

    /// The catalog as it is written.
    pub fn now(&self) -> &Arc<Catalog> {
        &self.now
    }

    /// The catalog as far as it is known: what cannot be read counts as it was.
    pub fn known(&self) -> &Arc<Catalog> {
        self.sound.as_ref().unwrap_or(&self.now)
    }

    /// Takes in the text of a file.
    pub fn type_text(&mut self, file: FileId, bytes: &[u8]) {
        let (next, changed) = self.now.with_text(file, bytes);
        if changed.is_empty() && next.revision == self.now.revision {
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
                && !unreadable(&self.now, doc)
                && let Some(text) = self.now.file(doc.file).and_then(|file| file.segment(doc.serial))
            {
                self.broken.insert(doc, Text::from(text.text.bytes().to_vec()));
            }
        }
        self.broken.retain(|doc, _| next.text(*doc).is_some());
        self.now = Arc::new(next);
        self.sound = self.as_it_was();
    }

    /// The catalog with the broken documents as they were.
    fn as_it_was(&self) -> Option<Arc<Catalog>> {
        let mut catalog: Option<Catalog> = None;
        let mut files: Vec<FileId> = self.broken.keys().map(|doc| doc.file).collect();
        files.dedup();
        for id in files {
            let Some(file) = self.now.file(id) else { continue };
            let mut bytes = Vec::with_capacity(file.len());
            for segment in file.segments() {
                let was = self.broken.get(&DocId { file: id, serial: segment.serial });
                bytes.extend_from_slice(was.unwrap_or(&segment.text).bytes());
            }
            let before = catalog.as_ref().unwrap_or(&self.now);
            catalog = Some(before.with_text(id, &bytes).0);
        }
        catalog.map(Arc::new)
    }

    /// Where in what is known of a document a byte of its text is.
    pub fn to_known(&self, doc: DocId, offset: usize) -> usize {
        match (self.broken.get(&doc), self.now.text(doc)) {
            (Some(was), Some(now)) => across(now, was.bytes(), offset),
            _ => offset,
        }
    }

    /// Where in the text of a document something is that is known of it.
    pub fn to_now(&self, doc: DocId, span: Span) -> Span {
        match (self.broken.get(&doc), self.now.text(doc)) {
            (Some(was), Some(now)) => {
                let start = across(was.bytes(), now, span.start as usize);
                Span::new(start, across(was.bytes(), now, span.end as usize).max(start))
            }
            _ => span,
        }
    }

    /// Whether a document cannot be read just now.
    pub fn is_broken(&self, doc: DocId) -> bool {
        self.broken.contains_key(&doc)
    }
}

/// The place in a text of what stands at a place of another, of which a part was replaced.
fn across(from: &[u8], to: &[u8], at: usize) -> usize {
    let same = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    if at <= same {
        return at;
    }
    let rest = from.len().min(to.len()) - same;
    let below = from.iter().rev().zip(to.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let from_end = from.len().saturating_sub(at);
    if from_end <= below { to.len() - from_end } else { at.min(to.len() - below) }
}
