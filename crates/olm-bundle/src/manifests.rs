//! Manifests of bundles: the files of a bundle directory in memory, their sources, and unreadable parts.
//! Results that depend on an unreadable part must not be reported as checked.

use std::{
    collections::HashMap,
    fmt,
    hash::{DefaultHasher, Hash, Hasher as _},
    sync::{Arc, Mutex, PoisonError, Weak},
};

use crate::{
    crd::{CrdSet, ManifestsUnavailable},
    document::{DocumentError, parse_first},
    registry::DirectoryContents,
};
use olm_catalog::{ImageBundle, PackageName, blob::BundleBlob};

/// Manifests of a bundle.
#[derive(Clone, Debug)]
pub struct BundleManifests {
    /// Files of the bundle.
    pub tree: Tree,
    /// Display name of the directory or image; `None` if the files represent objects of a catalog.
    pub shown: Option<String>,
}

/// Source of bundle manifests: directories on disk, a catalog with whole objects, images.
pub trait Manifests: Sync {
    /// Returns the bundle directory of a bundle, or an equivalent.
    ///
    /// # Errors
    ///
    /// If the manifests are unavailable. This says nothing about their content.
    fn manifests_of(
        &self,
        package: &PackageName,
        bundle: &BundleBlob,
    ) -> Result<BundleManifests, ManifestsUnavailable>;
}

/// Returns a description of the first unreadable part of a bundle: a manifest, its metadata, or a missing CRD
/// that its CSV owns. `None` if all of it can be read. `shown` is the directory or image of the bundle.
pub fn describe_unread_part(
    tree: &Tree,
    crds: &CrdSet<'_>,
    contents: &DirectoryContents<'_>,
    shown: Option<&str>,
) -> Option<String> {
    if let Some(unread) = crds.unread.first() {
        return Some(format!("{} cannot be read: {}", unread.file, unread.reason));
    }
    let path_of = |path: &str| match shown {
        Some(place) => format!("{place}/{path}"),
        None => path.to_owned(),
    };
    for file in tree.files_in("metadata").filter(|file| is_yaml(&file.path)) {
        let reason = match (&file.content, parse_first(file.content_or_empty())) {
            (Err(reason), _) => reason.clone(),
            (Ok(_), Err(DocumentError::Unreadable(error))) => error.to_string(),
            (Ok(_), _) => continue,
        };
        return Some(format!("{} cannot be read: {reason}", path_of(&file.path)));
    }
    let [owned, _] = contents.csv()?.definitions("customresourcedefinitions").ok()?;
    let has = |name: &str| crds.crds.iter().any(|crd| crd.name() == name);
    let missing = owned.iter().find(|owned| !owned.name.is_empty() && !has(&owned.name))?;
    let place = shown.unwrap_or("the catalog");
    Some(format!("the CSV owns the CRD {}, which is not in {place}", missing.name))
}

fn is_yaml(path: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|ending| path.ends_with(ending))
}

/// A bundle directory: its files with content, and its folders. Paths are relative to it, with `/` as
/// separator.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Tree {
    /// Files sorted by path.
    pub files: Vec<TreeFile>,
    /// Folders sorted by path.
    pub folders: Vec<String>,
}

/// Bytes of a file. Clones share them, and a [`FilePool`] lets equal files share them.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct FileBytes(Arc<Vec<u8>>);

impl std::ops::Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for FileBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::new(bytes))
    }
}

impl From<&[u8]> for FileBytes {
    fn from(bytes: &[u8]) -> Self {
        bytes.to_vec().into()
    }
}

impl From<String> for FileBytes {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl From<&str> for FileBytes {
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl fmt::Debug for FileBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

/// Files by length and hash.
type KnownFiles = HashMap<(usize, u64), Weak<Vec<u8>>>;

/// Files that bundles share. A file is in memory as long as a bundle has it.
#[derive(Debug, Default)]
pub struct FilePool {
    known: Mutex<KnownFiles>,
}

impl FilePool {
    /// Minimum length of shared files: the lookup costs as much as a smaller one.
    const MIN_LENGTH: usize = 4096;

    /// Replaces the large files of a tree by equal ones of other trees.
    #[must_use]
    pub fn share_files(&self, mut tree: Tree) -> Tree {
        for file in &mut tree.files {
            if let Ok(bytes) = &mut file.content
                && bytes.len() >= Self::MIN_LENGTH
            {
                *bytes = self.share_bytes(bytes);
            }
        }
        tree
    }

    fn share_bytes(&self, bytes: &FileBytes) -> FileBytes {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = known.entry((bytes.len(), hasher.finish())).or_default();
        match entry.upgrade().map(FileBytes) {
            Some(same) if same == *bytes => same,
            // Bytes with the same hash that differ replace the others, which are then no longer shared.
            _ => {
                *entry = Arc::downgrade(&bytes.0);
                bytes.clone()
            }
        }
    }
}

/// A file of a bundle directory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TreeFile {
    /// Path, such as `manifests/memo.clusterserviceversion.yaml`.
    pub path: String,
    /// Content, or the error of reading it.
    pub content: Result<FileBytes, String>,
}

impl TreeFile {
    /// Returns its name without the folders.
    pub fn file_name(&self) -> &str {
        self.path.rsplit_once('/').map_or(self.path.as_str(), |(_, name)| name)
    }

    /// Returns its bytes; empty if unreadable.
    pub fn content_or_empty(&self) -> &[u8] {
        self.content.as_deref().unwrap_or_default()
    }

    /// Returns true if its name begins with a dot.
    pub fn is_hidden(&self) -> bool {
        self.file_name().starts_with('.')
    }
}

impl From<&ImageBundle> for Tree {
    fn from(bundle: &ImageBundle) -> Self {
        let file = |(path, content): &(String, Result<Vec<u8>, String>)| TreeFile {
            path: path.clone(),
            content: content.clone().map(FileBytes::from),
        };
        Self::new(bundle.files.iter().map(file).collect(), bundle.folders.clone())
    }
}

impl Tree {
    /// Creates a tree with sorted files and folders.
    pub fn new(mut files: Vec<TreeFile>, mut folders: Vec<String>) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        folders.sort();
        Self { files, folders }
    }

    /// Returns true if a folder with this path exists.
    pub fn has_folder(&self, path: &str) -> bool {
        self.folders.binary_search_by(|folder| folder.as_str().cmp(path)).is_ok()
    }

    /// Returns true if opm considers the directory a bundle: it has the folders `manifests` and `metadata`.
    pub fn is_bundle(&self) -> bool {
        self.has_folder("manifests") && self.has_folder("metadata")
    }

    /// Returns the files directly in a folder, by name.
    pub fn files_in<'t>(&'t self, folder: &'t str) -> impl Iterator<Item = &'t TreeFile> {
        self.files.iter().filter(move |file| parent_path(&file.path) == folder)
    }

    /// Returns the folders directly in a folder.
    pub fn folders_in<'t>(&'t self, folder: &'t str) -> impl Iterator<Item = &'t str> {
        self.folders.iter().map(String::as_str).filter(move |path| parent_path(path) == folder)
    }

    /// Returns the index of a file in [`Tree::files`].
    pub fn file_index(&self, path: &str) -> Option<usize> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()
    }
}

fn parent_path(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pool_shares_large_equal_files_as_long_as_they_are_used() {
        let pool = FilePool::default();
        let tree = |text: &str| {
            let file =
                |path: &str, text: String| TreeFile { path: path.to_owned(), content: Ok(text.into()) };
            let files = vec![file("a", text.repeat(FilePool::MIN_LENGTH)), file("b", text.to_owned())];
            pool.share_files(Tree::new(files, Vec::new()))
        };
        let [first, equal, other] = ["x", "x", "y"].map(tree);
        let bytes = |tree: &Tree, at: usize| tree.files[at].content.clone().unwrap().0;
        assert_eq!(first, equal);
        assert!(Arc::ptr_eq(&bytes(&first, 0), &bytes(&equal, 0)));
        assert!(!Arc::ptr_eq(&bytes(&first, 1), &bytes(&equal, 1)), "small files are not shared");
        assert_eq!(&bytes(&other, 0)[..1], b"y");
        let gone = Arc::downgrade(&bytes(&first, 0));
        drop((first, equal));
        assert!(gone.upgrade().is_none(), "the pool keeps nothing alive");
        assert_eq!(tree("x").files[0].content_or_empty()[0], b'x');
    }
}
