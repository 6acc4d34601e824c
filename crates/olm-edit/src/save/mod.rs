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

mod error;
mod lock;
mod staging;
mod target;
#[cfg(test)]
mod tests;
#[cfg(all(test, unix))]
mod unix_tests;

use std::{
    collections::{BTreeSet, HashMap},
    fmt, fs, io,
    path::{Component, Path, PathBuf},
};

use staging::Staging;
use target::{Attributes, RefusedAttribute};
use target::{ExpectedState, PendingWrite, SaveContext, Target, directory_of, sync_directory};

pub use error::{NotDurable, SaveError};
pub use staging::{catalog_losses, catalog_roots, save_catalogs, save_copy};

pub use lock::DirectoryLock;

/// Result of a successful save, with a warning if a power failure may still undo it.
#[must_use = "a power failure may still undo the save: show `warning()` to the user"]
#[derive(Debug, Default)]
pub struct Saved {
    not_durable: Option<NotDurable>,
}

impl Saved {
    /// Returns the warning that a power failure may still undo the save; `None` if it is durable.
    pub fn warning(&self) -> Option<&NotDurable> {
        self.not_durable.as_ref()
    }

    /// Drops the warning. This suits files that the program can write again at any time.
    pub fn ignore_warning(self) {}
}

/// Writes `saved`, or `saved, but` with the warning.
impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.not_durable {
            None => f.write_str("saved"),
            Some(warning) => write!(f, "saved, but {warning}"),
        }
    }
}

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
#[doc(hidden)]
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
fn save_tree_observed(
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
    let (saved, flushed) = (saved?, flush_directories(parents, watch));
    Ok(if saved.warning().is_some() { saved } else { flushed })
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
    Saved { not_durable: first }
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
    flush_directories(placed.iter().map(Target::directory).collect::<BTreeSet<&Path>>(), hands.observer)
        .ignore_warning();
    saved.reverse();
    if saved.is_empty() { error } else { SaveError::PartlySaved { saved, source: Box::new(error) } }
}

/// Checks that no link on the path from a directory to a file in it leads out of the directory. The directory
/// itself may be a link, because the user named it. Missing parts are ignored.
///
/// # Errors
///
/// If a link leads out, or to a missing target.
pub fn check_links(directory: &Path, path: &Path) -> Result<(), SaveError> {
    let Ok(root) = fs::canonicalize(directory) else { return Ok(()) };
    let mut part: PathBuf = directory.to_owned();
    for component in path.components() {
        part.push(component);
        match fs::symlink_metadata(&part) {
            Ok(metadata) if metadata.is_symlink() => {}
            Ok(_) => continue,
            Err(_) => return Ok(()),
        }
        match fs::canonicalize(&part) {
            Ok(real) if real.starts_with(&root) => {}
            Ok(target) => {
                return Err(SaveError::LeadsOut { path: part, directory: directory.to_owned(), target });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(SaveError::DanglingLink { path: part });
            }
            Err(error) => return Err(SaveError::from_io(SaveStep::Read, &part, &part, error)),
        }
    }
    Ok(())
}

/// Directory for internal data of olmap (the XDG state directory), or none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateDirectory(Option<PathBuf>);

impl StateDirectory {
    /// Returns the user's directory: `$XDG_STATE_HOME/olmap`, or the system's equivalent.
    pub fn default_location() -> Self {
        use etcetera::BaseStrategy as _;
        let strategy = etcetera::choose_base_strategy().ok();
        let base = strategy.map(|strategy| strategy.state_dir().unwrap_or_else(|| strategy.data_dir()));
        Self(base.map(|base| base.join("olmap")))
    }

    /// Returns a directory at a path.
    pub fn from_path(path: impl Into<PathBuf>) -> Self {
        Self(Some(path.into()))
    }

    /// Returns no directory; everything is stored next to the files.
    pub fn none() -> Self {
        Self(None)
    }

    /// Returns the path, whether it exists or not.
    ///
    /// # Errors
    ///
    /// If there is no home directory.
    pub fn path(&self) -> io::Result<&Path> {
        let none = || io::Error::new(io::ErrorKind::NotFound, "there is no home directory");
        self.0.as_deref().ok_or_else(none)
    }

    /// Creates a subdirectory that only its owner can read, if it does not exist.
    ///
    /// # Errors
    ///
    /// If there is no home directory, or if it cannot be created.
    pub fn create_subdirectory(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.path()?.join(name);
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::DirBuilderExt as _;
            builder.mode(0o700);
        }
        builder.create(&path)?;
        Ok(path)
    }
}

/// A request to the operating system during a save.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SaveStep {
    /// Reading of the file, and comparison with what was loaded.
    Read,
    /// Creation of a directory.
    MakeDirectory,
    /// Creation of the new file in the staging area.
    Create,
    /// Writing of the new content.
    Write,
    /// Copying of the old file's owner, group, permissions and other attributes.
    Attributes,
    /// Flushing of the file to disk.
    SyncFile,
    /// Second comparison of the old file, because another program may have changed it.
    Recheck,
    /// Replacement of the old file by the new one.
    Rename,
    /// Removal of a file.
    Remove,
    /// Flushing of the directory, so that the rename survives a power failure.
    SyncDirectory,
    /// Restoring of an old content after a later failure.
    Restore,
}

impl fmt::Display for SaveStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "reading it",
            Self::MakeDirectory => "creating its directory",
            Self::Create => "creating a new file",
            Self::Write => "writing",
            Self::Attributes => "setting owner and permissions",
            Self::SyncFile => "flushing it to disk",
            Self::Recheck => "comparing it again",
            Self::Rename => "renaming the new file",
            Self::Remove => "removing the file",
            Self::SyncDirectory => "flushing its directory",
            Self::Restore => "restoring the old content",
        })
    }
}

/// Observer of all steps, which can make them fail. The program uses [`NoObserver`].
#[doc(hidden)]
pub trait StepObserver {
    /// Called before `step` for the file at `path` (links followed). An error counts as an error of the step.
    fn before_step(&mut self, step: SaveStep, path: &Path) -> io::Result<()>;
}

/// Observer that lets every step happen.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl StepObserver for NoObserver {
    fn before_step(&mut self, _: SaveStep, _: &Path) -> io::Result<()> {
        Ok(())
    }
}

/// Metadata that a replaced file loses.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {kind}", path.display())]
pub struct Loss {
    /// Path as given by the caller.
    pub path: PathBuf,
    /// Kind of loss.
    pub kind: LossKind,
}

/// Kind of loss.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LossKind {
    /// This many other hard links keep the old content, because the file is replaced.
    #[error("{} keep{} the old content", format_name_count(*.0), if *.0 == 1 { "s" } else { "" })]
    OtherNames(u64),
    /// The file will belong to the current user.
    #[error("the new file will belong to you instead of its owner")]
    Owner,
    /// The file will have the group of the current user.
    #[error("the new file will have your group instead of the current one")]
    Group,
    /// The access list cannot be kept.
    #[error("its ACL cannot be kept")]
    AccessList,
    /// An extended attribute cannot be kept.
    #[error("its extended attribute {0} cannot be kept")]
    Attribute(String),
}

fn format_name_count(count: u64) -> String {
    if count == 1 { "another hard link to it".to_owned() } else { format!("{count} other hard links to it") }
}

/// Returns the losses of replaced files. It tries to set the metadata on empty files, because only the system
/// knows what it permits.
pub fn find_losses<'a>(replaced: impl IntoIterator<Item = &'a Path>, state: &StateDirectory) -> Vec<Loss> {
    let mut staging = Staging::new(state);
    let of = |path: &'a Path| {
        let lost = find_file_losses(path, &mut staging).into_iter();
        lost.map(move |what| Loss { path: path.to_owned(), kind: what })
    };
    replaced.into_iter().flat_map(of).collect()
}

/// Returns the losses of one file. Empty if the file cannot be read, because then it cannot be
/// saved either.
fn find_file_losses(path: &Path, staging: &mut Staging) -> Vec<LossKind> {
    let Ok(real) = fs::canonicalize(path) else { return Vec::new() };
    let Ok(metadata) = fs::metadata(&real) else { return Vec::new() };
    let mut lost: Vec<LossKind> = other_names(&metadata).map(LossKind::OtherNames).into_iter().collect();
    let Ok(attributes) = Attributes::load(&real, metadata) else { return lost };
    if attributes.are_plain() {
        return lost;
    }
    if let Ok(scratch) = staging.for_replacement(directory_of(&real))
        && let Ok(refused) = attributes.apply_to(&scratch.file)
    {
        lost.extend(refused.into_iter().map(LossKind::from));
    }
    lost
}

impl From<RefusedAttribute> for LossKind {
    fn from(refused: RefusedAttribute) -> Self {
        match refused {
            RefusedAttribute::Owner => Self::Owner,
            RefusedAttribute::Group => Self::Group,
            RefusedAttribute::Extended(name) if name.to_string_lossy().contains("_acl") => Self::AccessList,
            RefusedAttribute::Extended(name) => Self::Attribute(name.to_string_lossy().into_owned()),
        }
    }
}

/// Returns the number of other hard links; `None` if there are none.
#[cfg(unix)]
fn other_names(metadata: &fs::Metadata) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    metadata.nlink().checked_sub(1).filter(|others| *others > 0)
}

#[cfg(not(unix))]
fn other_names(_: &fs::Metadata) -> Option<u64> {
    None
}
