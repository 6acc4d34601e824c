//! Detects changes of files by other programs.

use std::{collections::HashSet, fs, path::PathBuf};

use rayon::prelude::*;

use super::{
    LoadError, Progress, open,
    read::{self, is_current},
    regular,
    walk::{CatalogFile, Walk},
    with_repository_info,
};
use crate::catalog::{
    FileId, SourceFile,
    model::{Catalog, Origin},
    problem::Problem,
};

/// Returns the catalog with the current content of its files; `None` if they are unchanged since `known` was
/// read or written. Reads only the changed files of a directory. Catalogs that are not on disk never change.
///
/// # Errors
///
/// As [`open`].
pub fn open_again(known: &Catalog, progress: &Progress) -> Result<Option<Catalog>, LoadError> {
    match &known.origin {
        Origin::Stdin
        | Origin::Demo
        | Origin::Revision(_)
        | Origin::Bundles(_)
        | Origin::Image(_)
        | Origin::Converted(_) => Ok(None),
        Origin::File(path) => {
            let there: Vec<_> = known.files().iter().filter(|file| file.is_there()).collect();
            let is_same = known.unread().is_none() && there.par_iter().all(|file| is_current(file));
            // The only file is the whole catalog. A pipe can be read only once.
            match fs::metadata(path) {
                Ok(metadata) if is_same || regular::special(&metadata).is_some() => Ok(None),
                _ => open(path, progress).map(Some),
            }
        }
        Origin::Directory(root) => {
            if known.unread().is_some() {
                return open(root, progress).map(Some);
            }
            let walk = Walk::through(root, progress)?;
            match changed_files(known, &walk.files, progress) {
                // The order of the files determines all other orders.
                Change::Others => open(root, progress).map(Some),
                Change::Some(changed, unreadable) => {
                    let about_files: Vec<Problem> = walk.problems.into_iter().chain(unreadable).collect();
                    let before = known.problems().about_files();
                    if changed.is_empty() && before.eq(&about_files) && known.ignores_as(&walk.ignore) {
                        return Ok(None);
                    }
                    let again = known.with_files(changed, about_files).ignoring(walk.ignore);
                    Ok(Some(with_repository_info(root, again)))
                }
            }
        }
    }
}

/// Change of the files of a catalog.
enum Change {
    /// Files with other content, and problems of unreadable ones.
    Some(Vec<(FileId, SourceFile)>, Vec<Problem>),
    /// Files were added, removed or reordered.
    Others,
}

fn changed_files(known: &Catalog, found: &[CatalogFile], progress: &Progress) -> Change {
    let there = || known.files().iter().filter(|file| file.is_there());
    let (readable, unreadable): (Vec<&CatalogFile>, Vec<&CatalogFile>) = if found.len() == there().count() {
        (found.iter().collect(), Vec::new())
    } else {
        found.iter().partition(|found| regular::open(&found.path).is_ok())
    };
    let paths: Vec<PathBuf> = readable.iter().map(|found| found.shown()).collect();
    let in_order = known.files().iter().map(|file| file.shown()).eq(paths.iter().map(PathBuf::as_path));
    if !in_order {
        let known: HashSet<_> = there().map(|file| file.shown()).collect();
        let same = known.len() == paths.len() && paths.iter().all(|path| known.contains(path.as_path()));
        let is_same = same && there().collect::<Vec<_>>().par_iter().all(|file| is_current(file));
        if !is_same {
            return Change::Others;
        }
        return Change::Some(
            Vec::new(),
            unreadable.iter().filter_map(|f| read::read_file(f, progress).err()).collect(),
        );
    }
    let numbered: Vec<_> = (0..).map(FileId).zip(known.files()).zip(readable).collect();
    let changed: Vec<_> = numbered
        .par_iter()
        .filter(|((_, file), found)| {
            !is_current(file) || (file.writable, file.foreign) != (found.writable, found.foreign)
        })
        .map(|((id, _), found)| read::read_file(found, progress).map(|file| (*id, file)))
        .collect();
    let unreadable = unreadable.iter().filter_map(|found| read::read_file(found, progress).err()).collect();
    match changed.into_iter().collect::<Result<_, Problem>>() {
        Ok(changed) => Change::Some(changed, unreadable),
        Err(_) => Change::Others,
    }
}
