//! Documents and files that change: an edit, or another program.

use std::{collections::HashSet, path::PathBuf, sync::Arc};

use super::{Catalog, gather::Touched, heading::heading};
use crate::catalog::{
    file::{DocId, FileId, SourceFile},
    problem::Problem,
    text::{Text, split::ChunkKind},
};

/// A change of one document of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocChange {
    /// Another text for a document.
    Replace {
        /// The document.
        doc: DocId,
        /// Its new chunk, separator included.
        text: Vec<u8>,
    },
    /// A new document.
    Insert {
        /// The file it goes to.
        file: FileId,
        /// The document it follows; first in the file where `None`.
        after: Option<u32>,
        /// Its chunk, separator included.
        text: Vec<u8>,
    },
    /// A new file, which opm would read after all others.
    Make {
        /// Its path as shown; no other file has it.
        shown: PathBuf,
        /// Where it comes to on disk; `None` in a catalog that is on no disk.
        disk: Option<PathBuf>,
        /// Its content.
        text: Vec<u8>,
    },
    /// A document taken out, with whatever stood before it in its chunk.
    Remove {
        /// The document.
        doc: DocId,
    },
}

/// A file that differs between two states of a catalog; in at least one of them it is there.
#[derive(Clone, Copy, Debug)]
pub struct ChangedFile<'a> {
    /// In the earlier one; `None` where it is new.
    pub before: Option<&'a SourceFile>,
    /// In the later one; `None` where it is gone.
    pub after: Option<&'a SourceFile>,
}

impl Catalog {
    /// The catalog after some documents changed, and the documents that were inserted, in order. Changes of documents
    /// that are not there are passed over.
    #[must_use]
    pub fn with_changes(&self, changes: Vec<DocChange>) -> (Self, Vec<DocId>) {
        let mut next = self.clone();
        next.revision += 1;
        let mut inserted = Vec::new();
        let mut touched = Touched::default();
        for change in changes {
            match change {
                DocChange::Replace { doc, text } => {
                    next.forget(doc, &mut touched);
                    if next.file_mut(doc.file).is_some_and(|f| f.replace(doc.serial, Text::from(text))) {
                        next.learn(doc, &mut touched);
                    }
                }
                DocChange::Insert { file, after, text } => {
                    let Some(source) = next.file_mut(file) else { continue };
                    let kind = ChunkKind::Document(source.format());
                    let doc = DocId { file, serial: source.insert(after, Text::from(text), kind) };
                    next.learn(doc, &mut touched);
                    inserted.push(doc);
                }
                DocChange::Make { shown, disk, text } => {
                    let source = SourceFile::made(shown, disk, text);
                    let file = FileId(next.files.len() as u32);
                    let documents: Vec<DocId> =
                        source.segments().iter().map(|s| DocId { file, serial: s.serial }).collect();
                    next.files.push(Arc::new(source));
                    for doc in &documents {
                        next.learn(*doc, &mut touched);
                    }
                    inserted.extend(documents);
                }
                DocChange::Remove { doc } => {
                    next.forget(doc, &mut touched);
                    if let Some(source) = next.file_mut(doc.file) {
                        source.remove(doc.serial);
                    }
                }
            }
        }
        if self.template.is_some() {
            let again = next.read_again(next.files.clone(), Arc::clone(&next.known));
            return (again, inserted);
        }
        next.settle(touched);
        (next, inserted)
    }

    pub(super) fn file_mut(&mut self, file: FileId) -> Option<&mut SourceFile> {
        let file = Arc::make_mut(self.files.get_mut(file.0 as usize)?);
        file.stamp = None;
        Some(file)
    }

    /// Forgets what a document says. A template is read again as a whole.
    fn forget(&mut self, doc: DocId, touched: &mut Touched) {
        if self.template.is_some() {
            return;
        }
        // Found, not read again: a bundle may be big, and many may go at once. Mostly a glance tells where.
        let glance = || {
            let segment = self.file(doc.file)?.segment(doc.serial)?;
            let heading = heading(segment.format()?, segment.text.bytes())?;
            let (name, package) = self.packages.get_key_value(&*heading.package)?;
            package.speaks_in(doc).then_some(name)
        };
        let known = touched.packages.iter().find(|(_, package)| package.speaks_in(doc)).map(|(name, _)| name);
        let holder = known.or_else(glance).or_else(|| {
            self.packages.iter().find(|(_, package)| package.speaks_in(doc)).map(|(name, _)| name)
        });
        if let Some(name) = holder.cloned() {
            self.touched(&name, touched).remove(doc);
        }
        self.others.retain(|b| b.doc != doc);
        self.problems.forget(|there| there == doc);
    }

    fn learn(&mut self, doc: DocId, touched: &mut Touched) {
        if self.template.is_none()
            && let Some(decoded) = self.decode(doc)
        {
            self.add(decoded, touched);
        }
    }

    /// The catalog of a directory after files of it were written anew, with what is wrong with files now. Only their
    /// documents are read, and the packages they do not speak of stay what they are.
    #[must_use]
    pub(in crate::catalog) fn with_files(
        &self,
        files: Vec<(FileId, SourceFile)>,
        about_files: Vec<Problem>,
    ) -> Self {
        let mut next = self.clone();
        let changed: HashSet<FileId> = files.iter().map(|(file, _)| *file).collect();
        let is_gone = |doc: DocId| changed.contains(&doc.file);
        let mut touched = Touched::default();
        for (name, package) in &self.packages {
            if package.documents().any(is_gone) {
                next.touched(name, &mut touched).remove_all(is_gone);
            }
        }
        next.others.retain(|blob| !is_gone(blob.doc));
        next.problems.forget(is_gone);
        next.problems.set_about_files(about_files);
        let mut documents = Vec::new();
        for (file, source) in files {
            documents.extend(source.segments().iter().map(|s| DocId { file, serial: s.serial }));
            if let Some(slot) = next.files.get_mut(file.0 as usize) {
                *slot = Arc::new(source);
            }
        }
        next.add_all(&documents, &mut touched);
        next.settle(touched);
        next
    }

    /// The files that differ between an earlier state and this one. Both come from the same loading, so a path means the
    /// same file in both.
    pub fn files_changed_since<'a>(&'a self, before: &'a Self) -> Vec<ChangedFile<'a>> {
        // Only what edits made has another place in the list.
        let like = |files: &'a [Arc<SourceFile>], index: usize, file: &SourceFile| {
            let here = files.get(index).filter(|other| other.shown == file.shown);
            let found = here.or_else(|| files.iter().find(|other| other.shown == file.shown));
            found.filter(|other| other.is_there())
        };
        let there =
            |files: &'a [Arc<SourceFile>]| files.iter().enumerate().filter(|(_, file)| file.is_there());
        let mut changed = Vec::new();
        for (index, new) in there(&self.files) {
            let old = like(&before.files, index, new);
            if !old.is_some_and(|old| Arc::ptr_eq(old, new) || old.same_bytes(new)) {
                changed.push(ChangedFile { before: old.map(AsRef::as_ref), after: Some(new.as_ref()) });
            }
        }
        for (index, old) in there(&before.files) {
            if like(&self.files, index, old).is_none() {
                changed.push(ChangedFile { before: Some(old.as_ref()), after: None });
            }
        }
        changed
    }
}
