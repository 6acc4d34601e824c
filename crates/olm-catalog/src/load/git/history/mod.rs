//! History of a package in a git repository: the commits that touched its files, and the package after each.
//! Does not write, fetch, or read a working tree.
//!
//! The history follows first parents (`git log --first-parent`): what a branch published, one merge after the
//! other. So a merged pull request is one step, and the steps add up to the difference between the ends.

mod files;
mod log;
mod states;

#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Commit, GitError, Repository};
use crate::{
    Catalog, PackageName,
    lifecycle::Date,
    load::{LoadError, Progress},
};

use log::TouchingCommit;

/// Returns the number of commits and files in the output of `git log`. For fuzzing.
#[cfg(feature = "fuzzing")]
pub(super) fn count(bytes: &[u8]) -> usize {
    log::parse_log(bytes, 7).iter().map(|touching| 1 + touching.changes.len()).sum()
}

/// A commit with its metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitInfo {
    /// Object name.
    pub commit: Commit,
    /// Git's abbreviated name.
    pub short: String,
    /// Commit date.
    pub date: Date,
    /// Author, unescaped: it may contain any characters.
    pub author: String,
    /// First line of the message, unescaped: it may contain any characters.
    pub subject: String,
    /// True for a merge.
    pub is_merge: bool,
}

/// Files of a package in one state, with the object of each content.
type Files = BTreeMap<Arc<Path>, Arc<str>>;

/// Error: the package in the state of a commit is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownState(pub String);

/// History of a package.
#[derive(Debug)]
pub struct PackageHistory {
    repository: Repository,
    package: PackageName,
    /// Path of the catalog, relative to the root of the repository.
    path: PathBuf,
    /// Commits that touched its files, newest first.
    commits: Vec<TouchingCommit>,
    /// Its files after each commit, and before the oldest.
    states: Vec<Files>,
    /// True if the repository does not have older commits.
    is_shallow: bool,
}

impl PackageHistory {
    /// Finds the commits that touched the files of a package, in a catalog whose path exists or existed on
    /// disk. With `since`, only commits after that revision.
    ///
    /// A file belongs to the package if its newest content has objects of it. It also belongs if it had some
    /// when another file of the package was added or removed in the same commit. So the package is followed
    /// from file to file within the catalog.
    ///
    /// # Errors
    ///
    /// If git fails or does not find a repository, or if the revision does not exist.
    pub fn load(
        path: &Path,
        package: &PackageName,
        since: Option<&str>,
        progress: &Progress,
    ) -> Result<Self, LoadError> {
        let repository = Repository::discover(path)?;
        let inside = repository.relative_path(path)?;
        let head = repository.resolve_revision("HEAD")?;
        let since = since.map(|since| repository.resolve_revision(since)).transpose()?;
        let mut commits = log::list_commits(&repository, &head, since.as_ref(), &inside)?;
        progress.check_stopped()?;
        let all = files::list_files(&repository, &head, &inside)?;
        let mine = files::list_package_files(&repository, package, &all, &commits, progress)?;
        for touching in &mut commits {
            touching.changes.retain(|change| mine.contains(&change.path));
        }
        commits.retain(|touching| !touching.changes.is_empty());
        let mut now = all;
        now.retain(|path, _| mine.contains(path));
        let mut states = vec![now.clone()];
        for touching in &commits {
            for change in &touching.changes {
                match &change.before {
                    Some(blob) => now.insert(Arc::clone(&change.path), Arc::clone(blob)),
                    None => now.remove(&change.path),
                };
            }
            states.push(now.clone());
        }
        let is_shallow = repository.is_shallow()?;
        let package = package.clone();
        Ok(Self { repository, package, path: inside, commits, states, is_shallow })
    }

    /// Returns the number of commits that touched its files.
    pub fn len(&self) -> usize {
        self.commits.len()
    }

    /// Returns true if no commit touched its files.
    pub fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// Returns the commits, newest first.
    pub fn commits(&self) -> impl ExactSizeIterator<Item = &CommitInfo> {
        self.commits.iter().map(|touching| &touching.committed)
    }

    /// Returns true if the repository has only the newest part of its history.
    pub fn is_shallow(&self) -> bool {
        self.is_shallow
    }

    /// Returns catalogs with only the package, in the states after some commits. State [`Self::len`] is before
    /// the oldest commit. A state without the package is an empty catalog.
    ///
    /// # Errors
    ///
    /// If git fails, or loading is stopped.
    pub fn load_states(
        &self,
        numbers: std::ops::Range<usize>,
        progress: &Progress,
    ) -> Result<Vec<Result<Catalog, UnknownState>>, LoadError> {
        states::load_states(self, numbers, progress)
    }

    /// Returns the other path of a file that a commit moved into or out of the catalog, if git detects the
    /// move.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn moved_path(&self, number: usize) -> Result<Option<PathBuf>, GitError> {
        let Some(touching) = self.commits.get(number) else { return Ok(None) };
        log::find_moved_path(&self.repository, touching, &self.path)
    }
}
