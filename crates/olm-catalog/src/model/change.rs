//! Changes of documents and files, by an edit or another program.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, HashSet},
    path::PathBuf,
    sync::Arc,
};

use itertools::{EitherOrBoth, Itertools};

use super::{
    Catalog, Origin,
    document_collection::{ModifiedPackages, scan_heading},
};
use crate::{
    file::{DocId, FileId, SourceFile},
    names::PackageName,
    package::Package,
    problem::{Problem, Problems},
    text::{Text, split::ChunkKind},
};

/// A change of one document of a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocChange {
    /// Replaces the text of a document.
    Replace {
        /// Document to replace.
        doc: DocId,
        /// New chunk, including the separator.
        text: Vec<u8>,
    },
    /// Inserts a document.
    Insert {
        /// File of the new document.
        file: FileId,
        /// Serial of the preceding document; `None` for the first position.
        after: Option<u32>,
        /// New chunk, including the separator.
        text: Vec<u8>,
    },
    /// Creates a file, which opm would read after all others.
    Make {
        /// Display path, which must be unused.
        display_path: PathBuf,
        /// Path on disk; `None` if the catalog is not on disk.
        disk: Option<PathBuf>,
        /// Content of the file.
        text: Vec<u8>,
    },
    /// Removes a document with the whole text of its chunk.
    Remove {
        /// Document to remove.
        doc: DocId,
    },
}

/// A file that differs between two states of a catalog; it exists in at least one of them.
#[derive(Clone, Copy, Debug)]
pub struct ChangedFile<'a> {
    /// File in the earlier state; `None` if it is new.
    pub before: Option<&'a SourceFile>,
    /// File in the later state; `None` if it was removed.
    pub after: Option<&'a SourceFile>,
}

/// Package that differs between two states of a catalog; it exists in at least one of them.
#[derive(Clone, Copy, Debug)]
pub struct ChangedPackage<'a> {
    /// Package in the earlier state; `None` if it is new.
    pub before: Option<&'a Arc<Package>>,
    /// Package in the later state; `None` if it was removed.
    pub after: Option<&'a Arc<Package>>,
}

impl<'a> ChangedPackage<'a> {
    /// Returns the states of the package, the earlier one first.
    pub fn states(self) -> impl Iterator<Item = &'a Arc<Package>> {
        self.before.into_iter().chain(self.after)
    }
}

impl Catalog {
    /// Returns the packages that differ between an earlier state and this one, by name. Both states share the
    /// packages that an edit does not touch.
    pub fn packages_changed_since<'a>(
        &'a self,
        before: &'a Self,
    ) -> impl Iterator<Item = ChangedPackage<'a>> {
        // Most packages are shared, and comparing pointers is faster than comparing names.
        let compare = |a: &&Arc<Package>, b: &&Arc<Package>| {
            if Arc::ptr_eq(a, b) { Ordering::Equal } else { a.name.cmp(&b.name) }
        };
        let pairs = before.packages().merge_join_by(self.packages(), compare);
        pairs.filter_map(|pair| match pair {
            EitherOrBoth::Both(before, after) if Arc::ptr_eq(before, after) => None,
            pair => {
                let (before, after) = pair.left_and_right();
                Some(ChangedPackage { before, after })
            }
        })
    }

    /// Applies changes and returns the new catalog with the inserted documents, in order. Changes of documents
    /// that do not exist are skipped.
    #[must_use]
    pub fn with_changes(&self, changes: Vec<DocChange>) -> (Self, Vec<DocId>) {
        let mut next = self.clone();
        next.revision += 1;
        let mut inserted = Vec::new();
        let mut touched = ModifiedPackages::default();
        let mut changes = changes.into_iter().peekable();
        while let Some(change) = changes.next() {
            match change {
                DocChange::Replace { doc, text } => {
                    next.remove_objects(&[doc], &mut touched);
                    if next
                        .file_mut(doc.file)
                        .is_some_and(|f| f.replace_document(doc.serial, Text::from(text)))
                    {
                        next.add_document(doc, &mut touched);
                    }
                }
                DocChange::Insert { file, after, text } => {
                    let Some(source) = next.file_mut(file) else { continue };
                    let kind = ChunkKind::Document(source.format());
                    let doc = DocId { file, serial: source.insert_document(after, Text::from(text), kind) };
                    next.add_document(doc, &mut touched);
                    inserted.push(doc);
                }
                DocChange::Make { display_path: shown, disk, text } => {
                    let source = SourceFile::new_unsaved(shown, disk, text);
                    let file = FileId(next.files.len() as u32);
                    let documents: Vec<DocId> =
                        source.segments().iter().map(|s| DocId { file, serial: s.serial }).collect();
                    next.files.push(Arc::new(source));
                    for doc in &documents {
                        next.add_document(*doc, &mut touched);
                    }
                    inserted.extend(documents);
                }
                DocChange::Remove { doc } => {
                    // An edit may remove most documents of a catalog, so documents in a row are removed together.
                    let mut gone = vec![doc];
                    while let Some(DocChange::Remove { doc }) =
                        changes.next_if(|change| matches!(change, DocChange::Remove { .. }))
                    {
                        gone.push(doc);
                    }
                    next.remove_listed_documents(&gone, &mut touched);
                }
            }
        }
        if self.template.is_some() {
            let again = next.read_again(next.files.clone(), Arc::clone(&next.known_bundles));
            return (again, inserted);
        }
        next.store_packages(touched);
        (next, inserted)
    }

    pub(super) fn file_mut(&mut self, file: FileId) -> Option<&mut SourceFile> {
        let file = Arc::make_mut(self.files.get_mut(file.0 as usize)?);
        file.stamp = None;
        Some(file)
    }

    /// Removes documents with their objects.
    fn remove_listed_documents(&mut self, docs: &[DocId], touched: &mut ModifiedPackages) {
        self.remove_objects(docs, touched);
        let mut files: BTreeMap<FileId, HashSet<u32>> = BTreeMap::new();
        for doc in docs {
            files.entry(doc.file).or_default().insert(doc.serial);
        }
        for (file, serials) in files {
            if let Some(source) = self.file_mut(file) {
                source.remove_documents(&serials);
            }
        }
    }

    /// Removes the objects of documents. A template is always read again as a whole.
    fn remove_objects(&mut self, docs: &[DocId], touched: &mut ModifiedPackages) {
        if self.template.is_some() {
            return;
        }
        let mut named: BTreeMap<&PackageName, HashSet<DocId>> = BTreeMap::new();
        for doc in docs {
            if let Some(name) = self.package_in_heading(*doc) {
                named.entry(name).or_default().insert(*doc);
            }
        }
        let mut removed: HashSet<DocId> = HashSet::new();
        for (name, gone) in named {
            let Some(package) = touched.packages.get(name).or_else(|| self.packages.get(name).map(|p| &**p))
            else {
                continue;
            };
            let held: HashSet<DocId> = package.documents().filter(|doc| gone.contains(doc)).collect();
            if !held.is_empty() {
                self.package_mut(name, touched).remove_documents(|doc| held.contains(&doc));
                removed.extend(held);
            }
        }
        for doc in docs.iter().filter(|doc| !removed.contains(doc)) {
            self.remove_unnamed_objects(*doc, touched);
        }
        let gone: HashSet<&DocId> = docs.iter().collect();
        self.others.retain(|b| !gone.contains(&b.doc));
        self.problems.remove_documents(|there| gone.contains(&there));
    }

    /// Returns the package that the heading of a document names, if it exists.
    ///
    /// Documents are looked up and not decoded again, because bundles may be large and many may be removed.
    fn package_in_heading(&self, doc: DocId) -> Option<&PackageName> {
        let segment = self.file(doc.file)?.segment(doc.serial)?;
        let heading = scan_heading(segment.format()?, segment.text.as_bytes())?;
        Some(self.packages.get_key_value(&*heading.package)?.0)
    }

    /// Removes the objects of a document that are not in the package of its heading.
    fn remove_unnamed_objects(&self, doc: DocId, touched: &mut ModifiedPackages) {
        let known =
            touched.packages.iter().find(|(_, package)| package.has_blob_in(doc)).map(|(name, _)| name);
        let holder = known.or_else(|| {
            self.packages.iter().find(|(_, package)| package.has_blob_in(doc)).map(|(name, _)| name)
        });
        if let Some(name) = holder.cloned() {
            self.package_mut(&name, touched).remove_documents(|there| there == doc);
        }
    }

    fn add_document(&mut self, doc: DocId, touched: &mut ModifiedPackages) {
        if self.template.is_none()
            && let Some(decoded) = self.decode(doc)
        {
            self.add_decoded(decoded, touched);
        }
    }

    /// Returns the objects of this catalog as those of another origin, whose files have equal content or are replaced next.
    pub(crate) fn with_equal_files(&self, origin: Origin, files: Vec<Arc<SourceFile>>) -> Self {
        Self {
            files,
            packages: self.packages.clone(),
            others: self.others.clone(),
            problems: self.problems.clone(),
            ..Self::with_files_only(origin, Vec::new(), Problems::default())
        }
    }

    /// Returns the catalog of a directory with new content of some files and the current problems of files. Only
    /// the documents of these files are read.
    #[must_use]
    pub(crate) fn with_files(&self, files: Vec<(FileId, SourceFile)>, about_files: Vec<Problem>) -> Self {
        let mut next = self.clone();
        let changed: HashSet<FileId> = files.iter().map(|(file, _)| *file).collect();
        let is_gone = |doc: DocId| changed.contains(&doc.file);
        let mut touched = ModifiedPackages::default();
        for (name, package) in &self.packages {
            if package.documents().any(is_gone) {
                next.package_mut(name, &mut touched).remove_documents(is_gone);
            }
        }
        next.others.retain(|blob| !is_gone(blob.doc));
        next.problems.remove_documents(is_gone);
        next.problems.set_file_problems(about_files);
        let mut documents = Vec::new();
        for (file, source) in files {
            documents.extend(source.segments().iter().map(|s| DocId { file, serial: s.serial }));
            if let Some(slot) = next.files.get_mut(file.0 as usize) {
                *slot = Arc::new(source);
            }
        }
        next.decode_and_collect(&documents, &mut touched);
        next.store_packages(touched);
        next
    }

    /// Returns the files that differ between an earlier state and this one. Both must come from the same load, so
    /// that a path means the same file.
    pub fn files_changed_since<'a>(&'a self, before: &'a Self) -> Vec<ChangedFile<'a>> {
        // Only files created by edits can have another index.
        let like = |files: &'a [Arc<SourceFile>], index: usize, file: &SourceFile| {
            let here = files.get(index).filter(|other| other.display_path == file.display_path);
            let found = here.or_else(|| files.iter().find(|other| other.display_path == file.display_path));
            found.filter(|other| other.exists())
        };
        let there = |files: &'a [Arc<SourceFile>]| files.iter().enumerate().filter(|(_, file)| file.exists());
        let mut changed = Vec::new();
        for (index, new) in there(&self.files) {
            let old = like(&before.files, index, new);
            if !old.is_some_and(|old| Arc::ptr_eq(old, new) || old.has_same_bytes(new)) {
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
