//! Names of all files of a commit.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use super::{
    Commit, GitError, MissingReason, Repository,
    batch::{self, Content, Request},
    path_of, stderr_line,
    tree::{self, TreeEntryKind, parse_tree_entry},
};
use crate::load::LoadError;

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
