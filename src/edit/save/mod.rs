//! Saving files so that the power may fail between any two system calls and every file is whole, old or new.
//!
//! Every file is written under another name beside its target, given the target's owner and permissions and flushed
//! to disk. Only when all of them are ready, all targets are compared once more with what was loaded and the new
//! files are renamed over them; then the directories are flushed. When a rename fails, the files already renamed get
//! their old content back, so several files are saved all or none, as far as a file system allows: a crash between
//! two renames leaves some files new and others old, each of them whole.
//!
//! Links are followed: the link stays, its target is replaced. A hard link to the file keeps the old content (there
//! is no atomic way around it). Access control lists and extended attributes are not copied.
//!
//! opm reads every file of a catalog directory whatever its name, so a file left over by a crash would be read too.
//! [`is_leftover`](crate::catalog::leftover::is_leftover) tells such names.

mod catalog;
mod error;
mod step;
mod target;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeSet, HashMap},
    fs, io,
    path::{Component, Path, PathBuf},
};

pub use catalog::{catalogs, copy};
pub use error::SaveError;
pub use step::{Step, Unwatched, Watch};
use target::{Expect, Target, Wanted, sync_directory};

/// New content for one file.
#[derive(Clone, Copy, Debug)]
pub struct FileChange<'a> {
    /// The file. Links are followed.
    pub path: &'a Path,
    /// Its content as it was loaded; `None` if it must not exist yet.
    pub before: Option<&'a [u8]>,
    /// Its content from now on; `None` takes the file away.
    pub after: Option<&'a [u8]>,
}

/// Whether a file that exists may be replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Overwrite {
    /// It is an error.
    #[default]
    Never,
    /// The user has said so.
    Allowed,
}

/// Saves several files, all or none (see the module for how far that goes).
pub fn save(changes: &[FileChange<'_>]) -> Result<(), SaveError> {
    save_watched(changes, &mut Unwatched)
}

/// [`save`] with someone looking on, for tests that need a crash or an error at a given step.
pub fn save_watched(changes: &[FileChange<'_>], watch: &mut dyn Watch) -> Result<(), SaveError> {
    let wanted = changes.iter().map(|change| Wanted {
        path: change.path,
        expect: change.before.map_or(Expect::Absent, Expect::Content),
        bytes: change.after,
    });
    commit(wanted, watch)
}

/// Saves `bytes` as a file of the user's choice, in a directory that exists.
pub fn save_as(path: &Path, bytes: &[u8], overwrite: Overwrite) -> Result<(), SaveError> {
    commit([Wanted { path, expect: overwrite.expect(), bytes: Some(bytes) }], &mut Unwatched)
}

/// Saves files (paths relative to `directory`) as a tree, all or none, making the directories it needs.
pub fn save_tree(directory: &Path, files: &[(&Path, &[u8])], overwrite: Overwrite) -> Result<(), SaveError> {
    save_tree_watched(directory, files, overwrite, &mut Unwatched)
}

/// [`save_tree`] with someone looking on.
pub fn save_tree_watched(
    directory: &Path,
    files: &[(&Path, &[u8])],
    overwrite: Overwrite,
    watch: &mut dyn Watch,
) -> Result<(), SaveError> {
    let mut paths = Vec::with_capacity(files.len());
    for (path, _) in files {
        let inside = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !inside || path.file_name().is_none() {
            return Err(SaveError::OutsideTree { path: (*path).to_owned() });
        }
        paths.push(directory.join(path));
    }
    let mut made = Vec::new();
    let saved = paths.iter().try_for_each(|path| make_parents(path, &mut made, watch)).and_then(|()| {
        let wanted = paths.iter().zip(files).map(|(path, (_, bytes))| Wanted {
            path,
            expect: overwrite.expect(),
            bytes: Some(*bytes),
        });
        commit(wanted, watch)
    });
    match saved {
        Err(error) if !matches!(error, SaveError::NotDurable { .. }) => {
            // Not empty means that someone else uses it: then it stays.
            made.iter().rev().for_each(|directory| drop(fs::remove_dir(directory)));
            Err(error)
        }
        saved => {
            let parents: BTreeSet<_> = made.iter().filter_map(|directory| directory.parent()).collect();
            parents
                .into_iter()
                .filter(|parent| !parent.as_os_str().is_empty())
                .try_for_each(|parent| sync_directory(parent, watch))?;
            saved
        }
    }
}

impl Overwrite {
    fn expect(self) -> Expect<'static> {
        match self {
            Self::Never => Expect::Absent,
            Self::Allowed => Expect::Anything,
        }
    }
}

fn make_parents(path: &Path, made: &mut Vec<PathBuf>, watch: &mut dyn Watch) -> Result<(), SaveError> {
    let missing: Vec<&Path> = path
        .ancestors()
        .skip(1)
        .take_while(|directory| !directory.as_os_str().is_empty() && !directory.exists())
        .collect();
    for directory in missing.into_iter().rev() {
        let fail = |source: io::Error| match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                SaveError::ReadOnlyDirectory {
                    path: path.to_owned(),
                    directory: directory.parent().unwrap_or(directory).to_owned(),
                    source,
                }
            }
            _ => SaveError::from_io(Step::MakeDirectory, path, directory, source),
        };
        watch.before(Step::MakeDirectory, directory).map_err(fail)?;
        fs::create_dir(directory).map_err(fail)?;
        made.push(directory.to_owned());
    }
    Ok(())
}

fn commit<'a>(wanted: impl IntoIterator<Item = Wanted<'a>>, watch: &mut dyn Watch) -> Result<(), SaveError> {
    let mut targets = Vec::new();
    let mut seen: HashMap<PathBuf, PathBuf> = HashMap::new();
    for wanted in wanted {
        let target = Target::find(wanted, watch)?;
        if let Some(other) = seen.insert(target.real.clone(), wanted.path.to_owned()) {
            return Err(SaveError::SameFile { path: wanted.path.to_owned(), other });
        }
        if !target.is_done() {
            targets.push(target);
        }
    }
    let mut staged = Vec::with_capacity(targets.len());
    for target in &targets {
        staged.push(target.stage(watch)?);
    }
    for target in &targets {
        target.recheck(watch)?;
    }
    for (at, (target, staged)) in targets.iter().zip(staged).enumerate() {
        if let Err(error) = target.place(staged, watch) {
            return Err(go_back(&targets[..at], error, watch));
        }
    }
    let directories: BTreeSet<&Path> = targets.iter().map(Target::directory).collect();
    directories.into_iter().try_for_each(|directory| sync_directory(directory, watch))
}

/// Gives the files already in place their old content back; what remains new is named in the error.
fn go_back(placed: &[Target<'_>], error: SaveError, watch: &mut dyn Watch) -> SaveError {
    let mut saved: Vec<PathBuf> = Vec::new();
    for target in placed.iter().rev() {
        if target.restore(watch).is_err() {
            saved.push(target.wanted.path.to_owned());
        }
    }
    let directories: BTreeSet<&Path> = placed.iter().map(Target::directory).collect();
    for directory in directories {
        // The error at hand says more than this one could.
        drop(sync_directory(directory, watch));
    }
    saved.reverse();
    if saved.is_empty() { error } else { SaveError::Partly { saved, source: Box::new(error) } }
}
