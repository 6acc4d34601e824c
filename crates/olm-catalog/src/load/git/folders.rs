//! Names in a folder of a commit.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use super::{
    Commit, GitError, MissingReason, Repository,
    batch::{self, Content, Request},
    path_of, stderr_line,
};
use crate::load::LoadError;

impl Repository {
    /// Lists the files and folders in a folder of a commit, relative to the root of the repository. Empty if
    /// the folder does not exist.
    ///
    /// # Errors
    ///
    /// If git fails, or does not have the folder.
    pub fn list_folder(&self, commit: &Commit, folder: &Path) -> Result<Vec<PathBuf>, GitError> {
        let mut inside = folder.as_os_str().to_owned();
        inside.push("/");
        let all = ["-z", "--name-only", "--full-tree", commit.as_str(), "--"].map(OsStr::new);
        let root = folder.as_os_str().is_empty();
        let mut git = self.git();
        git.args(["--literal-pathspecs", "ls-tree"]).args(all).args((!root).then_some(&inside));
        let listed = git.output().map_err(GitError::Run)?;
        if !listed.status.success() {
            return Err(match self.missing_reason() {
                why @ MissingReason::PartialClone => {
                    let paths = vec![folder.to_owned()];
                    GitError::MissingContent {
                        revision: commit.abbreviated().to_owned(),
                        commit: commit.clone(),
                        paths,
                        why,
                    }
                }
                _ => GitError::Failed { what: "ls-tree", said: stderr_line(&listed) },
            });
        }
        let names = listed.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(path_of).collect())
    }

    /// Reads files of a commit, in the given order; `None` for paths that do not exist or are not files.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn read_files(&self, commit: &Commit, files: &[PathBuf]) -> Result<Vec<Option<Vec<u8>>>, LoadError> {
        let name = |file: &PathBuf| {
            let mut name = OsString::from(format!("{}:", commit.as_str()));
            name.push(file);
            Request::Path(name)
        };
        let wanted: Vec<Request> = files.iter().map(name).collect();
        let mut contents = Vec::new();
        batch::read_contents(self, &wanted, |content| {
            contents.push(match content {
                Content::Bytes(bytes) => Some(bytes),
                Content::Folder | Content::BrokenLink | Content::Missing => None,
            });
            Ok(())
        })?;
        Ok(contents)
    }
}
