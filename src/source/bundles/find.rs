//! Finding bundle directories, by the names of folders alone.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::super::bundle_dir::is_bundle_directory;

/// Files that make a folder a catalog, whatever lies beside them.
const CATALOG_FILES: [&str; 4] = ["catalog.yaml", "catalog.json", "index.yaml", ".indexignore"];
/// How deep bundles may lie: `operators/NAME/VERSION` of a repository.
const DEEPEST: usize = 3;
/// How many folders are looked at before there must be a bundle: a catalog has none, and may be large.
const PATIENCE: usize = 400;

/// A folder with bundle directories.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundleFolder {
    /// What the paths of the directories begin with; a bundle that stands alone lies in its parent.
    pub root: PathBuf,
    /// The bundle directories from there, in the order of their names.
    pub directories: Vec<PathBuf>,
}

impl BundleFolder {
    /// The bundle directories on disk.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.directories.iter().map(|directory| self.root.join(directory))
    }
}

/// The bundle directories at a path and below; `None` where there are none, or where it is a catalog.
pub fn find(path: &Path) -> Option<BundleFolder> {
    if is_bundle_directory(path) {
        if path.file_name().is_none() {
            // Paths of files stay relative: `..` from `.`.
            let root = if path == Path::new(".") { PathBuf::from("..") } else { path.join("..") };
            let name = path.canonicalize().ok()?.file_name()?.into();
            return Some(BundleFolder { root, directories: vec![name] });
        }
        let name = path.file_name()?.into();
        let root = path.parent().map(Path::to_owned).unwrap_or_default();
        return Some(BundleFolder { root, directories: vec![name] });
    }
    let mut looker = Looker { root: path, directories: Vec::new(), looked: 0 };
    looker.folder(Path::new(""), 0)?;
    looker.directories.sort();
    (!looker.directories.is_empty())
        .then(|| BundleFolder { root: path.to_owned(), directories: looker.directories })
}

/// Returns the bundle directories among the files of a folder, in the order of their names: as [`find`], for a folder that is not
/// on disk. Empty if there are none, or if the folder is a catalog.
pub fn directories_in(files: &[PathBuf]) -> Vec<PathBuf> {
    let folder_with = |name: &str| -> BTreeSet<PathBuf> {
        let above = files.iter().flat_map(|file| file.ancestors().skip(1));
        let named = above.filter(|folder| folder.file_name().is_some_and(|own| own == name));
        named.filter_map(|folder| folder.parent().map(Path::to_owned)).collect()
    };
    let (manifests, metadata) = (folder_with("manifests"), folder_with("metadata"));
    let is_deep = |folder: &Path| folder.components().count() > DEEPEST;
    let mut found: Vec<PathBuf> = Vec::new();
    // Sorted by folders: what is inside a bundle is not one.
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

struct Looker<'p> {
    root: &'p Path,
    directories: Vec<PathBuf>,
    looked: usize,
}

impl Looker<'_> {
    /// Looks into a folder; `None` where all of it is a catalog.
    fn folder(&mut self, inside: &Path, depth: usize) -> Option<()> {
        let on_disk = self.root.join(inside);
        if CATALOG_FILES.iter().any(|name| on_disk.join(name).exists()) {
            return None;
        }
        self.looked += 1;
        if self.directories.is_empty() && self.looked > PATIENCE {
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
            } else if depth + 1 < DEEPEST {
                self.folder(&path, depth + 1)?;
            }
        }
        Some(())
    }
}
