//! Locks that other olmaps respect, so that between reading a file and replacing it none of them writes to it.
//!
//! What is locked is the directory of a file (`flock` on the directory itself): nothing is left in it, every user of the
//! machine sees the lock, and it goes with the process, however that ends. Where a directory cannot be locked (Windows, some
//! network file systems) a file in the state directory stands for it, which only the same user's olmaps see.

use std::{
    collections::BTreeMap,
    fs::{self, File, TryLockError},
    io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use super::{SaveError, StateDirectory};

/// How long one waits for another olmap: a save of a large catalog to a slow disk takes less.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long one waits before one tries again.
const PAUSE: Duration = Duration::from_millis(5);

/// The folder of the state directory in which files stand for directories.
const STAND_INS: &str = "locks";

/// Exclusive locks on directories, held until this is dropped.
#[derive(Debug)]
pub struct Lock {
    state: StateDirectory,
    /// By what tells a directory from every other, so that none is locked twice, which would wait for itself.
    held: BTreeMap<Identity, Option<File>>,
}

/// What tells a directory from every other one, in an order in which all olmaps lock.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Identity {
    /// Device and inode.
    #[cfg(unix)]
    Number(u64, u64),
    #[cfg(not(unix))]
    Path(std::path::PathBuf),
}

impl Lock {
    /// No lock on anything yet.
    pub fn new(state: StateDirectory) -> Self {
        Self { state, held: BTreeMap::new() }
    }

    /// The same, with the state directory of whoever runs the program.
    pub fn usual() -> Self {
        Self::new(StateDirectory::usual())
    }

    /// Where stand-ins and new content are kept.
    pub(super) fn state(&self) -> &StateDirectory {
        &self.state
    }

    /// Locks these directories too, those of them that are there. Waits for other olmaps, but not for ever.
    ///
    /// # Errors
    ///
    /// When another olmap does not let go of one.
    pub fn extend<'a>(&mut self, directories: impl IntoIterator<Item = &'a Path>) -> Result<(), SaveError> {
        let known = directories.into_iter().filter_map(|directory| Some((identity(directory)?, directory)));
        let wanted: BTreeMap<Identity, &Path> = known.collect();
        for (identity, directory) in wanted {
            if !self.held.contains_key(&identity) {
                let file = self.lock(directory, &identity, Instant::now() + PATIENCE)?;
                self.held.insert(identity, file);
            }
        }
        Ok(())
    }

    /// `None` where nothing can be locked: then only the comparison before each rename protects from other olmaps.
    fn lock(
        &self,
        directory: &Path,
        identity: &Identity,
        deadline: Instant,
    ) -> Result<Option<File>, SaveError> {
        let busy = || SaveError::Busy { directory: directory.to_owned() };
        match File::open(directory).map_err(drop).and_then(|file| wait(file, deadline)) {
            Ok(Some(file)) => return Ok(Some(file)),
            Ok(None) => return Err(busy()),
            Err(()) => {}
        }
        match self.stand_in(identity).map_err(drop).and_then(|file| wait(file, deadline)) {
            Ok(None) => Err(busy()),
            Ok(file) => Ok(file),
            Err(()) => Ok(None),
        }
    }

    fn stand_in(&self, identity: &Identity) -> io::Result<File> {
        let name = format!("{:016x}", checksum(format!("{identity:?}").as_bytes()));
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        options.open(self.state.directory(STAND_INS)?.join(name))
    }
}

/// Locks a file as soon as nobody else has it locked: `None` where that does not come, an error where it has no locks.
fn wait(file: File, deadline: Instant) -> Result<Option<File>, ()> {
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

/// FNV-1a: the same in every olmap, whoever built it.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_exclusive_spans_spellings_and_ends_with_its_holder() {
        let folder = tempfile::tempdir().unwrap();
        let detour = folder.path().join(".");
        let mut lock = Lock::new(StateDirectory::nowhere());
        lock.extend([folder.path(), &detour]).unwrap();
        assert_eq!(lock.held.len(), 1, "twice would wait for itself");
        let other = || wait(File::open(folder.path()).unwrap(), Instant::now()).unwrap();
        assert!(other().is_none());
        drop(lock);
        assert!(other().is_some());
    }

    #[test]
    fn who_waits_too_long_is_told_and_has_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = Lock::new(StateDirectory::nowhere());
        first.extend([folder.path()]).unwrap();
        let second = Lock::new(StateDirectory::nowhere());
        let asked = || second.lock(folder.path(), &identity(folder.path()).unwrap(), Instant::now());
        let refused = asked().unwrap_err();
        assert!(matches!(&refused, SaveError::Busy { directory } if directory == folder.path()), "{refused}");
        assert!(!refused.wrote_something());
        drop(first);
        assert!(asked().unwrap().is_some());
    }

    #[test]
    fn where_a_directory_cannot_be_locked_a_file_stands_for_it() {
        let (folder, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let lock = Lock::new(StateDirectory::at(state.path()));
        let identity = identity(folder.path()).unwrap();
        let first = wait(lock.stand_in(&identity).unwrap(), Instant::now()).unwrap();
        let second = wait(lock.stand_in(&identity).unwrap(), Instant::now()).unwrap();
        assert!(first.is_some() && second.is_none());
        assert!(Lock::new(StateDirectory::nowhere()).stand_in(&identity).is_err());
    }
}
