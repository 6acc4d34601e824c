//! Why a save did not happen, and what the user can do about it.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::step::Step;

/// Why files were not saved. Unless it is [`SaveError::Partly`] or [`SaveError::NotDurable`], every file is as it
/// was before.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The file is no longer what was loaded: someone else has edited it.
    #[error("{} was changed by someone else since it was loaded", path.display())]
    ChangedOnDisk {
        /// The file as the caller named it.
        path: PathBuf,
    },
    /// The file that was loaded is gone.
    #[error("{} is gone", path.display())]
    Vanished {
        /// The file as the caller named it.
        path: PathBuf,
    },
    /// A file that was to be new is there already.
    #[error("{} exists already", path.display())]
    Exists {
        /// The file as the caller named it.
        path: PathBuf,
    },
    /// The file came from no disk: through standard input, or with the program.
    #[error("{} is on no disk", path.display())]
    OnNoDisk {
        /// The file as shown.
        path: PathBuf,
    },
    /// The path leads to a directory.
    #[error("{} is a directory", path.display())]
    IsDirectory {
        /// The path as the caller named it.
        path: PathBuf,
    },
    /// The path leads to a pipe, a device or a socket, or a part of it that should be a directory is a file.
    #[error("{} is not a regular file", path.display())]
    NotAFile {
        /// The path as the caller named it.
        path: PathBuf,
    },
    /// The path is a link to nothing.
    #[error("{} is a link whose target does not exist", path.display())]
    DanglingLink {
        /// The link as the caller named it.
        path: PathBuf,
    },
    /// The directory the file should be in does not exist.
    #[error("there is no directory {}", directory.display())]
    NoDirectory {
        /// The file as the caller named it.
        path: PathBuf,
        /// The missing directory.
        directory: PathBuf,
    },
    /// The file is write-protected. Renaming a new one over it would work, and would ignore the protection.
    #[error("{} is read-only", path.display())]
    ReadOnlyFile {
        /// The file as the caller named it.
        path: PathBuf,
    },
    /// Files cannot be made in the directory, so there is no way to replace one atomically.
    #[error("cannot make files in {}: {source}", directory.display())]
    ReadOnlyDirectory {
        /// The file as the caller named it.
        path: PathBuf,
        /// Its directory.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The disk is full or the quota used up.
    #[error("no space left to save {}: {source}", path.display())]
    NoSpace {
        /// The file as the caller named it.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system does not let us read or write.
    #[error("no permission to save {}: {source}", path.display())]
    Permission {
        /// The file as the caller named it.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Two changes of one save lead to the same file.
    #[error("{} and {} are the same file", path.display(), other.display())]
    SameFile {
        /// The second of them.
        path: PathBuf,
        /// The first of them.
        other: PathBuf,
    },
    /// A file of a tree would lie outside of it (`..` or an absolute path).
    #[error("{} is not a path inside the tree", path.display())]
    OutsideTree {
        /// The path as the caller named it.
        path: PathBuf,
    },
    /// Anything else the system refused.
    #[error("cannot save {} ({step}): {source}", path.display())]
    Io {
        /// The file as the caller named it.
        path: PathBuf,
        /// What was being done.
        step: Step,
        /// What the system said.
        source: io::Error,
    },
    /// Some files have their new content, could not be given the old one back, and another could not be saved.
    #[error("only {} of the files were saved: {source}", saved.len())]
    Partly {
        /// The files with their new content. All others have the old one.
        saved: Vec<PathBuf>,
        /// Why the next one was not saved.
        source: Box<SaveError>,
    },
    /// All files have their new content, but the system did not confirm that a power failure cannot undo it.
    #[error("saved, but {} could not be flushed to disk: {source}", directory.display())]
    NotDurable {
        /// The directory.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl SaveError {
    /// The file or directory it is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::ChangedOnDisk { path }
            | Self::Vanished { path }
            | Self::Exists { path }
            | Self::OnNoDisk { path }
            | Self::IsDirectory { path }
            | Self::NotAFile { path }
            | Self::DanglingLink { path }
            | Self::NoDirectory { path, .. }
            | Self::ReadOnlyFile { path }
            | Self::ReadOnlyDirectory { path, .. }
            | Self::NoSpace { path, .. }
            | Self::Permission { path, .. }
            | Self::SameFile { path, .. }
            | Self::OutsideTree { path }
            | Self::Io { path, .. } => path,
            Self::Partly { source, .. } => source.path(),
            Self::NotDurable { directory, .. } => directory,
        }
    }

    /// What the user can do about it, as a sentence.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::ChangedOnDisk { .. } => {
                "Nothing was overwritten. Reload the catalog and make the edit again, or save as another file."
            }
            Self::Vanished { .. } => "Save as a new file, or bring the file back.",
            Self::Exists { .. } => "Nothing was overwritten: choose another name.",
            Self::OnNoDisk { .. } => "Save it as a copy.",
            Self::IsDirectory { .. } => "Name a file inside the directory.",
            Self::NotAFile { .. } => "Save as a regular file elsewhere.",
            Self::DanglingLink { .. } => "Remove the link or make its target.",
            Self::NoDirectory { .. } => "Make the directory first, or choose another place.",
            Self::ReadOnlyFile { .. } => "Make the file writable (chmod u+w), or save as another file.",
            Self::ReadOnlyDirectory { .. } => {
                "Saving makes a new file beside the old one: make the directory writable, or save elsewhere."
            }
            Self::NoSpace { .. } => "Free some space and save again. The edits are still here.",
            Self::Permission { .. } => "Check who owns the file and its directory, or save elsewhere.",
            Self::SameFile { .. } => "Open the catalog by one of the two paths only.",
            Self::OutsideTree { .. } => "Use relative paths without `..`.",
            Self::Io { .. } => "The edits are still here: save again, or save elsewhere.",
            Self::Partly { .. } => "Look at the files named here before saving again.",
            Self::NotDurable { .. } => {
                "The files are whole. Save again to be sure they survive a power failure."
            }
        }
    }

    /// The cause behind an error of the system at `step`.
    pub(super) fn from_io(step: Step, path: &Path, real: &Path, source: io::Error) -> Self {
        use io::ErrorKind as Kind;
        let path = path.to_owned();
        let directory = || real.parent().map(Path::to_owned).unwrap_or_default();
        match (source.kind(), step) {
            (Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge, _) => {
                Self::NoSpace { path, source }
            }
            (Kind::IsADirectory, _) => Self::IsDirectory { path },
            (Kind::NotADirectory, _) => Self::NotAFile { path },
            (Kind::NotFound, Step::Read | Step::Recheck) => Self::Vanished { path },
            (Kind::NotFound, Step::Create | Step::Rename) => {
                Self::NoDirectory { path, directory: directory() }
            }
            (Kind::AlreadyExists, Step::Rename) => Self::Exists { path },
            (
                Kind::PermissionDenied | Kind::ReadOnlyFilesystem,
                Step::Create | Step::Rename | Step::Remove,
            ) => Self::ReadOnlyDirectory { path, directory: directory(), source },
            (Kind::ReadOnlyFilesystem, _) => Self::ReadOnlyFile { path },
            (Kind::PermissionDenied, _) => Self::Permission { path, source },
            _ => Self::Io { path, step, source },
        }
    }
}
