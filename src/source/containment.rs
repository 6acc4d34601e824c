//! Check whether a path to be written lies in a folder.

use std::{fs, path::Path};

/// Returns true if a path lies in a folder, whatever its spelling. A missing folder counts as part of its
/// nearest existing ancestor.
pub fn lies_in(folder: &Path, path: &Path) -> bool {
    let Ok(real) = fs::canonicalize(folder) else { return false };
    let nearest = path.ancestors().skip(1).find_map(|folder| {
        let is_current = folder.as_os_str().is_empty();
        fs::canonicalize(if is_current { Path::new(".") } else { folder }).ok()
    });
    nearest.is_some_and(|nearest| nearest.starts_with(&real))
}
