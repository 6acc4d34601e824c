//! Names of all files of a commit.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use super::{
    Commit, GitError, NotHere, Repository,
    batch::{self, Content, Request},
    path_of, stderr_line,
    tree::{self, Kind, entry},
};
use crate::catalog::load::LoadError;

/// Files and links of a commit, relative to the root of the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
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
    pub fn listing(&self, commit: &Commit) -> Result<Listing, LoadError> {
        let all = ["ls-tree", "-r", "-z", "--full-tree", commit.as_str()].map(OsStr::new);
        let listed = self.git().args(all).output().map_err(GitError::Run)?;
        if !listed.status.success() {
            let error = match self.why_missing() {
                why @ NotHere::PartialClone => GitError::NotHere {
                    revision: commit.short().to_owned(),
                    commit: commit.clone(),
                    paths: vec![PathBuf::from(".")],
                    why,
                },
                _ => GitError::Failed { what: "ls-tree", said: stderr_line(&listed) },
            };
            return Err(error.into());
        }
        let mut listing = Listing::default();
        let (mut links, mut objects) = (Vec::new(), Vec::new());
        for found in listed.stdout.split(|byte| *byte == 0).filter_map(|line| entry(line, Path::new(""))) {
            match found.kind {
                Kind::Link { blob } => {
                    links.push(found.path);
                    objects.push(Request::Object(blob));
                }
                Kind::Submodule => {}
                Kind::File { .. } => listing.files.push(found.path),
            }
        }
        let mut links = links.into_iter();
        batch::contents(self, &objects, |content| {
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
    pub fn left_out(&self) -> Result<Vec<PathBuf>, GitError> {
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
        missing: Vec<(PathBuf, Option<NotHere>)>,
    ) -> Option<GitError> {
        tree::missing_error(self, commit.short(), commit, missing)
    }
}
