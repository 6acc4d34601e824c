//! Checks of links inside a target directory.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{SaveError, SaveStep};

/// Checks that no link on the path from a directory to a file in it leads out of the directory. The directory
/// itself may be a link, because the user named it. Missing parts are ignored.
///
/// # Errors
///
/// If a link leads out, or to a missing target.
pub fn check_links(directory: &Path, path: &Path) -> Result<(), SaveError> {
    let Ok(root) = fs::canonicalize(directory) else { return Ok(()) };
    let mut part: PathBuf = directory.to_owned();
    for component in path.components() {
        part.push(component);
        match fs::symlink_metadata(&part) {
            Ok(metadata) if metadata.is_symlink() => {}
            Ok(_) => continue,
            Err(_) => return Ok(()),
        }
        match fs::canonicalize(&part) {
            Ok(real) if real.starts_with(&root) => {}
            Ok(target) => {
                return Err(SaveError::LeadsOut { path: part, directory: directory.to_owned(), target });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(SaveError::DanglingLink { path: part });
            }
            Err(error) => return Err(SaveError::from_io(SaveStep::Read, &part, &part, error)),
        }
    }
    Ok(())
}
