//! Documents of a manifest, split and parsed like the programs that read bundles.

use std::{cell::RefCell, collections::HashMap, sync::Arc};

use crate::manifests::TreeFile;
use olm_catalog::{
    Format, Node, ReadError, Span, Value,
    text::split::{self, Chunk, ChunkKind},
};

/// Number of bytes examined for the `{` that makes a file JSON: `NewYAMLOrJSONDecoder(file, 30)`.
const JSON_PREFIX: usize = 30;

/// Reason why a file does not have a document.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The file is empty.
    #[error("the file is empty")]
    Empty,
    /// The text is invalid.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
}

/// A document with its position in the file. Spans of its nodes are relative to it.
#[derive(Debug)]
pub struct Document<'a> {
    /// Offset of the parsed text in the file.
    pub start: usize,
    /// Root node.
    pub node: Node<'a>,
}

/// Parses the first document of a file, the only one that opm and the api library read.
///
/// # Errors
///
/// If the text is invalid or absent. Spans of errors are relative to the file.
pub fn parse_first(bytes: &[u8]) -> Result<Document<'_>, DocumentError> {
    let mut chunks = split::split_peeking(bytes, JSON_PREFIX).into_iter();
    let chunk = chunks.next().ok_or(DocumentError::Empty)?;
    // The line that ends a document is checked with it.
    if let Some(next) = chunks.next()
        && let ChunkKind::Unreadable(_) = next.kind
        && chunk.kind == ChunkKind::Document(Format::Yaml)
    {
        return parse_document(bytes, &next);
    }
    parse_document(bytes, &chunk)
}

/// Cache of the first documents of files.
#[derive(Debug, Default)]
pub struct DocumentCache<'t> {
    by_path: RefCell<HashMap<&'t str, FirstDocument<'t>>>,
}

/// First document of a file, or the error.
type FirstDocument<'t> = Result<Arc<Document<'t>>, DocumentError>;

impl<'t> DocumentCache<'t> {
    /// Returns the first document like [`parse_first`]. All files must belong to the same tree.
    ///
    /// # Errors
    ///
    /// If the text is invalid or absent.
    pub fn first(&self, file: &'t TreeFile) -> FirstDocument<'t> {
        let read = || parse_first(file.content_or_empty()).map(Arc::new);
        self.by_path.borrow_mut().entry(&file.path).or_insert_with(read).clone()
    }
}

/// Parses all documents of a file, up to the first invalid one.
pub fn parse_all(bytes: &[u8]) -> Vec<Result<Document<'_>, DocumentError>> {
    let mut found = Vec::new();
    for chunk in split::split_peeking(bytes, JSON_PREFIX) {
        if chunk.kind == ChunkKind::NoObject {
            continue;
        }
        let read = parse_document(bytes, &chunk);
        let is_last = read.is_err();
        found.push(read);
        if is_last {
            break;
        }
    }
    found
}

fn parse_document<'a>(bytes: &'a [u8], chunk: &Chunk) -> Result<Document<'a>, DocumentError> {
    let start = chunk.range.start;
    let text = bytes.get(chunk.range.clone()).unwrap_or_default();
    let read = match chunk.kind {
        ChunkKind::Document(format) => split::parse_chunk(format, text),
        ChunkKind::NoObject => Ok(Node::new(Value::Null, Span::default())),
        ChunkKind::Unreadable(problem) => Err(problem.to_error(text)),
    };
    let in_file = |span: Span| Span::new(span.start as usize + start, span.end as usize + start);
    let node = read.map_err(|error| ReadError { span: in_file(error.span), kind: error.kind })?;
    Ok(Document { start, node })
}

/// Parses a file as one YAML text, of which only the first document counts: `yaml.Unmarshal` of
/// `sigs.k8s.io/yaml`.
///
/// # Errors
///
/// If the text is invalid.
pub fn parse_first_of_text(bytes: &[u8]) -> Result<Document<'_>, DocumentError> {
    match parse_first(bytes) {
        Err(DocumentError::Empty) => Ok(Document { start: 0, node: Node::new(Value::Null, Span::default()) }),
        read => read,
    }
}
