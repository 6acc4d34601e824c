//! Since when something is deprecated, as the history of a git repository tells. Nothing is written.

use std::{
    collections::HashMap,
    ffi::{OsStr, OsString},
    iter::once,
    path::{Path, PathBuf},
};

use super::{
    Commit, GitError, NotHere, Repository,
    batch::{self, Content, Wanted},
};
use crate::catalog::{
    Catalog, PackageName,
    blob::DeprecationTarget,
    lifecycle::Date,
    load::{LoadError, from_bytes},
    problem::ProblemKind,
};

/// The most commits of one file that are read: each is read and decoded whole.
pub const MOST_COMMITS: usize = 200;

/// As many commits are read at a time: most searches end soon.
const AT_A_TIME: usize = 8;

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
    /// Since a commit or longer: no more of the history could be read, or was.
    Before {
        /// The short name of the oldest one that was read.
        short: String,
        /// The day it was committed.
        date: Date,
    },
    /// It is in no commit yet.
    Uncommitted,
    /// Not even the newest commit could be read.
    Unknown,
}

/// What the history tells of some deprecations.
#[derive(Debug)]
pub struct History {
    /// Of each in its turn.
    pub since: Vec<Since>,
    /// Why some of it is not known, where that is so: the first reason that was met.
    pub unread: Option<GitError>,
}

/// Looks for the commit from which on each of some deprecations is there. `wanted` has the file of each, on disk.
///
/// The commits that touch a file are read from the newest on (`git log -- FILE`, at most [`MOST_COMMITS`]) and compared by
/// meaning, until none of what is wanted is deprecated any more. A file that was moved begins with the move.
///
/// # Errors
///
/// When git cannot be run, or knows of no repository around a file.
pub fn since(wanted: &[(PackageName, DeprecationTarget, PathBuf)]) -> Result<History, LoadError> {
    let mut history = History { since: vec![Since::Uncommitted; wanted.len()], unread: None };
    let mut files: Vec<&Path> = wanted.iter().map(|(_, _, file)| file.as_path()).collect();
    files.sort_unstable();
    files.dedup();
    for file in files {
        let of_file = |at: &usize| wanted.get(*at).is_some_and(|(_, _, other)| other == file);
        let open: Vec<usize> = (0..wanted.len()).filter(of_file).collect();
        let repository = Repository::around(file)?;
        let mut search = Search { wanted, open, since: &mut history.since };
        if let Err(error) = search.of_file(&repository, file) {
            match error {
                LoadError::Git(unread @ (GitError::Failed { .. } | GitError::NotHere { .. })) => {
                    history.unread.get_or_insert(unread);
                }
                error => return Err(error),
            }
        }
        let of_file = history.since.iter_mut().zip(wanted).filter(|(_, (_, _, other))| other == file);
        repository.shorten(of_file.map(|(since, _)| since))?;
    }
    Ok(history)
}

/// The search through the commits of one file.
struct Search<'a> {
    wanted: &'a [(PackageName, DeprecationTarget, PathBuf)],
    /// Those that were there in all commits so far.
    open: Vec<usize>,
    since: &'a mut [Since],
}

impl Search<'_> {
    fn of_file(&mut self, repository: &Repository, file: &Path) -> Result<(), LoadError> {
        let inside = repository.inside(file)?;
        let commits = repository.commits_of(&inside, MOST_COMMITS).map_err(|error| {
            self.cannot_tell();
            repository.explained(error, &inside)
        })?;
        let is_cut = commits.len() > MOST_COMMITS || repository.is_shallow()?;
        let (commits, _) = commits.split_at(commits.len().min(MOST_COMMITS));
        for some in commits.chunks(AT_A_TIME) {
            if self.open.is_empty() {
                return Ok(());
            }
            let there: Vec<Wanted> =
                some.iter().filter_map(|at| at.blob.clone().map(Wanted::Object)).collect();
            let mut contents = Vec::new();
            batch::contents(repository, &there, |content| {
                contents.push(content);
                Ok(())
            })?;
            let mut contents = contents.into_iter();
            for at in some {
                let content = if at.blob.is_some() { contents.next() } else { None };
                let unread = match content {
                    None => self.look(at, None).err(),
                    Some(Content::Bytes(bytes)) => self.look(at, Some(&from_bytes(bytes))).err(),
                    Some(_) => Some(repository.why_missing()),
                };
                if let Some(why) = unread {
                    self.cannot_tell();
                    return Err(at.not_here(&inside, why).into());
                }
            }
        }
        if is_cut {
            self.cannot_tell();
        }
        Ok(())
    }

    /// Looks at the file as a commit has it, if it has it.
    ///
    /// # Errors
    ///
    /// Where something that is wanted may be in what cannot be read.
    fn look(&mut self, at: &Touching, catalog: Option<&Catalog>) -> Result<(), NotHere> {
        let mut outcome = Ok(());
        let Self { wanted, open, since } = self;
        open.retain(|index| {
            let Some((package, target, _)) = wanted.get(*index) else { return false };
            let is_there = catalog.is_some_and(|catalog| has(catalog, package, target));
            if is_there && let Some(since) = since.get_mut(*index) {
                *since = Since::Commit { short: at.commit.clone(), date: at.date };
            }
            let may_be_there = !is_there && catalog.is_some_and(|catalog| is_partly_read(catalog, package));
            if may_be_there {
                outcome = Err(NotHere::Unreadable);
            }
            is_there || may_be_there
        });
        outcome
    }

    /// What was there in the oldest commit that was read may have been there before it.
    fn cannot_tell(&mut self) {
        for index in self.open.drain(..) {
            let Some(since) = self.since.get_mut(index) else { continue };
            *since = match std::mem::replace(since, Since::Unknown) {
                Since::Commit { short, date } => Since::Before { short, date },
                _ => Since::Unknown,
            };
        }
    }
}

/// A commit that touches a file.
struct Touching {
    commit: String,
    date: Date,
    /// The name of the object that has the file's content; `None` where the commit takes the file away.
    blob: Option<String>,
}

impl Repository {
    /// The commits that touch a file, newest first, and one more than so many where there are more.
    fn commits_of(&self, file: &Path, most: usize) -> Result<Vec<Touching>, GitError> {
        let mut pathspec = OsString::from(":(top,literal)");
        pathspec.push(file);
        let count = format!("--max-count={}", most.saturating_add(1));
        // What the user's configuration would have it print or follow besides is turned off. A merge is told of once for
        // each parent, with one and the same content.
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
        let lines = self.output("log", &arguments)?;
        let mut commits: Vec<Touching> = Vec::new();
        for line in String::from_utf8_lossy(&lines).lines() {
            if let Some(change) = line.strip_prefix(':') {
                // MODE MODE OBJECT OBJECT STATUS: before and after.
                let after = change.split(' ').nth(3).filter(|name| name.bytes().any(|digit| digit != b'0'));
                if let Some(last) = commits.last_mut() {
                    last.blob = after.map(str::to_owned);
                }
            } else if let Some(next) = touching(line)
                && commits.last().is_none_or(|last| last.commit != next.commit)
            {
                commits.push(next);
            }
        }
        Ok(commits)
    }

    /// Gives commits the short names that git has for them, in place of the whole ones.
    fn shorten<'a>(&self, found: impl Iterator<Item = &'a mut Since>) -> Result<(), GitError> {
        let found: Vec<&mut String> = found
            .filter_map(|since| match since {
                Since::Commit { short, .. } | Since::Before { short, .. } => Some(short),
                Since::Uncommitted | Since::Unknown => None,
            })
            .collect();
        if found.is_empty() {
            return Ok(());
        }
        let mut arguments =
            ["--no-show-signature", "--no-color", "--no-walk", "--format=%H %h"].map(OsStr::new).to_vec();
        arguments.extend(found.iter().map(|commit| OsStr::new(commit.as_str())));
        let lines = self.output("log", &arguments)?;
        let lines = String::from_utf8_lossy(&lines).into_owned();
        let short: HashMap<&str, &str> = lines.lines().filter_map(|line| line.split_once(' ')).collect();
        for commit in found {
            if let Some(short) = short.get(commit.as_str()) {
                *commit = (*short).to_owned();
            }
        }
        Ok(())
    }

    /// A failure to list commits with its cause, where that is a part of the repository that is missing.
    fn explained(&self, error: GitError, file: &Path) -> GitError {
        match (&error, self.why_missing(), self.commit("HEAD")) {
            (GitError::Failed { .. }, why @ NotHere::PartialClone, Ok(commit)) => {
                let revision = "the history".to_owned();
                GitError::NotHere { revision, commit, paths: vec![file.to_owned()], why }
            }
            _ => error,
        }
    }
}

impl Touching {
    fn not_here(&self, file: &Path, why: NotHere) -> GitError {
        let commit = Commit(self.commit.clone());
        GitError::NotHere { revision: commit.short().to_owned(), commit, paths: vec![file.to_owned()], why }
    }
}

fn touching(line: &str) -> Option<Touching> {
    let mut words = line.split(' ');
    let (commit, date) = (words.next()?.to_owned(), words.next()?);
    Some(Touching { commit, date: Date::parse(date).ok()?, blob: None })
}

/// Whether some of what a file says of a package could not be read.
fn is_partly_read(catalog: &Catalog, package: &PackageName) -> bool {
    let of_package = catalog.package(package.as_str()).map(|package| &package.problems);
    let mut all = once(catalog.problems()).chain(of_package);
    all.any(|problems| problems.count(ProblemKind::is_error) > 0)
}

fn has(catalog: &Catalog, package: &PackageName, target: &DeprecationTarget) -> bool {
    catalog.package(package.as_str()).is_some_and(|package| package.deprecation(target).is_some())
}
