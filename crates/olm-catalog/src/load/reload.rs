//! Detects changes of files by other programs.

use std::{collections::HashSet, fs, path::PathBuf};

use rayon::prelude::*;

use super::{
    LoadError, Progress,
    file_reader::{self, is_current},
    open_catalog_with_progress, regular_file,
    walk::{CatalogFile, DirectoryWalk},
    with_repository_info,
};
use crate::{
    FileId, SourceFile,
    model::{Catalog, Origin},
    problem::Problem,
};

/// Returns the catalog with the current content of its files; `None` if they are unchanged since `known` was
/// read or written. Reads only the changed files of a directory. Catalogs that are not on disk never change.
///
/// # Errors
///
/// As [`open_catalog_with_progress`].
pub fn reload(known: &Catalog, progress: &Progress) -> Result<Option<Catalog>, LoadError> {
    match &known.origin {
        Origin::Stdin
        | Origin::Demo
        | Origin::Revision(_)
        | Origin::Bundles(_)
        | Origin::Image(_)
        | Origin::Converted(_) => Ok(None),
        Origin::File(path) => {
            let there: Vec<_> = known.files().iter().filter(|file| file.exists()).collect();
            let is_same = known.missing_part().is_none() && there.par_iter().all(|file| is_current(file));
            // The only file is the whole catalog. A pipe can be read only once.
            match fs::metadata(path) {
                Ok(metadata) if is_same || regular_file::describe_special(&metadata).is_some() => Ok(None),
                _ => open_catalog_with_progress(path, progress).map(Some),
            }
        }
        Origin::Directory(root) => {
            if known.missing_part().is_some() {
                return open_catalog_with_progress(root, progress).map(Some);
            }
            let walk = DirectoryWalk::walk(root, progress)?;
            match changed_files(known, &walk.files, progress) {
                // The order of the files determines all other orders.
                DirectoryChange::FileSet => open_catalog_with_progress(root, progress).map(Some),
                DirectoryChange::Contents(changed, unreadable) => {
                    let about_files: Vec<Problem> = walk.problems.into_iter().chain(unreadable).collect();
                    let before = known.problems().file_problems();
                    if changed.is_empty()
                        && before.eq(&about_files)
                        && known.has_ignore_patterns(&walk.ignore)
                    {
                        return Ok(None);
                    }
                    let again = known.with_files(changed, about_files).with_ignore_patterns(walk.ignore);
                    Ok(Some(with_repository_info(root, again)))
                }
            }
        }
    }
}

/// Change of the files of a catalog.
enum DirectoryChange {
    /// Files with other content, and problems of unreadable ones.
    Contents(Vec<(FileId, SourceFile)>, Vec<Problem>),
    /// Files were added, removed or reordered.
    FileSet,
}

fn changed_files(known: &Catalog, found: &[CatalogFile], progress: &Progress) -> DirectoryChange {
    let there = || known.files().iter().filter(|file| file.exists());
    let (readable, unreadable): (Vec<&CatalogFile>, Vec<&CatalogFile>) = if found.len() == there().count() {
        (found.iter().collect(), Vec::new())
    } else {
        found.iter().partition(|found| regular_file::open_regular(&found.path).is_ok())
    };
    let paths: Vec<PathBuf> = readable.iter().map(|found| found.display_path()).collect();
    let in_order =
        known.files().iter().map(|file| file.display_path()).eq(paths.iter().map(PathBuf::as_path));
    if !in_order {
        let known: HashSet<_> = there().map(|file| file.display_path()).collect();
        let same = known.len() == paths.len() && paths.iter().all(|path| known.contains(path.as_path()));
        let is_same = same && there().collect::<Vec<_>>().par_iter().all(|file| is_current(file));
        if !is_same {
            return DirectoryChange::FileSet;
        }
        return DirectoryChange::Contents(
            Vec::new(),
            unreadable.iter().filter_map(|f| file_reader::read_file(f, progress).err()).collect(),
        );
    }
    let numbered: Vec<_> = (0..).map(FileId).zip(known.files()).zip(readable).collect();
    let changed: Vec<_> = numbered
        .par_iter()
        .filter(|((_, file), found)| {
            !is_current(file) || (file.writable, file.foreign) != (found.writable, found.foreign)
        })
        .map(|((id, _), found)| file_reader::read_file(found, progress).map(|file| (*id, file)))
        .collect();
    let unreadable =
        unreadable.iter().filter_map(|found| file_reader::read_file(found, progress).err()).collect();
    match changed.into_iter().collect::<Result<_, Problem>>() {
        Ok(changed) => DirectoryChange::Contents(changed, unreadable),
        Err(_) => DirectoryChange::FileSet,
    }
}
