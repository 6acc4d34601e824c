//! Files of upgrade expectations: loading, and adding rows.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::place::outside;
use crate::{
    app::{Refusal, work::outcome::Grown},
    catalog::{Origin, load::regular},
    edit::save::{self, FileChange, Lock},
    review::expect::{Added, Expectations, Row},
};

/// Maximum size of a file that is found automatically; larger than any recording of a vendor's index.
const MOST: u64 = 64 << 20;

/// Reads a file; `None` if it does not exist.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, Refusal> {
    match regular::read(path, MOST) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Refusal::new(error.to_string())),
    }
}

/// Appends the rows that a file does not contain yet. Creates the file if needed, but not inside the catalog.
pub(super) fn add(path: PathBuf, rows: Vec<Row>, origin: &Origin) -> Result<Grown, Refusal> {
    outside(origin, &path)?;
    let before = read(&path).map_err(|why| Refusal::new(format!("{}: {}", path.display(), why.message)))?;
    let file = Expectations::read(path.clone(), before.clone().unwrap_or_default());
    let new: Vec<Row> = rows.into_iter().filter(|row| !row.is_in(&file)).collect();
    if new.is_empty() {
        return Ok(Grown { path, bytes: file.bytes().to_vec(), added: 0 });
    }
    let after = Added::new(&file, &new).map_err(|error| {
        Refusal::new(format!("{}: {error}", path.display()))
            .with_hint("Mend it in an editor, or name another file.")
    })?;
    let change = FileChange { path: &path, before: before.as_deref(), after: Some(&after.bytes) };
    let mut lock = Lock::usual();
    save::save(&[change], &mut lock)
        .map_err(|error| Refusal::new(error.to_string()).with_hint(error.hint()))?;
    Ok(Grown { path, bytes: after.bytes, added: new.len() })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{
        review::expect::Expect,
        upgrade::{path::Traveller, v1::Query},
    };

    fn rows() -> Vec<Row> {
        let row = |traveller| Row {
            package: "p".into(),
            traveller,
            installed: vec!["p.v1.0.0".into()],
            expect: Expect::Stays,
        };
        vec![row(Traveller::Classic("c".into())), row(Traveller::V1(Query::default()))]
    }

    #[test]
    fn rows_are_added_once_and_nothing_else_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("expectations.yaml");
        assert_eq!(read(&path), Ok(None));
        assert_eq!(add(path.clone(), rows(), &Origin::Demo).unwrap().added, 2);
        let first = fs::read_to_string(&path).unwrap();
        assert_eq!(first.lines().count(), 2, "{first}");
        let again = add(path.clone(), rows(), &Origin::Demo).unwrap();
        assert_eq!((again.added, fs::read(&path).unwrap()), (0, first.clone().into_bytes()));
        fs::write(&path, format!("# mine\n{first}# the end")).unwrap();
        let mut more = rows();
        more[0].expect = Expect::Error;
        assert_eq!(add(path.clone(), more, &Origin::Demo).unwrap().added, 1);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(&format!("# mine\n{first}# the end\n- {{package: p")), "{text}");
    }

    #[test]
    fn file_that_cannot_be_extended_is_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("e.yaml");
        fs::write(&path, "schema: olm.package\n").unwrap();
        let Refusal { message, hint } = add(path.clone(), rows(), &Origin::Demo).unwrap_err();
        assert!(message.ends_with("e.yaml: it is not a list of rows") && hint.is_some(), "{message}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "schema: olm.package\n");
        let inside = add(path, rows(), &Origin::Directory(folder.path().to_owned())).unwrap_err();
        assert!(inside.message.contains("a part of the catalog"), "{}", inside.message);
        assert!(read(folder.path()).is_err(), "a folder is no file");
    }
}
