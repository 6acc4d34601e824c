//! Definitions and references of names.

use gen_lsp_types::{Location, Position};

use super::{
    Draft, Encoding, Paper, hover,
    names::{self, Named, Occurrence, Role},
    spot,
};
use crate::catalog::{Catalog, FileId, package::Package};

/// Returns the definition of the name at a position: the object with that name, or the entries if there is no
/// such object.
pub fn definition(
    draft: &Draft,
    (file, paper): (FileId, &Paper),
    position: Position,
    encoding: Encoding,
) -> Vec<Location> {
    let Some((package, here)) = at(draft, file, paper, position, encoding) else { return Vec::new() };
    let mut found = Vec::new();
    names::each(package, None, &mut |other| {
        if other.named == here.named && matches!(other.role, Role::Definition | Role::Entry) {
            found.push(other);
        }
    });
    let catalog = draft.known();
    found.retain(|other| names::is_written(catalog, package, other));
    if found.iter().any(|other| other.role == Role::Definition) {
        found.retain(|other| other.role == Role::Definition);
    } else {
        // A name without a bundle may still be an entry of the current channel.
        let is_near = |other: &Occurrence| other.channel == here.channel;
        if found.iter().any(is_near) {
            found.retain(is_near);
        }
    }
    found.iter().filter_map(|other| spot::location(draft, encoding, other.at)).collect()
}

/// Returns all references to the name at a position, in all files.
pub fn references(
    draft: &Draft,
    (file, paper): (FileId, &Paper),
    position: Position,
    encoding: Encoding,
    with_definition: bool,
) -> Vec<Location> {
    let Some((package, here)) = at(draft, file, paper, position, encoding) else { return Vec::new() };
    let all = all_of(draft.known(), package, &here.named);
    let wanted = all.iter().filter(|other| with_definition || other.role != Role::Definition);
    wanted.filter_map(|other| spot::location(draft, encoding, other.at)).collect()
}

/// Returns all occurrences of a name, in the order of the files.
pub fn all_of(catalog: &Catalog, package: &Package, named: &Named) -> Vec<Occurrence> {
    let mut found = Vec::new();
    names::each(package, None, &mut |other| {
        if other.named == *named {
            found.push(other);
        }
    });
    found.retain(|other| names::is_written(catalog, package, other));
    let order = |occurrence: &Occurrence| {
        let doc = occurrence.at.doc;
        let position = catalog.file(doc.file).and_then(|file| file.position(doc.serial));
        (doc.file, position, occurrence.at.span)
    };
    found.sort_by_key(order);
    found.dedup_by_key(|occurrence| occurrence.at);
    found
}

/// Returns the name at a position.
pub fn at<'d>(
    draft: &'d Draft,
    file: FileId,
    paper: &Paper,
    position: Position,
    encoding: Encoding,
) -> Option<(&'d Package, Occurrence)> {
    let (doc, offset) = hover::under(draft, file, paper.byte_at(encoding, position))?;
    names::at(draft.known(), doc, offset)
}
