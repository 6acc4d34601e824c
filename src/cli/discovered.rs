//! Contents of a repository, with paths as seen from the current directory.

use std::{
    env,
    path::{Path, PathBuf},
};

use super::failure::Failure;
use crate::source::discovery::{self, Discovery};

/// Contents of a repository.
pub struct Discovered {
    /// Contents, with paths from the root on.
    pub found: Discovery,
    seen_from: SeenFrom,
}

/// Place from which paths of a repository are seen.
enum SeenFrom {
    /// A folder of the repository, by its path from the root on.
    Inside(String),
    /// A folder elsewhere, by the path of the root from there.
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

    /// Discovers what is in a folder.
    pub fn at(root: &Path) -> Result<Self, Failure> {
        Ok(Self { found: discover(root)?, seen_from: SeenFrom::Outside(root.to_owned()) })
    }

    /// Returns a path of the repository as seen from the current directory.
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
