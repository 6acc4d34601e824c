//! Where a save keeps what it needs besides the files themselves: new content until it is put in place, and locks where a
//! directory cannot be locked.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The directory in which olmap keeps things for itself (XDG's state directory), or none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateDirectory(Option<PathBuf>);

impl StateDirectory {
    /// That of whoever runs the program: `$XDG_STATE_HOME/olmap`, or what the system has instead.
    pub fn usual() -> Self {
        use etcetera::BaseStrategy as _;
        let strategy = etcetera::choose_base_strategy().ok();
        let base = strategy.map(|strategy| strategy.state_dir().unwrap_or_else(|| strategy.data_dir()));
        Self(base.map(|base| base.join("olmap")))
    }

    /// One of one's own.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(Some(path.into()))
    }

    /// None: everything is kept beside the files.
    pub fn nowhere() -> Self {
        Self(None)
    }

    /// Where it is, whether it is there or not.
    ///
    /// # Errors
    ///
    /// When there is no home to have it in.
    pub fn path(&self) -> io::Result<&Path> {
        let none = || io::Error::new(io::ErrorKind::NotFound, "there is no home directory");
        self.0.as_deref().ok_or_else(none)
    }

    /// A directory in it, made where it is not there yet, readable by its owner only.
    ///
    /// # Errors
    ///
    /// When there is no home to have it in, or it cannot be made.
    pub fn directory(&self, name: &str) -> io::Result<PathBuf> {
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
