//! Files of upgrade expectations: loading, and adding rows.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::target_path::check_outside_catalog;
use crate::tui::{UserError, work::outcome::AddedRows};
use olm_catalog::{Origin, load::regular_file};
use olm_check::review::expect::{Expectations, ExtendedFile, NewRow};
use olm_edit::save::{self, DirectoryLock, FileChange};

/// Maximum size of a file that is found automatically; larger than any recording of a vendor's index.
const MAX_BYTES: u64 = 64 << 20;

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
    use olm_check::review::expect::ExpectedResult;
    use olm_upgrade::{path::UpgradeContext, v1::Query};

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
