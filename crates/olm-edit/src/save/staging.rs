//! Storage of new content until it replaces the old one, where opm does not read it.
//!
//! - Replacements are written to a folder in olmap's state directory and renamed from there. The catalog shows
//!   only the final change. Both must be on the same file system.
//! - Otherwise they are written to a separate folder next to the old file, `.olmap-save-XXXXXX`. It first gets
//!   an `.indexignore`, which hides everything in it from opm.
//! - New files are written without a name in their directory, if the system supports it (Linux). So they get
//!   the group and access list of any new file there. They get their name when they are complete.
//!
//! A folder is locked while in use. So other processes can recognize and remove folders left after a crash.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use tempfile::TempPath;

use super::{
    DirectoryLock, FileChange, Loss, Overwrite, SaveError, Saved, StateDirectory, find_losses, save_as,
    save_files, save_tree, target::flush_directory,
};
use olm_catalog::{
    Catalog, Origin, SourceFile,
    model::ChangedFile,
    paths::{indexignore, leftover},
};

/// Folder in the state directory for new content.
const STAGING_FOLDER: &str = "staging";

/// Rule that hides all files of a folder from opm.
const HIDE_ALL: &str = "*\n";

/// Storage of new content during one save.
#[derive(Debug)]
pub(super) struct Staging {
    state: StateDirectory,
    /// False if renaming from the state directory is known to fail.
    can_rename_from_home: bool,
    state_folder: Option<StagingFolder>,
    target_folders: HashMap<PathBuf, StagingFolder>,
}

/// New content that is not in place yet; removed when dropped.
#[derive(Debug)]
pub(super) struct Staged {
    pub file: File,
    location: StagedLocation,
}

#[derive(Debug)]
enum StagedLocation {
    /// In the state directory.
    StateFolder(TempPath),
    /// In a folder next to the target.
    NextToTarget(TempPath),
    /// A file without a name.
    Nameless,
}

impl Staging {
    pub fn new(state: &StateDirectory) -> Self {
        Self {
            state: state.clone(),
            can_rename_from_home: true,
            state_folder: None,
            target_folders: HashMap::new(),
        }
    }

    /// Creates an empty file that will replace one in a directory. Only its owner can read it.
    pub fn for_replacement(&mut self, directory: &Path) -> io::Result<Staged> {
        if self.can_rename_from_home
            && let Some(folder) = self.state_folder(directory)
            && let Ok((file, path)) = folder.create_file()
        {
            return Ok(Staged { file, location: StagedLocation::StateFolder(path) });
        }
        self.stage_next_to(directory)
    }

    /// Creates an empty file that will be new in a directory, with the permissions of any new file there.
    pub fn for_new_file(&mut self, directory: &Path) -> io::Result<Staged> {
        if let Some(file) = nameless(directory) {
            return Ok(Staged { file, location: StagedLocation::Nameless });
        }
        self.stage_next_to(directory)
    }

    fn stage_next_to(&mut self, directory: &Path) -> io::Result<Staged> {
        if !self.target_folders.contains_key(directory) {
            self.target_folders.insert(directory.to_owned(), StagingFolder::hidden_in_catalog(directory)?);
        }
        let folder = self.target_folders.get(directory).ok_or(io::ErrorKind::NotFound)?;
        let (file, path) = folder.create_file()?;
        Ok(Staged { file, location: StagedLocation::NextToTarget(path) })
    }

    /// Returns the folder in the state directory, if it is on the file system of a directory.
    fn state_folder(&mut self, directory: &Path) -> Option<&StagingFolder> {
        if self.state_folder.is_none() {
            self.state_folder = StagingFolder::in_state_directory(&self.state).ok();
        }
        self.state_folder.as_ref().filter(|folder| on_one_file_system(&folder.path, directory))
    }

    /// Records that renaming from the state directory fails, because one file system may be mounted twice.
    /// Returns true if this was not known.
    pub fn disable_state_directory(&mut self) -> bool {
        std::mem::replace(&mut self.can_rename_from_home, false)
    }
}

impl Staged {
    /// Replaces a file.
    pub fn replace(self, target: &Path) -> io::Result<()> {
        match self.location {
            StagedLocation::StateFolder(path) | StagedLocation::NextToTarget(path) => {
                path.persist(target).map_err(|error| error.error)
            }
            StagedLocation::Nameless => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Names a new file, without replacing an existing one.
    pub fn name_new_file(self, target: &Path) -> io::Result<()> {
        match self.location {
            StagedLocation::StateFolder(path) | StagedLocation::NextToTarget(path) => {
                path.persist_noclobber(target).map_err(|error| error.error)
            }
            StagedLocation::Nameless => link_nameless_file(&self.file, target),
        }
    }
}

/// A folder for new content; removed when dropped.
#[derive(Debug)]
struct StagingFolder {
    path: PathBuf,
    /// True if it is in a directory of a catalog, where an ignore file hides it from opm.
    is_hidden: bool,
    /// Lock that shows other processes that the folder is in use.
    _handle: Option<File>,
}

impl StagingFolder {
    /// Creates a folder in the state directory. Removes folders left after a crash.
    fn in_state_directory(state: &StateDirectory) -> io::Result<Self> {
        let all = state.create_subdirectory(STAGING_FOLDER)?;
        // The lock protects a folder between its creation and its own lock.
        let guard = File::open(&all)?;
        guard.lock()?;
        for entry in fs::read_dir(&all)?.flatten() {
            let path = entry.path();
            let is_alive = File::open(&path).is_ok_and(|folder| folder.try_lock_shared().is_err());
            if !is_alive {
                // Folders that cannot be removed are tried again the next time.
                let _ = fs::remove_dir_all(path);
            }
        }
        Ok(Self::from_path(tempfile::Builder::new().prefix("").tempdir_in(&all)?.keep(), false))
    }

    /// Creates a folder in a directory of a catalog, hidden from opm.
    fn hidden_in_catalog(directory: &Path) -> io::Result<Self> {
        let path = tempfile::Builder::new().prefix(leftover::PREFIX).tempdir_in(directory)?.keep();
        let folder = Self::from_path(path, true);
        let mut rules = File::create_new(folder.path.join(indexignore::FILE_NAME))?;
        rules.write_all(HIDE_ALL.as_bytes())?;
        // Processes of other users must be able to read the rules.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            rules.set_permissions(fs::Permissions::from_mode(0o644))?;
            fs::set_permissions(&folder.path, fs::Permissions::from_mode(0o755))?;
        }
        // The rules must exist before any other file, even after a power failure.
        rules.sync_all()?;
        flush_directory(&folder.path)?;
        Ok(folder)
    }

    fn from_path(path: PathBuf, is_hidden: bool) -> Self {
        // If locking fails, other processes may report the folder as left over, which is harmless.
        let handle = File::open(&path).ok().filter(|handle| handle.try_lock().is_ok());
        Self { path, is_hidden, _handle: handle }
    }

    fn create_file(&self) -> io::Result<(File, TempPath)> {
        let file = tempfile::Builder::new().prefix("").tempfile_in(&self.path)?;
        Ok(file.into_parts())
    }
}

impl Drop for StagingFolder {
    fn drop(&mut self) {
        // The rules are removed last, even after a power failure, so that no content is ever visible.
        if self.is_hidden {
            let _ = flush_directory(&self.path);
        }
        // Reading the catalog reports a folder that cannot be removed.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(unix)]
fn on_one_file_system(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let device = |path| fs::metadata(path).map(|metadata| metadata.dev()).ok();
    device(one).is_some_and(|one| device(other) == Some(one))
}

#[cfg(not(unix))]
fn on_one_file_system(_: &Path, _: &Path) -> bool {
    // The rename itself shows whether it works.
    true
}

/// Creates a file without a name in a directory, if the system supports it.
#[cfg(target_os = "linux")]
fn nameless(directory: &Path) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    // The file can only get a name through this path.
    if !Path::new("/proc/self/fd").is_dir() {
        return None;
    }
    let mut options = File::options();
    options.read(true).write(true).mode(0o666).custom_flags(nix::fcntl::OFlag::O_TMPFILE.bits());
    options.open(directory).ok()
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Path) -> Option<File> {
    None
}

#[cfg(target_os = "linux")]
fn link_nameless_file(file: &File, target: &Path) -> io::Result<()> {
    use nix::fcntl::{AT_FDCWD, AtFlags};
    use std::os::fd::AsRawFd as _;
    let file = format!("/proc/self/fd/{}", file.as_raw_fd());
    nix::unistd::linkat(AT_FDCWD, file.as_str(), AT_FDCWD, target, AtFlags::AT_SYMLINK_FOLLOW)
        .map_err(io::Error::from)
}

#[cfg(not(target_os = "linux"))]
fn link_nameless_file(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

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
