//! Search for bundle directories, by the names of folders only.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::super::bundle_dir::is_bundle_directory;

/// Files that mark a folder as a catalog, whatever else it contains.
const CATALOG_FILES: [&str; 4] = ["catalog.yaml", "catalog.json", "index.yaml", ".indexignore"];
/// Maximum depth of bundles: `operators/NAME/VERSION` in a repository.
const MAX_DEPTH: usize = 3;
/// Number of folders searched before the first bundle must appear. A catalog has none, and may be large.
const MAX_FOLDERS_WITHOUT_BUNDLE: usize = 400;

/// A folder with bundle directories.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundleFolder {
    /// Parent of the directories; for a single bundle, the parent of its directory.
    pub root: PathBuf,
    /// Bundle directories relative to `root`, sorted by name.
    pub directories: Vec<PathBuf>,
}

impl BundleFolder {
    /// Iterates over the paths of the bundle directories on disk.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.directories.iter().map(|directory| self.root.join(directory))
    }
}

/// Finds the bundle directories at or below a path. `None` if there are none, or if the path is a catalog.
pub fn find_bundle_folder(path: &Path) -> Option<BundleFolder> {
    if is_bundle_directory(path) {
        if path.file_name().is_none() {
            // Paths of files stay relative: `..` for `.`.
            let root = if path == Path::new(".") { PathBuf::from("..") } else { path.join("..") };
            let name = path.canonicalize().ok()?.file_name()?.into();
            return Some(BundleFolder { root, directories: vec![name] });
        }
        let name = path.file_name()?.into();
        let root = path.parent().map(Path::to_owned).unwrap_or_default();
        return Some(BundleFolder { root, directories: vec![name] });
    }
    let mut search = BundleSearch { root: path, directories: Vec::new(), searched_folders: 0 };
    search.search_folder(Path::new(""), 0)?;
    search.directories.sort();
    (!search.directories.is_empty())
        .then(|| BundleFolder { root: path.to_owned(), directories: search.directories })
}

/// Like [`find_bundle_folder`], for a folder that is not on disk. Returns the bundle directories among its files, sorted by
/// name. Empty if there are none, or if the folder is a catalog.
pub fn directories_in(files: &[PathBuf]) -> Vec<PathBuf> {
    let folder_with = |name: &str| -> BTreeSet<PathBuf> {
        let above = files.iter().flat_map(|file| file.ancestors().skip(1));
        let named = above.filter(|folder| folder.file_name().is_some_and(|own| own == name));
        named.filter_map(|folder| folder.parent().map(Path::to_owned)).collect()
    };
    let (manifests, metadata) = (folder_with("manifests"), folder_with("metadata"));
    let is_deep = |folder: &Path| folder.components().count() > MAX_DEPTH;
    let mut found: Vec<PathBuf> = Vec::new();
    // Folders are sorted, and a folder inside a bundle is not a bundle.
    for folder in manifests.intersection(&metadata).filter(|folder| !is_deep(folder)) {
        if !found.iter().any(|known| folder.starts_with(known)) {
            found.push(folder.clone());
        }
    }
    let is_in_bundle = |file: &Path| found.iter().any(|folder| file.starts_with(folder));
    let is_catalog_file = |file: &PathBuf| {
        let name = file.file_name().is_some_and(|own| CATALOG_FILES.iter().any(|name| own == *name));
        name && !is_in_bundle(file)
    };
    if files.iter().any(is_catalog_file) { Vec::new() } else { found }
}

struct BundleSearch<'p> {
    root: &'p Path,
    directories: Vec<PathBuf>,
    searched_folders: usize,
}

impl BundleSearch<'_> {
    /// Searches a folder; `None` if the root is a catalog.
    fn search_folder(&mut self, inside: &Path, depth: usize) -> Option<()> {
        let on_disk = self.root.join(inside);
        if CATALOG_FILES.iter().any(|name| on_disk.join(name).exists()) {
            return None;
        }
        self.searched_folders += 1;
        if self.directories.is_empty() && self.searched_folders > MAX_FOLDERS_WITHOUT_BUNDLE {
            return None;
        }
        let mut names: Vec<_> = fs::read_dir(&on_disk)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.file_name())
            .filter(|name| !name.to_string_lossy().starts_with('.'))
            .collect();
        names.sort_unstable();
        for name in names {
            let path = inside.join(name);
            if is_bundle_directory(&self.root.join(&path)) {
                self.directories.push(path);
            } else if depth + 1 < MAX_DEPTH {
                self.search_folder(&path, depth + 1)?;
            }
        }
        Some(())
    }
}
