//! Since when something is deprecated, as the history of a git repository tells. Nothing is written.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use super::{GitError, Repository};
use crate::catalog::{Catalog, PackageName, blob::DeprecationTarget, lifecycle::Date, load::from_bytes};

/// The most commits of one file that are read: each is read and decoded whole.
pub const MOST_COMMITS: usize = 200;

/// Since when something is deprecated without a break, whatever was said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Since {
    /// Since a commit.
    Commit {
        /// Its short name.
        short: String,
        /// The day it was committed.
        date: Date,
    },
    /// Since a commit or longer: no more of the history was read, or the repository has no more of it.
    Before {
        /// The short name of the oldest one that was read.
        short: String,
        /// The day it was committed.
        date: Date,
    },
    /// It is in no commit yet.
    Uncommitted,
}

/// Looks for the commit from which on each of some deprecations is there. `wanted` has the file of each, on disk.
///
/// The commits that touch a file are read from the newest on (`git log -- FILE`, at most [`MOST_COMMITS`]) and compared by
/// meaning, until none of what is wanted is deprecated any more. A file that was moved begins with the move.
///
/// # Errors
///
/// When git cannot be run, fails, or knows of no repository around a file.
pub fn since(wanted: &[(PackageName, DeprecationTarget, PathBuf)]) -> Result<Vec<Since>, GitError> {
    let mut found: Vec<Option<Since>> = vec![None; wanted.len()];
    let mut files: Vec<&Path> = wanted.iter().map(|(_, _, file)| file.as_path()).collect();
    files.sort_unstable();
    files.dedup();
    for file in files {
        let repository = Repository::around(file)?;
        let inside = repository.inside(file)?;
        let commits = repository.commits_of(&inside, MOST_COMMITS)?;
        let is_cut = commits.len() > MOST_COMMITS || repository.is_shallow()?;
        let mut open: Vec<usize> = (0..wanted.len())
            .filter(|at| wanted.get(*at).is_some_and(|(_, _, other)| other == file))
            .collect();
        for at in &open {
            if let Some(place) = found.get_mut(*at) {
                *place = Some(Since::Uncommitted);
            }
        }
        for commit in commits.iter().take(MOST_COMMITS) {
            if open.is_empty() {
                break;
            }
            let catalog = repository.file_at(commit, &inside)?.map(from_bytes);
            open.retain(|at| {
                let Some((package, target, _)) = wanted.get(*at) else { return false };
                let is_there = catalog.as_ref().is_some_and(|catalog| has(catalog, package, target));
                if let (true, Some(place)) = (is_there, found.get_mut(*at)) {
                    *place = Some(Since::Commit { short: commit.short.clone(), date: commit.date });
                }
                is_there
            });
        }
        // What was there in the oldest commit that was read may have been there before it.
        for at in open.into_iter().filter(|_| is_cut) {
            if let Some(place) = found.get_mut(at)
                && let Some(Since::Commit { short, date }) = place.take()
            {
                *place = Some(Since::Before { short, date });
            }
        }
    }
    Ok(found.into_iter().map(|since| since.unwrap_or(Since::Uncommitted)).collect())
}

/// A commit that touches a file.
struct Touching {
    commit: String,
    short: String,
    date: Date,
}

impl Repository {
    /// The commits that touch a file, newest first, and one more than so many where there are more.
    fn commits_of(&self, file: &Path, most: usize) -> Result<Vec<Touching>, GitError> {
        let mut pathspec = OsString::from(":(top,literal)");
        pathspec.push(file);
        let count = format!("--max-count={}", most.saturating_add(1));
        // What the user's configuration would have it print or follow besides is turned off.
        let arguments =
            ["--no-show-signature", "--no-follow", "--no-color", "--format=%H %h %cs", &count, "--"];
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).chain([pathspec.as_os_str()]).collect();
        let lines = self.output("log", &arguments)?;
        let touching = |line: &str| {
            let mut words = line.split(' ');
            let (commit, short) = (words.next()?.to_owned(), words.next()?.to_owned());
            Some(Touching { commit, short, date: Date::parse(words.next()?).ok()? })
        };
        Ok(String::from_utf8_lossy(&lines).lines().filter_map(touching).collect())
    }

    /// A file as a commit has it; `None` where it has none there.
    fn file_at(&self, at: &Touching, file: &Path) -> Result<Option<Vec<u8>>, GitError> {
        let mut object = OsString::from(format!("{}:", at.commit));
        object.push(file);
        let output = self.git().args(["cat-file", "blob"]).arg(object).output().map_err(GitError::Run)?;
        Ok(output.status.success().then_some(output.stdout))
    }

    /// Whether the repository has only the newest part of its history, as CI often clones it.
    fn is_shallow(&self) -> Result<bool, GitError> {
        let said = self.output("rev-parse", &[OsStr::new("--is-shallow-repository")])?;
        Ok(said.trim_ascii() == b"true")
    }
}

fn has(catalog: &Catalog, package: &PackageName, target: &DeprecationTarget) -> bool {
    catalog.package(package.as_str()).is_some_and(|package| package.deprecation(target).is_some())
}
