//! Selection of the documents that a question about one package needs.

use std::sync::Arc;

use rayon::prelude::*;

use super::{
    Catalog, Origin,
    document_collection::{self, DOCUMENTS_PER_TASK, decode_chunk},
    incremental::MissingPart,
};
use crate::{
    blob::Blob,
    decode::{
        DecodedDocument,
        bundle_check::{self, CheckedValue},
    },
    file::{DocId, FileId, Segment, SourceFile},
    names::PackageName,
    problem::{Problem, ProblemKind},
    text::{
        json,
        split::{ChunkKind, Format},
    },
};

/// Documents of one package, and all documents with errors.
#[derive(Debug)]
pub(crate) struct PackageSelection<'a> {
    package: &'a PackageName,
}

impl<'a> PackageSelection<'a> {
    /// Selects a package.
    pub fn from_name(package: &'a PackageName) -> Self {
        Self { package }
    }

    /// Returns true if a JSON value of a file is selected.
    pub fn needs_value(&self, text: &[u8], at: usize, value: CheckedValue<'_>) -> bool {
        if let Some(package) = value.clean_bundle_of {
            return self.package.as_str() == package;
        }
        let text = text.get(at..value.end).unwrap_or_default();
        self.decode_selected(NO_DOCUMENT, ChunkKind::Document(Format::Json), text).is_some()
    }

    /// Returns true if a document is selected.
    pub fn needs_segment(&self, segment: &Segment) -> bool {
        self.decode_if_selected(NO_DOCUMENT, segment).is_some()
    }

    /// Decodes a document if it is selected. Clean bundles of other packages are not decoded.
    fn decode_if_selected(&self, doc: DocId, segment: &Segment) -> Option<DecodedDocument> {
        let text = segment.text.as_bytes();
        if segment.kind == ChunkKind::Document(Format::Json) {
            let value = bundle_check::check_value(text, json::skip_blanks(text, 0));
            let is_whole = |value: &CheckedValue<'_>| json::skip_blanks(text, value.end) == text.len();
            let clean = value.filter(is_whole).and_then(|value| value.clean_bundle_of);
            if clean.is_some_and(|package| self.package.as_str() != package) {
                return None;
            }
        }
        self.decode_selected(doc, segment.kind, text)
    }

    fn decode_selected(&self, doc: DocId, kind: ChunkKind, text: &[u8]) -> Option<DecodedDocument> {
        let decoded = decode_chunk(doc, kind, text);
        let is_of_package = decoded.blob.as_ref().and_then(Blob::package) == Some(self.package);
        (is_of_package || decoded.problems.count_kinds(ProblemKind::is_error) > 0).then_some(decoded)
    }
}

/// Placeholder for a document that is not in a catalog yet.
const NO_DOCUMENT: DocId = DocId { file: FileId(0), serial: 0 };

impl Catalog {
    /// Reads the selected documents of files, and leaves out all others.
    pub(crate) fn with_package_only(
        origin: Origin,
        files: Vec<SourceFile>,
        problems: Vec<Problem>,
        selection: &PackageSelection<'_>,
    ) -> Self {
        let files = files.into_iter().map(Arc::new).collect();
        let mut catalog = Self::with_files_only(origin, files, problems.into_iter().collect());
        let documents: Vec<DocId> = document_collection::chunk_ids(0, &catalog.files).collect();
        let select = |doc: &DocId| {
            let file = catalog.file(doc.file)?;
            let decoded = selection.decode_if_selected(*doc, file.segment(doc.serial)?)?;
            Some(if file.foreign { decoded.unquoted() } else { decoded })
        };
        let selected = documents.par_iter().with_max_len(DOCUMENTS_PER_TASK).filter_map(select).collect();
        catalog.collect_decoded(selected);
        catalog.missing_part = Some(Arc::new(MissingPart::default()));
        catalog
    }
}
