//! Locks between olmap processes, so that none of them writes to a file between reading and replacing it.
//!
//! The lock is on the directory of a file (`flock` on the directory itself). It leaves no file behind, all
//! users of the machine see it, and it ends with the process. If a directory cannot be locked (Windows, some
//! network file systems), a file in the state directory replaces it. Only processes of the same user see that
//! file.

use std::{
    collections::BTreeMap,
    fs::{self, File, TryLockError},
    io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use super::{SaveError, StateDirectory};

/// Maximum time to wait for another process; saving a large catalog to a slow disk takes less.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// Folder in the state directory for lock files that replace directories.
const LOCK_FILES: &str = "locks";

/// Exclusive locks on directories, held until dropped.
#[derive(Debug)]
pub struct DirectoryLock {
    state: StateDirectory,
    /// Held locks by identity of the directory. Locking a directory twice would wait for itself.
    held: BTreeMap<Identity, Option<File>>,
}

/// Identity of a directory; its order is the locking order of all processes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Identity {
    /// Device and inode.
    #[cfg(unix)]
    Number(u64, u64),
    #[cfg(not(unix))]
    Path(std::path::PathBuf),
}

impl DirectoryLock {
    /// Creates an empty set of locks.
    pub fn new(state: StateDirectory) -> Self {
        Self { state, held: BTreeMap::new() }
    }

    /// Creates an empty set of locks with the user's state directory.
    pub fn with_default_state() -> Self {
        Self::new(StateDirectory::default_location())
    }

    /// Returns the state directory.
    pub fn state(&self) -> &StateDirectory {
        &self.state
    }

    /// Locks all of the directories that exist. Waits a limited time for other processes.
    ///
    /// # Errors
    ///
    /// If another process keeps a directory locked.
    pub fn lock_directories<'a>(
        &mut self,
        directories: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), SaveError> {
        let known = directories.into_iter().filter_map(|directory| Some((identity(directory)?, directory)));
        let wanted: BTreeMap<Identity, &Path> = known.collect();
        for (identity, directory) in wanted {
            if !self.held.contains_key(&identity) {
                let file = self.lock_directory(directory, &identity, Instant::now() + TIMEOUT)?;
                self.held.insert(identity, file);
            }
        }
        Ok(())
    }

    /// `None` if locking is not possible. Then only the comparison before each rename protects the file.
    fn lock_directory(
        &self,
        directory: &Path,
        identity: &Identity,
        deadline: Instant,
    ) -> Result<Option<File>, SaveError> {
        let busy = || SaveError::Busy { directory: directory.to_owned() };
        match File::open(directory).map_err(drop).and_then(|file| wait_for_lock(file, deadline)) {
            Ok(Some(file)) => return Ok(Some(file)),
            Ok(None) => return Err(busy()),
            Err(()) => {}
        }
        match self.open_lock_file(identity).map_err(drop).and_then(|file| wait_for_lock(file, deadline)) {
            Ok(None) => Err(busy()),
            Ok(file) => Ok(file),
            Err(()) => Ok(None),
        }
    }

    fn open_lock_file(&self, identity: &Identity) -> io::Result<File> {
        let name = format!("{:016x}", fnv1a(format!("{identity:?}").as_bytes()));
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        options.open(self.state.create_subdirectory(LOCK_FILES)?.join(name))
    }
}

/// Locks a file as soon as it is free. `None` after the deadline, and an error if locks are not supported.
fn wait_for_lock(file: File, deadline: Instant) -> Result<Option<File>, ()> {
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Interrupted => return Err(()),
            Err(_) if Instant::now() < deadline => thread::sleep(PAUSE),
            Err(_) => return Ok(None),
        }
    }
}

#[cfg(unix)]
fn identity(directory: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = fs::metadata(directory).ok()?;
    Some(Identity::Number(metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(directory: &Path) -> Option<Identity> {
    fs::canonicalize(directory).ok().map(Identity::Path)
}

/// Computes FNV-1a, which is the same in every build.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_is_exclusive_ignores_spelling_and_ends_with_its_holder() {
        let folder = tempfile::tempdir().unwrap();
        let detour = folder.path().join(".");
        let mut lock = DirectoryLock::new(StateDirectory::none());
        lock.lock_directories([folder.path(), &detour]).unwrap();
        assert_eq!(lock.held.len(), 1, "twice would wait for itself");
        let other = || wait_for_lock(File::open(folder.path()).unwrap(), Instant::now()).unwrap();
        assert!(other().is_none());
        drop(lock);
        assert!(other().is_some());
    }

    #[test]
    fn waiting_too_long_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = DirectoryLock::new(StateDirectory::none());
        first.lock_directories([folder.path()]).unwrap();
        let second = DirectoryLock::new(StateDirectory::none());
        let asked =
            || second.lock_directory(folder.path(), &identity(folder.path()).unwrap(), Instant::now());
        let refused = asked().unwrap_err();
        assert!(matches!(&refused, SaveError::Busy { directory } if directory == folder.path()), "{refused}");
        assert!(!refused.has_written());
        drop(first);
        assert!(asked().unwrap().is_some());
    }

    #[test]
    fn lock_file_replaces_unlockable_directory() {
        let (folder, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let lock = DirectoryLock::new(StateDirectory::from_path(state.path()));
        let identity = identity(folder.path()).unwrap();
        let first = wait_for_lock(lock.open_lock_file(&identity).unwrap(), Instant::now()).unwrap();
        let second = wait_for_lock(lock.open_lock_file(&identity).unwrap(), Instant::now()).unwrap();
        assert!(first.is_some() && second.is_none());
        assert!(DirectoryLock::new(StateDirectory::none()).open_lock_file(&identity).is_err());
    }
}
