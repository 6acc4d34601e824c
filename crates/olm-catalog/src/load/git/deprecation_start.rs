//! Date since when items are deprecated, from the history of a git repository. Does not write.

use std::{
    collections::HashMap,
    ffi::{OsStr, OsString},
    iter::once,
    path::{Path, PathBuf},
};

use super::{
    Commit, GitError, MissingReason, Repository,
    batch::{self, Content, Request},
};
use crate::{
    Catalog, PackageName,
    blob::DeprecationTarget,
    lifecycle::Date,
    load::{LoadError, from_bytes},
    problem::ProblemKind,
};

/// Maximum number of commits per file, because each is read and decoded completely.
pub const MAX_COMMITS: usize = 200;

/// Number of commits read at a time: most searches end soon.
const COMMITS_PER_READ: usize = 8;

/// Start of an uninterrupted deprecation, regardless of its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeprecationStart {
    /// Deprecated since a commit.
    Commit {
        /// Abbreviated name of the commit.
        short: String,
        /// Commit date.
        date: Date,
    },
    /// Deprecated since a commit or earlier; older history was not read.
    Before {
        /// Abbreviated name of the oldest commit that was read.
        short: String,
        /// Commit date.
        date: Date,
    },
    /// Not committed yet.
    Uncommitted,
    /// Unknown, because not even the newest commit could be read.
    Unknown,
}

/// Result of a search for the start of deprecations.
#[derive(Debug)]
pub struct DeprecationHistory {
    /// Start of each deprecation, in the order of the request.
    pub since: Vec<DeprecationStart>,
    /// First error, if some of the history could not be read.
    pub unread: Option<GitError>,
}

/// Finds the first commit of each deprecation. `wanted` has the package, the deprecated item and
/// the file on disk of each.
///
/// Reads the commits of a file from the newest on: `git log -- FILE`, at most [`MAX_COMMITS`]. It decodes
/// each one until none of the items is deprecated. The history of a moved file begins with the move.
///
/// # Errors
///
/// If git cannot be run, or does not find a repository around a file.
pub fn find_deprecation_starts(
    wanted: &[(PackageName, DeprecationTarget, PathBuf)],
) -> Result<DeprecationHistory, LoadError> {
    let mut history =
        DeprecationHistory { since: vec![DeprecationStart::Uncommitted; wanted.len()], unread: None };
    let mut files: Vec<&Path> = wanted.iter().map(|(_, _, file)| file.as_path()).collect();
    files.sort_unstable();
    files.dedup();
    for file in files {
        let of_file = |at: &usize| wanted.get(*at).is_some_and(|(_, _, other)| other == file);
        let open: Vec<usize> = (0..wanted.len()).filter(of_file).collect();
        let repository = Repository::discover(file)?;
        let mut search = StartSearch { wanted, open, since: &mut history.since };
        if let Err(error) = search.search_file(&repository, file) {
            match error {
                LoadError::Git(unread @ (GitError::Failed { .. } | GitError::MissingContent { .. })) => {
                    history.unread.get_or_insert(unread);
                }
                error => return Err(error),
            }
        }
        let of_file = history.since.iter_mut().zip(wanted).filter(|(_, (_, _, other))| other == file);
        repository.abbreviate_commits(of_file.map(|(since, _)| since))?;
    }
    Ok(history)
}

/// Search through the commits of one file.
struct StartSearch<'a> {
    wanted: &'a [(PackageName, DeprecationTarget, PathBuf)],
    /// Indices of the items that were deprecated in all commits so far.
    open: Vec<usize>,
    since: &'a mut [DeprecationStart],
}

impl StartSearch<'_> {
    fn search_file(&mut self, repository: &Repository, file: &Path) -> Result<(), LoadError> {
        let inside = repository.relative_path(file)?;
        let commits = repository.list_file_commits(&inside, MAX_COMMITS).map_err(|error| {
            self.mark_possibly_older();
            repository.add_cause(error, &inside)
        })?;
        let is_cut = commits.len() > MAX_COMMITS || repository.is_shallow()?;
        let (commits, _) = commits.split_at(commits.len().min(MAX_COMMITS));
        for some in commits.chunks(COMMITS_PER_READ) {
            if self.open.is_empty() {
                return Ok(());
            }
            let requests: Vec<Request> =
                some.iter().filter_map(|at| at.blob.clone().map(Request::Object)).collect();
            let mut contents = Vec::new();
            batch::read_contents(repository, &requests, |content| {
                contents.push(content);
                Ok(())
            })?;
            let mut contents = contents.into_iter();
            for at in some {
                let content = if at.blob.is_some() { contents.next() } else { None };
                let unread = match content {
                    None => self.check_commit(at, None).err(),
                    Some(Content::Bytes(bytes)) => self.check_commit(at, Some(&from_bytes(bytes))).err(),
                    Some(_) => Some(repository.missing_reason()),
                };
                if let Some(why) = unread {
                    self.mark_possibly_older();
                    return Err(at.missing_error(&inside, why).into());
                }
            }
        }
        if is_cut {
            self.mark_possibly_older();
        }
        Ok(())
    }

    /// Checks the file in the state of a commit, if it exists there.
    ///
    /// # Errors
    ///
    /// If an item may be in a part that cannot be read.
    fn check_commit(&mut self, at: &FileCommit, catalog: Option<&Catalog>) -> Result<(), MissingReason> {
        let mut outcome = Ok(());
        let Self { wanted, open, since } = self;
        open.retain(|index| {
            let Some((package, target, _)) = wanted.get(*index) else { return false };
            let is_there = catalog.is_some_and(|catalog| has_deprecation(catalog, package, target));
            if is_there && let Some(since) = since.get_mut(*index) {
                *since = DeprecationStart::Commit { short: at.commit.clone(), date: at.date };
            }
            let may_be_there = !is_there && catalog.is_some_and(|catalog| is_partly_read(catalog, package));
            if may_be_there {
                outcome = Err(MissingReason::Unreadable);
            }
            is_there || may_be_there
        });
        outcome
    }

    /// Ends the search for the open items: their deprecation may be older than the oldest commit
    /// that was read.
    fn mark_possibly_older(&mut self) {
        for index in self.open.drain(..) {
            let Some(since) = self.since.get_mut(index) else { continue };
            *since = match std::mem::replace(since, DeprecationStart::Unknown) {
                DeprecationStart::Commit { short, date } => DeprecationStart::Before { short, date },
                _ => DeprecationStart::Unknown,
            };
        }
    }
}

/// A commit that touches a file.
struct FileCommit {
    commit: String,
    date: Date,
    /// Object name of the file's content; `None` if the commit removes the file.
    blob: Option<String>,
}

impl Repository {
    /// Returns the commits that touch a file, newest first. Returns `most` commits, or one more to
    /// show that there are more.
    fn list_file_commits(&self, file: &Path, most: usize) -> Result<Vec<FileCommit>, GitError> {
        let mut pathspec = OsString::from(":(top,literal)");
        pathspec.push(file);
        let count = format!("--max-count={}", most.saturating_add(1));
        // These options override the user's configuration. A merge is listed once per parent, with the same
        // content.
        let arguments = [
            "--no-show-signature",
            "--no-follow",
            "--no-color",
            "--root",
            "-m",
            "--raw",
            "--no-abbrev",
            "--no-renames",
            "--no-relative",
            "--format=%H %cs",
            &count,
            "--",
        ];
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).chain([pathspec.as_os_str()]).collect();
        let lines = self.run_git("log", &arguments)?;
        let mut commits: Vec<FileCommit> = Vec::new();
        for line in String::from_utf8_lossy(&lines).lines() {
            if let Some(change) = line.strip_prefix(':') {
                // MODE MODE OBJECT OBJECT STATUS: before and after.
                let after = change.split(' ').nth(3).filter(|name| name.bytes().any(|digit| digit != b'0'));
                if let Some(last) = commits.last_mut() {
                    last.blob = after.map(str::to_owned);
                }
            } else if let Some(next) = parse_file_commit(line)
                && commits.last().is_none_or(|last| last.commit != next.commit)
            {
                commits.push(next);
            }
        }
        Ok(commits)
    }

    /// Replaces full commit names by git's abbreviated names.
    fn abbreviate_commits<'a>(
        &self,
        found: impl Iterator<Item = &'a mut DeprecationStart>,
    ) -> Result<(), GitError> {
        let found: Vec<&mut String> = found
            .filter_map(|since| match since {
                DeprecationStart::Commit { short, .. } | DeprecationStart::Before { short, .. } => {
                    Some(short)
                }
                DeprecationStart::Uncommitted | DeprecationStart::Unknown => None,
            })
            .collect();
        if found.is_empty() {
            return Ok(());
        }
        let mut arguments =
            ["--no-show-signature", "--no-color", "--no-walk", "--format=%H %h"].map(OsStr::new).to_vec();
        arguments.extend(found.iter().map(|commit| OsStr::new(commit.as_str())));
        let lines = self.run_git("log", &arguments)?;
        let lines = String::from_utf8_lossy(&lines).into_owned();
        let short: HashMap<&str, &str> = lines.lines().filter_map(|line| line.split_once(' ')).collect();
        for commit in found {
            if let Some(short) = short.get(commit.as_str()) {
                *commit = (*short).to_owned();
            }
        }
        Ok(())
    }

    /// Adds the cause to a failure to list commits if the repository lacks a part.
    fn add_cause(&self, error: GitError, file: &Path) -> GitError {
        match (&error, self.missing_reason(), self.resolve_revision("HEAD")) {
            (GitError::Failed { .. }, why @ MissingReason::PartialClone, Ok(commit)) => {
                let revision = "the history".to_owned();
                GitError::MissingContent { revision, commit, paths: vec![file.to_owned()], why }
            }
            _ => error,
        }
    }
}

impl FileCommit {
    fn missing_error(&self, file: &Path, why: MissingReason) -> GitError {
        let commit = Commit(self.commit.clone());
        GitError::MissingContent {
            revision: commit.abbreviated().to_owned(),
            commit,
            paths: vec![file.to_owned()],
            why,
        }
    }
}

fn parse_file_commit(line: &str) -> Option<FileCommit> {
    let mut words = line.split(' ');
    let (commit, date) = (words.next()?.to_owned(), words.next()?);
    Some(FileCommit { commit, date: Date::parse(date).ok()?, blob: None })
}

/// Returns true if a part of the package in a file could not be read.
fn is_partly_read(catalog: &Catalog, package: &PackageName) -> bool {
    let of_package = catalog.package(package.as_str()).map(|package| &package.problems);
    let mut all = once(catalog.problems()).chain(of_package);
    all.any(|problems| problems.count_kinds(ProblemKind::is_error) > 0)
}

fn has_deprecation(catalog: &Catalog, package: &PackageName, target: &DeprecationTarget) -> bool {
    catalog.package(package.as_str()).is_some_and(|package| package.deprecation(target).is_some())
}
