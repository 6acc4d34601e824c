//! Why a save did not happen, and what the user can do about it.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::step::Step;

/// All files have their new content, but the system did not confirm that a power failure cannot undo it.
#[derive(Debug, thiserror::Error)]
#[error("{} could not be flushed to disk; a power failure may lose it: {source}", directory.display())]
pub struct NotDurable {
    /// The directory.
    pub directory: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// Why files were not saved. Unless it is [`SaveError::Partly`], every file is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The file is no longer what was loaded: someone else has edited it.
    #[error("{} changed on disk since it was loaded", path.display())]
    ChangedOnDisk {
        /// The file as the caller named it.
        path: PathBuf,
    },
    /// The file that was loaded is gone.
    #[error("{} was deleted", path.display())]
    Vanished {
        /// The file as the caller named it.
        path: PathBuf,
    },
    /// A file that was to be new is there already.
    #[error("{} already exists", path.display())]
    Exists {
        /// The file as the caller named it.
        path: PathBuf,
    },
    /// The file came from no disk: through standard input, or with the program.
    #[error("{} is not on disk", path.display())]
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
    /// A link inside the directory that is written to leads out of it.
    #[error("{} is a link to {}, outside {}", path.display(), target.display(), directory.display())]
    LeadsOut {
        /// The link.
        path: PathBuf,
        /// The directory.
        directory: PathBuf,
        /// The target of the link.
        target: PathBuf,
    },
    /// The directory the file should be in does not exist.
    #[error("directory {} does not exist", directory.display())]
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
    #[error("cannot create files in {}: {source}", directory.display())]
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
    #[error("{} is not a path inside the directory", path.display())]
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
    #[error("only {} {} saved: {source}", listed(saved), if saved.len() == 1 { "was" } else { "were" })]
    Partly {
        /// The files with their new content. All others have the old one.
        saved: Vec<PathBuf>,
        /// Why the next one was not saved.
        source: Box<SaveError>,
    },
    /// Another olmap has locked a directory, and does not let go of it.
    #[error("another olmap is writing to {}", directory.display())]
    Busy {
        /// The directory.
        directory: PathBuf,
    },
}

/// Paths in a sentence, all of them: these are what one has to look at.
fn listed(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    names.join(", ")
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
            | Self::LeadsOut { path, .. }
            | Self::NoDirectory { path, .. }
            | Self::ReadOnlyFile { path }
            | Self::ReadOnlyDirectory { path, .. }
            | Self::NoSpace { path, .. }
            | Self::Permission { path, .. }
            | Self::SameFile { path, .. }
            | Self::OutsideTree { path }
            | Self::Io { path, .. } => path,
            Self::Partly { source, .. } => source.path(),
            Self::Busy { directory } => directory,
        }
    }

    /// Whether somebody else has changed, made or removed a file since it was loaded.
    pub fn is_of_somebody_else(&self) -> bool {
        matches!(self, Self::ChangedOnDisk { .. } | Self::Vanished { .. } | Self::Exists { .. })
    }

    /// Whether anything was written.
    pub fn wrote_something(&self) -> bool {
        matches!(self, Self::Partly { .. })
    }

    /// What to do about it, as a sentence, whoever asked for the save.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::ChangedOnDisk { .. } => "Reload the catalog and repeat the edit.",
            Self::Vanished { .. } => "Restore the file, or save elsewhere.",
            Self::Exists { .. } => "Nothing was overwritten: choose another name.",
            Self::OnNoDisk { .. } => "Save it as a copy.",
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
            Self::Partly { .. } => "All other files are unchanged. Fix the cause, then save again.",
            Self::Busy { .. } => "Save again when it has finished.",
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
            // Not a regular file: it took the place of one meanwhile.
            (Kind::InvalidInput, Step::Read | Step::Recheck) => Self::NotAFile { path },
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
