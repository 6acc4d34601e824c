//! What saves keep in a catalog while they work, and what they left there: told by its name, and by whether it is in use.

use std::{
    ffi::OsStr,
    fs::{File, Metadata, TryLockError},
    path::Path,
};

use crate::catalog::paths::leftover::{SUFFIX, is_leftover};

/// What stands under such a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Staged {
    /// The folder of an olmap that is saving right now.
    Alive,
    /// A folder that was left over. What is in it is hidden from opm.
    Folder,
    /// A file that was left over, by an olmap that kept it in sight of opm.
    File,
}

/// What a save made at a path, if that is what its name says.
pub(super) fn stands_at(path: &Path, name: &OsStr, metadata: &Metadata) -> Option<Staged> {
    if !is_leftover(name) {
        return None;
    }
    if metadata.is_dir() {
        return Some(if is_locked(path) { Staged::Alive } else { Staged::Folder });
    }
    name.to_str()?.ends_with(SUFFIX).then_some(Staged::File)
}

/// Whether some olmap holds the lock of a folder. The lock goes with the process, however that ends.
fn is_locked(folder: &Path) -> bool {
    File::open(folder).is_ok_and(|folder| matches!(folder.try_lock_shared(), Err(TryLockError::WouldBlock)))
}
