//! State that olmap keeps between runs: the last location in each catalog, and whether the tour was shown;
//! and detection of other explorers of the same user that have a catalog open.
//!
//! Each explorer has two files in the state directory: a list of its open catalogs, and a file that it locks.
//! The system releases the lock when the process ends. A list without a lock belongs to an ended process.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::{borrow::Cow, process};

use serde::{Deserialize, Serialize};

use crate::{tui::Source, tui::session::navigation::LastPlace};
use olm_catalog::{load::regular_file, redact::redact};
use olm_edit::save::StateDirectory;

/// Maximum number of catalogs with a stored location.
const MAX_CATALOGS: usize = 200;

#[derive(Serialize, Deserialize)]
struct StoredPlace {
    catalog: PathBuf,
    #[serde(flatten)]
    place: LastPlace,
}

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

/// Returns the state directory: `$XDG_STATE_HOME/olmap`, or the equivalent of the system.
///
/// # Errors
///
/// Fails if there is no home directory.
pub fn state_directory() -> io::Result<PathBuf> {
    StateDirectory::default_location().path().map(Path::to_owned)
}

/// Returns the canonical path of a catalog. Secrets are removed from a reference.
pub fn canonical_path(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| match redact(&path.to_string_lossy()) {
        Cow::Owned(redacted) => redacted.into(),
        Cow::Borrowed(_) => path.to_owned(),
    })
}

fn state_file() -> io::Result<PathBuf> {
    Ok(state_directory()?.join("places.json"))
}

/// Returns the stored locations in these catalogs. Invalid entries are ignored.
pub fn stored_places(sources: &[Source]) -> Vec<(PathBuf, LastPlace)> {
    let kept = state_file().map(|file| load_places(&file)).unwrap_or_default();
    let paths = sources.iter().filter_map(|source| match source {
        Source::Path(path) => Some((path.clone(), canonical_path(path))),
        Source::Demo | Source::Stdin(_) | Source::Revision(_) => None,
    });
    let known = |real: &Path| kept.iter().find(|kept| kept.catalog == real).map(|kept| kept.place.clone());
    paths.filter_map(|(path, real)| Some((path, known(&real)?))).collect()
}

/// Stores the locations, followed by the stored ones of other catalogs.
///
/// # Errors
///
/// Fails if the file cannot be written.
pub fn store_places(places: Vec<(PathBuf, LastPlace)>) -> io::Result<()> {
    if places.is_empty() { Ok(()) } else { store_places_in(&state_file()?, places) }
}

/// Returns the file whose existence shows that the tour is over.
fn tour_file() -> io::Result<PathBuf> {
    Ok(state_directory()?.join("tour-seen"))
}

/// Returns true if the user has completed or ended the tour.
pub fn is_tour_over() -> bool {
    tour_file().is_ok_and(|file| file.exists())
}

/// Stores that the tour is over.
///
/// # Errors
///
/// Fails if the file cannot be written.
pub fn store_tour_over() -> io::Result<()> {
    StateDirectory::default_location().create_subdirectory("")?;
    fs::write(tour_file()?, "")
}

fn load_places(file: &Path) -> Vec<StoredPlace> {
    let text = regular_file::read_regular(file, regular_file::MAX_HANDWRITTEN_SIZE).unwrap_or_default();
    let values: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap_or_default();
    // An entry in the format of a later version does not invalidate the others.
    values.into_iter().filter_map(|value| serde_json::from_value(value).ok()).collect()
}

fn store_places_in(file: &Path, places: Vec<(PathBuf, LastPlace)>) -> io::Result<()> {
    let new = places.into_iter().map(|(path, place)| StoredPlace { catalog: canonical_path(&path), place });
    // JSON cannot represent a path that is not UTF-8.
    let mut all: Vec<StoredPlace> = new.filter(|kept| kept.catalog.to_str().is_some()).collect();
    for old in load_places(file) {
        if all.iter().all(|kept| kept.catalog != old.catalog) {
            all.push(old);
        }
    }
    all.truncate(MAX_CATALOGS);
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // The file is replaced atomically, even if two processes end at once.
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut beside, &all)?;
    beside.write_all(b"\n")?;
    beside.persist(file).map_err(|error| error.error)?;
    Ok(())
}

/// Returns true if the paths are the same, or one contains the other.
fn paths_overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{tui::keys::Screen, tui::session::navigation::Selection};

    fn sample_place(package: &str) -> LastPlace {
        let selection = Selection { package: Some(package.into()), ..Selection::default() };
        LastPlace { screen: Screen::Graph, selection, ..LastPlace::default() }
    }

    #[test]
    fn newest_locations_are_kept_once_per_catalog() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/places.json");
        for number in 0..MAX_CATALOGS + 5 {
            store_places_in(&file, vec![(format!("/c/{number}").into(), sample_place("p"))]).unwrap();
        }
        store_places_in(&file, vec![("/c/7".into(), sample_place("again"))]).unwrap();
        let all = load_places(&file);
        assert_eq!(all.len(), MAX_CATALOGS);
        assert_eq!(all[0].catalog, Path::new("/c/7"));
        assert_eq!(all[0].place, sample_place("again"));
        assert_eq!(all.iter().filter(|kept| kept.catalog == Path::new("/c/7")).count(), 1);
        assert!(all.iter().all(|kept| kept.catalog != Path::new("/c/0")), "the oldest are gone");
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn invalid_entry_does_not_affect_others() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("places.json");
        for broken in ["", "{", "[1,", "\u{0}\u{fffd}", "{\"a\":1}"] {
            fs::write(&file, broken).unwrap();
            assert!(load_places(&file).is_empty(), "{broken}");
            store_places_in(&file, vec![("/c".into(), sample_place("p"))]).unwrap();
            assert_eq!(load_places(&file).len(), 1, "{broken}");
        }
        let later = r#"[{"catalog":"/a","screen":"of tomorrow"},{"catalog":"/b","package":"p","more":1},7]"#;
        fs::write(&file, later).unwrap();
        let left: Vec<PathBuf> = load_places(&file).into_iter().map(|kept| kept.catalog).collect();
        assert_eq!(left, [Path::new("/b")]);
    }

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
