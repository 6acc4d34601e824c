//! Catalogs at a revision of a git repository, read with the user's `git`. Does not write, fetch, or read a
//! working tree.

mod batch;
pub mod deprecation_start;
mod files;
mod folders;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
pub mod history;
mod links;
mod listing;
mod merge_base;
mod revision_content;
mod tree;

#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    path::{Component, Path, PathBuf},
    process::{Command, Output, Stdio},
    time::Instant,
};

use super::{LoadError, Progress};
use crate::model::Catalog;
pub use revision_content::{RevisionContent, load_revision};

pub use batch::ContentReader;
pub use files::list_unignored_files;
pub use listing::CommitListing;

/// Prefix of a revision where a path is expected.
pub const REVISION_PREFIX: &str = "git:";

/// Suffix of a revision for the merge base with HEAD, like git's `REV...`.
const MERGE_BASE_SUFFIX: &str = "...";

/// Git configuration of a clone with only a part of the objects.
const PARTIAL_CLONE_KEYS: &str = r"^(extensions\.partialclone|remote\..*\.promisor)$";

/// Errors of reading a git repository.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// Git is not installed or cannot be run.
    #[error("cannot run git: {0}")]
    Run(#[source] io::Error),
    /// A path is not in a repository.
    #[error("{path} is not in a git repository{}", error_details(said))]
    NoRepository {
        /// Path as given.
        path: PathBuf,
        /// Message of git.
        said: String,
    },
    /// The path of the other catalog is in another repository, or not in one.
    #[error("{path} is not in the git repository {root}")]
    Outside {
        /// Path as given.
        path: PathBuf,
        /// Working tree of the repository.
        root: PathBuf,
    },
    /// The commit does not exist.
    #[error("git has no revision {revision}")]
    NoRevision {
        /// Revision as given.
        revision: String,
        /// True if the repository has only the newest part of its history.
        is_shallow: bool,
    },
    /// Two commits do not have a known common ancestor.
    #[error("git knows of no commit that HEAD and {revision} have in common")]
    NoMergeBase {
        /// Other revision, as given.
        revision: String,
        /// True if the repository has only the newest part of its history.
        is_shallow: bool,
    },
    /// The path does not exist in the commit.
    #[error("{path} does not exist at {revision}")]
    NoPath {
        /// Revision as given.
        revision: String,
        /// Path relative to the root of the repository.
        path: PathBuf,
    },
    /// The repository lacks content of the commit. Results without it would be wrong.
    #[error("{} of {revision} is missing: {why}", list_paths(paths))]
    MissingContent {
        /// Display name of the revision.
        revision: String,
        /// Commit with the missing content.
        commit: Commit,
        /// Paths that are missing for the same reason, relative to the root of the repository; at least one.
        paths: Vec<PathBuf>,
        /// Reason.
        why: MissingReason,
    },
    /// An unexpected failure of git.
    #[error("git {what} failed: {said}")]
    Failed {
        /// Git command.
        what: &'static str,
        /// Message of git.
        said: String,
    },
}

impl GitError {
    /// Returns a hint for a solution, if known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Run(error) if error.kind() == io::ErrorKind::NotFound => {
                Some("install git, or unpack the revision and give its directory".to_owned())
            }
            Self::NoRepository { .. } => {
                Some("git:REV is read from the current repository; cd into it first".to_owned())
            }
            Self::Outside { .. } => Some("add its path in the revision: git:REV:PATH".to_owned()),
            Self::NoRevision { is_shallow: true, .. } => Some(
                "this is a shallow clone: run git fetch --unshallow, or git fetch origin NAME for a branch"
                    .to_owned(),
            ),
            Self::NoMergeBase { is_shallow: true, .. } => Some(
                "this is a shallow clone: run git fetch --unshallow (in CI: fetch the whole history), or name the commit itself"
                    .to_owned(),
            ),
            Self::NoMergeBase { .. } => Some("without ... the commit itself is compared with".to_owned()),
            Self::NoRevision { .. } => {
                Some("use a branch, a tag, a commit or HEAD~1; see git log".to_owned())
            }
            Self::MissingContent { commit, paths, why, .. } => Some(why.hint(commit, paths)),
            Self::NoPath { .. } => Some(
                "git:REV:PATH is relative to the repository root, git:REV:./PATH to the current directory"
                    .to_owned(),
            ),
            Self::Run(_) | Self::Failed { .. } => None,
        }
    }
}

/// Reason why content of a commit is not in the repository.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MissingReason {
    /// The clone is partial, and the object was not fetched.
    #[error("the clone is partial, and git has not fetched it")]
    PartialClone,
    /// An object is missing although the clone is complete.
    #[error("the repository is damaged")]
    Damaged,
    /// The content is a Git LFS pointer.
    #[error("git has only its Git LFS pointer")]
    Lfs,
    /// The path is a submodule.
    #[error("it is in a submodule")]
    Submodule,
    /// The content exists but is not a catalog.
    #[error("its content cannot be read")]
    Unreadable,
}

impl MissingReason {
    fn hint(self, commit: &Commit, paths: &[PathBuf]) -> String {
        let short = commit.abbreviated();
        let path = paths.first().map_or(Path::new("."), PathBuf::as_path);
        // Quoted, because users copy it into a shell.
        let path = shell_words::quote(&path.to_string_lossy()).into_owned();
        match self {
            Self::PartialClone => format!(
                "fetch this commit with git archive {short} > /dev/null, or everything with git fetch --refetch --no-filter"
            ),
            Self::Damaged => "see git fsck, or clone again".to_owned(),
            Self::Unreadable => format!("see git show {short}:{path}"),
            Self::Lfs => {
                format!("check it out and give that directory: git worktree add ../{short} {short}")
            }
            Self::Submodule => {
                format!("compare the catalog in the submodule separately, or list {path} in .indexignore")
            }
        }
    }
}

/// Formats paths for a sentence, shortened if there are many.
fn list_paths(paths: &[PathBuf]) -> String {
    let first = paths.first().map(|path| path.display().to_string()).unwrap_or_default();
    match paths.len() {
        0 | 1 => first,
        more => format!("{first} (and {} more)", more - 1),
    }
}

/// A catalog in the history of a repository, in the notation `git:REV[:PATH]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// Git revision: a branch, a tag, a commit.
    pub revision: String,
    /// Path of the catalog in the revision, as in git: relative to the root of the repository, or to the
    /// current directory if it begins with `./` or `../`.
    pub path: Option<PathBuf>,
}

impl Revision {
    /// Parses `git:REV[:PATH]`; `None` for other text, which is a path on disk.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(REVISION_PREFIX)?;
        let (revision, path) = match rest.split_once(':') {
            Some((revision, path)) => (revision, Some(PathBuf::from(path))),
            None => (rest, None),
        };
        (!revision.is_empty()).then(|| Self { revision: revision.to_owned(), path })
    }

    /// Returns the display name.
    pub fn label(&self) -> String {
        match &self.path {
            Some(path) => format!("{REVISION_PREFIX}{}:{}", self.revision, path.display()),
            None => format!("{REVISION_PREFIX}{}", self.revision),
        }
    }
}

/// A git repository with a working tree.
#[derive(Clone, Debug)]
pub struct Repository {
    /// Root of its working tree, with links resolved.
    root: PathBuf,
}

/// A commit, by its full object name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit(String);

impl Commit {
    /// Returns an abbreviation for display.
    fn abbreviated(&self) -> &str {
        crate::model::abbreviate_commit(&self.0)
    }

    /// Returns the full name in hexadecimal.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Repository {
    /// Finds the repository around a path. The path itself may not exist.
    ///
    /// # Errors
    ///
    /// If git cannot be run, or does not find a repository.
    pub fn discover(path: &Path) -> Result<Self, GitError> {
        let here = Path::new(".");
        let folder = path.ancestors().find(|folder| folder.is_dir()).unwrap_or(here);
        let folder = if folder.as_os_str().is_empty() { here } else { folder };
        let found = git(folder).args(["rev-parse", "--show-toplevel"]).output().map_err(GitError::Run)?;
        if !found.status.success() {
            return Err(GitError::NoRepository { path: path.to_owned(), said: stderr_line(&found) });
        }
        let root = path_of(found.stdout.trim_ascii_end());
        Ok(Self { root: fs::canonicalize(&root).unwrap_or(root) })
    }

    /// Returns the root of its working tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns a commit by any git revision. `REV...` is the merge base of HEAD and REV.
    ///
    /// # Errors
    ///
    /// If the revision does not exist, or if the commits do not have a common ancestor.
    pub fn resolve_revision(&self, revision: &str) -> Result<Commit, GitError> {
        match revision.strip_suffix(MERGE_BASE_SUFFIX) {
            Some(other) => self.find_merge_base(other),
            None => self.resolve_commit(revision),
        }
    }

    fn resolve_commit(&self, revision: &str) -> Result<Commit, GitError> {
        let wanted = format!("{revision}^{{commit}}");
        let found = self
            .git()
            .args(["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted])
            .output()
            .map_err(GitError::Run)?;
        let name = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        if found.status.success() && !name.is_empty() {
            Ok(Commit(name))
        } else {
            let is_shallow = self.is_shallow().unwrap_or_default();
            Err(GitError::NoRevision { revision: revision.to_owned(), is_shallow })
        }
    }

    /// Returns true if the repository has only the newest part of its history, which is common in CI.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn is_shallow(&self) -> Result<bool, GitError> {
        let said = self.run_git("rev-parse", &[OsStr::new("--is-shallow-repository")])?;
        Ok(said.trim_ascii() == b"true")
    }

    /// Returns the reason why an object is missing.
    fn missing_reason(&self) -> MissingReason {
        let promises = [OsStr::new("--get-regexp"), OsStr::new(PARTIAL_CLONE_KEYS)];
        // Git fails if the configuration does not have a matching key.
        match self.run_git("config", &promises) {
            Ok(_) => MissingReason::PartialClone,
            Err(_) => MissingReason::Damaged,
        }
    }

    /// Returns true if files below a path differ from the commit that is checked out, or are new.
    ///
    /// # Errors
    ///
    /// If git fails, or if the path is not in the repository.
    pub fn is_modified(&self, path: &Path) -> Result<bool, GitError> {
        let inside = self.relative_path(path)?;
        let inside = if inside.as_os_str().is_empty() { Path::new(".") } else { &inside };
        let mut status = self.git();
        // A path is not a pattern.
        status.env("GIT_LITERAL_PATHSPECS", "1").args(["status", "--porcelain", "--"]).arg(inside);
        let found = status.output().map_err(GitError::Run)?;
        Ok(!found.stdout.trim_ascii().is_empty())
    }

    /// Returns the path of a file on disk relative to the root of the repository.
    ///
    /// # Errors
    ///
    /// If it is not in the repository.
    pub fn relative_path(&self, path: &Path) -> Result<PathBuf, GitError> {
        let outside = || GitError::Outside { path: path.to_owned(), root: self.root.clone() };
        let full = std::path::absolute(path).map_err(|_| outside())?;
        // The existing part of the path is canonicalized; the rest may exist only in the revision.
        let there = full.ancestors().find(|folder| folder.exists()).ok_or_else(outside)?;
        let rest = full.strip_prefix(there).map_err(|_| outside())?;
        let real = fs::canonicalize(there).map_err(|_| outside())?.join(rest);
        real.strip_prefix(&self.root).map(Path::to_owned).map_err(|_| outside())
    }

    /// Opens the catalog at a path (relative to the root of the repository) in a commit. `label` is its display
    /// name.
    ///
    /// # Errors
    ///
    /// If git fails, or if the path does not exist in the commit. Unreadable files become problems of the
    /// catalog.
    pub fn open_catalog(
        &self,
        label: &str,
        commit: &Commit,
        path: &Path,
        progress: &Progress,
    ) -> Result<Catalog, LoadError> {
        tree::open_tree(self, label, commit, path, progress)
    }

    /// Returns a git command in this repository, without standard input.
    pub fn git(&self) -> Command {
        git(&self.root)
    }

    /// Runs a git command and returns its output. A failure is unexpected.
    fn run_git(&self, what: &'static str, arguments: &[&OsStr]) -> Result<Vec<u8>, GitError> {
        log::debug!("git {what} {}", arguments.join(OsStr::new(" ")).display());
        let output = self.git().arg(what).args(arguments).output().map_err(GitError::Run)?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(GitError::Failed { what, said: stderr_line(&output) })
        }
    }
}

/// Opens a catalog in the history of a repository. A revision without a path uses the path of `like` on disk.
///
/// # Errors
///
/// As [`Repository::open_catalog`], and if the repository or revision does not exist.
pub fn open_revision(wanted: &Revision, like: &Path, progress: &Progress) -> Result<Catalog, LoadError> {
    let started = Instant::now();
    let (repository, commit, path) = locate_revision(wanted, like)?;
    let catalog = repository.open_catalog(&wanted.label(), &commit, &path, progress)?;
    let (label, time) = (wanted.label(), started.elapsed());
    log::info!("read {label}: commit {}, path {}, in {time:.1?}", commit.as_str(), path.display());
    Ok(catalog)
}

/// Lists the files below a path of a revision, relative to it, and returns that path relative to the root of
/// the repository.
///
/// # Errors
///
/// If the repository, revision or path does not exist.
pub fn list_revision(wanted: &Revision, like: &Path) -> Result<(PathBuf, Vec<PathBuf>), GitError> {
    let (repository, commit, path) = locate_revision(wanted, like)?;
    let found = tree::list_existing(&repository, &wanted.label(), &commit, &path)?;
    Ok((path, found.into_iter().map(|entry| entry.inside).collect()))
}

/// Finds the repository, the commit and the path (relative to the root of the repository) of a revision.
fn locate_revision(wanted: &Revision, like: &Path) -> Result<(Repository, Commit, PathBuf), GitError> {
    let here = Path::new(".");
    let repository = Repository::discover(if wanted.path.is_some() { here } else { like })?;
    let commit = repository.resolve_revision(&wanted.revision)?;
    let path = match &wanted.path {
        None => repository.relative_path(like)?,
        Some(path) if is_relative_to_cwd(path) => repository.relative_path(path)?,
        Some(path) => path.components().filter(|part| matches!(part, Component::Normal(_))).collect(),
    };
    Ok((repository, commit, path))
}

/// Returns true if the path of a revision is relative to the current directory.
fn is_relative_to_cwd(path: &Path) -> bool {
    path.is_absolute() || path.starts_with(".") || path.starts_with("..")
}

/// Returns a git command that does not modify, fetch or prompt.
fn git(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).arg("--no-optional-locks");
    git.envs([("GIT_NO_LAZY_FETCH", "1"), ("GIT_TERMINAL_PROMPT", "0"), ("LC_ALL", "C")]);
    // A hook or another git command that runs olmap must not choose the repository.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        git.env_remove(name);
    }
    git.stdin(Stdio::null());
    git
}

/// Returns git's message if it says more than that there is no repository.
fn error_details(said: &str) -> String {
    if said.starts_with("not a git repository") { String::new() } else { format!(": {said}") }
}

/// Returns the first line of git's error output.
fn stderr_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let line = line.strip_prefix("fatal: ").unwrap_or(line);
    if line.is_empty() { output.status.to_string() } else { line.to_owned() }
}

/// Converts the bytes of a path in git's output.
#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    OsString::from_vec(bytes.to_vec()).into()
}

/// Converts the bytes of a path in git's output.
#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    OsString::from(String::from_utf8_lossy(bytes).into_owned()).into()
}
