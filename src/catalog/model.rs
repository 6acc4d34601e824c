//! A catalog as a value: files, packages, problems. Cloning is cheap and an edit gives a new one, so that undo is
//! keeping the old one.

use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::prelude::*;

use super::{
    blob::{Blob, OtherBlob},
    decode::{self, Decoded},
    file::{DocId, FileId, Place, SourceFile},
    indexignore::IgnoreSet,
    load::MadeFrom,
    names::PackageName,
    node::Node,
    package::{Package, Shared},
    problem::{Problem, ProblemKind, ProblemPlace},
    read_error::ReadError,
    span::Span,
    split::{self, ChunkKind, Format},
    template::{self, Known, Template},
    text::Text,
};

/// Where a catalog came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A directory tree, by its root.
    Directory(PathBuf),
    /// A single file.
    File(PathBuf),
    /// Standard input.
    Stdin,
    /// The demo catalog that is built into the program.
    Demo,
}

impl Origin {
    /// How people call it.
    pub fn label(&self) -> String {
        match self {
            Self::Directory(path) | Self::File(path) => path.display().to_string(),
            Self::Stdin => "standard input".to_owned(),
            Self::Demo => "demo catalog".to_owned(),
        }
    }
}

/// A file-based catalog.
#[derive(Clone, Debug)]
pub struct Catalog {
    /// Where it came from.
    pub origin: Origin,
    /// Counts the edits (and undos) since loading; what is derived from a catalog is cached by it.
    pub revision: u64,
    files: Vec<Arc<SourceFile>>,
    packages: BTreeMap<PackageName, Arc<Package>>,
    /// Blobs that name no package.
    others: Vec<Arc<OtherBlob>>,
    /// Problems outside any package.
    problems: Vec<Problem>,
    template: Option<Arc<Template>>,
    /// What is known of bundles of which a template has the images.
    known: Arc<Known>,
    /// What its `.indexignore` files leave out.
    ignored: Arc<IgnoreSet>,
    made_from: Arc<BTreeMap<PackageName, MadeFrom>>,
}

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
        /// The file whose directory it comes to.
        beside: FileId,
        /// Its name; no other file there has it.
        name: &'static str,
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
    /// Reads the documents of all files, on all cores, and gathers them by package.
    pub fn new(origin: Origin, files: Vec<SourceFile>, problems: Vec<Problem>) -> Self {
        let files: Vec<_> = files.into_iter().map(Arc::new).collect();
        Self::read(origin, files, problems, Arc::default())
    }

    fn read(origin: Origin, files: Vec<Arc<SourceFile>>, problems: Vec<Problem>, known: Arc<Known>) -> Self {
        let (template, decoded) = match read_template(&origin, &files, &known) {
            Some((template, decoded)) => (Some(Arc::new(template)), decoded),
            None => (None, read_documents(&files)),
        };
        let (packages, others) = (BTreeMap::new(), Vec::new());
        let (revision, ignored, made_from) = (0, Arc::default(), Arc::default());
        let mut catalog =
            Self { origin, revision, files, packages, others, problems, template, known, ignored, made_from };
        let mut packages: BTreeMap<PackageName, Package> = BTreeMap::new();
        for document in decoded {
            let home = document.blob.as_ref().and_then(Blob::package);
            match home.cloned() {
                Some(name) => {
                    let package = packages.entry(name.clone()).or_insert_with(|| Package::new(name));
                    package.problems.extend(document.problems);
                    document.blob.map(Shared::from).into_iter().for_each(|blob| package.add(blob));
                }
                None => catalog.add_homeless(document),
            }
        }
        let ranks = catalog.ranks();
        catalog.packages = packages
            .into_par_iter()
            .map(|(name, mut package)| {
                package.settle(&ranks);
                (name, Arc::new(package))
            })
            .collect();
        catalog
    }

    /// The template whose objects these are, where the catalog is no catalog but that.
    pub fn template(&self) -> Option<&Template> {
        self.template.as_deref()
    }

    /// The template that a package is made from, where the repository around the catalog says so.
    pub fn made_from(&self, package: &PackageName) -> Option<&MadeFrom> {
        self.made_from.get(package)
    }

    pub(super) fn set_made_from(&mut self, made_from: BTreeMap<PackageName, MadeFrom>) {
        self.made_from = Arc::new(made_from);
    }

    /// The same catalog, if it is a template, with what open catalogs know of its bundles.
    #[must_use]
    pub fn with_known(&self, known: Arc<Known>) -> Self {
        match &self.template {
            Some(_) => self.read_again(self.files.clone(), known),
            None => self.clone(),
        }
    }

    /// A template is one document, whatever of it changes.
    fn read_again(&self, files: Vec<Arc<SourceFile>>, known: Arc<Known>) -> Self {
        let about_files = self.problems.iter().filter(|problem| problem.doc().is_none()).cloned().collect();
        let again = Self::read(self.origin.clone(), files, about_files, known);
        Self { revision: self.revision, ..again }
    }

    /// The same, with what its `.indexignore` files leave out.
    pub(super) fn ignoring(self, ignored: IgnoreSet) -> Self {
        Self { ignored: Arc::new(ignored), ..self }
    }

    /// Whether opm would leave out a file of this path, relative to the catalog's directory.
    pub fn ignores(&self, path: &Path) -> bool {
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        self.ignored.ignores(&parts.iter().map(AsRef::as_ref).collect::<Vec<&str>>())
    }

    fn add_homeless(&mut self, document: Decoded) {
        self.problems.extend(document.problems);
        if let Some(Shared::Other(blob)) = document.blob.map(Shared::from) {
            self.others.push(blob);
        }
    }

    /// The position of every document, for sorting.
    fn ranks(&self) -> impl Fn(DocId) -> (u32, usize) + Sync + use<> {
        let files = self.files.clone();
        move |doc| {
            let position = files.get(doc.file.0 as usize).and_then(|f| f.position(doc.serial));
            (doc.file.0, position.unwrap_or(usize::MAX))
        }
    }

    /// The catalog after some documents changed, and the documents that were inserted, in order. Changes of documents
    /// that are not there are passed over.
    #[must_use]
    pub fn with_changes(&self, changes: Vec<DocChange>) -> (Self, Vec<DocId>) {
        let mut next = self.clone();
        next.revision += 1;
        let mut inserted = Vec::new();
        let mut touched: BTreeMap<PackageName, Package> = BTreeMap::new();
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
                DocChange::Make { beside, name, text } => {
                    let Some(neighbour) = next.files.get(beside.0 as usize) else { continue };
                    let source = SourceFile::beside(neighbour, name, text);
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
        let ranks = next.ranks();
        for (name, mut package) in touched {
            if package.is_empty() {
                next.packages.remove(&name);
            } else {
                package.settle(&ranks);
                next.packages.insert(name, Arc::new(package));
            }
        }
        (next, inserted)
    }

    fn file_mut(&mut self, file: FileId) -> Option<&mut SourceFile> {
        self.files.get_mut(file.0 as usize).map(Arc::make_mut)
    }

    fn touched<'a>(
        &self,
        name: &PackageName,
        touched: &'a mut BTreeMap<PackageName, Package>,
    ) -> &'a mut Package {
        touched.entry(name.clone()).or_insert_with(|| match self.packages.get(name) {
            Some(package) => Package::clone(package),
            None => Package::new(name.clone()),
        })
    }

    fn forget(&mut self, doc: DocId, touched: &mut BTreeMap<PackageName, Package>) {
        // Found, not read again: a bundle may be big, and many may go at once.
        let known = touched.iter().find(|(_, package)| package.speaks_in(doc)).map(|(name, _)| name);
        let holder = known.or_else(|| {
            self.packages.iter().find(|(_, package)| package.speaks_in(doc)).map(|(name, _)| name)
        });
        if let Some(name) = holder.cloned() {
            self.touched(&name, touched).remove(doc);
        }
        self.others.retain(|b| b.doc != doc);
        self.problems.retain(|p| p.doc() != Some(doc));
    }

    fn learn(&mut self, doc: DocId, touched: &mut BTreeMap<PackageName, Package>) {
        let Some(decoded) = self.decode(doc) else { return };
        match decoded.blob.as_ref().and_then(Blob::package).cloned() {
            Some(name) => {
                let package = self.touched(&name, touched);
                package.problems.extend(decoded.problems);
                decoded.blob.map(Shared::from).into_iter().for_each(|blob| package.add(blob));
            }
            None => self.add_homeless(decoded),
        }
    }

    fn decode(&self, doc: DocId) -> Option<Decoded> {
        let segment = self.file(doc.file)?.segment(doc.serial)?;
        Some(decode_chunk(doc, &segment.kind, segment.text.bytes()))
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

    /// The files in the order they were read.
    pub fn files(&self) -> &[Arc<SourceFile>] {
        &self.files
    }

    /// One file.
    pub fn file(&self, file: FileId) -> Option<&Arc<SourceFile>> {
        self.files.get(file.0 as usize)
    }

    /// The packages by name. Blobs that forgot to name their package are under the empty name.
    pub fn packages(&self) -> impl ExactSizeIterator<Item = &Arc<Package>> {
        self.packages.values()
    }

    /// The packages, to be shared out among threads.
    pub fn packages_by_name(&self) -> &BTreeMap<PackageName, Arc<Package>> {
        &self.packages
    }

    /// One package.
    pub fn package(&self, name: &str) -> Option<&Arc<Package>> {
        self.packages.get(name)
    }

    /// Blobs of other schemas that name no package.
    pub fn others(&self) -> &[Arc<OtherBlob>] {
        &self.others
    }

    /// Problems that belong to no package.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Whether any document was left out because it could not be read, or any read in part only.
    pub fn has_problems(&self) -> bool {
        let of_packages = self.packages().flat_map(|p| &p.problems);
        self.problems.iter().chain(of_packages).any(|problem| problem.kind.is_error())
    }

    /// The text of a document's chunk, separator and comments included.
    pub fn text(&self, doc: DocId) -> Option<&[u8]> {
        Some(self.file(doc.file)?.segment(doc.serial)?.text.bytes())
    }

    /// The format of a document.
    pub fn format(&self, doc: DocId) -> Option<Format> {
        self.file(doc.file)?.segment(doc.serial)?.format()
    }

    /// The whole tree of a document, read again from its text.
    pub fn tree(&self, doc: DocId) -> Option<Result<Node<'_>, ReadError>> {
        Some(split::parse(self.format(doc)?, self.text(doc)?))
    }

    /// Every document in the order in which opm reads them.
    pub fn documents(&self) -> impl Iterator<Item = DocId> + '_ {
        (0..).zip(&self.files).flat_map(|(file, source)| {
            let documents = source.segments().iter().filter(|s| s.format().is_some());
            documents.map(move |s| DocId { file: FileId(file), serial: s.serial })
        })
    }

    /// Line and column of a part of a document.
    pub fn place(&self, doc: DocId, span: Span) -> Option<Place> {
        self.file(doc.file).map(|f| f.place(doc.serial, span.range()))
    }

    /// Line and column of a problem.
    pub fn problem_place(&self, problem: &Problem) -> Option<Place> {
        match &problem.at {
            ProblemPlace::Document(doc, span) => self.place(*doc, *span),
            ProblemPlace::File(path) => {
                Some(Place { path: path.clone(), line: 1, column: 1, bytes: Range::default() })
            }
        }
    }
}

fn decode_chunk(doc: DocId, kind: &ChunkKind, text: &[u8]) -> Decoded {
    let unreadable = |error: ReadError| {
        let at = ProblemPlace::Document(doc, error.span);
        Decoded { blob: None, problems: vec![Problem { at, kind: ProblemKind::Syntax(error) }] }
    };
    match kind {
        ChunkKind::NoObject => Decoded { blob: None, problems: Vec::new() },
        ChunkKind::Unreadable(error) => unreadable(error.clone()),
        ChunkKind::Document(format) => match split::parse(*format, text) {
            Ok(node) => decode::decode(doc, &node),
            Err(error) => unreadable(error),
        },
    }
}

/// The template that a file holds and nothing else. In a directory opm takes templates for objects of unknown schemas.
fn read_template(
    origin: &Origin,
    files: &[Arc<SourceFile>],
    known: &Known,
) -> Option<(Template, Vec<Decoded>)> {
    let (Origin::File(_) | Origin::Stdin, [file]) = (origin, files) else { return None };
    let mut documents = file.segments().iter().filter(|s| !matches!(s.kind, ChunkKind::NoObject));
    let (Some(only), None) = (documents.next(), documents.next()) else { return None };
    let node = split::parse(only.format()?, only.text.bytes()).ok()?;
    template::read(DocId { file: FileId(0), serial: only.serial }, &node, known)
}

fn read_documents(files: &[Arc<SourceFile>]) -> Vec<Decoded> {
    let documents: Vec<(DocId, &ChunkKind, &Text)> = (0..)
        .zip(files)
        .flat_map(|(file, source)| {
            let file = FileId(file);
            source.segments().iter().map(move |s| (DocId { file, serial: s.serial }, &s.kind, &s.text))
        })
        .collect();
    let documents = documents.par_iter().with_max_len(16);
    documents.map(|(doc, kind, text)| decode_chunk(*doc, kind, text.bytes())).collect()
}
