//! Where something that is to be written would land.

use std::{fs, path::Path};

/// Whether a path lies in a folder, however it is spelled. Folders that are not there yet are made in the nearest that is.
pub fn lies_in(folder: &Path, path: &Path) -> bool {
    let Ok(real) = fs::canonicalize(folder) else { return false };
    let nearest = path.ancestors().skip(1).find_map(|folder| {
        let here = folder.as_os_str().is_empty();
        fs::canonicalize(if here { Path::new(".") } else { folder }).ok()
    });
    nearest.is_some_and(|nearest| nearest.starts_with(&real))
}
