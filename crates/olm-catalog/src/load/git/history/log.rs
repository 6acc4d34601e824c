//! Commits that touch a path, with the changed files.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::CommitInfo;
use crate::{
    lifecycle::Date,
    load::git::{Commit, GitError, Repository, path_of},
};

/// Options that override the user's configuration. A merge is compared with its first parent.
const LOG_OPTIONS: [&str; 7] =
    ["--no-show-signature", "--no-follow", "--no-color", "--first-parent", "-m", "--raw", "--no-abbrev"];

/// Format of a commit; each field ends with a byte that fields cannot contain.
const FORMAT: &str = "--format=%H%x00%P%x00%cs%x00%an%x00%s";
const FIELD_COUNT: usize = 5;

/// A commit with its changed files.
#[derive(Debug)]
pub(super) struct TouchingCommit {
    pub committed: CommitInfo,
    pub changes: Vec<FileChange>,
}

/// Change of a file, as object names of its content.
#[derive(Debug)]
pub(super) struct FileChange {
    pub path: Arc<Path>,
    pub before: Option<Arc<str>>,
    pub after: Option<Arc<str>>,
}

/// Returns the commits that touch a path, newest first.
pub(super) fn list_commits(
    repository: &Repository,
    head: &Commit,
    since: Option<&Commit>,
    path: &Path,
) -> Result<Vec<TouchingCommit>, GitError> {
    let mut pathspec = OsString::from(":(top,literal)");
    pathspec.push(path);
    let without = since.map(|since| format!("^{}", since.as_str()));
    let mut arguments = LOG_OPTIONS.map(OsStr::new).to_vec();
    arguments
        .extend(["-z", "--root", "--no-renames", "--no-relative", FORMAT, head.as_str()].map(OsStr::new));
    arguments.extend(without.as_deref().map(OsStr::new));
    arguments.push(OsStr::new("--"));
    // Git rejects an empty path; without a path it lists all commits.
    if !path.as_os_str().is_empty() {
        arguments.push(&pathspec);
    }
    // Length of git's unique abbreviated names.
    let short = [OsStr::new("--short"), OsStr::new(head.as_str())];
    let letters = repository.run_git("rev-parse", &short)?.trim_ascii().len();
    Ok(parse_log(&repository.run_git("log", &arguments)?, letters))
}

/// Parses the output of `git log -z --raw`.
pub(super) fn parse_log(bytes: &[u8], letters: usize) -> Vec<TouchingCommit> {
    let mut tokens = bytes.split(|byte| *byte == 0).peekable();
    let mut commits: Vec<TouchingCommit> = Vec::new();
    loop {
        let fields: Vec<String> = tokens
            .by_ref()
            .take(FIELD_COUNT)
            .map(|field| String::from_utf8_lossy(field).into_owned())
            .collect();
        let Some(committed) = parse_commit(fields, letters) else { return commits };
        let mut changes = Vec::new();
        while let Some(change) =
            tokens.next_if(|token| token.trim_ascii_start().first() == Some(&b':') || token.is_empty())
        {
            // Between two commits there may be an empty token.
            if change.is_empty() {
                continue;
            }
            let Some(path) = tokens.next() else { break };
            changes.push(parse_file_change(&String::from_utf8_lossy(change), path));
        }
        commits.push(TouchingCommit { committed, changes });
    }
}

fn parse_commit(fields: Vec<String>, letters: usize) -> Option<CommitInfo> {
    let [commit, parents, date, author, subject] = <[String; FIELD_COUNT]>::try_from(fields).ok()?;
    Some(CommitInfo {
        short: commit.trim().chars().take(letters).collect(),
        commit: Commit(commit.trim().to_owned()),
        // The clock of the author may be wrong by thousands of years.
        date: Date::parse(&date).unwrap_or(Date::LAST),
        author,
        subject,
        is_merge: parents.split(' ').count() > 1,
    })
}

/// Parses `:MODE MODE OBJECT OBJECT STATUS`. Links and submodules count as absent.
fn parse_file_change(line: &str, path: &[u8]) -> FileChange {
    let words: Vec<&str> = line.trim_start().trim_start_matches(':').split(' ').collect();
    let object = |mode: usize, object: usize| {
        let (mode, object) = (words.get(mode)?, words.get(object)?);
        mode.starts_with("100").then(|| Arc::from(*object))
    };
    FileChange { path: path_of(path).into(), before: object(0, 2), after: object(1, 3) }
}

/// Returns the origin of a file that the commit moved into a folder, or the destination of one moved out of it.
pub(super) fn find_moved_path(
    repository: &Repository,
    touching: &TouchingCommit,
    folder: &Path,
) -> Result<Option<PathBuf>, GitError> {
    let mut arguments = LOG_OPTIONS.map(OsStr::new).to_vec();
    let commit = touching.committed.commit.as_str();
    arguments.extend(
        ["-z", "--root", "-M", "--diff-filter=R", "--no-relative", "--format=", "--no-walk", commit]
            .map(OsStr::new),
    );
    let bytes = repository.run_git("log", &arguments)?;
    let mut tokens = bytes.split(|byte| *byte == 0).filter(|token| !token.is_empty());
    while let (Some(_), Some(from), Some(to)) = (tokens.next(), tokens.next(), tokens.next()) {
        let (from, to) = (path_of(from), path_of(to));
        let is_mine = |path: &Path| touching.changes.iter().any(|change| &*change.path == path);
        if is_mine(&to) && !from.starts_with(folder) {
            return Ok(Some(from));
        }
        if is_mine(&from) && !to.starts_with(folder) {
            return Ok(Some(to));
        }
    }
    Ok(None)
}
