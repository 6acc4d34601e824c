//! Where the symbolic links of a commit lead: by their texts, for git tells only what is there in the end.

use std::{
    collections::HashMap,
    path::{Component, Path, PathBuf},
};

use super::{
    Repository,
    batch::{self, Content, Wanted},
    path_of,
    tree::{Found, Kind},
};
use crate::catalog::load::LoadError;

/// As many links in a row as systems follow.
const MOST_HOPS: usize = 40;

/// The links of a catalog, from the repository's root on.
#[derive(Default)]
pub(super) struct Links {
    root: PathBuf,
    /// Where each leads; `None` where that is no path in the repository.
    targets: HashMap<PathBuf, Option<PathBuf>>,
}

impl Links {
    /// Reads the texts of all links of a catalog, which has its root at a path.
    pub fn read(repository: &Repository, root: &Path, found: &[Found]) -> Result<Self, LoadError> {
        let links = found.iter().filter_map(|one| match &one.kind {
            Kind::Link { blob } => Some((&one.path, blob)),
            Kind::File { .. } | Kind::Submodule => None,
        });
        let (paths, blobs): (Vec<&PathBuf>, Vec<&String>) = links.unzip();
        let wanted: Vec<Wanted> = blobs.into_iter().map(|blob| Wanted::Object(blob.clone())).collect();
        let mut read = Self { root: root.to_owned(), targets: HashMap::new() };
        let mut paths = paths.into_iter();
        batch::contents(repository, &wanted, |content| {
            if let (Some(path), Content::Bytes(text)) = (paths.next(), content) {
                read.targets.insert(path.clone(), target(path, &path_of(&text)));
            }
            Ok(())
        })?;
        Ok(read)
    }

    /// Whether a path is a link, or several in a row, out of the catalog.
    pub fn leads_out(&self, path: &Path) -> bool {
        let mut at = path;
        for _ in 0..MOST_HOPS {
            match self.targets.get(at) {
                None => return !at.starts_with(&self.root),
                Some(None) => return true,
                Some(Some(target)) => at = target,
            }
        }
        // In a circle: git has nothing there.
        false
    }
}

/// What a link means, from the root on; `None` where it leads out of the repository.
fn target(link: &Path, text: &Path) -> Option<PathBuf> {
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
