//! Contents of a repository, with paths relative to the current directory.

use std::{
    env,
    path::{Path, PathBuf},
};

use super::failure::Failure;
use crate::source::discovery::{self, Discovery};

/// Contents of a repository.
pub struct Discovered {
    /// Contents, with paths relative to the root.
    pub found: Discovery,
    seen_from: SeenFrom,
}

/// Directory that displayed paths are relative to.
enum SeenFrom {
    /// Folder of the repository; contains its path from the root.
    Inside(String),
    /// Folder elsewhere; contains the path from there to the root.
    Outside(PathBuf),
}

impl Discovered {
    /// Discovers the repository around the current directory.
    pub fn here() -> Result<Self, Failure> {
        let start = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        let root = discovery::root_of(&start).unwrap_or(&start);
        let inside = start.strip_prefix(root).ok().and_then(Path::to_str).unwrap_or_default().to_owned();
        Ok(Self { found: discover(root)?, seen_from: SeenFrom::Inside(inside) })
    }

    /// Discovers the contents of a folder.
    pub fn at(root: &Path) -> Result<Self, Failure> {
        Ok(Self { found: discover(root)?, seen_from: SeenFrom::Outside(root.to_owned()) })
    }

    /// Converts a path of the repository to a path from the current directory.
    pub fn path(&self, path: &str) -> PathBuf {
        match &self.seen_from {
            SeenFrom::Inside(folder) => discovery::relative(path, folder),
            SeenFrom::Outside(root) if root == Path::new(".") => PathBuf::from(path),
            SeenFrom::Outside(root) if path == "." => root.clone(),
            SeenFrom::Outside(root) => root.join(path),
        }
    }
}

fn discover(root: &Path) -> Result<Discovery, Failure> {
    discovery::discover(root).map_err(|error| Failure::new(error.to_string()))
}
