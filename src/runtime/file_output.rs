//! Writing of catalogs, graphs and expectations to files, and the paths of these files.

use std::path::{Path, PathBuf};
use std::{io, sync::Arc};

use crate::tui::work::outcome::AddedRows;
use crate::tui::{Exported, Msg, SaveDestination, SaveFailure, SaveRequest, UserError};
use olm_catalog::{Catalog, Origin, load::regular_file};
use olm_check::review::Snapshot;
use olm_check::review::expect::{Expectations, ExtendedFile, NewRow};
use olm_edit::save::{self, DirectoryLock, FileChange, Overwrite, SaveError, Saved, StateDirectory};
use olm_source::lies_in;
use olmap_report::graph::Rendered;

/// Maximum size of a file that is found automatically; larger than any recording of a vendor's index.
const MAX_BYTES: u64 = 64 << 20;

fn to_save_failure(error: &SaveError) -> SaveFailure {
    match error {
        SaveError::ChangedOnDisk { .. } => SaveFailure::ChangedOnDisk(error.to_string()),
        error => {
            let still = if error.has_written() { "" } else { " The edits are still here." };
            SaveFailure::Failed(
                UserError::new(error.to_string()).with_hint(format!("{}{still}", error.hint())),
            )
        }
    }
}

/// Returns the message about the result of a save.
pub(super) fn save_message(
    saved: Result<Saved, SaveFailure>,
    to: SaveDestination,
    written: Vec<(usize, Arc<Snapshot>)>,
) -> Msg {
    let (outcome, warning) = match saved {
        Ok(saved) => (Ok(to), saved.warning().is_some().then(|| saved.to_string())),
        Err(not_saved) => (Err(not_saved), None),
    };
    Msg::Saved { written, outcome, warning }
}

/// Writes catalogs to their own files. Without a confirmation, refuses to write if something would
/// be lost.
pub(super) fn write_in_place(saves: &[SaveRequest], confirmed: bool) -> Result<Saved, SaveFailure> {
    let states: Vec<(&Catalog, &Catalog)> =
        saves.iter().map(|save| (&*save.baseline.catalog, &*save.state.catalog)).collect();
    let state = StateDirectory::default_location();
    if !confirmed {
        let costs: Vec<String> =
            save::catalog_losses(&states, &state).iter().map(ToString::to_string).collect();
        if !costs.is_empty() {
            return Err(SaveFailure::MetadataLoss(costs));
        }
    }
    save::save_catalogs(&states, &mut DirectoryLock::new(state)).map_err(|error| to_save_failure(&error))
}

/// Writes a graph to a new file.
pub(super) fn write_graph(
    rendered: &Rendered,
    origin: &Origin,
    path: PathBuf,
) -> Result<Exported, UserError> {
    check_outside_catalog(origin, &path)?;
    save::save_as(
        &path,
        rendered.text.as_bytes(),
        Overwrite::Never,
        &mut DirectoryLock::with_default_state(),
    )
    .map_err(|error| UserError::new(error.to_string()).with_hint(error.hint()))?
    .ignore_warning();
    Ok(Exported { path, flowcharts: rendered.flowcharts, is_split: rendered.is_split })
}

/// Writes a copy of the catalog to a new path.
pub(super) fn write_copy(catalog: &Catalog, path: &Path) -> Result<Saved, SaveFailure> {
    check_outside_catalog(&catalog.origin, path).map_err(SaveFailure::Failed)?;
    save::save_copy(catalog, path).map_err(|error| to_save_failure(&error))
}

/// Expands `~/` as a shell does.
pub(super) fn expand_home(path: PathBuf) -> PathBuf {
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path,
    }
}

/// Refuses a path in the directory of the catalog, because opm reads every file there.
///
/// # Errors
///
/// Fails if the path is inside the directory.
pub fn check_outside_catalog(origin: &Origin, path: &Path) -> Result<(), UserError> {
    let Origin::Directory(root) = origin else { return Ok(()) };
    if !lies_in(root, path) {
        return Ok(());
    }
    let message = format!("opm would read {} as a part of the catalog", path.display());
    Err(UserError::new(message).with_hint("Choose a place outside its directory."))
}

/// Reads a file; `None` if it does not exist.
pub(super) fn load_optional_file(path: &Path) -> Result<Option<Vec<u8>>, UserError> {
    match regular_file::read_regular(path, MAX_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(UserError::new(error.to_string())),
    }
}

/// Appends the rows that a file does not contain yet. Creates the file if needed, but not inside the catalog.
pub(super) fn append_expectations(
    path: PathBuf,
    rows: Vec<NewRow>,
    origin: &Origin,
) -> Result<AddedRows, UserError> {
    check_outside_catalog(origin, &path)?;
    let before = load_optional_file(&path)
        .map_err(|why| UserError::new(format!("{}: {}", path.display(), why.message)))?;
    let file = Expectations::parse_file(path.clone(), before.clone().unwrap_or_default());
    let new: Vec<NewRow> = rows.into_iter().filter(|row| !row.is_in_file(&file)).collect();
    if new.is_empty() {
        return Ok(AddedRows { path, bytes: file.bytes().to_vec(), added: 0 });
    }
    let after = ExtendedFile::new(&file, &new).map_err(|error| {
        UserError::new(format!("{}: {error}", path.display()))
            .with_hint("Mend it in an editor, or name another file.")
    })?;
    let change = FileChange { path: &path, before: before.as_deref(), after: Some(&after.bytes) };
    let mut lock = DirectoryLock::with_default_state();
    save::save_files(&[change], &mut lock)
        .map_err(|error| UserError::new(error.to_string()).with_hint(error.hint()))?
        .ignore_warning();
    Ok(AddedRows { path, bytes: after.bytes, added: new.len() })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use olm_catalog::load::{self};
    use olm_check::review::expect::ExpectedResult;
    use olm_edit::{Edit, kept_parts::KeptPackage};
    use olm_upgrade::{path::UpgradeContext, v1::Query};

    #[test]
    fn graph_never_overwrites_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.svg");
        let rendered = Rendered { text: "<svg/>\n".to_owned(), flowcharts: 0, is_split: false };
        let written = write_graph(&rendered, &Origin::Demo, path.clone()).unwrap();
        assert_eq!(written.path, path);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "<svg/>\n");
        let other = Rendered { text: "other".to_owned(), ..rendered };
        let UserError { message, hint } = write_graph(&other, &Origin::Demo, path.clone()).unwrap_err();
        assert!(message.ends_with("p.svg already exists"), "{message}");
        assert_eq!(hint.unwrap(), "Nothing was overwritten: choose another name.");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "<svg/>\n");
        let files = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files, 1, "nothing is left beside it");
    }

    #[test]
    fn copy_omits_emptied_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["p", "q"] {
            let text = format!("schema: olm.package\nname: {name}\n");
            std::fs::write(folder.path().join(format!("{name}.yaml")), text).unwrap();
        }
        let catalog = load::open_catalog(folder.path()).unwrap();
        let edit = Edit::KeepOnly { packages: vec![KeptPackage::all_of("p".into())] };
        let part = olm_edit::apply_edit(&catalog, &edit).unwrap();
        let copy = tempfile::tempdir().unwrap();
        write_copy(&part, &copy.path().join("part")).unwrap().ignore_warning();
        let names = std::fs::read_dir(copy.path().join("part")).unwrap();
        let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["p.yaml"]);
    }

    #[test]
    fn graph_and_copy_are_refused_inside_the_catalog() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("p.yaml"), "schema: olm.package\nname: p\n").unwrap();
        let catalog = load::open_catalog(folder.path()).unwrap();
        let rendered = Rendered { text: String::new(), flowcharts: 0, is_split: false };
        let inside = folder.path().join("p.json");
        let UserError { message, .. } = write_graph(&rendered, &catalog.origin, inside).unwrap_err();
        assert!(message.contains("part of the catalog"), "{message}");
        assert!(write_copy(&catalog, &folder.path().join("copy/of/it")).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn path_in_the_catalog_is_refused_in_any_spelling() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("catalog");
        fs::create_dir_all(root.join("p")).unwrap();
        let origin = Origin::Directory(root.clone());
        for inside in ["g.svg", "p/g.svg", "p/../g.svg", "not/there/yet/g.svg"] {
            assert!(check_outside_catalog(&origin, &root.join(inside)).is_err(), "{inside}");
        }
        for beside in ["../g.svg", "../catalog.svg", "../catalog-copy/p/g.svg"] {
            assert_eq!(check_outside_catalog(&origin, &root.join(beside)), Ok(()), "{beside}");
        }
        assert_eq!(check_outside_catalog(&Origin::Demo, &root.join("g.svg")), Ok(()));
        assert_eq!(check_outside_catalog(&Origin::File(root.join("p.yaml")), &root.join("g.svg")), Ok(()));
    }

    fn sample_rows() -> Vec<NewRow> {
        let row = |traveller| NewRow {
            package: "p".into(),
            traveller,
            installed: vec!["p.v1.0.0".into()],
            expect: ExpectedResult::Stays,
        };
        vec![row(UpgradeContext::Classic("c".into())), row(UpgradeContext::V1(Query::default()))]
    }

    #[test]
    fn rows_are_added_once_and_nothing_else_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("expectations.yaml");
        assert_eq!(load_optional_file(&path), Ok(None));
        assert_eq!(append_expectations(path.clone(), sample_rows(), &Origin::Demo).unwrap().added, 2);
        let first = fs::read_to_string(&path).unwrap();
        assert_eq!(first.lines().count(), 2, "{first}");
        let again = append_expectations(path.clone(), sample_rows(), &Origin::Demo).unwrap();
        assert_eq!((again.added, fs::read(&path).unwrap()), (0, first.clone().into_bytes()));
        fs::write(&path, format!("# mine\n{first}# the end")).unwrap();
        let mut more = sample_rows();
        more[0].expect = ExpectedResult::Error;
        assert_eq!(append_expectations(path.clone(), more, &Origin::Demo).unwrap().added, 1);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(&format!("# mine\n{first}# the end\n- {{package: p")), "{text}");
    }

    #[test]
    fn file_that_cannot_be_extended_is_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("e.yaml");
        fs::write(&path, "schema: olm.package\n").unwrap();
        let UserError { message, hint } =
            append_expectations(path.clone(), sample_rows(), &Origin::Demo).unwrap_err();
        assert!(message.ends_with("e.yaml: it is not a list of rows") && hint.is_some(), "{message}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "schema: olm.package\n");
        let inside = append_expectations(path, sample_rows(), &Origin::Directory(folder.path().to_owned()))
            .unwrap_err();
        assert!(inside.message.contains("a part of the catalog"), "{}", inside.message);
        assert!(load_optional_file(folder.path()).is_err(), "a folder is no file");
    }
}
