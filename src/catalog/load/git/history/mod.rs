//! A package through the history of a git repository: the commits that touched its files, and the package as each left it.
//! Nothing is written, nothing is fetched, and no working tree is looked at.
//!
//! The history is that of first parents (`git log --first-parent`): what a branch published, one merge after the other. So
//! what the steps add and take away comes to what differs between the ends, and a merged pull request is one step.

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
use crate::catalog::{
    Catalog, PackageName,
    lifecycle::Date,
    load::{LoadError, Progress},
};

use log::Touching;

/// How many commits and files are in what `git log` wrote. For fuzzing.
#[cfg(fuzzing)]
pub(super) fn count(bytes: &[u8]) -> usize {
    log::read(bytes, 7).iter().map(|touching| 1 + touching.changes.len()).sum()
}

/// A commit, and who made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The commit.
    pub commit: Commit,
    /// The short name that git has for it.
    pub short: String,
    /// The day it was committed.
    pub date: Date,
    /// Who wrote it. As it stands there: it may hold anything.
    pub author: String,
    /// The first line of its message. As it stands there: it may hold anything.
    pub subject: String,
    /// Whether it is a merge.
    pub is_merge: bool,
}

/// The files of a package at some time, each with the object that holds its content.
type Files = BTreeMap<Arc<Path>, Arc<str>>;

/// Why the package as a commit left it cannot be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread(pub String);

/// The history of a package.
#[derive(Debug)]
pub struct PackageHistory {
    repository: Repository,
    package: PackageName,
    /// The catalog, from the repository's root on.
    path: PathBuf,
    /// The commits that touched its files, newest first.
    commits: Vec<Touching>,
    /// Its files after each of them, and before the oldest.
    states: Vec<Files>,
    /// Whether older commits are missing in the repository.
    is_shallow: bool,
}

impl PackageHistory {
    /// Looks for the commits that touched the files of a package, in the catalog that stands at a path on disk, or stood there.
    /// `since`: only commits after that revision.
    ///
    /// A file is one of the package where its newest content has something of it, or had when a file of the package came or
    /// went in the same commit: so it is followed from file to file within the catalog.
    ///
    /// # Errors
    ///
    /// When git fails or knows of no repository there; when there is no such revision.
    pub fn open(
        path: &Path,
        package: &PackageName,
        since: Option<&str>,
        progress: &Progress,
    ) -> Result<Self, LoadError> {
        let repository = Repository::around(path)?;
        let inside = repository.inside(path)?;
        let head = repository.commit("HEAD")?;
        let since = since.map(|since| repository.commit(since)).transpose()?;
        let mut commits = log::commits(&repository, &head, since.as_ref(), &inside)?;
        progress.check()?;
        let all = files::at(&repository, &head, &inside)?;
        let mine = files::of_package(&repository, package, &all, &commits, progress)?;
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

    /// How many commits touched its files.
    pub fn len(&self) -> usize {
        self.commits.len()
    }

    /// Whether none did.
    pub fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// The commits, newest first.
    pub fn commits(&self) -> impl ExactSizeIterator<Item = &Committed> {
        self.commits.iter().map(|touching| &touching.committed)
    }

    /// Whether the repository has only the newest part of its history.
    pub fn is_shallow(&self) -> bool {
        self.is_shallow
    }

    /// The catalog with nothing but the package as some commits left it; the last one, with the number [`Self::len`], is what
    /// was there before the oldest. Nothing there is an empty catalog.
    ///
    /// # Errors
    ///
    /// When git fails, or the work is to stop.
    pub fn states(
        &self,
        numbers: std::ops::Range<usize>,
        progress: &Progress,
    ) -> Result<Vec<Result<Catalog, Unread>>, LoadError> {
        states::read(self, numbers, progress)
    }

    /// Where a file went to, or came from, that a commit took out of the catalog or put into it: the other place in the
    /// repository, where git tells that it is the same file.
    ///
    /// # Errors
    ///
    /// When git fails.
    pub fn moved(&self, number: usize) -> Result<Option<PathBuf>, GitError> {
        let Some(touching) = self.commits.get(number) else { return Ok(None) };
        log::moved(&self.repository, touching, &self.path)
    }
}
