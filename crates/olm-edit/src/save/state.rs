//! Location of new content until it is in place, and of locks for directories that cannot be locked.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Directory for internal data of olmap (the XDG state directory), or none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateDirectory(Option<PathBuf>);

impl StateDirectory {
    /// Returns the user's directory: `$XDG_STATE_HOME/olmap`, or the system's equivalent.
    pub fn default_location() -> Self {
        use etcetera::BaseStrategy as _;
        let strategy = etcetera::choose_base_strategy().ok();
        let base = strategy.map(|strategy| strategy.state_dir().unwrap_or_else(|| strategy.data_dir()));
        Self(base.map(|base| base.join("olmap")))
    }

    /// Returns a directory at a path.
    pub fn from_path(path: impl Into<PathBuf>) -> Self {
        Self(Some(path.into()))
    }

    /// Returns no directory; everything is stored next to the files.
    pub fn none() -> Self {
        Self(None)
    }

    /// Returns the path, whether it exists or not.
    ///
    /// # Errors
    ///
    /// If there is no home directory.
    pub fn path(&self) -> io::Result<&Path> {
        let none = || io::Error::new(io::ErrorKind::NotFound, "there is no home directory");
        self.0.as_deref().ok_or_else(none)
    }

    /// Creates a subdirectory that only its owner can read, if it does not exist.
    ///
    /// # Errors
    ///
    /// If there is no home directory, or if it cannot be created.
    pub fn create_subdirectory(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.path()?.join(name);
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::DirBuilderExt as _;
            builder.mode(0o700);
        }
        builder.create(&path)?;
        Ok(path)
    }
}
