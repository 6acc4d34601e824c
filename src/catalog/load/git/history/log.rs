//! The commits that touch a path, and which files each changes.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::Committed;
use crate::catalog::{
    lifecycle::Date,
    load::git::{Commit, GitError, Repository, path_of},
};

/// What the user's configuration would have git print or follow besides is turned off; a merge is compared with the branch
/// it was made on.
const PLAIN: [&str; 7] =
    ["--no-show-signature", "--no-follow", "--no-color", "--first-parent", "-m", "--raw", "--no-abbrev"];

/// Fields of a commit, each ended by a byte that none of them can hold.
const FORMAT: &str = "--format=%H%x00%P%x00%cs%x00%an%x00%s";
const FIELDS: usize = 5;

/// A commit that touches files.
#[derive(Debug)]
pub(super) struct Touching {
    pub committed: Committed,
    pub changes: Vec<FileChange>,
}

/// What a commit does to a file, by the objects that hold its content.
#[derive(Debug)]
pub(super) struct FileChange {
    pub path: Arc<Path>,
    pub before: Option<Arc<str>>,
    pub after: Option<Arc<str>>,
}

/// The commits that touch a path, newest first.
pub(super) fn commits(
    repository: &Repository,
    head: &Commit,
    since: Option<&Commit>,
    path: &Path,
) -> Result<Vec<Touching>, GitError> {
    let mut pathspec = OsString::from(":(top,literal)");
    pathspec.push(path);
    let without = since.map(|since| format!("^{}", since.as_str()));
    let mut arguments = PLAIN.map(OsStr::new).to_vec();
    arguments
        .extend(["-z", "--root", "--no-renames", "--no-relative", FORMAT, head.as_str()].map(OsStr::new));
    arguments.extend(without.as_deref().map(OsStr::new));
    arguments.push(OsStr::new("--"));
    // An empty one would be refused, and means all.
    if !path.as_os_str().is_empty() {
        arguments.push(&pathspec);
    }
    // As long as git makes a name that is short and still one of a kind.
    let short = [OsStr::new("--short"), OsStr::new(head.as_str())];
    let letters = repository.output("rev-parse", &short)?.trim_ascii().len();
    Ok(read(&repository.output("log", &arguments)?, letters))
}

/// Reads what `git log -z --raw` wrote.
pub(super) fn read(bytes: &[u8], letters: usize) -> Vec<Touching> {
    let mut tokens = bytes.split(|byte| *byte == 0).peekable();
    let mut commits: Vec<Touching> = Vec::new();
    loop {
        let fields: Vec<String> =
            tokens.by_ref().take(FIELDS).map(|field| String::from_utf8_lossy(field).into_owned()).collect();
        let Some(committed) = committed(fields, letters) else { return commits };
        let mut changes = Vec::new();
        while let Some(change) =
            tokens.next_if(|token| token.trim_ascii_start().first() == Some(&b':') || token.is_empty())
        {
            // Between two commits there may be nothing.
            if change.is_empty() {
                continue;
            }
            let Some(path) = tokens.next() else { break };
            changes.push(file_change(&String::from_utf8_lossy(change), path));
        }
        commits.push(Touching { committed, changes });
    }
}

fn committed(fields: Vec<String>, letters: usize) -> Option<Committed> {
    let [commit, parents, date, author, subject] = <[String; FIELDS]>::try_from(fields).ok()?;
    Some(Committed {
        short: commit.trim().chars().take(letters).collect(),
        commit: Commit(commit.trim().to_owned()),
        // A clock may be wrong by thousands of years; the commit is one all the same.
        date: Date::parse(&date).unwrap_or(Date::LAST),
        author,
        subject,
        is_merge: parents.split(' ').count() > 1,
    })
}

/// `:MODE MODE OBJECT OBJECT STATUS`: before and after. What is no file, a link or a submodule, is nothing.
fn file_change(line: &str, path: &[u8]) -> FileChange {
    let words: Vec<&str> = line.trim_start().trim_start_matches(':').split(' ').collect();
    let object = |mode: usize, object: usize| {
        let (mode, object) = (words.get(mode)?, words.get(object)?);
        mode.starts_with("100").then(|| Arc::from(*object))
    };
    FileChange { path: path_of(path).into(), before: object(0, 2), after: object(1, 3) }
}

/// Where a file of a commit came from that the commit put into a folder, or went to that it took out of there.
pub(super) fn moved(
    repository: &Repository,
    touching: &Touching,
    folder: &Path,
) -> Result<Option<PathBuf>, GitError> {
    let mut arguments = PLAIN.map(OsStr::new).to_vec();
    let commit = touching.committed.commit.as_str();
    arguments.extend(
        ["-z", "--root", "-M", "--diff-filter=R", "--no-relative", "--format=", "--no-walk", commit]
            .map(OsStr::new),
    );
    let bytes = repository.output("log", &arguments)?;
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
