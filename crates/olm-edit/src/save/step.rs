//! Steps of a save, so that tests can inject a crash or an error at each of them.

use std::{fmt, io, path::Path};

/// A request to the operating system during a save.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SaveStep {
    /// Reading of the file, and comparison with what was loaded.
    Read,
    /// Creation of a directory.
    MakeDirectory,
    /// Creation of the new file in the staging area.
    Create,
    /// Writing of the new content.
    Write,
    /// Copying of the old file's owner, group, permissions and other attributes.
    Attributes,
    /// Flushing of the file to disk.
    SyncFile,
    /// Second comparison of the old file, because another program may have changed it.
    Recheck,
    /// Replacement of the old file by the new one.
    Rename,
    /// Removal of a file.
    Remove,
    /// Flushing of the directory, so that the rename survives a power failure.
    SyncDirectory,
    /// Restoring of an old content after a later failure.
    Restore,
}

impl fmt::Display for SaveStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "reading it",
            Self::MakeDirectory => "creating its directory",
            Self::Create => "creating a new file",
            Self::Write => "writing",
            Self::Attributes => "setting owner and permissions",
            Self::SyncFile => "flushing it to disk",
            Self::Recheck => "comparing it again",
            Self::Rename => "renaming the new file",
            Self::Remove => "removing the file",
            Self::SyncDirectory => "flushing its directory",
            Self::Restore => "restoring the old content",
        })
    }
}

/// Observer of all steps, which can make them fail. The program uses [`NoObserver`].
pub trait StepObserver {
    /// Called before `step` for the file at `path` (links followed). An error counts as an error of the step.
    fn before_step(&mut self, step: SaveStep, path: &Path) -> io::Result<()>;
}

/// Observer that lets every step happen.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl StepObserver for NoObserver {
    fn before_step(&mut self, _: SaveStep, _: &Path) -> io::Result<()> {
        Ok(())
    }
}
