//! Conversion from catalog spans to positions of a client.

use std::path::{Path, PathBuf};

use gen_lsp_types::{Location, Position, Range, Uri};

use super::{Draft, Encoding, address, text::number};
use crate::catalog::{Catalog, DocId, FileId, Span};

/// Span of bytes in a document.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Spot {
    /// Document of the span.
    pub doc: DocId,
    /// Byte range in the document.
    pub span: Span,
}

/// Returns the path of a file as the client knows it; `None` if it does not exist on disk.
pub fn path_of(catalog: &Catalog, file: FileId) -> Option<PathBuf> {
    catalog.file(file)?.disk.as_deref().map(address::tidy)
}

/// Returns the URI of a file.
pub fn uri_of(catalog: &Catalog, file: FileId) -> Option<Uri> {
    path_of(catalog, file).map(|path| address::uri(&path))
}

/// Returns the file with a path.
pub fn file_at(catalog: &Catalog, path: &Path) -> Option<FileId> {
    let mut files = (0..).map(FileId).zip(catalog.files());
    let is_it = |disk: &PathBuf| disk == path || address::tidy(disk) == path;
    files.find(|(_, file)| file.disk.as_ref().is_some_and(is_it)).map(|(id, _)| id)
}

/// Returns the position of a byte of a document.
pub fn position(catalog: &Catalog, encoding: Encoding, doc: DocId, offset: usize) -> Option<Position> {
    let file = catalog.file(doc.file)?;
    file.segment(doc.serial)?;
    let at = file.position_of(doc.serial, offset);
    let character = match encoding {
        Encoding::Utf8 => at.bytes,
        Encoding::Utf16 => at.units,
        Encoding::Utf32 => at.column,
    };
    Some(Position { line: number(at.lines), character: number(character) })
}

/// Returns the range of a span.
pub fn range(catalog: &Catalog, encoding: Encoding, spot: Spot) -> Option<Range> {
    let start = position(catalog, encoding, spot.doc, spot.span.start as usize)?;
    let end = position(catalog, encoding, spot.doc, spot.span.end as usize)?;
    Some(Range { start, end })
}

/// Returns the current location of a span of [`Draft::known`].
pub fn location(draft: &Draft, encoding: Encoding, spot: Spot) -> Option<Location> {
    let uri = uri_of(draft.now(), spot.doc.file)?;
    Some(Location { uri, range: range_in(draft, encoding, spot)? })
}

/// Returns the current range of a span of [`Draft::known`].
pub fn range_in(draft: &Draft, encoding: Encoding, spot: Spot) -> Option<Range> {
    let span = draft.to_now(spot.doc, spot.span);
    range(draft.now(), encoding, Spot { doc: spot.doc, span })
}
