//! Writing of catalogs and graphs to files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::target_path::check_outside_catalog;
use crate::tui::{Exported, Msg, SaveDestination, SaveFailure, SaveRequest, work::UserError};
use olm_catalog::{Catalog, Origin};
use olm_check::review::Snapshot;
use olm_edit::save::{self, DirectoryLock, Overwrite, SaveError, Saved, StateDirectory};
use olmap_report::graph::Rendered;

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

#[cfg(test)]
mod tests {
    use super::*;
    use olm_catalog::load;
    use olm_edit::{Edit, kept_parts::KeptPackage};

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
}
