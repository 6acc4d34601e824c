//! Files that saves keep in a catalog while they work, or left behind. They are recognized by name and by lock.

use std::{
    ffi::OsStr,
    fs::{File, Metadata, TryLockError},
    path::Path,
};

use crate::paths::leftover::{SUFFIX, is_leftover};

/// File or folder of a save.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SaveItem {
    /// Folder of an olmap process that is saving.
    Active,
    /// Folder left behind. Its content is hidden from opm.
    Folder,
    /// File left behind that is not hidden from opm.
    File,
}

/// Classifies a path by its name; `None` if a save did not create it.
pub(super) fn classify(path: &Path, name: &OsStr, metadata: &Metadata) -> Option<SaveItem> {
    if !is_leftover(name) {
        return None;
    }
    if metadata.is_dir() {
        return Some(if is_locked(path) { SaveItem::Active } else { SaveItem::Folder });
    }
    name.to_str()?.ends_with(SUFFIX).then_some(SaveItem::File)
}

/// Returns true if an olmap process holds the lock of a folder. The lock ends with the process.
fn is_locked(folder: &Path) -> bool {
    File::open(folder).is_ok_and(|folder| matches!(folder.try_lock_shared(), Err(TryLockError::WouldBlock)))
}
