//! The documents of a manifest, as the programs that read bundles cut and read them.

use std::{cell::RefCell, collections::HashMap, sync::Arc};

use super::tree::TreeFile;
use crate::catalog::{
    Format, Node, ReadError, Span, Value,
    text::split::{self, Chunk, ChunkKind},
};

/// How many bytes are looked at for a `{`, which makes a file JSON: `NewYAMLOrJSONDecoder(file, 30)`.
const PEEK: usize = 30;

/// Why a file gives no document.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoDocument {
    /// There is nothing in the file.
    #[error("the file is empty")]
    Empty,
    /// Its text cannot be read.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
}

/// A document and where it begins in its file; the spans of its nodes count from there.
#[derive(Debug)]
pub struct Document<'a> {
    /// The first byte of the text that was read, in the file.
    pub start: usize,
    /// What it says.
    pub node: Node<'a>,
}

/// The first document of a file, all that opm and the api library look at.
///
/// # Errors
///
/// Text that cannot be read, or none at all. Spans of errors count from the beginning of the file.
pub fn first(bytes: &[u8]) -> Result<Document<'_>, NoDocument> {
    let mut chunks = split::split_peeking(bytes, PEEK).into_iter();
    let chunk = chunks.next().ok_or(NoDocument::Empty)?;
    // The line that ends a document is judged with it.
    if let Some(next) = chunks.next()
        && let ChunkKind::Unreadable(_) = next.kind
        && chunk.kind == ChunkKind::Document(Format::Yaml)
    {
        return document(bytes, &next);
    }
    document(bytes, &chunk)
}

/// The first documents of files, each read once however many ask for it.
#[derive(Debug, Default)]
pub struct Readings<'t> {
    of_files: RefCell<HashMap<&'t str, FirstDocument<'t>>>,
}

/// The first document of a file, or why there is none.
type FirstDocument<'t> = Result<Arc<Document<'t>>, NoDocument>;

impl<'t> Readings<'t> {
    /// See [`first`]. All files are of one tree.
    ///
    /// # Errors
    ///
    /// Text that cannot be read, or none at all.
    pub fn first(&self, file: &'t TreeFile) -> FirstDocument<'t> {
        let read = || first(file.bytes()).map(Arc::new);
        self.of_files.borrow_mut().entry(&file.path).or_insert_with(read).clone()
    }
}

/// All documents of a file; after one that cannot be read there are no more.
pub fn all(bytes: &[u8]) -> Vec<Result<Document<'_>, NoDocument>> {
    let mut found = Vec::new();
    for chunk in split::split_peeking(bytes, PEEK) {
        if chunk.kind == ChunkKind::NoObject {
            continue;
        }
        let read = document(bytes, &chunk);
        let is_last = read.is_err();
        found.push(read);
        if is_last {
            break;
        }
    }
    found
}

fn document<'a>(bytes: &'a [u8], chunk: &Chunk) -> Result<Document<'a>, NoDocument> {
    let start = chunk.range.start;
    let text = bytes.get(chunk.range.clone()).unwrap_or_default();
    let read = match chunk.kind {
        ChunkKind::Document(format) => split::parse(format, text),
        ChunkKind::NoObject => Ok(Node::new(Value::Null, Span::default())),
        ChunkKind::Unreadable(problem) => Err(problem.error(text)),
    };
    let in_file = |span: Span| Span::new(span.start as usize + start, span.end as usize + start);
    let node = read.map_err(|error| ReadError { span: in_file(error.span), kind: error.kind })?;
    Ok(Document { start, node })
}

/// A file as one YAML text, of which the first document counts: `yaml.Unmarshal` of `sigs.k8s.io/yaml`.
///
/// # Errors
///
/// Text that cannot be read.
pub fn whole(bytes: &[u8]) -> Result<Document<'_>, NoDocument> {
    match first(bytes) {
        Err(NoDocument::Empty) => Ok(Document { start: 0, node: Node::new(Value::Null, Span::default()) }),
        read => read,
    }
}
