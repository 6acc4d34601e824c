//! Merge base of two branches, as in `git diff A...`.

use super::{Commit, GitError, Repository};

impl Repository {
    /// Returns the newest common commit of HEAD and another commit.
    pub(super) fn find_merge_base(&self, revision: &str) -> Result<Commit, GitError> {
        let (other, head) = (self.resolve_commit(revision)?, self.resolve_commit("HEAD")?);
        let found =
            self.git().args(["merge-base", other.as_str(), head.as_str()]).output().map_err(GitError::Run)?;
        let name = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        if found.status.success() && !name.is_empty() {
            return Ok(Commit(name));
        }
        let is_shallow = self.is_shallow().unwrap_or_default();
        Err(GitError::NoMergeBase { revision: revision.to_owned(), is_shallow })
    }
}
