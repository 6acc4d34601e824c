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

use super::state::real;
use crate::{catalog::load::regular, edit::save::StateDirectory};

/// Folder in the state directory.
const FOLDER: &str = "open";

const LIST: &str = "json";
const LOCK: &str = "lock";

/// Open catalogs of a process.
#[derive(Serialize, Deserialize)]
struct Open {
    process: u32,
    catalogs: Vec<PathBuf>,
}

/// Another explorer with the same catalog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Other {
    /// Process id.
    pub process: u32,
}

/// Entry of this process. Dropping it removes the entry.
pub struct Presence {
    state: StateDirectory,
    catalogs: Vec<PathBuf>,
    files: Option<Files>,
}

struct Files {
    list: PathBuf,
    lock: PathBuf,
    _held: File,
}

impl Presence {
    /// Creates an entry without open catalogs.
    pub fn new(state: StateDirectory) -> Self {
        Self { state, catalogs: Vec::new(), files: None }
    }

    /// Registers an open catalog, and returns another explorer that has it open, or a part or parent of it.
    /// Returns `None` too if the entry cannot be stored.
    pub fn open(&mut self, catalog: &Path) -> Option<Other> {
        let catalog = real(catalog);
        if self.catalogs.contains(&catalog) {
            return None;
        }
        let folder = self.state.directory(FOLDER).ok()?;
        let other = self.others(&folder).find(|(open, _)| open.iter().any(|open| overlap(open, &catalog)));
        self.catalogs.push(catalog);
        self.tell(&folder).ok()?;
        other.map(|(_, other)| other)
    }

    /// Returns all other explorers with their open catalogs. Removes the lists of ended processes.
    fn others(&self, folder: &Path) -> impl Iterator<Item = (Vec<PathBuf>, Other)> + '_ {
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
            let text = regular::read(&list, regular::MOST_BY_HAND).ok()?;
            let open: Open = serde_json::from_slice(&text).ok()?;
            Some((open.catalogs, Other { process: open.process }))
        })
    }

    fn tell(&mut self, folder: &Path) -> io::Result<()> {
        if self.files.is_none() {
            self.files = Some(Files::new(folder)?);
        }
        let open = Open { process: process::id(), catalogs: self.catalogs.clone() };
        match &self.files {
            Some(files) => fs::write(&files.list, serde_json::to_vec(&open)?),
            None => Ok(()),
        }
    }
}

impl Files {
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
        if let Some(Files { list, lock, .. }) = self.files.take() {
            // The next explorer detects a file that cannot be removed.
            let _ = fs::remove_file(list);
            let _ = fs::remove_file(lock);
        }
    }
}

fn overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_of_the_first_and_not_of_itself_or_of_those_that_are_gone() {
        let state = tempfile::tempdir().unwrap();
        let presence = || Presence::new(StateDirectory::at(state.path()));
        let folder = tempfile::tempdir().unwrap();
        let (catalog, package) = (folder.path().join("v4.18"), folder.path().join("v4.18/ship"));
        fs::create_dir_all(&package).unwrap();
        fs::create_dir(folder.path().join("v4.20")).unwrap();
        let mut first = presence();
        assert_eq!(first.open(&catalog), None);
        assert_eq!(first.open(&catalog), None, "read again");
        let mut second = presence();
        assert_eq!(second.open(&folder.path().join("v4.20")), None);
        assert_eq!(second.open(&package).unwrap().process, process::id(), "a part of it is open");
        assert!(presence().open(folder.path()).is_some(), "what holds it is open");
        drop(first);
        assert_eq!(presence().open(&catalog).unwrap().process, process::id(), "the second has a part of it");
        drop(second);
        assert_eq!(presence().open(&catalog), None);
        assert_eq!(fs::read_dir(state.path().join(FOLDER)).unwrap().count(), 0, "nothing is left");
    }

    #[test]
    fn list_of_killed_process_is_ignored_and_removed() {
        let state = tempfile::tempdir().unwrap();
        let folder = StateDirectory::at(state.path()).directory(FOLDER).unwrap();
        let open = Open { process: 1, catalogs: vec![PathBuf::from("/")] };
        fs::write(folder.join("1.x.json"), serde_json::to_vec(&open).unwrap()).unwrap();
        fs::write(folder.join("1.x.lock"), "").unwrap();
        assert_eq!(Presence::new(StateDirectory::at(state.path())).open(state.path()), None);
        assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
    }
}
