//! Crash-safe and concurrent saving of files. After a power failure at any time, every file is complete, old or
//! new. Two processes do not overwrite each other's changes.
//!
//! The directories of all files are locked. Every file is compared with what was loaded. Its new content is
//! written where opm does not see it (`staging`), gets the metadata of the old file, and is flushed to disk.
//! When all files are ready, the targets are compared again and replaced by renaming, and the directories are
//! flushed. If a rename fails, the files already renamed get their old content back. So several files are saved
//! all or none. A crash between two renames leaves some files new and others old, each of them complete.
//!
//! Links are followed: the link stays, and its target is replaced. Other hard links keep the old content,
//! because there is no atomic alternative. [`find_losses`] reports this and other losses.

mod attributes;
mod catalog;
mod error;
mod links;
mod lock;
mod loss;
mod staging;
mod state;
mod step;
mod target;
#[cfg(test)]
mod tests;
#[cfg(all(test, unix))]
mod unix_tests;

use std::{
    collections::{BTreeSet, HashMap},
    fs, io,
    path::{Component, Path, PathBuf},
};

pub use catalog::{catalog_losses, catalog_roots, save_catalogs, save_copy};
pub use error::{NotDurable, SaveError};
pub use links::check_links;
pub use lock::DirectoryLock;
pub use loss::{Loss, LossKind, find_losses};
use staging::Staging;
pub use state::StateDirectory;
pub use step::{NoObserver, SaveStep, StepObserver};
use target::{ExpectedState, PendingWrite, SaveContext, Target, sync_directory};

/// Result of a successful save: `None`, or a warning that a power failure may still undo it.
pub type Saved = Option<NotDurable>;

/// New content of a file.
#[derive(Clone, Copy, Debug)]
pub struct FileChange<'a> {
    /// Path of the file; links are followed.
    pub path: &'a Path,
    /// Content as it was loaded; `None` if the file must not exist yet.
    pub before: Option<&'a [u8]>,
    /// New content; `None` removes the file.
    pub after: Option<&'a [u8]>,
}

/// Policy for existing files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Overwrite {
    /// Existing files are an error.
    #[default]
    Never,
    /// Existing files may be replaced, as the user confirmed.
    Allowed,
}

/// Saves several files, all or none (see the module documentation).
pub fn save_files(changes: &[FileChange<'_>], lock: &mut DirectoryLock) -> Result<Saved, SaveError> {
    save_files_observed(changes, lock, &mut NoObserver)
}

/// Like [`save_files`], with an observer for tests that inject a crash or an error at a step.
pub fn save_files_observed(
    changes: &[FileChange<'_>],
    lock: &mut DirectoryLock,
    watch: &mut dyn StepObserver,
) -> Result<Saved, SaveError> {
    let wanted = changes.iter().map(|change| PendingWrite {
        path: change.path,
        expect: change.before.map_or(ExpectedState::MissingOrDone, ExpectedState::Content),
        bytes: change.after,
    });
    let wanted: Vec<PendingWrite<'_>> = wanted.collect();
    // The folder of a new package is created, but not a missing folder of the catalog.
    let new = changes.iter().filter(|change| change.before.is_none() && change.after.is_some());
    let in_new_folder = new.map(|change| change.path).filter(|path| {
        path.parent()
            .and_then(Path::parent)
            .is_some_and(|above| above.as_os_str().is_empty() || above.is_dir())
    });
    save_with_directories(in_new_folder, watch, |watch| commit_writes(&wanted, lock, watch))
}

/// Saves `bytes` to a file chosen by the user, in an existing directory.
pub fn save_as(
    path: &Path,
    bytes: &[u8],
    overwrite: Overwrite,
    lock: &mut DirectoryLock,
) -> Result<Saved, SaveError> {
    commit_writes(
        &[PendingWrite { path, expect: overwrite.expected_state(), bytes: Some(bytes) }],
        lock,
        &mut NoObserver,
    )
}

/// Saves files (paths relative to `directory`) as a tree, all or none, and creates the directories. Links are
/// followed inside of the directory.
pub fn save_tree(
    directory: &Path,
    files: &[(&Path, &[u8])],
    overwrite: Overwrite,
    lock: &mut DirectoryLock,
) -> Result<Saved, SaveError> {
    save_tree_observed(directory, files, overwrite, lock, &mut NoObserver)
}

/// Like [`save_tree`], with an observer.
pub fn save_tree_observed(
    directory: &Path,
    files: &[(&Path, &[u8])],
    overwrite: Overwrite,
    lock: &mut DirectoryLock,
    watch: &mut dyn StepObserver,
) -> Result<Saved, SaveError> {
    let mut paths = Vec::with_capacity(files.len());
    for (path, _) in files {
        let inside = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !inside || path.file_name().is_none() {
            return Err(SaveError::OutsideTree { path: (*path).to_owned() });
        }
        check_links(directory, path)?;
        paths.push(directory.join(path));
    }
    save_with_directories(paths.iter().map(PathBuf::as_path), watch, |watch| {
        let wanted = paths.iter().zip(files).map(|(path, (_, bytes))| PendingWrite {
            path,
            expect: overwrite.expected_state(),
            bytes: Some(*bytes),
        });
        commit_writes(&wanted.collect::<Vec<_>>(), lock, watch)
    })
}

/// Saves after creating the missing directories of paths. Removes them again if nothing was saved.
fn save_with_directories<'p>(
    mut paths: impl Iterator<Item = &'p Path>,
    watch: &mut dyn StepObserver,
    save: impl FnOnce(&mut dyn StepObserver) -> Result<Saved, SaveError>,
) -> Result<Saved, SaveError> {
    let mut made = Vec::new();
    let saved = paths.try_for_each(|path| create_parents(path, &mut made, watch)).and_then(|()| save(watch));
    if saved.is_err() {
        // A directory that is not empty is in use and stays.
        made.iter().rev().for_each(|directory| drop(fs::remove_dir(directory)));
        return saved;
    }
    let parents: BTreeSet<_> = made.iter().filter_map(|directory| directory.parent()).collect();
    let parents = parents.into_iter().filter(|parent| !parent.as_os_str().is_empty());
    Ok(saved?.or(flush_directories(parents, watch)))
}

impl Overwrite {
    fn expected_state(self) -> ExpectedState<'static> {
        match self {
            Self::Never => ExpectedState::Missing,
            Self::Allowed => ExpectedState::Any,
        }
    }
}

fn create_parents(
    path: &Path,
    made: &mut Vec<PathBuf>,
    watch: &mut dyn StepObserver,
) -> Result<(), SaveError> {
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
            _ => SaveError::from_io(SaveStep::MakeDirectory, path, directory, source),
        };
        watch.before_step(SaveStep::MakeDirectory, directory).map_err(fail)?;
        fs::create_dir(directory).map_err(fail)?;
        made.push(directory.to_owned());
    }
    Ok(())
}

fn commit_writes(
    wanted: &[PendingWrite<'_>],
    lock: &mut DirectoryLock,
    watch: &mut dyn StepObserver,
) -> Result<Saved, SaveError> {
    let directories: Vec<PathBuf> = wanted.iter().map(|wanted| target::real_directory(wanted.path)).collect();
    lock.lock_directories(directories.iter().map(PathBuf::as_path))?;
    let mut targets = Vec::new();
    let mut seen: HashMap<PathBuf, PathBuf> = HashMap::new();
    for wanted in wanted {
        let target = Target::resolve(*wanted, watch)?;
        if let Some(other) = seen.insert(target.real.clone(), wanted.path.to_owned()) {
            return Err(SaveError::SameFile { path: wanted.path.to_owned(), other });
        }
        if !target.is_done {
            targets.push(target);
        }
    }
    let mut hands = SaveContext { observer: watch, staging: Staging::new(lock.state()) };
    let mut staged = Vec::with_capacity(targets.len());
    for target in &targets {
        staged.push(target.stage(&mut hands)?);
    }
    for target in &targets {
        target.compare_again(hands.observer)?;
    }
    for (at, (target, staged)) in targets.iter().zip(staged).enumerate() {
        if let Err(error) = target.put_in_place(staged, &mut hands) {
            return Err(restore_all(&targets[..at], error, &mut hands));
        }
    }
    let directories: BTreeSet<&Path> = targets.iter().map(Target::directory).collect();
    Ok(flush_directories(directories, hands.observer))
}

/// Flushes directories; returns the first failure.
fn flush_directories<'a>(
    directories: impl IntoIterator<Item = &'a Path>,
    watch: &mut dyn StepObserver,
) -> Saved {
    let mut first = None;
    for directory in directories {
        if let Err(error) = sync_directory(directory, watch) {
            first.get_or_insert(error);
        }
    }
    first
}

/// Restores the old content of files that are already in place. The error lists files that could not be
/// restored.
fn restore_all(placed: &[Target<'_>], error: SaveError, hands: &mut SaveContext<'_>) -> SaveError {
    let mut saved: Vec<PathBuf> = Vec::new();
    for target in placed.iter().rev() {
        if target.restore_old_content(hands).is_err() {
            saved.push(target.write.path.to_owned());
        }
    }
    // A failure here is less important than the original error.
    flush_directories(placed.iter().map(Target::directory).collect::<BTreeSet<&Path>>(), hands.observer);
    saved.reverse();
    if saved.is_empty() { error } else { SaveError::PartlySaved { saved, source: Box::new(error) } }
}
