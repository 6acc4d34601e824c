//! Targets of the symbolic links of a commit, from their content. Git itself only reports the final target.

use std::{
    collections::HashMap,
    path::{Component, Path, PathBuf},
};

use super::{
    Repository,
    batch::{self, Content, Request},
    path_of,
    tree::{TreeEntry, TreeEntryKind},
};
use crate::load::LoadError;

/// Maximum number of links in a chain, like operating systems.
const MAX_HOPS: usize = 40;

/// Links of a catalog, relative to the root of the repository.
#[derive(Default)]
pub(super) struct Links {
    root: PathBuf,
    /// Target of each link; `None` if it is not a path in the repository.
    targets: HashMap<PathBuf, Option<PathBuf>>,
}

impl Links {
    /// Reads the targets of all links of a catalog with the given root.
    pub fn load(repository: &Repository, root: &Path, found: &[TreeEntry]) -> Result<Self, LoadError> {
        let links = found.iter().filter_map(|entry| match &entry.kind {
            TreeEntryKind::Link { blob } => Some((&entry.path, blob)),
            TreeEntryKind::File { .. } | TreeEntryKind::Submodule => None,
        });
        let (paths, blobs): (Vec<&PathBuf>, Vec<&String>) = links.unzip();
        let wanted: Vec<Request> = blobs.into_iter().map(|blob| Request::Object(blob.clone())).collect();
        let mut read = Self { root: root.to_owned(), targets: HashMap::new() };
        let mut paths = paths.into_iter();
        batch::read_contents(repository, &wanted, |content| {
            if let (Some(path), Content::Bytes(text)) = (paths.next(), content) {
                read.targets.insert(path.clone(), resolve_target(path, &path_of(&text)));
            }
            Ok(())
        })?;
        Ok(read)
    }

    /// Returns true if a path is a link, or a chain of links, out of the catalog.
    pub fn leads_outside(&self, path: &Path) -> bool {
        let mut at = path;
        for _ in 0..MAX_HOPS {
            match self.targets.get(at) {
                None => return !at.starts_with(&self.root),
                Some(None) => return true,
                Some(Some(target)) => at = target,
            }
        }
        // A cycle: git does not find a file.
        false
    }
}

/// Returns the target of a link, relative to the root of the repository; `None` if it is outside.
fn resolve_target(link: &Path, text: &Path) -> Option<PathBuf> {
    let mut at = link.parent()?.to_owned();
    for part in text.components() {
        match part {
            Component::Normal(name) => at.push(name),
            Component::ParentDir if at.pop() => {}
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(at)
}
