//! Content of an arbitrary path in a commit: a file, or a directory that is not a catalog, such as a bundle
//! directory.

use std::path::PathBuf;

use super::{
    Revision,
    batch::{self, Content},
    links::Links,
    locate_revision,
    tree::{self, TreeEntryKind},
};
use crate::load::{LoadError, Progress, git::MissingReason, lfs};

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
