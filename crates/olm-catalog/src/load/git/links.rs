//! Targets of the symbolic links of a commit, from their content. Git itself only reports the final target.

use std::{
    collections::HashMap,
    ffi::OsStr,
    path::{Component, Path, PathBuf},
};

use super::{
    Commit, GitError, Repository, Revision,
    batch::{self, Content, Request},
    locate_revision, path_of, stderr_line,
    tree::{self, TreeEntry, TreeEntryKind, parse_tree_entry},
};
use crate::load::{LoadError, Progress, git::MissingReason, lfs};

/// Maximum number of links in a chain, like operating systems.
const MAX_HOPS: usize = 40;

/// Links of a catalog, relative to the root of the repository.
#[derive(Default)]
pub(super) struct Links {
    root: PathBuf,
    /// Target of each link; `None` if it is not a path in the repository.
    targets: HashMap<PathBuf, Option<PathBuf>>,
}

impl Links {
    /// Reads the targets of all links of a catalog with the given root.
    pub fn load(repository: &Repository, root: &Path, found: &[TreeEntry]) -> Result<Self, LoadError> {
        let links = found.iter().filter_map(|entry| match &entry.kind {
            TreeEntryKind::Link { blob } => Some((&entry.path, blob)),
            TreeEntryKind::File { .. } | TreeEntryKind::Submodule => None,
        });
        let (paths, blobs): (Vec<&PathBuf>, Vec<&String>) = links.unzip();
        let wanted: Vec<Request> = blobs.into_iter().map(|blob| Request::Object(blob.clone())).collect();
        let mut read = Self { root: root.to_owned(), targets: HashMap::new() };
        let mut paths = paths.into_iter();
        batch::read_contents(repository, &wanted, |content| {
            if let (Some(path), Content::Bytes(text)) = (paths.next(), content) {
                read.targets.insert(path.clone(), resolve_target(path, &path_of(&text)));
            }
            Ok(())
        })?;
        Ok(read)
    }

    /// Returns true if a path is a link, or a chain of links, out of the catalog.
    pub fn leads_outside(&self, path: &Path) -> bool {
        let mut at = path;
        for _ in 0..MAX_HOPS {
            match self.targets.get(at) {
                None => return !at.starts_with(&self.root),
                Some(None) => return true,
                Some(Some(target)) => at = target,
            }
        }
        // A cycle: git does not find a file.
        false
    }
}

/// Returns the target of a link, relative to the root of the repository; `None` if it is outside.
fn resolve_target(link: &Path, text: &Path) -> Option<PathBuf> {
    let mut at = link.parent()?.to_owned();
    for part in text.components() {
        match part {
            Component::Normal(name) => at.push(name),
            Component::ParentDir if at.pop() => {}
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(at)
}

/// Content of a path in a commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RevisionContent {
    /// A file.
    File(Vec<u8>),
    /// The files of a directory, by relative path. An unreadable file has the reason.
    Directory(Vec<(PathBuf, Result<Vec<u8>, &'static str>)>),
}

/// Reads a path of a revision. If `wanted` does not have a path, the path of `like` is used, a file or
/// directory on disk.
///
/// # Errors
///
/// If the repository, revision or path does not exist, or if the repository lacks an object.
pub fn load_revision(
    wanted: &Revision,
    like: &std::path::Path,
    progress: &Progress,
) -> Result<RevisionContent, LoadError> {
    let (repository, commit, path) = locate_revision(wanted, like)?;
    let label = wanted.label();
    let found = tree::list_existing(&repository, &label, &commit, &path)?;
    let is_file = tree::is_one_file(&found);
    let links = if is_file { Links::default() } else { Links::load(&repository, &path, &found)? };
    let (mut files, mut missing) = (Vec::new(), Vec::new());
    let (readable, submodules): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|one| !matches!(one.kind, TreeEntryKind::Submodule));
    missing.extend(submodules.into_iter().map(|one| (one.path, Some(MissingReason::Submodule))));
    let questions: Vec<_> = readable.iter().map(|one| tree::request_for(&commit, one)).collect();
    let mut answered = readable.into_iter();
    batch::read_contents(&repository, &questions, |content| {
        progress.check_stopped()?;
        let Some(one) = answered.next() else { return Ok(()) };
        match content {
            Content::Bytes(bytes) if lfs::is_pointer(&bytes) => {
                missing.push((one.path, Some(MissingReason::Lfs)));
            }
            Content::Bytes(_) if links.leads_outside(&one.path) => {
                files.push((one.inside, Err("a link that leads out of the directory")));
            }
            Content::Bytes(bytes) => files.push((one.inside, Ok(bytes))),
            // As on disk, such links may form a cycle.
            Content::Folder => {}
            Content::BrokenLink => {
                files.push((one.inside, Err("a link to a file that is not in the revision")));
            }
            Content::Missing => missing.push((one.path, None)),
        }
        Ok(())
    })?;
    if let Some(error) = tree::missing_error(&repository, &label, &commit, missing) {
        return Err(error.into());
    }
    match files.pop() {
        Some((_, Ok(bytes))) if is_file => Ok(RevisionContent::File(bytes)),
        last => Ok(RevisionContent::Directory(files.into_iter().chain(last).collect())),
    }
}

/// Files and links of a commit, relative to the root of the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitListing {
    /// Paths of the files.
    pub files: Vec<PathBuf>,
    /// Paths of the symbolic links, with their targets.
    pub links: Vec<(PathBuf, PathBuf)>,
}

impl Repository {
    /// Lists the files of a commit.
    ///
    /// # Errors
    ///
    /// If git fails, or if the repository lacks the folders of the commit.
    pub fn list_commit_files(&self, commit: &Commit) -> Result<CommitListing, LoadError> {
        let all = ["ls-tree", "-r", "-z", "--full-tree", commit.as_str()].map(OsStr::new);
        let listed = self.git().args(all).output().map_err(GitError::Run)?;
        if !listed.status.success() {
            let error = match self.missing_reason() {
                why @ MissingReason::PartialClone => GitError::MissingContent {
                    revision: commit.abbreviated().to_owned(),
                    commit: commit.clone(),
                    paths: vec![PathBuf::from(".")],
                    why,
                },
                _ => GitError::Failed { what: "ls-tree", said: stderr_line(&listed) },
            };
            return Err(error.into());
        }
        let mut listing = CommitListing::default();
        let (mut links, mut objects) = (Vec::new(), Vec::new());
        for found in
            listed.stdout.split(|byte| *byte == 0).filter_map(|line| parse_tree_entry(line, Path::new("")))
        {
            match found.kind {
                TreeEntryKind::Link { blob } => {
                    links.push(found.path);
                    objects.push(Request::Object(blob));
                }
                TreeEntryKind::Submodule => {}
                TreeEntryKind::File { .. } => listing.files.push(found.path),
            }
        }
        let mut links = links.into_iter();
        batch::read_contents(self, &objects, |content| {
            let Some(link) = links.next() else { return Ok(()) };
            if let Content::Bytes(target) = content {
                listing.links.push((link, path_of(&target)));
            }
            Ok(())
        })?;
        Ok(listing)
    }

    /// Returns the files of the index that are not in the working tree because of a sparse checkout.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn list_sparse_files(&self) -> Result<Vec<PathBuf>, GitError> {
        let safe = ["-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false"];
        let mut git = self.git();
        let listed =
            git.args(safe).args(["ls-files", "-t", "-z", "--full-name"]).output().map_err(GitError::Run)?;
        if !listed.status.success() {
            return Err(GitError::Failed { what: "ls-files", said: stderr_line(&listed) });
        }
        let lines = listed.stdout.split(|byte| *byte == 0);
        Ok(lines.filter_map(|line| line.strip_prefix(b"S ")).map(path_of).collect())
    }

    /// Returns the error for files of a commit whose content is not in the repository. A reason is `None` if it
    /// depends on the repository.
    pub fn missing_error(
        &self,
        commit: &Commit,
        missing: Vec<(PathBuf, Option<MissingReason>)>,
    ) -> Option<GitError> {
        tree::missing_error(self, commit.abbreviated(), commit, missing)
    }
}
