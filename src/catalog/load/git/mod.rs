//! Catalogs as they were at a revision of a git repository, read by the user's `git`. Nothing is written, nothing is
//! fetched, and no working tree is looked at.

mod batch;
mod files;
mod folders;
mod fork;
#[cfg(fuzzing)]
pub mod fuzzing;
pub mod history;
mod links;
mod listing;
pub mod since;
mod stored;
mod tree;

#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    path::{Component, Path, PathBuf},
    process::{Command, Output, Stdio},
};

use super::{LoadError, Progress};
use crate::catalog::model::Catalog;
pub use stored::{Stored, read_revision};

pub use batch::ContentReader;
pub use files::files;
pub use listing::Listing;

/// What stands before a revision where a path is expected.
const PREFIX: &str = "git:";

/// What stands behind a revision where the commit is meant at which HEAD left it, as git writes `REV...`.
const FORK: &str = "...";

/// What git configures in a clone that has only a part of the objects.
const PROMISES: &str = r"^(extensions\.partialclone|remote\..*\.promisor)$";

/// Why something could not be read of a git repository.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The program is not there, or may not be run.
    #[error("cannot run git: {0}")]
    Run(#[source] io::Error),
    /// No repository is around a path.
    #[error("{path} is not in a git repository{}", because(said))]
    NoRepository {
        /// As given.
        path: PathBuf,
        /// What git said.
        said: String,
    },
    /// The path of the other catalog is in another repository, or in none.
    #[error("{path} is not in the git repository {root}")]
    Outside {
        /// As given.
        path: PathBuf,
        /// The repository's working tree.
        root: PathBuf,
    },
    /// There is no such commit.
    #[error("git has no revision {revision}")]
    NoRevision {
        /// As given.
        revision: String,
        /// Whether the repository has the newest part of its history only.
        is_shallow: bool,
    },
    /// Two commits have no history in common, or none that is known here.
    #[error("git knows of no commit that HEAD and {revision} have in common")]
    NoMergeBase {
        /// The other one, as given.
        revision: String,
        /// Whether the repository has the newest part of its history only.
        is_shallow: bool,
    },
    /// The commit has nothing there.
    #[error("{path} does not exist at {revision}")]
    NoPath {
        /// As given.
        revision: String,
        /// From the repository's root on.
        path: PathBuf,
    },
    /// The commit has something there whose content is not in the repository: an answer without it would be wrong.
    #[error("{} of {revision} is missing: {why}", listed(paths))]
    NotHere {
        /// As people name it.
        revision: String,
        /// The commit.
        commit: Commit,
        /// What is missing for the same reason, from the repository's root on; at least one.
        paths: Vec<PathBuf>,
        /// Why.
        why: NotHere,
    },
    /// Git failed at something that should not fail.
    #[error("git {what} failed: {said}")]
    Failed {
        /// The command.
        what: &'static str,
        /// What git said.
        said: String,
    },
}

impl GitError {
    /// A way out, where one is known.
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
            Self::NotHere { commit, paths, why, .. } => Some(why.hint(commit, paths)),
            Self::NoPath { .. } => Some(
                "git:REV:PATH is relative to the repository root, git:REV:./PATH to the current directory"
                    .to_owned(),
            ),
            Self::Run(_) | Self::Failed { .. } => None,
        }
    }
}

/// Why something that a commit has is not in the repository.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, thiserror::Error)]
pub enum NotHere {
    /// The clone is partial: it has objects only once somebody looked at them.
    #[error("the clone is partial, and git has not fetched it")]
    PartialClone,
    /// An object is missing in a repository that should have it.
    #[error("the repository is damaged")]
    Damaged,
    /// A pointer of Git LFS stands in its place.
    #[error("git has only its Git LFS pointer")]
    Lfs,
    /// It is a repository of its own.
    #[error("it is in a submodule")]
    Submodule,
    /// It is there, and no catalog.
    #[error("its content cannot be read")]
    Unreadable,
}

impl NotHere {
    fn hint(self, commit: &Commit, paths: &[PathBuf]) -> String {
        let short = commit.short();
        let path = paths.first().map_or(Path::new("."), PathBuf::as_path);
        // Quoted, for people copy it into a shell.
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

/// Paths in a sentence, cut where there are many.
fn listed(paths: &[PathBuf]) -> String {
    let first = paths.first().map(|path| path.display().to_string()).unwrap_or_default();
    match paths.len() {
        0 | 1 => first,
        more => format!("{first} (and {} more)", more - 1),
    }
}

/// A catalog in the history of a repository, as people name it: `git:REV[:PATH]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// What git calls it: a branch, a tag, a commit.
    pub revision: String,
    /// Where the catalog is in it, as git reads paths: from the repository's root on, or from where one stands if it begins
    /// with `./` or `../`.
    pub path: Option<PathBuf>,
}

impl Revision {
    /// Reads `git:REV[:PATH]`; `None` for anything else, which is a path on disk.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(PREFIX)?;
        let (revision, path) = match rest.split_once(':') {
            Some((revision, path)) => (revision, Some(PathBuf::from(path))),
            None => (rest, None),
        };
        (!revision.is_empty()).then(|| Self { revision: revision.to_owned(), path })
    }

    /// As people name it.
    pub fn label(&self) -> String {
        match &self.path {
            Some(path) => format!("{PREFIX}{}:{}", self.revision, path.display()),
            None => format!("{PREFIX}{}", self.revision),
        }
    }
}

/// A git repository with a working tree.
#[derive(Clone, Debug)]
pub struct Repository {
    /// The root of its working tree, links resolved.
    root: PathBuf,
}

/// A commit of a repository, by its whole name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit(String);

impl Commit {
    /// So much of its name that people can tell it from others.
    fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }

    /// Its whole name, in hexadecimal.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Repository {
    /// The repository around a path, which need not be there itself.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or knows of no repository there.
    pub fn around(path: &Path) -> Result<Self, GitError> {
        let here = Path::new(".");
        let folder = path.ancestors().find(|folder| folder.is_dir()).unwrap_or(here);
        let folder = if folder.as_os_str().is_empty() { here } else { folder };
        let found = git(folder).args(["rev-parse", "--show-toplevel"]).output().map_err(GitError::Run)?;
        if !found.status.success() {
            return Err(GitError::NoRepository { path: path.to_owned(), said: said(&found) });
        }
        let root = path_of(found.stdout.trim_ascii_end());
        Ok(Self { root: fs::canonicalize(&root).unwrap_or(root) })
    }

    /// The root of its working tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A commit by any name that git has for it. `REV...` is the one at which HEAD left REV: their merge base.
    ///
    /// # Errors
    ///
    /// When there is none of that name, or no commit that both have in common.
    pub fn commit(&self, revision: &str) -> Result<Commit, GitError> {
        match revision.strip_suffix(FORK) {
            Some(other) => self.merge_base(other),
            None => self.named(revision),
        }
    }

    fn named(&self, revision: &str) -> Result<Commit, GitError> {
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

    /// Whether the repository has only the newest part of its history, as CI often clones it.
    ///
    /// # Errors
    ///
    /// When git fails.
    pub fn is_shallow(&self) -> Result<bool, GitError> {
        let said = self.output("rev-parse", &[OsStr::new("--is-shallow-repository")])?;
        Ok(said.trim_ascii() == b"true")
    }

    /// Why an object of it is missing.
    fn why_missing(&self) -> NotHere {
        let promises = [OsStr::new("--get-regexp"), OsStr::new(PROMISES)];
        // Git says by failing that nothing is promised.
        match self.output("config", &promises) {
            Ok(_) => NotHere::PartialClone,
            Err(_) => NotHere::Damaged,
        }
    }

    /// Where a path on disk is in the repository: from its root on.
    ///
    /// # Errors
    ///
    /// When it is not in the repository.
    pub fn inside(&self, path: &Path) -> Result<PathBuf, GitError> {
        let outside = || GitError::Outside { path: path.to_owned(), root: self.root.clone() };
        let full = std::path::absolute(path).map_err(|_| outside())?;
        // What is there now is there by its real name; the rest of a path may be there in the revision only.
        let there = full.ancestors().find(|folder| folder.exists()).ok_or_else(outside)?;
        let rest = full.strip_prefix(there).map_err(|_| outside())?;
        let real = fs::canonicalize(there).map_err(|_| outside())?.join(rest);
        real.strip_prefix(&self.root).map(Path::to_owned).map_err(|_| outside())
    }

    /// Reads the catalog that stood at a path, from the repository's root on, in a commit. `label` is how people name it.
    ///
    /// # Errors
    ///
    /// When git fails, or the commit has nothing there. Files that cannot be read become problems of the catalog.
    pub fn open(
        &self,
        label: &str,
        commit: &Commit,
        path: &Path,
        progress: &Progress,
    ) -> Result<Catalog, LoadError> {
        tree::open(self, label, commit, path, progress)
    }

    /// A git command in this repository, with nothing to read.
    pub fn git(&self) -> Command {
        git(&self.root)
    }

    /// Runs a git command that should not fail, and gives what it wrote.
    fn output(&self, what: &'static str, arguments: &[&OsStr]) -> Result<Vec<u8>, GitError> {
        let output = self.git().arg(what).args(arguments).output().map_err(GitError::Run)?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(GitError::Failed { what, said: said(&output) })
        }
    }
}

/// Opens a catalog in the history of a repository. A revision without a path means the path that `like` has on disk.
///
/// # Errors
///
/// As [`Repository::open`]; and when there is no repository, or no such revision.
pub fn open_revision(wanted: &Revision, like: &Path, progress: &Progress) -> Result<Catalog, LoadError> {
    let (repository, commit, path) = locate(wanted, like)?;
    repository.open(&wanted.label(), &commit, &path, progress)
}

/// Lists the files below a path of a revision, by their paths from there on, and returns the path from the repository's root on.
///
/// # Errors
///
/// If there is no repository, revision or path.
pub fn list_revision(wanted: &Revision, like: &Path) -> Result<(PathBuf, Vec<PathBuf>), GitError> {
    let (repository, commit, path) = locate(wanted, like)?;
    let found = tree::list_existing(&repository, &wanted.label(), &commit, &path)?;
    Ok((path, found.into_iter().map(|one| one.inside).collect()))
}

/// Finds the repository, the commit, and the path from the repository's root on that a revision names.
fn locate(wanted: &Revision, like: &Path) -> Result<(Repository, Commit, PathBuf), GitError> {
    let here = Path::new(".");
    let repository = Repository::around(if wanted.path.is_some() { here } else { like })?;
    let commit = repository.commit(&wanted.revision)?;
    let path = match &wanted.path {
        None => repository.inside(like)?,
        Some(path) if is_from_here(path) => repository.inside(path)?,
        Some(path) => path.components().filter(|part| matches!(part, Component::Normal(_))).collect(),
    };
    Ok((repository, commit, path))
}

/// Whether a path of a revision is meant from where one stands.
fn is_from_here(path: &Path) -> bool {
    path.is_absolute() || path.starts_with(".") || path.starts_with("..")
}

/// The user's git, started in a folder, asked to change and to fetch nothing, and to ask nobody.
fn git(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).arg("--no-optional-locks");
    git.envs([("GIT_NO_LAZY_FETCH", "1"), ("GIT_TERMINAL_PROMPT", "0"), ("LC_ALL", "C")]);
    // A hook or another git command that runs us must not choose the repository.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        git.env_remove(name);
    }
    git.stdin(Stdio::null());
    git
}

/// Why there is no repository, where git says more than that there is none.
fn because(said: &str) -> String {
    if said.starts_with("not a git repository") { String::new() } else { format!(": {said}") }
}

/// What git said when it failed, in one line.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let line = line.strip_prefix("fatal: ").unwrap_or(line);
    if line.is_empty() { output.status.to_string() } else { line.to_owned() }
}

/// A path as git writes it.
#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    OsString::from_vec(bytes.to_vec()).into()
}

/// A path as git writes it.
#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    OsString::from(String::from_utf8_lossy(bytes).into_owned()).into()
}
