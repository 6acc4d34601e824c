//! Where new content stands until it is put in place: nowhere that opm reads.
//!
//! - A file that replaces another is written in a folder of olmap's own state directory and renamed from there: nothing is
//!   seen in the catalog but the change itself. That takes one and the same file system.
//! - Elsewhere it is written in a folder of its own beside the old file, `.olmap-save-XXXXXX`. An `.indexignore` in that
//!   folder, which is there before anything else, hides all of it from opm.
//! - A file that is new is written without a name where the system can do that (Linux), in the directory it will be in, so
//!   that it has what every file made there has (group, default access list); it gets its name when it is whole.
//!
//! A folder is locked while it is in use, so that others can tell it from one that a crash left, and take that away.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use tempfile::TempPath;

use super::{StateDirectory, target::flush_directory};
use crate::catalog::paths::{indexignore, leftover};

/// The folder of the state directory in which new content stands.
const FOLDER: &str = "staging";

/// What hides a folder from opm with all that is in it.
const HIDE_ALL: &str = "*\n";

/// Where new content stands during one save.
#[derive(Debug)]
pub(super) struct Staging {
    state: StateDirectory,
    /// Whether files can be renamed out of the state directory, as far as is known.
    is_home_near: bool,
    home: Option<Folder>,
    beside: HashMap<PathBuf, Folder>,
}

/// New content that is not in place yet. It goes with this, unless it is put in place.
#[derive(Debug)]
pub(super) struct Staged {
    pub file: File,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// In the state directory.
    Home(TempPath),
    /// In a folder beside the target.
    Beside(TempPath),
    /// Nowhere: the file has no name.
    Nameless,
}

impl Staging {
    pub fn new(state: &StateDirectory) -> Self {
        Self { state: state.clone(), is_home_near: true, home: None, beside: HashMap::new() }
    }

    /// An empty file that will replace one in a directory. Only its owner can read it.
    pub fn for_old(&mut self, directory: &Path) -> io::Result<Staged> {
        if self.is_home_near
            && let Some(folder) = self.home(directory)
            && let Ok((file, path)) = folder.create()
        {
            return Ok(Staged { file, place: Place::Home(path) });
        }
        self.beside(directory)
    }

    /// An empty file that will be new in a directory, with the permissions of any new file there.
    pub fn for_new(&mut self, directory: &Path) -> io::Result<Staged> {
        if let Some(file) = nameless(directory) {
            return Ok(Staged { file, place: Place::Nameless });
        }
        self.beside(directory)
    }

    fn beside(&mut self, directory: &Path) -> io::Result<Staged> {
        if !self.beside.contains_key(directory) {
            self.beside.insert(directory.to_owned(), Folder::hidden_in(directory)?);
        }
        let folder = self.beside.get(directory).ok_or(io::ErrorKind::NotFound)?;
        let (file, path) = folder.create()?;
        Ok(Staged { file, place: Place::Beside(path) })
    }

    /// The folder in the state directory, where that is on the file system of a directory.
    fn home(&mut self, directory: &Path) -> Option<&Folder> {
        if self.home.is_none() {
            self.home = Folder::at_home(&self.state).ok();
        }
        self.home.as_ref().filter(|folder| on_one_file_system(&folder.path, directory))
    }

    /// Says that files cannot be renamed out of the state directory after all: one file system may be there twice. Whether
    /// that is news.
    pub fn is_far_from_home(&mut self) -> bool {
        std::mem::replace(&mut self.is_home_near, false)
    }
}

impl Staged {
    /// Puts a file in the place of another.
    pub fn replace(self, target: &Path) -> io::Result<()> {
        match self.place {
            Place::Home(path) | Place::Beside(path) => path.persist(target).map_err(|error| error.error),
            Place::Nameless => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Gives a file its name. Another one of that name is not replaced.
    pub fn name(self, target: &Path) -> io::Result<()> {
        match self.place {
            Place::Home(path) | Place::Beside(path) => {
                path.persist_noclobber(target).map_err(|error| error.error)
            }
            Place::Nameless => name(&self.file, target),
        }
    }
}

/// A folder in which new content stands. It goes when this does.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    /// Whether it is in a directory of a catalog, where a file hides it from opm.
    is_hidden: bool,
    /// Locked: whoever sees the folder can tell that it is in use.
    _handle: Option<File>,
}

impl Folder {
    /// One in the state directory. Those that crashes left there go.
    fn at_home(state: &StateDirectory) -> io::Result<Self> {
        let all = state.directory(FOLDER)?;
        // Locked, so that nobody takes a folder for a left-over one that was just made.
        let guard = File::open(&all)?;
        guard.lock()?;
        for entry in fs::read_dir(&all)?.flatten() {
            let path = entry.path();
            let is_alive = File::open(&path).is_ok_and(|folder| folder.try_lock_shared().is_err());
            if !is_alive {
                // What cannot be removed is tried again the next time.
                let _ = fs::remove_dir_all(path);
            }
        }
        Ok(Self::new(tempfile::Builder::new().prefix("").tempdir_in(&all)?.keep(), false))
    }

    /// One in a directory of a catalog, hidden from opm.
    fn hidden_in(directory: &Path) -> io::Result<Self> {
        let path = tempfile::Builder::new().prefix(leftover::PREFIX).tempdir_in(directory)?.keep();
        let folder = Self::new(path, true);
        let mut rules = File::create_new(folder.path.join(indexignore::FILE_NAME))?;
        rules.write_all(HIDE_ALL.as_bytes())?;
        // An opm of another user must be able to read what tells it to read no more.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            rules.set_permissions(fs::Permissions::from_mode(0o644))?;
            fs::set_permissions(&folder.path, fs::Permissions::from_mode(0o755))?;
        }
        // After a power failure too there must be nothing in it without that.
        rules.sync_all()?;
        flush_directory(&folder.path)?;
        Ok(folder)
    }

    fn new(path: PathBuf, is_hidden: bool) -> Self {
        // Where a folder cannot be locked, others take it for a left-over one: said too early, but nothing is lost.
        let handle = File::open(&path).ok().filter(|handle| handle.try_lock().is_ok());
        Self { path, is_hidden, _handle: handle }
    }

    fn create(&self) -> io::Result<(File, TempPath)> {
        let file = tempfile::Builder::new().prefix("").tempfile_in(&self.path)?;
        Ok(file.into_parts())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What hides it goes last, after a power failure too: nothing may be seen in it that was put in place or taken back.
        if self.is_hidden {
            let _ = flush_directory(&self.path);
        }
        // What cannot be removed is found and named when the catalog is read.
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
    // A rename finds out.
    true
}

/// A file without a name in a directory, where the system can make one.
#[cfg(target_os = "linux")]
fn nameless(directory: &Path) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    // It can get a name only by way of this.
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
fn name(file: &File, target: &Path) -> io::Result<()> {
    use nix::fcntl::{AT_FDCWD, AtFlags};
    use std::os::fd::AsRawFd as _;
    let file = format!("/proc/self/fd/{}", file.as_raw_fd());
    nix::unistd::linkat(AT_FDCWD, file.as_str(), AT_FDCWD, target, AtFlags::AT_SYMLINK_FOLLOW)
        .map_err(io::Error::from)
}

#[cfg(not(target_os = "linux"))]
fn name(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
