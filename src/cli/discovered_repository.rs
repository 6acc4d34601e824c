//! Contents of a repository, with paths relative to the current directory.

use std::{
    env,
    path::{Path, PathBuf},
};

use super::failure::Failure;
use olm_source::discovery::{self, Discovery};

/// Contents of a repository.
pub struct DiscoveredRepository {
    /// Contents, with paths relative to the root.
    pub contents: Discovery,
    path_base: PathBase,
}

/// Directory that displayed paths are relative to.
enum PathBase {
    /// Folder of the repository; contains its path from the root.
    Inside(String),
    /// Folder elsewhere; contains the path from there to the root.
    Outside(PathBuf),
}

impl DiscoveredRepository {
    /// Discovers the repository around the current directory.
    pub fn from_current_dir() -> Result<Self, Failure> {
        let start = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        let root = discovery::root_of(&start).unwrap_or(&start);
        let inside = start.strip_prefix(root).ok().and_then(Path::to_str).unwrap_or_default().to_owned();
        Ok(Self { contents: discover_contents(root)?, path_base: PathBase::Inside(inside) })
    }

    /// Discovers the contents of a folder.
    pub fn from_folder(root: &Path) -> Result<Self, Failure> {
        Ok(Self { contents: discover_contents(root)?, path_base: PathBase::Outside(root.to_owned()) })
    }

    /// Converts a path of the repository to a path from the current directory.
    pub fn relative_path(&self, path: &str) -> PathBuf {
        match &self.path_base {
            PathBase::Inside(folder) => discovery::relative_path(path, folder),
            PathBase::Outside(root) if root == Path::new(".") => PathBuf::from(path),
            PathBase::Outside(root) if path == "." => root.clone(),
            PathBase::Outside(root) => root.join(path),
        }
    }
}

fn discover_contents(root: &Path) -> Result<Discovery, Failure> {
    discovery::discover(root).map_err(|error| Failure::new(error.to_string()))
}
