//! Index of a folder on disk: the files that git does not ignore, or all files if there is no git.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use super::{
    index::{FileIndex, is_hidden_or_third_party, normalize_path, parent_folder},
    statements::{FILE_NAME, RepositoryStatements},
};
use olm_catalog::load::{git, regular_file};

/// Maximum number of folders listed without git.
const MAX_FOLDERS: usize = 4_000;
/// Maximum number of files in an index.
const MAX_FILES: usize = 400_000;
/// Maximum number of names read from one folder.
const MAX_NAMES: usize = 2_000;
/// Maximum depth of folders.
const MAX_DEPTH: usize = 16;
/// Folders that are never listed.
const UNLISTED: [&str; 2] = [".git", "node_modules"];

/// Lists the files of a folder.
pub fn index_folder(root: &Path) -> FileIndex {
    let mut listing = FolderListing::default();
    let listed = git::list_unignored_files(root).unwrap_or_default();
    for path in listed.into_iter().take(MAX_FILES) {
        listing.add_path(root, &path);
    }
    if listing.files.is_empty() && listing.links.is_empty() {
        let mut left = MAX_FOLDERS;
        listing.add_folder(root, "", 0, &mut left);
    }
    for path in stated_paths(root) {
        listing.add_stated(root, &path);
    }
    listing.into_index(root)
}

/// Lists the files directly in a folder.
pub fn index_direct_files(folder: &Path) -> FileIndex {
    let mut listing = FolderListing::default();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_NAMES) {
        if let Ok(name) = entry.file_name().into_string() {
            listing.add_path(folder, &name);
        }
    }
    listing.into_index(folder)
}

/// Lists the subfolders of a folder, sorted, without hidden folders and folders of third-party code.
pub fn directories(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_NAMES);
    let is_own = |path: &PathBuf| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| !is_hidden_or_third_party(&format!("{name}/x")))
    };
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir() && is_own(path)).collect();
    folders.sort();
    folders
}

/// Returns the paths that the repository states. Discovery reports mistakes in the file.
fn stated_paths(root: &Path) -> Vec<String> {
    let text = regular_file::read_regular(&root.join(FILE_NAME), regular_file::MAX_HANDWRITTEN_SIZE)
        .unwrap_or_default();
    let stated = RepositoryStatements::parse(&String::from_utf8_lossy(&text)).unwrap_or_default();
    stated.paths().map(|stated| stated.path.clone()).collect()
}

#[derive(Default)]
struct FolderListing {
    files: BTreeSet<String>,
    links: BTreeMap<String, String>,
}

impl FolderListing {
    fn into_index(self, root: &Path) -> FileIndex {
        let folder = root.to_owned();
        let read = move |path: &str, limit: u64| {
            let mut bytes = Vec::new();
            regular_file::open_regular(&folder.join(path)).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
            Some(bytes)
        };
        FileIndex::new(self.files, self.links, root.join(".git").exists(), Box::new(read))
    }

    /// Adds a file or a link, but not a folder, because a folder in the listing of git is another repository.
    fn add_path(&mut self, root: &Path, path: &str) {
        let full = root.join(path);
        let Ok(metadata) = full.symlink_metadata() else { return };
        if metadata.is_symlink() {
            let target = fs::read_link(&full).ok();
            let target = target.as_deref().and_then(Path::to_str).filter(|target| !target.starts_with('/'));
            let target =
                target.and_then(|target| normalize_path(&format!("{}/{target}", parent_folder(path))));
            self.links.extend(target.map(|target| (path.to_owned(), target)));
        } else if metadata.is_file() {
            self.files.insert(path.to_owned());
        }
    }

    /// Adds the files at a stated path, which git may ignore.
    fn add_stated(&mut self, root: &Path, path: &str) {
        let prefix = format!("{path}/");
        let is_listed = self.files.contains(path)
            || self.files.range(prefix.clone()..).next().is_some_and(|file| file.starts_with(&prefix));
        if is_listed {
            return;
        }
        if root.join(path).is_dir() {
            let mut left = MAX_FOLDERS;
            self.add_folder(root, path, 0, &mut left);
        } else {
            self.add_path(root, path);
        }
    }

    fn add_folder(&mut self, root: &Path, inside: &str, depth: usize, left: &mut usize) {
        let Some(fewer) = left.checked_sub(1).filter(|_| depth < MAX_DEPTH) else { return };
        *left = fewer;
        let mut folders = Vec::new();
        for entry in fs::read_dir(root.join(inside)).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = if inside.is_empty() { name.clone() } else { format!("{inside}/{name}") };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    let is_other = entry.path().join(".git").exists();
                    if !is_other && !UNLISTED.contains(&name.as_str()) {
                        folders.push(path);
                    }
                }
                Ok(_) if self.files.len() < MAX_FILES => self.add_path(root, &path),
                _ => {}
            }
        }
        folders.sort();
        for folder in folders {
            self.add_folder(root, &folder, depth + 1, left);
        }
    }
}
