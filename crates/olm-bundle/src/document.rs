//! Documents of a manifest, split and parsed like the programs that read bundles.

use std::{
    any::Any,
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

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
    derived: Mutex<BTreeMap<DerivedKey, DerivedResult>>,
}

/// Name of a check, and of its variant.
pub(crate) type DerivedKey = (&'static str, &'static str);

/// Result of a check, of any type.
type DerivedResult = Box<dyn Any + Send + Sync>;

impl<'a> Document<'a> {
    /// Creates a document from its root node.
    pub(crate) fn from_node(start: usize, node: Node<'a>) -> Self {
        Self { start, node, derived: Mutex::default() }
    }

    /// Returns a result that depends only on the document, and keeps it for equal files of other bundles.
    pub(crate) fn derive<T: Clone + Send + Sync + 'static>(
        &self,
        key: DerivedKey,
        compute: impl FnOnce(&Node<'a>) -> T,
    ) -> T {
        let known = || self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(result) = known().get(&key).and_then(|result| result.downcast_ref::<T>()) {
            return result.clone();
        }
        let result = compute(&self.node);
        known().insert(key, Box::new(result.clone()));
        result
    }
}

/// Documents of a file that several bundles have. They do not borrow from its text.
#[derive(Debug)]
pub(crate) struct SharedDocuments {
    first: FirstDocument<'static>,
    all: Vec<FirstDocument<'static>>,
}

impl SharedDocuments {
    /// Parses a file.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let first = parse_first(bytes).map(|document| Arc::new(document.detached()));
        let all = parse_all(bytes).into_iter().map(|document| {
            let document = document?;
            match &first {
                Ok(first) if first.start == document.start && first.node == document.node => {
                    Ok(Arc::clone(first))
                }
                _ => Ok(Arc::new(document.detached())),
            }
        });
        let all = all.collect();
        Self { first, all }
    }
}

impl Document<'_> {
    /// Returns a copy that does not borrow from the text.
    fn detached(&self) -> Document<'static> {
        Document::from_node(self.start, self.node.detached())
    }
}

impl TreeFile {
    /// Returns the first document like [`parse_first`]. Equal files of a [`FilePool`](crate::FilePool) share it.
    ///
    /// # Errors
    ///
    /// If the text is invalid or absent.
    pub fn first_document(&self) -> Result<Arc<Document<'_>>, DocumentError> {
        match self.shared_documents() {
            Some(shared) => shared.first.clone(),
            None => parse_first(self.content_or_empty()).map(Arc::new),
        }
    }

    /// Returns all documents like [`parse_all`]. Equal files of a [`FilePool`](crate::FilePool) share them.
    pub fn all_documents(&self) -> Vec<Result<Arc<Document<'_>>, DocumentError>> {
        match self.shared_documents() {
            Some(shared) => shared.all.clone(),
            None => parse_all(self.content_or_empty()).into_iter().map(|read| read.map(Arc::new)).collect(),
        }
    }

    fn shared_documents(&self) -> Option<&SharedDocuments> {
        self.content.as_ref().ok()?.shared_documents()
    }
}

/// Returns true if a file has several documents, with or without objects.
pub fn has_several_documents(bytes: &[u8]) -> bool {
    split::split_peeking(bytes, JSON_PREFIX).len() > 1
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
        let read = || file.first_document();
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
    Ok(Document::from_node(start, node))
}

/// Parses a file as one YAML text, of which only the first document counts: `yaml.Unmarshal` of
/// `sigs.k8s.io/yaml`.
///
/// # Errors
///
/// If the text is invalid.
pub fn parse_first_of_text(bytes: &[u8]) -> Result<Document<'_>, DocumentError> {
    match parse_first(bytes) {
        Err(DocumentError::Empty) => Ok(Document::from_node(0, Node::new(Value::Null, Span::default()))),
        read => read,
    }
}
