//! Where a branch left another one: what `git diff A...` compares with.

use super::{Commit, GitError, Repository};

impl Repository {
    /// The newest commit that HEAD and another one have in common.
    pub(super) fn merge_base(&self, revision: &str) -> Result<Commit, GitError> {
        let (other, head) = (self.named(revision)?, self.named("HEAD")?);
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
