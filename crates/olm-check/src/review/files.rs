//! Changes of an edit in files, line by line, with their consequences.

use super::{Consequences, Snapshot};

pub use olm_edit::diff::{DiffKind, DiffLine, FileDiff, FileKind, Hunk};

/// Differences between the files on disk and the edited catalog.
#[derive(Clone, Debug, Default)]
pub struct ChangeReport {
    /// Changed files.
    pub files: Vec<FileDiff>,
    /// Consequences of the changes.
    pub consequences: Consequences,
}

impl ChangeReport {
    /// Compares two states of a catalog.
    pub fn compare_files(before: &Snapshot, after: &Snapshot) -> Self {
        let files = olm_edit::diff::compare_files(&before.catalog, &after.catalog);
        Self { files, consequences: Consequences::compare_snapshots(before, after) }
    }
}
