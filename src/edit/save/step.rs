//! The steps of a save, visible to tests so that a crash or an error can be put before any of them.

use std::{fmt, io, path::Path};

/// One thing a save asks of the operating system.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Read the file and compare it with what was loaded.
    Read,
    /// Make a directory of a tree that is saved.
    MakeDirectory,
    /// Make the new file, where it does not stand in the way.
    Create,
    /// Write the new content into it.
    Write,
    /// Give it the owner, group, permissions and other attributes of the old one, where the system permits.
    Attributes,
    /// Flush its bytes to disk.
    SyncFile,
    /// Compare the old file once more: someone may have edited it meanwhile.
    Recheck,
    /// Put the new file in the place of the old one.
    Rename,
    /// Take away a file that is there no longer.
    Remove,
    /// Flush the directory, so that the rename itself survives a power failure.
    SyncDirectory,
    /// Give a file its old content back because a later one could not be saved.
    Restore,
}

impl fmt::Display for Step {
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

/// Is told of every step before it is done, and may make it fail. The real program uses [`Unwatched`].
pub trait Watch {
    /// Called before `step` is done for the file at `path` (links followed). An error counts as the step's own.
    fn before(&mut self, step: Step, path: &Path) -> io::Result<()>;
}

/// Lets every step happen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn before(&mut self, _: Step, _: &Path) -> io::Result<()> {
        Ok(())
    }
}
