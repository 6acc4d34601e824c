//! Saving of catalogs, in place or as a copy.

use std::path::{Path, PathBuf};

use super::{
    FileChange, Lock, Loss, Overwrite, SaveError, Saved, StateDirectory, losses, save, save_as, save_tree,
};
use crate::catalog::{Catalog, Origin, SourceFile, model::ChangedFile};

/// Change of a file: its path, and its content before and after.
type Change<'a> = (&'a Path, Option<Vec<u8>>, Option<Vec<u8>>);

/// Saves the changed files of catalogs, all or none. `states` has each catalog before and after. All
/// directories stay locked until `lock` is dropped.
///
/// # Errors
///
/// If a file is not on disk, was changed by another program, or cannot be written.
pub fn catalogs(states: &[(&Catalog, &Catalog)], lock: &mut Lock) -> Result<Saved, SaveError> {
    let roots = states.iter().filter_map(|(before, _)| root(&before.origin)).collect::<Vec<_>>();
    lock.extend(roots.iter().map(PathBuf::as_path))?;
    save(&as_changes(&changes(states)?), lock)
}

/// Returns what else a save of these states would lose besides the old content.
pub fn losses_of(states: &[(&Catalog, &Catalog)], state: &StateDirectory) -> Vec<Loss> {
    let changed = states.iter().flat_map(|(before, after)| after.files_changed_since(before));
    let replaced = changed.filter_map(|changed| changed.before.and(changed.after)?.disk.as_deref());
    losses(replaced, state)
}

/// Returns the directories to lock so that catalogs cannot change between reading and saving.
pub fn roots(paths: &[PathBuf]) -> Vec<PathBuf> {
    let of =
        |path: &PathBuf| if path.is_dir() { Some(path.clone()) } else { root(&Origin::File(path.clone())) };
    paths.iter().filter_map(of).collect()
}

/// Returns the directory of a catalog, or of its file.
fn root(origin: &Origin) -> Option<PathBuf> {
    match origin {
        Origin::Directory(root) => Some(root.clone()),
        Origin::File(path) => Some(super::target::real_directory(path)),
        Origin::Stdin
        | Origin::Demo
        | Origin::Revision(_)
        | Origin::Bundles(_)
        | Origin::Image(_)
        | Origin::Converted(_) => None,
    }
}

fn changes<'a>(states: &[(&'a Catalog, &'a Catalog)]) -> Result<Vec<Change<'a>>, SaveError> {
    let mut changes = Vec::new();
    for (before, after) in states {
        for ChangedFile { before, after } in after.files_changed_since(before) {
            let Some(file) = after.or(before) else { continue };
            let Some(path) = &file.disk else {
                return Err(SaveError::OnNoDisk { path: file.shown().to_owned() });
            };
            changes.push((path.as_path(), before.map(SourceFile::bytes), after.map(SourceFile::bytes)));
        }
    }
    Ok(changes)
}

fn as_changes<'a>(changes: &'a [Change<'_>]) -> Vec<FileChange<'a>> {
    let change = |(path, before, after): &'a Change<'_>| FileChange {
        path,
        before: before.as_deref(),
        after: after.as_deref(),
    };
    changes.iter().map(change).collect()
}

/// Writes a whole catalog to a new path: a file for a catalog with one file, else a directory.
///
/// # Errors
///
/// If the path exists, or if it cannot be written.
pub fn copy(catalog: &Catalog, path: &Path) -> Result<Saved, SaveError> {
    match (&catalog.origin, catalog.files()) {
        (Origin::File(_) | Origin::Stdin | Origin::Converted(_), [only]) => {
            save_as(path, &only.bytes(), Overwrite::Never, &mut Lock::usual())
        }
        (_, files) => {
            // An emptied file is not copied.
            let there = files.iter().filter(|file| file.is_there() && !file.is_emptied());
            let contents: Vec<(&Path, Vec<u8>)> = there.map(|file| (file.shown(), file.bytes())).collect();
            let contents: Vec<(&Path, &[u8])> =
                contents.iter().map(|(path, bytes)| (*path, bytes.as_slice())).collect();
            save_tree(path, &contents, Overwrite::Never, &mut Lock::usual())
        }
    }
}
