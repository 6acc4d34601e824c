//! Symbols and folding ranges of a file.

use gen_lsp_types::{DocumentSymbol, FoldingRange, Range, SymbolKind};

use super::{
    DraftCatalog, Encoding,
    location::{self, DocumentSpan},
};
use olm_catalog::{
    Catalog, DocId, FileId, Member, Node, Span,
    blob::{DeprecationTarget, OtherBlob},
    escape,
    package::Package,
    text::split::{self, ChunkKind},
};

/// Named object in a document.
struct OutlineItem {
    at: DocumentSpan,
    name_span: DocumentSpan,
    name: String,
    detail: String,
    kind: SymbolKind,
    children: Vec<OutlineItem>,
}

/// Returns the objects of a file with their parts, in file order.
pub fn document_symbols(draft: &DraftCatalog, file: FileId, encoding: Encoding) -> Vec<DocumentSymbol> {
    let mut things = collect_items(draft.last_valid(), file);
    let place = |thing: &OutlineItem| {
        let doc = thing.at.doc;
        (draft.current().file(doc.file).and_then(|file| file.position(doc.serial)), thing.at.span)
    };
    things.sort_by_key(place);
    things.iter().filter_map(|thing| to_document_symbol(draft, thing, encoding)).collect()
}

fn to_document_symbol(
    draft: &DraftCatalog,
    thing: &OutlineItem,
    encoding: Encoding,
) -> Option<DocumentSymbol> {
    let range = location::to_current_range(draft, encoding, thing.at)?;
    let named = location::to_current_range(draft, encoding, thing.name_span)?;
    let is_inside = range.start <= named.start && named.end <= range.end;
    let parts: Vec<DocumentSymbol> =
        thing.children.iter().filter_map(|part| to_document_symbol(draft, part, encoding)).collect();
    let selected = if is_inside { named } else { Range { start: range.start, end: range.start } };
    Some(new_document_symbol(&thing.name, Some(&thing.detail), thing.kind, (range, selected), parts))
}

/// Creates a document symbol. Some clients reject a symbol without a name.
fn new_document_symbol(
    name: &str,
    detail: Option<&str>,
    kind: SymbolKind,
    (range, selected): (Range, Range),
    parts: Vec<DocumentSymbol>,
) -> DocumentSymbol {
    let name = escape::escape_line(name);
    let name = if name.trim().is_empty() { "(no name)".to_owned() } else { name.into_owned() };
    let detail = detail.map(|detail| escape::escape_line(detail).into_owned());
    let parts = (!parts.is_empty()).then_some(parts);
    DocumentSymbol::new(name, detail, kind, None, None, range, selected, parts)
}

fn collect_items(catalog: &Catalog, file: FileId) -> Vec<OutlineItem> {
    let mut things = Vec::new();
    for package in catalog.packages() {
        if package.documents().any(|doc| doc.file == file) {
            add_package_items(catalog, package, file, &mut things);
        }
    }
    let others = catalog.others().iter().filter(|other| other.doc.file == file);
    things.extend(others.map(|other| other_item(catalog, other)));
    things
}

/// Returns an object of an unknown schema, without parts.
fn other_item(catalog: &Catalog, other: &OtherBlob) -> OutlineItem {
    let at = content_span(catalog, other.doc);
    OutlineItem {
        at,
        name_span: at,
        name: other.name.as_deref().unwrap_or(&other.schema).to_owned(),
        detail: other.schema.to_string(),
        kind: SymbolKind::Object,
        children: Vec::new(),
    }
}

/// Returns the span of a document from its first byte of content.
fn content_span(catalog: &Catalog, doc: DocId) -> DocumentSpan {
    let text = catalog.document_text(doc).unwrap_or_default();
    let start = content_start(text);
    DocumentSpan { doc, span: Span::new(start, text.trim_ascii_end().len().max(start)) }
}

/// Returns the offset of the first byte after the separator, comments and blank lines.
fn content_start(text: &[u8]) -> usize {
    let mut start = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let trimmed = line.trim_ascii();
        if !(trimmed.is_empty() || trimmed.starts_with(b"#") || line.starts_with(b"---")) {
            return start;
        }
        start += line.len();
    }
    0
}

fn add_package_items(catalog: &Catalog, package: &Package, file: FileId, things: &mut Vec<OutlineItem>) {
    // All objects of a template are in one document.
    let around = |doc: DocId, named: Span| match catalog.template() {
        Some(_) => DocumentSpan { doc, span: named },
        None => content_span(catalog, doc),
    };
    for blob in package.definitions.iter().filter(|blob| blob.doc.file == file) {
        let detail = package.default_channel().map(|name| format!("package, default channel {name}"));
        things.push(OutlineItem {
            at: around(blob.doc, blob.name.span),
            name_span: DocumentSpan { doc: blob.doc, span: blob.name.span },
            name: blob.name.value.to_string(),
            detail: detail.unwrap_or_else(|| "package".to_owned()),
            kind: SymbolKind::Package,
            children: Vec::new(),
        });
    }
    for blob in package.channels.iter().filter(|blob| blob.doc.file == file) {
        let parts = blob.entries.iter().map(|entry| OutlineItem {
            at: DocumentSpan { doc: blob.doc, span: entry.span },
            name_span: DocumentSpan { doc: blob.doc, span: entry.name.span },
            name: entry.name.value.to_string(),
            detail: entry
                .replaces
                .as_ref()
                .map(|name| format!("replaces {}", package.short_name(&name.value)))
                .unwrap_or_default(),
            kind: SymbolKind::EnumMember,
            children: Vec::new(),
        });
        things.push(OutlineItem {
            at: around(blob.doc, blob.name.span),
            name_span: DocumentSpan { doc: blob.doc, span: blob.name.span },
            name: blob.name.value.to_string(),
            detail: "channel".to_owned(),
            kind: SymbolKind::Enum,
            children: if catalog.template().is_some() { Vec::new() } else { parts.collect() },
        });
    }
    for blob in package.bundles.iter().filter(|blob| blob.doc.file == file) {
        things.push(OutlineItem {
            at: around(blob.doc, blob.name.span),
            name_span: DocumentSpan { doc: blob.doc, span: blob.name.span },
            name: blob.name.value.to_string(),
            detail: "bundle".to_owned(),
            kind: SymbolKind::Class,
            children: Vec::new(),
        });
    }
    for blob in package.deprecations.iter().filter(|blob| blob.doc.file == file) {
        let parts = blob.entries.iter().map(|entry| {
            let (name, detail) = match &entry.target {
                Some(DeprecationTarget::Package) => (package.name.to_string(), "package"),
                Some(DeprecationTarget::Channel(name)) => (name.to_string(), "channel"),
                Some(DeprecationTarget::Bundle(name)) => (name.to_string(), "bundle"),
                None => (entry.schema.value.clone(), ""),
            };
            let named = entry.name.as_ref().map_or(entry.span, |name| name.span);
            OutlineItem {
                at: DocumentSpan { doc: blob.doc, span: entry.span },
                name_span: DocumentSpan { doc: blob.doc, span: named },
                name,
                detail: detail.to_owned(),
                kind: SymbolKind::Event,
                children: Vec::new(),
            }
        });
        things.push(OutlineItem {
            at: around(blob.doc, blob.package.span),
            name_span: DocumentSpan { doc: blob.doc, span: blob.package.span },
            name: "deprecations".to_owned(),
            detail: package.name.to_string(),
            kind: SymbolKind::Namespace,
            children: parts.collect(),
        });
    }
    let others = package.others.iter().filter(|other| other.doc.file == file);
    things.extend(others.map(|other| other_item(catalog, other)));
}

/// Maximum nesting depth of folds.
const MAX_FOLD_DEPTH: usize = 6;

/// Maximum size in bytes of a text that is parsed for folds. In a larger text, only documents are folded.
const MAX_PARSED_BYTES: usize = 4 << 20;

/// Returns the folding ranges of a text: its documents, and their lists and maps of several lines.
pub fn folding_ranges(text: &[u8]) -> Vec<FoldingRange> {
    let mut lines = LineIndex::new(text);
    let mut folds = Vec::new();
    for chunk in split::split_chunks(text) {
        let ChunkKind::Document(format) = chunk.kind else { continue };
        let document = text.get(chunk.range.clone()).unwrap_or_default();
        let start = chunk.range.start;
        let first = start + content_start(document);
        let last = start + document.trim_ascii_end().len();
        lines.add_fold(first, last, &mut folds);
        if text.len() <= MAX_PARSED_BYTES
            && let Ok(tree) = split::parse_chunk(format, document)
        {
            add_value_folds(&tree, start, &mut lines, &mut folds);
        }
    }
    folds.sort_by_key(|fold| (fold.start_line, std::cmp::Reverse(fold.end_line)));
    folds.dedup_by_key(|fold| fold.start_line);
    folds
}

fn add_value_folds(tree: &Node<'_>, start: usize, lines: &mut LineIndex<'_>, folds: &mut Vec<FoldingRange>) {
    let mut waiting = vec![(tree, 0)];
    while let Some((node, depth)) = waiting.pop() {
        if depth >= MAX_FOLD_DEPTH {
            continue;
        }
        for member in node.members() {
            lines.add_fold(
                start + member.key_span.start as usize,
                start + member.value.span.end as usize,
                folds,
            );
            waiting.push((&member.value, depth + 1));
        }
        for item in node.items() {
            lines.add_fold(start + item.span.start as usize, start + item.span.end as usize, folds);
            waiting.push((item, depth + 1));
        }
    }
}

/// Line starts of a text.
struct LineIndex<'t> {
    text: &'t [u8],
    starts: Vec<usize>,
}

impl<'t> LineIndex<'t> {
    fn new(text: &'t [u8]) -> Self {
        let breaks = memchr::memchr_iter(b'\n', text).map(|at| at + 1);
        Self { text, starts: std::iter::once(0).chain(breaks).collect() }
    }

    fn line_at(&self, byte: usize) -> u32 {
        let at = byte.min(self.text.len());
        super::text::to_u32(self.starts.partition_point(|start| *start <= at).saturating_sub(1))
    }

    /// Adds a fold if both bytes are on different lines.
    fn add_fold(&mut self, from: usize, to: usize, folds: &mut Vec<FoldingRange>) {
        let (start_line, end_line) = (self.line_at(from), self.line_at(to.max(from + 1) - 1));
        if start_line < end_line {
            folds.push(FoldingRange { start_line, end_line, ..FoldingRange::default() });
        }
    }
}

/// Returns the symbols of a text outside of catalogs: the keys of its documents.
pub fn key_symbols(text: &[u8], encoding: Encoding) -> Vec<DocumentSymbol> {
    let mut symbols = Vec::new();
    for chunk in split::split_chunks(text) {
        let ChunkKind::Document(format) = chunk.kind else { continue };
        let document = text.get(chunk.range.clone()).unwrap_or_default();
        let Ok(tree) = split::parse_chunk(format, document) else { continue };
        let at = |span: Span| Range {
            start: encoding.position(text, chunk.range.start + span.start as usize),
            end: encoding.position(text, chunk.range.start + span.end as usize),
        };
        let of = |member: &Member<'_>, parts| {
            let (key, value) = (at(member.key_span), at(member.value.span));
            let end = value.end.max(key.end);
            let detail = member.value.as_str().map(|text| text.lines().next().unwrap_or_default());
            let range = Range { start: key.start, end };
            new_document_symbol(&member.key, detail, SymbolKind::Key, (range, key), parts)
        };
        for member in tree.members() {
            let inner = member.value.members().iter().map(|inner| of(inner, Vec::new())).collect();
            symbols.push(of(member, inner));
        }
    }
    symbols
}
