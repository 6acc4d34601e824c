//! From documents to packages.

use std::{collections::BTreeMap, sync::Arc};

use rayon::prelude::*;

use super::{Catalog, Origin};
use crate::catalog::{
    blob::Blob,
    decode::{self, Decoded},
    file::{DocId, FileId, SourceFile},
    names::PackageName,
    package::{Package, Shared},
    problem::{Problem, ProblemKind, ProblemPlace},
    read_error::ReadError,
    split::{self, ChunkKind},
    template::{self, Known, Template},
};

/// Documents that one core takes at a time: few, for bundles may be big.
const AT_A_TIME: usize = 16;

impl Catalog {
    /// Reads the documents of all files, on all cores, and gathers them by package.
    pub fn new(origin: Origin, files: Vec<SourceFile>, problems: Vec<Problem>) -> Self {
        let files = files.into_iter().map(Arc::new).collect();
        Self::read(origin, files, problems, Arc::default())
    }

    pub(super) fn read(
        origin: Origin,
        files: Vec<Arc<SourceFile>>,
        problems: Vec<Problem>,
        known: Arc<Known>,
    ) -> Self {
        let mut catalog = Self { known, ..Self::of_files(origin, files, problems) };
        if let Some((template, decoded)) = catalog.read_template() {
            catalog.template = Some(Arc::new(template));
            catalog.take_in(decoded);
        } else {
            let documents = chunks(0, &catalog.files).collect();
            catalog.take_in(catalog.decode_all(documents));
        }
        catalog
    }

    /// Files of which no document was looked at.
    pub(super) fn of_files(origin: Origin, files: Vec<Arc<SourceFile>>, problems: Vec<Problem>) -> Self {
        Self {
            origin,
            revision: 0,
            files,
            packages: BTreeMap::new(),
            others: Vec::new(),
            problems,
            template: None,
            known: Arc::default(),
            ignored: Arc::default(),
            made_from: Arc::default(),
            unread: None,
        }
    }

    /// The template that a file holds and nothing else. In a directory opm takes templates for objects of unknown schemas.
    fn read_template(&self) -> Option<(Template, Vec<Decoded>)> {
        let is_file = match &self.origin {
            Origin::File(_) | Origin::Stdin => true,
            Origin::Revision(at) => at.is_file,
            Origin::Directory(_) | Origin::Demo => false,
        };
        let [file] = self.files.as_slice() else { return None };
        if !is_file {
            return None;
        }
        let only = file.only_document()?;
        let node = split::parse(only.format()?, only.text.bytes()).ok()?;
        template::read(DocId { file: FileId(0), serial: only.serial }, &node, &self.known)
    }

    /// Decodes documents on all cores.
    pub(super) fn decode_all(&self, documents: Vec<DocId>) -> Vec<Decoded> {
        let documents = documents.into_par_iter().with_max_len(AT_A_TIME);
        documents.filter_map(|doc| self.decode(doc)).collect()
    }

    pub(super) fn decode(&self, doc: DocId) -> Option<Decoded> {
        let file = self.file(doc.file)?;
        let segment = file.segment(doc.serial)?;
        let mut decoded = decode_chunk(doc, &segment.kind, segment.text.bytes());
        if file.foreign {
            decoded.problems = decoded.problems.into_iter().filter_map(Problem::unquoted).collect();
        }
        Some(decoded)
    }

    /// Adds documents to what is known already. In whatever order and portions they come, what comes of them is the same.
    pub(super) fn take_in(&mut self, documents: Vec<Decoded>) {
        let mut touched = BTreeMap::new();
        for document in documents {
            self.add(document, &mut touched);
        }
        self.settle(touched);
    }

    /// Adds a document to its package.
    pub(super) fn add(&mut self, document: Decoded, touched: &mut BTreeMap<PackageName, Package>) {
        let Decoded { blob, problems } = document;
        if let Some(name) = blob.as_ref().and_then(Blob::package).cloned() {
            let package = self.touched(&name, touched);
            package.problems.extend(problems);
            blob.map(Shared::from).into_iter().for_each(|blob| package.add(blob));
        } else {
            self.problems.extend(problems);
            if let Some(Shared::Other(blob)) = blob.map(Shared::from) {
                self.others.push(blob);
            }
        }
    }

    /// A package that is about to change.
    pub(super) fn touched<'a>(
        &self,
        name: &PackageName,
        touched: &'a mut BTreeMap<PackageName, Package>,
    ) -> &'a mut Package {
        touched.entry(name.clone()).or_insert_with(|| match self.packages.get(name) {
            Some(package) => Package::clone(package),
            None => Package::new(name.clone()),
        })
    }

    /// Puts packages that changed in their places, and everything in the order of its documents.
    pub(super) fn settle(&mut self, touched: BTreeMap<PackageName, Package>) {
        let files = &self.files;
        let rank = |doc: DocId| {
            let position = files.get(doc.file.0 as usize).and_then(|f| f.position(doc.serial));
            (doc.file.0, position.unwrap_or(usize::MAX))
        };
        // What is about files stays before what is about documents, as it was found.
        self.problems.sort_by_key(|problem| problem.doc().map(rank));
        self.others.sort_by_key(|blob| rank(blob.doc));
        let settled: Vec<(PackageName, Package)> = touched
            .into_par_iter()
            .map(|(name, mut package)| {
                package.settle(rank);
                (name, package)
            })
            .collect();
        for (name, package) in settled {
            if package.is_empty() {
                self.packages.remove(&name);
            } else {
                self.packages.insert(name, Arc::new(package));
            }
        }
    }
}

/// Every chunk of some files, of which the first has the number `first`.
pub(super) fn chunks(first: u32, files: &[Arc<SourceFile>]) -> impl Iterator<Item = DocId> + '_ {
    (first..).map(FileId).zip(files).flat_map(|(file, source)| {
        source.segments().iter().map(move |segment| DocId { file, serial: segment.serial })
    })
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
