//! Conversion from catalog spans to positions of a client.

use std::path::{Path, PathBuf};

use gen_lsp_types::{Location, Position, Range, Uri};

use super::{DraftCatalog, Encoding, address, text::to_u32};
use olm_catalog::{Catalog, DocId, FileId, Span};

/// Span of bytes in a document.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DocumentSpan {
    /// Document of the span.
    pub doc: DocId,
    /// Byte range in the document.
    pub span: Span,
}

/// Returns the normalized path of a catalog file; `None` if it is not on disk.
pub fn file_path(catalog: &Catalog, file: FileId) -> Option<PathBuf> {
    catalog.file(file)?.disk.as_deref().map(address::normalize_dots)
}

/// Returns the URI of a catalog file; `None` if it is not on disk.
pub fn file_uri(catalog: &Catalog, file: FileId) -> Option<Uri> {
    file_path(catalog, file).map(|path| address::path_to_uri(&path))
}

/// Returns the catalog file with a path.
pub fn find_file(catalog: &Catalog, path: &Path) -> Option<FileId> {
    let mut files = (0..).map(FileId).zip(catalog.files());
    let is_it = |disk: &PathBuf| disk == path || address::normalize_dots(disk) == path;
    files.find(|(_, file)| file.disk.as_ref().is_some_and(is_it)).map(|(id, _)| id)
}

/// Returns the position of a byte offset of a document, in the current text of its file.
pub fn to_position(catalog: &Catalog, encoding: Encoding, doc: DocId, offset: usize) -> Option<Position> {
    let file = catalog.file(doc.file)?;
    file.segment(doc.serial)?;
    let at = file.position_of_byte(doc.serial, offset);
    let character = match encoding {
        Encoding::Utf8 => at.bytes,
        Encoding::Utf16 => at.units,
        Encoding::Utf32 => at.column,
    };
    Some(Position { line: to_u32(at.lines), character: to_u32(character) })
}

/// Returns the range of a span.
pub fn to_range(catalog: &Catalog, encoding: Encoding, spot: DocumentSpan) -> Option<Range> {
    let start = to_position(catalog, encoding, spot.doc, spot.span.start as usize)?;
    let end = to_position(catalog, encoding, spot.doc, spot.span.end as usize)?;
    Some(Range { start, end })
}

/// Converts a span of [`DraftCatalog::last_valid`] to a location in the current text.
pub fn to_current_location(draft: &DraftCatalog, encoding: Encoding, spot: DocumentSpan) -> Option<Location> {
    let uri = file_uri(draft.current(), spot.doc.file)?;
    Some(Location { uri, range: to_current_range(draft, encoding, spot)? })
}

/// Converts a span of [`DraftCatalog::last_valid`] to a range in the current text.
pub fn to_current_range(draft: &DraftCatalog, encoding: Encoding, spot: DocumentSpan) -> Option<Range> {
    let span = draft.to_current_span(spot.doc, spot.span);
    to_range(draft.current(), encoding, DocumentSpan { doc: spot.doc, span })
}
