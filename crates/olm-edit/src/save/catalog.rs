//! Saving of catalogs, in place or as a copy.

use std::path::{Path, PathBuf};

use super::{
    DirectoryLock, FileChange, Loss, Overwrite, SaveError, Saved, StateDirectory, find_losses, save_as,
    save_files, save_tree,
};
use olm_catalog::{Catalog, Origin, SourceFile, model::ChangedFile};

/// Change of a file: its path, and its content before and after.
type ContentChange<'a> = (&'a Path, Option<Vec<u8>>, Option<Vec<u8>>);

/// Saves the changed files of catalogs, all or none. `states` has each catalog before and after. All
/// directories stay locked until `lock` is dropped.
///
/// # Errors
///
/// If a file is not on disk, was changed by another program, or cannot be written.
pub fn save_catalogs(states: &[(&Catalog, &Catalog)], lock: &mut DirectoryLock) -> Result<Saved, SaveError> {
    let roots = states.iter().filter_map(|(before, _)| catalog_root(&before.origin)).collect::<Vec<_>>();
    lock.lock_directories(roots.iter().map(PathBuf::as_path))?;
    save_files(&to_file_changes(&collect_changes(states)?), lock)
}

/// Returns what else a save of these states would lose besides the old content.
pub fn catalog_losses(states: &[(&Catalog, &Catalog)], state: &StateDirectory) -> Vec<Loss> {
    let changed = states.iter().flat_map(|(before, after)| after.files_changed_since(before));
    let replaced = changed.filter_map(|changed| changed.before.and(changed.after)?.disk.as_deref());
    find_losses(replaced, state)
}

/// Returns the directories to lock so that catalogs cannot change between reading and saving.
pub fn catalog_roots(paths: &[PathBuf]) -> Vec<PathBuf> {
    let of = |path: &PathBuf| {
        if path.is_dir() { Some(path.clone()) } else { catalog_root(&Origin::File(path.clone())) }
    };
    paths.iter().filter_map(of).collect()
}

/// Returns the directory of a catalog, or of its file.
fn catalog_root(origin: &Origin) -> Option<PathBuf> {
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

fn collect_changes<'a>(states: &[(&'a Catalog, &'a Catalog)]) -> Result<Vec<ContentChange<'a>>, SaveError> {
    let mut changes = Vec::new();
    for (before, after) in states {
        for ChangedFile { before, after } in after.files_changed_since(before) {
            let Some(file) = after.or(before) else { continue };
            let Some(path) = &file.disk else {
                return Err(SaveError::NotOnDisk { path: file.display_path().to_owned() });
            };
            changes.push((
                path.as_path(),
                before.map(SourceFile::current_bytes),
                after.map(SourceFile::current_bytes),
            ));
        }
    }
    Ok(changes)
}

fn to_file_changes<'a>(changes: &'a [ContentChange<'_>]) -> Vec<FileChange<'a>> {
    let change = |(path, before, after): &'a ContentChange<'_>| FileChange {
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
pub fn save_copy(catalog: &Catalog, path: &Path) -> Result<Saved, SaveError> {
    match (&catalog.origin, catalog.files()) {
        (Origin::File(_) | Origin::Stdin | Origin::Converted(_), [only]) => {
            save_as(path, &only.current_bytes(), Overwrite::Never, &mut DirectoryLock::with_default_state())
        }
        (_, files) => {
            // An emptied file is not copied.
            let there = files.iter().filter(|file| file.exists() && !file.is_emptied());
            let contents: Vec<(&Path, Vec<u8>)> =
                there.map(|file| (file.display_path(), file.current_bytes())).collect();
            let contents: Vec<(&Path, &[u8])> =
                contents.iter().map(|(path, bytes)| (*path, bytes.as_slice())).collect();
            save_tree(path, &contents, Overwrite::Never, &mut DirectoryLock::with_default_state())
        }
    }
}
