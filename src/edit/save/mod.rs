//! Saving files so that the power may fail between any two system calls and every file is whole, old or new, and so that two
//! olmaps at once lose nothing.
//!
//! The directories of all files are locked. Every file is read and compared with what was loaded, its new content is written
//! where opm does not see it (`staging`), given what the old file has besides its content, and flushed to disk. Only when
//! all of them are ready, all targets are compared once more and the new files are renamed over them; then the directories
//! are flushed. When a rename fails, the files already renamed get their old content back, so several files are saved all or
//! none, as far as a file system allows: a crash between two renames leaves some files new and others old, each of them
//! whole.
//!
//! Links are followed: the link stays, its target is replaced. A hard link to the file keeps the old content (there is no
//! atomic way around it); [`losses`] tells of that and of whatever else cannot be kept.

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

pub use catalog::{catalogs, copy, losses_of, roots};
pub use error::{NotDurable, SaveError};
pub use links::check_links;
pub use lock::Lock;
pub use loss::{Loss, Lost, losses};
use staging::Staging;
pub use state::StateDirectory;
pub use step::{Step, Unwatched, Watch};
use target::{Expect, Hands, Target, Wanted, sync_directory};

/// What a save that was done has to say for itself: nothing, or that a power failure might still undo it.
pub type Saved = Option<NotDurable>;

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
pub fn save(changes: &[FileChange<'_>], lock: &mut Lock) -> Result<Saved, SaveError> {
    save_watched(changes, lock, &mut Unwatched)
}

/// [`save`] with someone looking on, for tests that need a crash or an error at a given step.
pub fn save_watched(
    changes: &[FileChange<'_>],
    lock: &mut Lock,
    watch: &mut dyn Watch,
) -> Result<Saved, SaveError> {
    let wanted = changes.iter().map(|change| Wanted {
        path: change.path,
        expect: change.before.map_or(Expect::NotYet, Expect::Content),
        bytes: change.after,
    });
    let wanted: Vec<Wanted<'_>> = wanted.collect();
    // The folder of a new package is made; a catalog whose own folder is gone is not.
    let new = changes.iter().filter(|change| change.before.is_none() && change.after.is_some());
    let in_new_folder = new.map(|change| change.path).filter(|path| {
        path.parent()
            .and_then(Path::parent)
            .is_some_and(|above| above.as_os_str().is_empty() || above.is_dir())
    });
    in_directories(in_new_folder, watch, |watch| commit(&wanted, lock, watch))
}

/// Saves `bytes` as a file of the user's choice, in a directory that exists.
pub fn save_as(path: &Path, bytes: &[u8], overwrite: Overwrite, lock: &mut Lock) -> Result<Saved, SaveError> {
    commit(&[Wanted { path, expect: overwrite.expect(), bytes: Some(bytes) }], lock, &mut Unwatched)
}

/// Saves files (paths relative to `directory`) as a tree, all or none, making the directories it needs. A link in the directory
/// is followed if it stays inside of it.
pub fn save_tree(
    directory: &Path,
    files: &[(&Path, &[u8])],
    overwrite: Overwrite,
    lock: &mut Lock,
) -> Result<Saved, SaveError> {
    save_tree_watched(directory, files, overwrite, lock, &mut Unwatched)
}

/// [`save_tree`] with someone looking on.
pub fn save_tree_watched(
    directory: &Path,
    files: &[(&Path, &[u8])],
    overwrite: Overwrite,
    lock: &mut Lock,
    watch: &mut dyn Watch,
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
    in_directories(paths.iter().map(PathBuf::as_path), watch, |watch| {
        let wanted = paths.iter().zip(files).map(|(path, (_, bytes))| Wanted {
            path,
            expect: overwrite.expect(),
            bytes: Some(*bytes),
        });
        commit(&wanted.collect::<Vec<_>>(), lock, watch)
    })
}

/// Saves in directories, making those of some paths that are missing; they go again where nothing was saved.
fn in_directories<'p>(
    mut paths: impl Iterator<Item = &'p Path>,
    watch: &mut dyn Watch,
    save: impl FnOnce(&mut dyn Watch) -> Result<Saved, SaveError>,
) -> Result<Saved, SaveError> {
    let mut made = Vec::new();
    let saved = paths.try_for_each(|path| make_parents(path, &mut made, watch)).and_then(|()| save(watch));
    if saved.is_err() {
        // Not empty means that someone else uses it: then it stays.
        made.iter().rev().for_each(|directory| drop(fs::remove_dir(directory)));
        return saved;
    }
    let parents: BTreeSet<_> = made.iter().filter_map(|directory| directory.parent()).collect();
    let parents = parents.into_iter().filter(|parent| !parent.as_os_str().is_empty());
    Ok(saved?.or(flush(parents, watch)))
}

impl Overwrite {
    fn expect(self) -> Expect<'static> {
        match self {
            Self::Never => Expect::Nothing,
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

fn commit(wanted: &[Wanted<'_>], lock: &mut Lock, watch: &mut dyn Watch) -> Result<Saved, SaveError> {
    let directories: Vec<PathBuf> = wanted.iter().map(|wanted| target::real_directory(wanted.path)).collect();
    lock.extend(directories.iter().map(PathBuf::as_path))?;
    let mut targets = Vec::new();
    let mut seen: HashMap<PathBuf, PathBuf> = HashMap::new();
    for wanted in wanted {
        let target = Target::find(*wanted, watch)?;
        if let Some(other) = seen.insert(target.real.clone(), wanted.path.to_owned()) {
            return Err(SaveError::SameFile { path: wanted.path.to_owned(), other });
        }
        if !target.is_done {
            targets.push(target);
        }
    }
    let mut hands = Hands { watch, staging: Staging::new(lock.state()) };
    let mut staged = Vec::with_capacity(targets.len());
    for target in &targets {
        staged.push(target.stage(&mut hands)?);
    }
    for target in &targets {
        target.recheck(hands.watch)?;
    }
    for (at, (target, staged)) in targets.iter().zip(staged).enumerate() {
        if let Err(error) = target.place(staged, &mut hands) {
            return Err(go_back(&targets[..at], error, &mut hands));
        }
    }
    let directories: BTreeSet<&Path> = targets.iter().map(Target::directory).collect();
    Ok(flush(directories, hands.watch))
}

/// Flushes directories; what comes back is the first that could not be.
fn flush<'a>(directories: impl IntoIterator<Item = &'a Path>, watch: &mut dyn Watch) -> Saved {
    let mut first = None;
    for directory in directories {
        if let Err(error) = sync_directory(directory, watch) {
            first.get_or_insert(error);
        }
    }
    first
}

/// Gives the files already in place their old content back; what remains new is named in the error.
fn go_back(placed: &[Target<'_>], error: SaveError, hands: &mut Hands<'_>) -> SaveError {
    let mut saved: Vec<PathBuf> = Vec::new();
    for target in placed.iter().rev() {
        if target.restore(hands).is_err() {
            saved.push(target.wanted.path.to_owned());
        }
    }
    // The error at hand says more than one of these could.
    flush(placed.iter().map(Target::directory).collect::<BTreeSet<&Path>>(), hands.watch);
    saved.reverse();
    if saved.is_empty() { error } else { SaveError::Partly { saved, source: Box::new(error) } }
}
