//! Manifests of bundles: the files of a bundle directory in memory, their sources, and unreadable parts.
//! Results that depend on an unreadable part must not be reported as checked.

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

/// A file of a bundle directory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TreeFile {
    /// Path, such as `manifests/memo.clusterserviceversion.yaml`.
    pub path: String,
    /// Content, or the error of reading it.
    pub content: Result<Vec<u8>, String>,
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
            content: content.clone(),
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
