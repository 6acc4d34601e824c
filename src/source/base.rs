//! Catalogs beside what a revision of their git repository has: which there are, and each as it was.

use std::{
    collections::{BTreeSet, HashSet},
    ffi::OsStr,
    fs,
    io::ErrorKind,
    path::{Component, Path, PathBuf},
};

use super::discovery::{discover_revision, relative};
use crate::catalog::{
    Catalog,
    load::{
        LoadError, Progress,
        git::{Commit, GitError, Repository, Revision},
    },
    paths::glob::Glob,
};

/// What makes a name a pattern.
const WILDCARDS: [char; 3] = ['*', '?', '['];

/// Catalogs of a revision.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct OldCatalogs {
    /// Those that are not there any more.
    pub removed: Vec<PathBuf>,
    /// Those at whose path something is.
    pub kept: Vec<PathBuf>,
}

impl OldCatalogs {
    /// Replaces a folder of catalogs by the catalogs: with only one of them left, the folder itself looks like a catalog.
    pub fn refine(&self, found: &[PathBuf]) -> Vec<PathBuf> {
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

/// Part of a repository in which removed catalogs are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchScope {
    /// A folder, and those in it.
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
    /// A revision of the repository around a path, by any name that git has for it; `REV...` is where HEAD left REV.
    ///
    /// # Errors
    ///
    /// When git cannot be run, there is no repository, or no such revision.
    pub fn of(revision: &str, around: &Path) -> Result<Self, GitError> {
        let repository = Repository::around(around)?;
        let commit = repository.commit(revision)?;
        Ok(Self { repository, commit, revision: revision.to_owned() })
    }

    /// How people name it.
    pub fn label(&self) -> String {
        Revision { revision: self.short().to_owned(), path: None }.label()
    }

    /// Its name, the whole name of a commit so far that people can tell it from others.
    fn short(&self) -> &str {
        let is_whole =
            self.revision.len() >= 40 && self.revision.bytes().all(|byte| byte.is_ascii_hexdigit());
        self.revision.get(..12).filter(|_| is_whole).unwrap_or(&self.revision)
    }

    /// How people name a catalog in it, by its path on disk.
    ///
    /// # Errors
    ///
    /// When that is not in the repository.
    pub fn label_of(&self, path: &Path) -> Result<String, GitError> {
        let inside = self.repository.inside(path)?;
        Ok(Revision { revision: self.short().to_owned(), path: Some(inside) }.label())
    }

    /// The catalog that has a path on disk, as it was; `None` where there was none.
    ///
    /// # Errors
    ///
    /// As [`Repository::open`].
    pub fn open(&self, path: &Path, progress: &Progress) -> Result<Option<Catalog>, LoadError> {
        let inside = self.repository.inside(path)?;
        match self.repository.open(&self.label_of(path)?, &self.commit, &inside, progress) {
            Err(LoadError::Git(GitError::NoPath { .. })) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Whether files on disk are not what they were, each in its turn.
    ///
    /// # Errors
    ///
    /// When git fails, or a file is not in the repository.
    pub fn differ(&self, files: &[&Path]) -> Result<Vec<bool>, LoadError> {
        let inside: Vec<PathBuf> =
            files.iter().map(|file| self.repository.inside(file)).collect::<Result<_, _>>()?;
        let were = self.repository.contents(&self.commit, &inside)?;
        let same = |(file, was): (&&Path, Option<Vec<u8>>)| was.is_some() && fs::read(file).ok() == was;
        Ok(files.iter().zip(were).map(|pair| !same(pair)).collect())
    }

    /// Compares the catalogs that the revision has in a folder on disk, or in the whole repository, with what is there now.
    /// `None` if no file of the revision is missing. Paths are as seen from the folder.
    ///
    /// # Errors
    ///
    /// If git fails, or the repository lacks the content of a file.
    pub fn catalogs(&self, folder: &Path, scope: SearchScope) -> Result<Option<OldCatalogs>, LoadError> {
        let is_on_disk = |path: &Path| self.repository.root().join(path).symlink_metadata().is_ok();
        let left_out: HashSet<PathBuf> = self.repository.left_out()?.into_iter().collect();
        let listing = self.repository.listing(&self.commit)?;
        let is_removed = |path: &&PathBuf| !is_on_disk(path) && !left_out.contains(*path);
        let removed: Vec<&PathBuf> = listing.files.iter().filter(is_removed).collect();
        // Most changes remove no file: then no content is read.
        if removed.is_empty() {
            return Ok(None);
        }
        let inside = self.repository.inside(folder)?;
        let Some(inside) = inside.to_str() else { return Ok(None) };
        let found = discover_revision(&self.repository, &self.commit)?;
        let catalogs = found.catalogs.iter().map(|catalog| Path::new(&catalog.path));
        let mut old = OldCatalogs::default();
        for path in catalogs.filter(|path| scope == SearchScope::Repository || path.starts_with(inside)) {
            let shown = relative(&path.to_string_lossy(), inside);
            if is_on_disk(path) {
                old.kept.push(shown);
            } else if removed.iter().any(|file| file.starts_with(path)) {
                old.removed.push(shown);
            }
        }
        Ok(Some(old))
    }

    /// Whether the revision has something where a path on disk is.
    fn has(&self, path: &Path) -> Result<bool, LoadError> {
        let inside = self.repository.inside(path)?;
        let parent = inside.parent().unwrap_or(Path::new(""));
        Ok(inside.as_os_str().is_empty() || self.repository.names(&self.commit, parent)?.contains(&inside))
    }

    /// The names in a folder of the revision; of folders alone, or of files too.
    fn names(&self, folder: &Path, takes_files: bool) -> Result<Vec<String>, LoadError> {
        let inside = self.repository.inside(folder)?;
        let mut names = Vec::new();
        for path in self.repository.names(&self.commit, &inside)? {
            let is_folder = || Ok::<_, GitError>(!self.repository.names(&self.commit, &path)?.is_empty());
            if let Some(name) = path.file_name().and_then(OsStr::to_str)
                && (takes_files || is_folder()?)
            {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }
}

/// The paths that are meant: what is there, on disk or in the revision, as it is; else a pattern of folders, or of files where it
/// ends like one.
///
/// # Errors
///
/// When git fails; when there is nothing of that name.
pub fn meant(path: &Path, base: Option<&Base>) -> Result<Vec<PathBuf>, LoadError> {
    if is_there(path, base)? {
        return Ok(vec![path.to_owned()]);
    }
    let is_of_files = path.extension().and_then(OsStr::to_str).is_some_and(is_ending);
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
                    let names = names(&folder, takes_files, base)?;
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
        if is_there(&path, base)? {
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

fn is_there(path: &Path, base: Option<&Base>) -> Result<bool, LoadError> {
    match base {
        _ if path.symlink_metadata().is_ok() => Ok(true),
        Some(base) => base.has(path),
        None => Ok(false),
    }
}

/// The names in a folder, on disk and in a revision.
fn names(folder: &Path, takes_files: bool, base: Option<&Base>) -> Result<BTreeSet<String>, LoadError> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let of_base = base.map(|base| base.names(here, takes_files)).transpose()?;
    let mut names: BTreeSet<String> = of_base.into_iter().flatten().collect();
    for entry in fs::read_dir(here).into_iter().flatten().flatten() {
        if takes_files || entry.path().is_dir() {
            names.extend(entry.file_name().into_string());
        }
    }
    Ok(names)
}

/// Whether a file with this ending may be a catalog.
fn is_ending(ending: &str) -> bool {
    ["yaml", "yml", "json"].contains(&ending)
}

/// Whether a pattern means hidden names, too.
fn is_hidden(part: &Component<'_>) -> bool {
    part.as_os_str().to_str().is_some_and(|name| name.starts_with('.'))
}
