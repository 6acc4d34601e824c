//! Errors of saving, with suggestions for the user.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::SaveStep;

/// Warning that the new content of all files may be lost after a power failure.
#[derive(Debug, thiserror::Error)]
#[error("{} could not be flushed to disk; a power failure may lose it: {source}", directory.display())]
pub struct NotDurable {
    /// Directory that was not flushed.
    pub directory: PathBuf,
    /// Error of the operating system.
    pub source: io::Error,
}

/// Reason why files were not saved. Unless it is [`SaveError::PartlySaved`], all files are unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// Another program changed the file since it was loaded.
    #[error("{} changed on disk since it was loaded", path.display())]
    ChangedOnDisk {
        /// Path as given by the caller.
        path: PathBuf,
    },
    /// The loaded file no longer exists.
    #[error("{} was deleted", path.display())]
    Deleted {
        /// Path as given by the caller.
        path: PathBuf,
    },
    /// A new file already exists.
    #[error("{} already exists", path.display())]
    Exists {
        /// Path as given by the caller.
        path: PathBuf,
    },
    /// The file is not on disk: it came from standard input or is built in.
    #[error("{} is not on disk", path.display())]
    NotOnDisk {
        /// Path for messages.
        path: PathBuf,
    },
    /// The path is a directory.
    #[error("{} is a directory", path.display())]
    IsDirectory {
        /// Path as given by the caller.
        path: PathBuf,
    },
    /// The path is a pipe, a device or a socket, or a parent is not a directory.
    #[error("{} is not a regular file", path.display())]
    NotAFile {
        /// Path as given by the caller.
        path: PathBuf,
    },
    /// The path is a link to a missing target.
    #[error("{} is a link whose target does not exist", path.display())]
    DanglingLink {
        /// Path of the link as given by the caller.
        path: PathBuf,
    },
    /// A link inside the target directory leads out of it.
    #[error("{} is a link to {}, outside {}", path.display(), target.display(), directory.display())]
    LeadsOut {
        /// Path of the link.
        path: PathBuf,
        /// The target directory.
        directory: PathBuf,
        /// Target of the link.
        target: PathBuf,
    },
    /// The directory of the file does not exist.
    #[error("directory {} does not exist", directory.display())]
    NoDirectory {
        /// Path as given by the caller.
        path: PathBuf,
        /// The missing directory.
        directory: PathBuf,
    },
    /// The file is write-protected. Renaming a new file over it would ignore the protection.
    #[error("{} is read-only", path.display())]
    ReadOnlyFile {
        /// Path as given by the caller.
        path: PathBuf,
    },
    /// The directory is not writable, so an atomic replacement is impossible.
    #[error("cannot create files in {}: {source}", directory.display())]
    ReadOnlyDirectory {
        /// Path as given by the caller.
        path: PathBuf,
        /// Directory of the file.
        directory: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The disk is full, or the quota is used up.
    #[error("no space left to save {}: {source}", path.display())]
    NoSpace {
        /// Path as given by the caller.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The system denies reading or writing.
    #[error("no permission to save {}: {source}", path.display())]
    Permission {
        /// Path as given by the caller.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Two changes of one save refer to the same file.
    #[error("{} and {} are the same file", path.display(), other.display())]
    SameFile {
        /// Path of the second change.
        path: PathBuf,
        /// Path of the first change.
        other: PathBuf,
    },
    /// A file of a tree would be outside of it (`..` or an absolute path).
    #[error("{} is not a path inside the directory", path.display())]
    OutsideTree {
        /// Path as given by the caller.
        path: PathBuf,
    },
    /// Any other error of the operating system.
    #[error("cannot save {} ({step}): {source}", path.display())]
    Io {
        /// Path as given by the caller.
        path: PathBuf,
        /// Failed step.
        step: SaveStep,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Some files have their new content and could not be restored after a later failure.
    #[error("only {} {} saved: {source}", join_paths(saved), if saved.len() == 1 { "was" } else { "were" })]
    PartlySaved {
        /// Files with their new content; all others have the old one.
        saved: Vec<PathBuf>,
        /// Reason why the next file was not saved.
        source: Box<SaveError>,
    },
    /// Another olmap process keeps a directory locked.
    #[error("another olmap is writing to {}", directory.display())]
    Busy {
        /// The locked directory.
        directory: PathBuf,
    },
}

/// Joins all paths in a sentence, because the user must check each of them.
fn join_paths(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    names.join(", ")
}

impl SaveError {
    /// Returns the affected file or directory.
    pub fn path(&self) -> &Path {
        match self {
            Self::ChangedOnDisk { path }
            | Self::Deleted { path }
            | Self::Exists { path }
            | Self::NotOnDisk { path }
            | Self::IsDirectory { path }
            | Self::NotAFile { path }
            | Self::DanglingLink { path }
            | Self::LeadsOut { path, .. }
            | Self::NoDirectory { path, .. }
            | Self::ReadOnlyFile { path }
            | Self::ReadOnlyDirectory { path, .. }
            | Self::NoSpace { path, .. }
            | Self::Permission { path, .. }
            | Self::SameFile { path, .. }
            | Self::OutsideTree { path }
            | Self::Io { path, .. } => path,
            Self::PartlySaved { source, .. } => source.path(),
            Self::Busy { directory } => directory,
        }
    }

    /// Returns true if another program changed, created or removed a file since it was loaded.
    pub fn is_foreign_change(&self) -> bool {
        matches!(self, Self::ChangedOnDisk { .. } | Self::Deleted { .. } | Self::Exists { .. })
    }

    /// Returns true if any file was written.
    pub fn has_written(&self) -> bool {
        matches!(self, Self::PartlySaved { .. })
    }

    /// Returns a suggestion as a sentence.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::ChangedOnDisk { .. } => "Reload the catalog and repeat the edit.",
            Self::Deleted { .. } => "Restore the file, or save elsewhere.",
            Self::Exists { .. } => "Nothing was overwritten: choose another name.",
            Self::NotOnDisk { .. } => "Save it as a copy.",
            Self::IsDirectory { .. } => "Choose a file inside the directory.",
            Self::NotAFile { .. } => "Save as a regular file elsewhere.",
            Self::DanglingLink { .. } => "Remove the link or create its target.",
            Self::LeadsOut { .. } => {
                "Nothing was written: remove the link, or name the directory it leads to."
            }
            Self::NoDirectory { .. } => "Create the directory first, or choose another place.",
            Self::ReadOnlyFile { .. } => "Make the file writable (chmod u+w), or save elsewhere.",
            Self::ReadOnlyDirectory { .. } => {
                "Saving replaces the file by a new one: make the directory writable, or save elsewhere."
            }
            Self::NoSpace { .. } => "Free some space and save again.",
            Self::Permission { .. } => "Check who owns the file and its directory, or save elsewhere.",
            Self::SameFile { .. } => "Open the catalog by only one of the two paths.",
            Self::OutsideTree { .. } => "Use relative paths without `..`.",
            Self::Io { .. } => "Save again, or save elsewhere.",
            Self::PartlySaved { .. } => "All other files are unchanged. Fix the cause, then save again.",
            Self::Busy { .. } => "Save again when it has finished.",
        }
    }

    /// Converts an error of the operating system at `step`.
    pub(super) fn from_io(step: SaveStep, path: &Path, real: &Path, source: io::Error) -> Self {
        use io::ErrorKind as Kind;
        let path = path.to_owned();
        let directory = || real.parent().map(Path::to_owned).unwrap_or_default();
        match (source.kind(), step) {
            (Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge, _) => {
                Self::NoSpace { path, source }
            }
            (Kind::IsADirectory, _) => Self::IsDirectory { path },
            (Kind::NotADirectory, _) => Self::NotAFile { path },
            (Kind::NotFound, SaveStep::Read | SaveStep::Recheck) => Self::Deleted { path },
            // Another kind of file has replaced the regular file.
            (Kind::InvalidInput, SaveStep::Read | SaveStep::Recheck) => Self::NotAFile { path },
            (Kind::NotFound, SaveStep::Create | SaveStep::Rename) => {
                Self::NoDirectory { path, directory: directory() }
            }
            (Kind::AlreadyExists, SaveStep::Rename) => Self::Exists { path },
            (
                Kind::PermissionDenied | Kind::ReadOnlyFilesystem,
                SaveStep::Create | SaveStep::Rename | SaveStep::Remove,
            ) => Self::ReadOnlyDirectory { path, directory: directory(), source },
            (Kind::ReadOnlyFilesystem, _) => Self::ReadOnlyFile { path },
            (Kind::PermissionDenied, _) => Self::Permission { path, source },
            _ => Self::Io { path, step, source },
        }
    }
}
