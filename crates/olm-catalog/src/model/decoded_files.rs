//! Files whose documents are decoded while they are read, so that their text is read from memory only once.

use rayon::prelude::*;

use super::{
    Catalog, Origin,
    document_collection::{self, DOCUMENTS_PER_TASK, ModifiedPackages, decode_chunk},
};
use crate::{
    decode::DecodedDocument,
    file::{DocId, SourceFile},
    problem::{Problem, ProblemKind},
    text::split::{Chunk, ChunkKind, Format},
};

/// A file with its decoded documents.
pub(crate) struct DecodedFile {
    pub file: SourceFile,
    /// All documents of the file; `None` if they are not decoded yet.
    pub documents: Option<Vec<DecodedDocument>>,
}

/// Decodes consecutive chunks that are probably JSON objects. The first has the ID `first`. `None` if any of them is
/// invalid.
pub(crate) fn decode_likely_json(
    bytes: &[u8],
    chunks: &[Chunk],
    first: DocId,
    is_foreign: bool,
) -> Option<Vec<DecodedDocument>> {
    let decode = |(index, chunk): (usize, &Chunk)| {
        let doc = DocId { serial: first.serial + index as u32, ..first };
        let text = bytes.get(chunk.range.clone())?;
        let decoded = decode_chunk(doc, ChunkKind::Document(Format::Json), text);
        let is_invalid = decoded.problems.count_kinds(|kind| matches!(kind, ProblemKind::Syntax(_))) > 0;
        (!is_invalid).then(|| if is_foreign { decoded.unquoted() } else { decoded })
    };
    if chunks.len() <= DOCUMENTS_PER_TASK {
        return chunks.iter().enumerate().map(decode).collect();
    }
    chunks.par_iter().enumerate().with_min_len(DOCUMENTS_PER_TASK).map(decode).collect()
}

impl Catalog {
    /// Collects the documents of files, and decodes those that are not decoded yet. The files have the IDs from 0 on,
    /// in their order.
    pub(crate) fn from_decoded_files(
        origin: Origin,
        files: Vec<DecodedFile>,
        problems: Vec<Problem>,
    ) -> Self {
        let (files, documents): (Vec<_>, Vec<_>) =
            files.into_iter().map(|read| (read.file.into(), read.documents)).unzip();
        let mut catalog = Self::with_files_only(origin, files, problems.into_iter().collect());
        let mut touched = ModifiedPackages::default();
        let is_decoded: Vec<bool> = documents.iter().map(Option::is_some).collect();
        for document in documents.into_iter().flatten().flatten() {
            catalog.add_decoded(document, &mut touched);
        }
        let rest: Vec<DocId> = document_collection::chunk_ids(0, &catalog.files)
            .filter(|doc| !is_decoded.get(doc.file.0 as usize).is_some_and(|is_decoded| *is_decoded))
            .collect();
        catalog.decode_and_collect(&rest, &mut touched);
        catalog.store_packages(touched);
        catalog
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{file::FileId, text::split};

    const DOCUMENTS: &[&str] = &[
        r#"{"schema": "olm.package", "name": "ship"}"#,
        "{\n    \"schema\": \"olm.channel\",\n    \"package\": \"ship\",\n    \"name\": \"a\"\n}",
        "{\"schema\": \"olm.bundle\", \"package\": \"ship\", \"name\": \"ship.v1\", \"properties\": [{\n}\n]}",
        "{}",
        "{\"a\": {\n}\n}",
        // Invalid, unusual, and not JSON.
        "{\"schema\": \"olm.package\", \"schema\": 1e999}",
        "{\"a\": \"}\n{\"}",
        "{\"a\": {\n}\n{}}",
        "{\"a\": ",
        "}",
        "[]",
        "7",
        "\u{FEFF}{}",
        "schema: olm.package",
        "---",
        "",
    ];

    const SEPARATORS: &[&str] = &["\n", "\n", "\n", "", " ", "\n\n", "\r\n", " \n", "\n ", ",", "\n---\n"];

    proptest! {
        #[test]
        fn likely_documents_equal_those_of_exact_split(
            parts in prop::collection::vec(
                (prop::sample::select(&DOCUMENTS[..5]), prop::sample::select(SEPARATORS)),
                0..4,
            ),
            odd in (prop::sample::select(DOCUMENTS), prop::sample::select(SEPARATORS)),
            at in any::<prop::sample::Index>(),
        ) {
            let mut parts = parts;
            parts.insert(at.index(parts.len() + 1), odd);
            let text: String = parts.iter().flat_map(|(document, separator)| [*document, *separator]).collect();
            let first = DocId { file: FileId(3), serial: 0 };
            let likely = split::split_likely_json(text.as_bytes())
                .and_then(|chunks| Some((decode_likely_json(text.as_bytes(), &chunks, first, false)?, chunks)));
            if let Some((documents, chunks)) = likely {
                prop_assert_eq!(&chunks, &split::split_chunks(text.as_bytes()));
                let decode = |(serial, chunk): (u32, &Chunk)| {
                    decode_chunk(DocId { serial, ..first }, chunk.kind, &text.as_bytes()[chunk.range.clone()])
                };
                let exact: Vec<DecodedDocument> = (0..).zip(&chunks).map(decode).collect();
                prop_assert_eq!(format!("{documents:?}"), format!("{exact:?}"));
            }
        }
    }

    #[test]
    fn usual_files_are_decoded() {
        let decodes = |text: &str| {
            let chunks = split::split_likely_json(text.as_bytes())?;
            let first = DocId { file: FileId(0), serial: 0 };
            decode_likely_json(text.as_bytes(), &chunks, first, false).map(|documents| documents.len())
        };
        assert_eq!(decodes("{}\n{\n}\n{}"), Some(3));
        assert_eq!(decodes(&DOCUMENTS[..5].join("\n")), Some(5));
        assert_eq!(decodes(&"{}\n".repeat(100)), Some(100));
        for text in ["", "{} {}", "{}\n\n{}", "{}\n[]", "{}\nschema: a", "\n{}", "---\n{}"] {
            assert_eq!(decodes(text), None, "{text}");
        }
    }
}
