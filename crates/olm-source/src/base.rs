//! Comparison of catalogs on disk with a revision of their git repository.

use std::{
    collections::{BTreeSet, HashSet},
    ffi::OsStr,
    fs,
    io::ErrorKind,
    path::{Component, Path, PathBuf},
};

use super::discovery::{discover_revision, relative_path};
use olm_catalog::{
    Catalog,
    load::{
        LoadError, Progress,
        git::{Commit, GitError, Repository, Revision},
    },
    paths::glob::Glob,
};

/// Characters that make a part of a path argument a glob pattern.
const WILDCARDS: [char; 3] = ['*', '?', '['];

/// Catalogs of a revision, by whether their path still exists on disk.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct OldCatalogs {
    /// Catalogs whose path no longer exists on disk.
    pub removed: Vec<PathBuf>,
    /// Catalogs whose path exists on disk.
    pub kept: Vec<PathBuf>,
}

impl OldCatalogs {
    /// Replaces each found path that is a folder of catalogs in the revision by the remaining
    /// catalogs in it. On disk, a folder with only one catalog left looks like a catalog itself.
    pub fn expand_folders(&self, found: &[PathBuf]) -> Vec<PathBuf> {
        let inner = |path: &PathBuf| -> Vec<PathBuf> {
            let is_here = path == Path::new(".");
            let is_inside = |old: &&PathBuf| *old != path && (is_here || old.starts_with(path));
            let all = self.kept.iter().chain(&self.removed).filter(is_inside).count();
            let is_old = self.kept.contains(path);
            if all == 0 || is_old {
                return vec![path.clone()];
            }
            self.kept.iter().filter(is_inside).cloned().collect()
        };
        found.iter().flat_map(inner).collect()
    }
}

/// Part of a repository to search for removed catalogs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchScope {
    /// A folder and its subfolders.
    Folder,
    /// The whole repository.
    Repository,
}

/// A revision that catalogs on disk are compared with.
#[derive(Debug)]
pub struct Base {
    repository: Repository,
    commit: Commit,
    revision: String,
}

impl Base {
    /// Resolves a revision in the repository around a path. `REV...` is the merge base of HEAD and REV.
    ///
    /// # Errors
    ///
    /// If git cannot be run, if the path is not in a repository, or if the revision does not exist.
    pub fn resolve(revision: &str, around: &Path) -> Result<Self, GitError> {
        let repository = Repository::discover(around)?;
        let commit = repository.resolve_revision(revision)?;
        Ok(Self { repository, commit, revision: revision.to_owned() })
    }

    /// Returns the name of the revision for messages.
    pub fn label(&self) -> String {
        Revision { revision: self.short_revision().to_owned(), path: None }.label()
    }

    /// Returns the revision as given, with a full commit hash shortened.
    fn short_revision(&self) -> &str {
        let is_whole =
            self.revision.len() >= 40 && self.revision.bytes().all(|byte| byte.is_ascii_hexdigit());
        self.revision.get(..12).filter(|_| is_whole).unwrap_or(&self.revision)
    }

    /// Returns the name for messages of a catalog in the revision, by its path on disk.
    ///
    /// # Errors
    ///
    /// If the path is not in the repository.
    pub fn label_for(&self, path: &Path) -> Result<String, GitError> {
        let inside = self.repository.relative_path(path)?;
        Ok(Revision { revision: self.short_revision().to_owned(), path: Some(inside) }.label())
    }

    /// Opens the catalog at a path on disk as it was in the revision. `None` if the revision does
    /// not have the path.
    ///
    /// # Errors
    ///
    /// See [`Repository::open_catalog`].
    pub fn open_catalog(&self, path: &Path, progress: &Progress) -> Result<Option<Catalog>, LoadError> {
        let inside = self.repository.relative_path(path)?;
        match self.repository.open_catalog(&self.label_for(path)?, &self.commit, &inside, progress) {
            Err(LoadError::Git(GitError::NoPath { .. })) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Returns for each file whether its content on disk differs from the revision.
    ///
    /// # Errors
    ///
    /// If git fails, or if a file is not in the repository.
    pub fn files_differ(&self, files: &[&Path]) -> Result<Vec<bool>, LoadError> {
        let inside: Vec<PathBuf> =
            files.iter().map(|file| self.repository.relative_path(file)).collect::<Result<_, _>>()?;
        let were = self.repository.read_files(&self.commit, &inside)?;
        let same = |(file, was): (&&Path, Option<Vec<u8>>)| was.is_some() && fs::read(file).ok() == was;
        Ok(files.iter().zip(were).map(|pair| !same(pair)).collect())
    }

    /// Compares the catalogs of the revision in a folder, or in the whole repository, with the
    /// disk. `None` if no file of the revision is missing. Paths are relative to the folder.
    ///
    /// # Errors
    ///
    /// If git fails, or the repository lacks the content of a file.
    pub fn compare_catalogs(
        &self,
        folder: &Path,
        scope: SearchScope,
    ) -> Result<Option<OldCatalogs>, LoadError> {
        let is_on_disk = |path: &Path| self.repository.root().join(path).symlink_metadata().is_ok();
        let left_out: HashSet<PathBuf> = self.repository.list_sparse_files()?.into_iter().collect();
        let listing = self.repository.list_commit_files(&self.commit)?;
        let is_removed = |path: &&PathBuf| !is_on_disk(path) && !left_out.contains(*path);
        let removed: Vec<&PathBuf> = listing.files.iter().filter(is_removed).collect();
        // Most changes remove no file: then no content is read.
        if removed.is_empty() {
            return Ok(None);
        }
        let inside = self.repository.relative_path(folder)?;
        let Some(inside) = inside.to_str() else { return Ok(None) };
        let found = discover_revision(&self.repository, &self.commit)?;
        let catalogs = found.catalogs.iter().map(|catalog| Path::new(&catalog.path));
        let mut old = OldCatalogs::default();
        for path in catalogs.filter(|path| scope == SearchScope::Repository || path.starts_with(inside)) {
            let shown = relative_path(&path.to_string_lossy(), inside);
            if is_on_disk(path) {
                old.kept.push(shown);
            } else if removed.iter().any(|file| file.starts_with(path)) {
                old.removed.push(shown);
            }
        }
        Ok(Some(old))
    }

    /// Returns true if the revision contains the path.
    fn contains_path(&self, path: &Path) -> Result<bool, LoadError> {
        let inside = self.repository.relative_path(path)?;
        let parent = inside.parent().unwrap_or(Path::new(""));
        Ok(inside.as_os_str().is_empty()
            || self.repository.list_folder(&self.commit, parent)?.contains(&inside))
    }

    /// Returns the names of the folders in a folder of the revision, with `takes_files` also of
    /// the files.
    fn names_in_revision(&self, folder: &Path, takes_files: bool) -> Result<Vec<String>, LoadError> {
        let inside = self.repository.relative_path(folder)?;
        let mut names = Vec::new();
        for path in self.repository.list_folder(&self.commit, &inside)? {
            let is_folder =
                || Ok::<_, GitError>(!self.repository.list_folder(&self.commit, &path)?.is_empty());
            if let Some(name) = path.file_name().and_then(OsStr::to_str)
                && (takes_files || is_folder()?)
            {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }
}

/// Resolves a path argument. A path that exists on disk or in the revision is returned as it is.
/// Any other path is a pattern of folders, or of files if it ends like a catalog file.
///
/// # Errors
///
/// If git fails, or if nothing matches.
pub fn expand_paths(path: &Path, base: Option<&Base>) -> Result<Vec<PathBuf>, LoadError> {
    if path_exists(path, base)? {
        return Ok(vec![path.to_owned()]);
    }
    let is_of_files = path.extension().and_then(OsStr::to_str).is_some_and(is_catalog_extension);
    let mut found = BTreeSet::from([PathBuf::new()]);
    let parts: Vec<Component<'_>> = path.components().collect();
    for (at, part) in parts.iter().enumerate() {
        let name = part.as_os_str().to_str();
        let pattern = name.filter(|name| name.contains(WILDCARDS)).and_then(Glob::parse);
        let takes_files = is_of_files && at + 1 == parts.len();
        let mut next = BTreeSet::new();
        for folder in found {
            match &pattern {
                None => _ = next.insert(folder.join(part)),
                Some(pattern) => {
                    let names = names_in_folder(&folder, takes_files, base)?;
                    let matching = names
                        .iter()
                        .filter(|name| pattern.matches(name) && (!name.starts_with('.') || is_hidden(part)));
                    next.extend(matching.map(|name| folder.join(name)));
                }
            }
        }
        found = next;
    }
    let mut all = Vec::new();
    for path in found {
        if path_exists(&path, base)? {
            all.push(path);
        }
    }
    if all.is_empty() {
        let error = |base: &Base| GitError::NoPath { revision: base.label(), path: path.to_owned() }.into();
        let not_found = || LoadError::Open { path: path.to_owned(), source: ErrorKind::NotFound.into() };
        return Err(base.map_or_else(not_found, error));
    }
    Ok(all)
}

fn path_exists(path: &Path, base: Option<&Base>) -> Result<bool, LoadError> {
    match base {
        _ if path.symlink_metadata().is_ok() => Ok(true),
        Some(base) => base.contains_path(path),
        None => Ok(false),
    }
}

/// Returns the names of the folders in a folder, on disk and in the revision. With
/// `takes_files`, also returns the names of files.
fn names_in_folder(
    folder: &Path,
    takes_files: bool,
    base: Option<&Base>,
) -> Result<BTreeSet<String>, LoadError> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let revision_names = base.map(|base| base.names_in_revision(here, takes_files)).transpose()?;
    let mut names: BTreeSet<String> = revision_names.into_iter().flatten().collect();
    for entry in fs::read_dir(here).into_iter().flatten().flatten() {
        if takes_files || entry.path().is_dir() {
            names.extend(entry.file_name().into_string());
        }
    }
    Ok(names)
}

/// Returns true if a file with this extension may be a catalog.
fn is_catalog_extension(ending: &str) -> bool {
    ["yaml", "yml", "json"].contains(&ending)
}

/// Returns true if a pattern starts with `.`, so that it also matches hidden names.
fn is_hidden(part: &Component<'_>) -> bool {
    part.as_os_str().to_str().is_some_and(|name| name.starts_with('.'))
}
