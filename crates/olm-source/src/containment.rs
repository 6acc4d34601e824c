//! Check whether a path is in a folder, before olmap writes to the path.

use std::{fs, path::Path};

/// Returns true if the file at `path`, which may not exist yet, is in a folder. Links and `..` are
/// resolved. If the parent of `path` is missing, its nearest existing ancestor counts.
pub fn lies_in(folder: &Path, path: &Path) -> bool {
    let Ok(real) = fs::canonicalize(folder) else { return false };
    let nearest = path.ancestors().skip(1).find_map(|folder| {
        let is_current = folder.as_os_str().is_empty();
        fs::canonicalize(if is_current { Path::new(".") } else { folder }).ok()
    });
    nearest.is_some_and(|nearest| nearest.starts_with(&real))
}
