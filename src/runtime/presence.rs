//! Detection of other explorers of the same user that have a catalog open.
//!
//! Each explorer has two files in the state directory: a list of its open catalogs, and a file that it locks.
//! The system releases the lock when the process ends. A list without a lock belongs to a process that is
//! gone.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process,
};

use serde::{Deserialize, Serialize};

use super::state::canonical_path;
use olm_catalog::load::regular_file;
use olm_edit::save::StateDirectory;

/// Folder in the state directory.
const FOLDER: &str = "open";

/// Suffix of the list of open catalogs.
const LIST: &str = "json";
/// Suffix of the file that is locked.
const LOCK: &str = "lock";

/// Open catalogs of a process.
#[derive(Serialize, Deserialize)]
struct OpenCatalogs {
    process: u32,
    catalogs: Vec<PathBuf>,
}

/// Another explorer with the same catalog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OtherExplorer {
    /// Process id.
    pub process: u32,
}

/// Entry of this process. Dropping it removes the entry.
pub struct Presence {
    state: StateDirectory,
    catalogs: Vec<PathBuf>,
    files: Option<PresenceFiles>,
}

/// Files of this process; the lock is held until `_held` is dropped.
struct PresenceFiles {
    list: PathBuf,
    lock: PathBuf,
    _held: File,
}

impl Presence {
    /// Creates an entry without open catalogs.
    pub fn new(state: StateDirectory) -> Self {
        Self { state, catalogs: Vec::new(), files: None }
    }

    /// Registers an open catalog. Returns another explorer that has it open, or a folder in it, or
    /// a folder that contains it. Returns `None` too if the entry cannot be stored.
    pub fn register_catalog(&mut self, catalog: &Path) -> Option<OtherExplorer> {
        let catalog = canonical_path(catalog);
        if self.catalogs.contains(&catalog) {
            return None;
        }
        let folder = self.state.create_subdirectory(FOLDER).ok()?;
        let other = self
            .other_explorers(&folder)
            .find(|(open, _)| open.iter().any(|open| paths_overlap(open, &catalog)));
        self.catalogs.push(catalog);
        self.write_list(&folder).ok()?;
        other.map(|(_, other)| other)
    }

    /// Returns all other explorers with their open catalogs. Removes the lists of ended processes.
    fn other_explorers(&self, folder: &Path) -> impl Iterator<Item = (Vec<PathBuf>, OtherExplorer)> + '_ {
        let own = self.files.as_ref().map(|files| files.list.clone());
        let lists = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let lists = lists.filter(|path| path.extension().is_some_and(|suffix| suffix == LIST));
        lists.filter(move |list| own.as_ref() != Some(list)).filter_map(|list| {
            let lock = list.with_extension(LOCK);
            let is_alive = File::open(&lock).is_ok_and(|lock| lock.try_lock_shared().is_err());
            if !is_alive {
                // A file that cannot be removed is tried again next time.
                let _ = fs::remove_file(&list);
                let _ = fs::remove_file(&lock);
                return None;
            }
            let text = regular_file::read_regular(&list, regular_file::MAX_HANDWRITTEN_SIZE).ok()?;
            let open: OpenCatalogs = serde_json::from_slice(&text).ok()?;
            Some((open.catalogs, OtherExplorer { process: open.process }))
        })
    }

    fn write_list(&mut self, folder: &Path) -> io::Result<()> {
        if self.files.is_none() {
            self.files = Some(PresenceFiles::new(folder)?);
        }
        let open = OpenCatalogs { process: process::id(), catalogs: self.catalogs.clone() };
        match &self.files {
            Some(files) => fs::write(&files.list, serde_json::to_vec(&open)?),
            None => Ok(()),
        }
    }
}

impl PresenceFiles {
    fn new(folder: &Path) -> io::Result<Self> {
        let name = format!("{}.", process::id());
        let lock = tempfile::Builder::new().prefix(&name).suffix(&format!(".{LOCK}")).tempfile_in(folder)?;
        lock.as_file().lock()?;
        let (held, lock) = lock.keep().map_err(|error| error.error)?;
        Ok(Self { list: lock.with_extension(LIST), lock, _held: held })
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        if let Some(PresenceFiles { list, lock, .. }) = self.files.take() {
            // The next explorer detects a file that cannot be removed.
            let _ = fs::remove_file(list);
            let _ = fs::remove_file(lock);
        }
    }
}

/// Returns true if the paths are the same, or one contains the other.
fn paths_overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_catalog_of_running_explorer_is_reported() {
        let state = tempfile::tempdir().unwrap();
        let presence = || Presence::new(StateDirectory::from_path(state.path()));
        let folder = tempfile::tempdir().unwrap();
        let (catalog, package) = (folder.path().join("v4.18"), folder.path().join("v4.18/ship"));
        fs::create_dir_all(&package).unwrap();
        fs::create_dir(folder.path().join("v4.20")).unwrap();
        let mut first = presence();
        assert_eq!(first.register_catalog(&catalog), None);
        assert_eq!(first.register_catalog(&catalog), None, "read again");
        let mut second = presence();
        assert_eq!(second.register_catalog(&folder.path().join("v4.20")), None);
        assert_eq!(second.register_catalog(&package).unwrap().process, process::id(), "a part of it is open");
        assert!(presence().register_catalog(folder.path()).is_some(), "what holds it is open");
        drop(first);
        assert_eq!(
            presence().register_catalog(&catalog).unwrap().process,
            process::id(),
            "the second has a part of it"
        );
        drop(second);
        assert_eq!(presence().register_catalog(&catalog), None);
        assert_eq!(fs::read_dir(state.path().join(FOLDER)).unwrap().count(), 0, "nothing is left");
    }

    #[test]
    fn list_of_killed_process_is_ignored_and_removed() {
        let state = tempfile::tempdir().unwrap();
        let folder = StateDirectory::from_path(state.path()).create_subdirectory(FOLDER).unwrap();
        let open = OpenCatalogs { process: 1, catalogs: vec![PathBuf::from("/")] };
        fs::write(folder.join("1.x.json"), serde_json::to_vec(&open).unwrap()).unwrap();
        fs::write(folder.join("1.x.lock"), "").unwrap();
        assert_eq!(
            Presence::new(StateDirectory::from_path(state.path())).register_catalog(state.path()),
            None
        );
        assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
    }
}
