//! The names that a commit has in a folder, where only those are asked for.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use super::{
    Commit, GitError, NotHere, Repository,
    batch::{self, Content, Wanted},
    path_of, said,
};
use crate::catalog::load::LoadError;

impl Repository {
    /// What a commit has in a folder, files and folders, each from the repository's root on; nothing where there is no such folder.
    ///
    /// # Errors
    ///
    /// When git fails, or has not got the folder.
    pub fn names(&self, commit: &Commit, folder: &Path) -> Result<Vec<PathBuf>, GitError> {
        let mut inside = folder.as_os_str().to_owned();
        inside.push("/");
        let all = ["-z", "--name-only", "--full-tree", commit.as_str(), "--"].map(OsStr::new);
        let root = folder.as_os_str().is_empty();
        let mut git = self.git();
        git.args(["--literal-pathspecs", "ls-tree"]).args(all).args((!root).then_some(&inside));
        let listed = git.output().map_err(GitError::Run)?;
        if !listed.status.success() {
            return Err(match self.why_missing() {
                why @ NotHere::PartialClone => {
                    let paths = vec![folder.to_owned()];
                    GitError::NotHere {
                        revision: commit.short().to_owned(),
                        commit: commit.clone(),
                        paths,
                        why,
                    }
                }
                _ => GitError::Failed { what: "ls-tree", said: said(&listed) },
            });
        }
        let names = listed.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(path_of).collect())
    }

    /// The contents of files of a commit, in their order; `None` for what is not there, or no file.
    ///
    /// # Errors
    ///
    /// When git fails.
    pub fn contents(&self, commit: &Commit, files: &[PathBuf]) -> Result<Vec<Option<Vec<u8>>>, LoadError> {
        let name = |file: &PathBuf| {
            let mut name = OsString::from(format!("{}:", commit.as_str()));
            name.push(file);
            Wanted::Path(name)
        };
        let wanted: Vec<Wanted> = files.iter().map(name).collect();
        let mut contents = Vec::new();
        batch::contents(self, &wanted, |content| {
            contents.push(match content {
                Content::Bytes(bytes) => Some(bytes),
                Content::Folder | Content::Nowhere | Content::Missing => None,
            });
            Ok(())
        })?;
        Ok(contents)
    }
}
