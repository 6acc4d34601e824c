//! Saving states of catalogs: in place, or as a copy.

use std::path::Path;

use super::{FileChange, Overwrite, SaveError, save, save_as, save_tree};
use crate::catalog::{Catalog, Origin, SourceFile, model::ChangedFile};

/// Makes the files of catalogs hold a later state, all of them or none: the states before and after, by catalog.
///
/// # Errors
///
/// When a file is on no disk, was changed by somebody else meanwhile, or cannot be written.
pub fn catalogs(states: &[(&Catalog, &Catalog)]) -> Result<(), SaveError> {
    let mut changes = Vec::new();
    for (before, after) in states {
        for ChangedFile { before, after } in after.files_changed_since(before) {
            let Some(file) = after.or(before) else { continue };
            let Some(path) = &file.disk else {
                return Err(SaveError::OnNoDisk { path: file.shown().to_owned() });
            };
            changes.push((path, before.map(SourceFile::bytes), after.map(SourceFile::bytes)));
        }
    }
    let changes: Vec<FileChange<'_>> = changes
        .iter()
        .map(|(path, before, after)| FileChange { path, before: before.as_deref(), after: after.as_deref() })
        .collect();
    save(&changes)
}

/// Writes a whole catalog to a place where nothing is yet: a file for a catalog of one file, else a directory.
///
/// # Errors
///
/// When something is there, or it cannot be written.
pub fn copy(catalog: &Catalog, path: &Path) -> Result<(), SaveError> {
    match (&catalog.origin, catalog.files()) {
        (Origin::File(_) | Origin::Stdin, [only]) => save_as(path, &only.bytes(), Overwrite::Never),
        (_, files) => {
            let there = files.iter().filter(|file| file.is_there());
            let contents: Vec<(&Path, Vec<u8>)> = there.map(|file| (file.shown(), file.bytes())).collect();
            let contents: Vec<(&Path, &[u8])> =
                contents.iter().map(|(path, bytes)| (*path, bytes.as_slice())).collect();
            save_tree(path, &contents, Overwrite::Never)
        }
    }
}
