//! Definitions, references and highlights of names.

use gen_lsp_types::{DocumentHighlight, DocumentHighlightKind, Location, Position};

use super::{
    DraftCatalog, Encoding, TextDocument, hover, location,
    names::{self, NameRole, NamedObject, Occurrence},
};
use olm_catalog::{Catalog, FileId, package::Package};

/// Returns the definition of the name at a position: the object with that name, or the entries if there is no
/// such object.
pub fn find_definition(
    draft: &DraftCatalog,
    (file, paper): (FileId, &TextDocument),
    position: Position,
    encoding: Encoding,
) -> Vec<Location> {
    let Some((package, here)) = occurrence_near(draft, file, paper, position, encoding) else {
        return Vec::new();
    };
    let mut found = find_occurrences(draft.last_valid(), package, &here.named);
    found.retain(|other| matches!(other.role, NameRole::Definition | NameRole::Entry));
    if found.iter().any(|other| other.role == NameRole::Definition) {
        found.retain(|other| other.role == NameRole::Definition);
    } else {
        // A name without a bundle may still be an entry of the current channel.
        let is_near = |other: &Occurrence| other.channel == here.channel;
        if found.iter().any(is_near) {
            found.retain(is_near);
        }
    }
    found.iter().filter_map(|other| location::to_current_location(draft, encoding, other.at)).collect()
}

/// Returns all references to the name at a position, in all files.
pub fn find_references(
    draft: &DraftCatalog,
    (file, paper): (FileId, &TextDocument),
    position: Position,
    encoding: Encoding,
    with_definition: bool,
) -> Vec<Location> {
    let all = occurrences_near(draft, file, paper, position, encoding);
    let wanted = all.iter().filter(|other| with_definition || other.role != NameRole::Definition);
    wanted.filter_map(|other| location::to_current_location(draft, encoding, other.at)).collect()
}

/// Returns the occurrences of the name at a position in its file. Definitions and entries are written, other references
/// read.
pub fn document_highlights(
    draft: &DraftCatalog,
    (file, paper): (FileId, &TextDocument),
    position: Position,
    encoding: Encoding,
) -> Vec<DocumentHighlight> {
    let all = occurrences_near(draft, file, paper, position, encoding);
    let highlight = |other: &Occurrence| {
        let range = location::to_current_range(draft, encoding, other.at)?;
        let kind = match other.role {
            NameRole::Definition | NameRole::Entry => DocumentHighlightKind::Write,
            NameRole::Edge | NameRole::Mention => DocumentHighlightKind::Read,
        };
        Some(DocumentHighlight::new(range, Some(kind)))
    };
    all.iter().filter(|other| other.at.doc.file == file).filter_map(highlight).collect()
}

/// Returns all occurrences of a name, in the order of the files.
pub fn find_occurrences(catalog: &Catalog, package: &Package, named: &NamedObject) -> Vec<Occurrence> {
    let mut found = Vec::new();
    names::for_each_name(package, None, &mut |other| {
        if other.named == *named {
            found.push(other);
        }
    });
    found.retain(|other| names::is_name_in_source(catalog, package, other));
    let order = |occurrence: &Occurrence| {
        let doc = occurrence.at.doc;
        let position = catalog.file(doc.file).and_then(|file| file.position(doc.serial));
        (doc.file, position, occurrence.at.span)
    };
    found.sort_by_key(order);
    found.dedup_by_key(|occurrence| occurrence.at);
    found
}

/// Returns all occurrences of the name at a position, or of the name whose key is there.
fn occurrences_near(
    draft: &DraftCatalog,
    file: FileId,
    paper: &TextDocument,
    position: Position,
    encoding: Encoding,
) -> Vec<Occurrence> {
    let near = occurrence_near(draft, file, paper, position, encoding);
    near.map(|(package, here)| find_occurrences(draft.last_valid(), package, &here.named)).unwrap_or_default()
}

/// Returns the name at a position, or the name whose key is there.
fn occurrence_near<'d>(
    draft: &'d DraftCatalog,
    file: FileId,
    paper: &TextDocument,
    position: Position,
    encoding: Encoding,
) -> Option<(&'d Package, Occurrence)> {
    let (doc, offset) = hover::document_at(draft, file, paper.byte_at(encoding, position))?;
    let catalog = draft.last_valid();
    names::name_at(catalog, doc, offset).or_else(|| names::name_of_key_at(catalog, doc, offset))
}

/// Returns the name at a position.
pub fn occurrence_at<'d>(
    draft: &'d DraftCatalog,
    file: FileId,
    paper: &TextDocument,
    position: Position,
    encoding: Encoding,
) -> Option<(&'d Package, Occurrence)> {
    let (doc, offset) = hover::document_at(draft, file, paper.byte_at(encoding, position))?;
    names::name_at(draft.last_valid(), doc, offset)
}
