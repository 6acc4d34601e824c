//! State that olmap keeps between runs: the last location in each catalog, and whether the tour was shown.

use std::{
    borrow::Cow,
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::tui::{Source, session::navigation::LastPlace};
use olm_catalog::{load::regular_file, redact::redact};
use olm_edit::save::StateDirectory;

/// Maximum number of catalogs with a stored location.
const MAX_CATALOGS: usize = 200;

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

#[derive(Serialize, Deserialize)]
struct StoredPlace {
    catalog: PathBuf,
    #[serde(flatten)]
    place: LastPlace,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::{keys::Screen, session::navigation::Selection};

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
}
