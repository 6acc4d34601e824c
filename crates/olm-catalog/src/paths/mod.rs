//! Rules for the paths of a catalog, without disk access.

pub mod glob;
pub mod indexignore;

/// Names of temporary files and folders of a save next to its targets, also if a crash left them behind. opm
/// reads every file whatever its name; olmap skips these.
pub mod leftover {
    use std::ffi::OsStr;

    /// Prefix of the names.
    pub const PREFIX: &str = ".olmap-save-";

    /// Suffix of the file names; folders do not have one.
    pub const SUFFIX: &str = ".tmp";

    /// Returns true if a save created a file or folder with this name.
    pub fn is_leftover(name: &OsStr) -> bool {
        name.to_str().is_some_and(|name| name.starts_with(PREFIX))
    }
}
