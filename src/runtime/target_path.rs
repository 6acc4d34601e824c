//! Target paths of files to write.

use std::path::{Path, PathBuf};

use crate::tui::UserError;
use olm_catalog::Origin;
use olm_source::lies_in;

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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

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
}
