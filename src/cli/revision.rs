//! `git:REV[:PATH]`: a path in a commit of a git repository, accepted by every command that reads a path.

use std::path::{Path, PathBuf};

use super::{Failure, with_progress};
use olm_bundle::{Tree, TreeFile};
use olm_catalog::load::git::{self, Revision, RevisionContent};
use olm_catalog::{Catalog, load::LoadError};
use olm_source::{bundle_of_files, bundles, is_image_reference, is_older};

/// Parses an argument; `None` if it is a path on disk.
pub fn parse_revision(path: &Path) -> Option<Revision> {
    path.to_str().and_then(Revision::parse)
}

/// Opens the catalog of a revision. A revision without a path has the path of `like`, a catalog on disk.
pub fn open_catalog(revision: &Revision, like: &Path) -> Result<Catalog, Failure> {
    if revision.path.is_none() && is_other_format(like) {
        let label = revision.label();
        let words = format!("{label} is read as a file-based catalog, and {} is none", like.display());
        return Err(Failure::new(words).with_hint(
            "check the old revision out beside it (git worktree add OLD REV), and compare the two",
        ));
    }
    let catalog = with_progress(|progress| git::open_revision(revision, like, progress));
    catalog.map_err(Failure::from)
}

/// Reads a file or directory of a revision. A revision without a path has the path of `other`, if that is on disk.
pub fn read_stored(revision: &Revision, other: Option<&Path>) -> Result<RevisionContent, Failure> {
    let like = match other.filter(|other| parse_revision(other).is_none()) {
        None if revision.path.is_none() => {
            return Err(
                Failure::new(format!("{} has no path", revision.label())).with_hint("use git:REV:PATH")
            );
        }
        other => other.unwrap_or(Path::new(".")),
    };
    let stored = with_progress(|progress| git::load_revision(revision, like, progress));
    stored.map_err(Failure::from)
}

/// Reads a file of a revision.
pub fn read_file(revision: &Revision) -> Result<Vec<u8>, Failure> {
    match read_stored(revision, None)? {
        RevisionContent::File(bytes) => Ok(bytes),
        RevisionContent::Directory(_) => Err(Failure::new(format!("{} is a directory", revision.label()))),
    }
}

/// Reads a bundle directory of a revision. A revision without a path has the path of `other`, if that is on disk.
pub fn read_bundle(revision: &Revision, other: Option<&Path>) -> Result<Tree, Failure> {
    match read_stored(revision, other)? {
        RevisionContent::Directory(files) => Ok(bundle_of_files(files)),
        RevisionContent::File(_) => Err(Failure::new(format!("{} is not a directory", revision.label()))),
    }
}

/// Adds a path from the repository root to a revision: its own, or that of `near`, a catalog on disk.
///
/// # Errors
///
/// Fails if the repository, revision or path does not exist.
pub fn with_path(
    revision: &Revision,
    near: impl FnOnce() -> Result<PathBuf, Failure>,
) -> Result<Revision, Failure> {
    let like = if revision.path.is_none() { near()? } else { PathBuf::from(".") };
    let (path, _) =
        git::list_revision(revision, &like).map_err(|error| Failure::from(LoadError::from(error)))?;
    Ok(Revision { revision: revision.revision.clone(), path: Some(path) })
}

/// Returns the bundle directories at and below a path of a revision, each as a revision. Empty if it is a
/// catalog or a file.
///
/// # Errors
///
/// Fails if the repository, revision or path does not exist.
pub fn bundle_directories(revision: &Revision) -> Result<Vec<Revision>, Failure> {
    let Some(path) = &revision.path else { return Ok(Vec::new()) };
    let (root, files) = git::list_revision(revision, Path::new("."))
        .map_err(|error| Failure::from(LoadError::from(error)))?;
    let directories = bundles::directories_in(&files);
    // A path relative to the current directory is kept as given.
    let base = if path.starts_with(".") || path.starts_with("..") { path } else { &root };
    let at = |directory: PathBuf| {
        let whole = if directory.as_os_str().is_empty() { base.clone() } else { base.join(directory) };
        Revision { revision: revision.revision.clone(), path: Some(whole) }
    };
    Ok(directories.into_iter().map(at).collect())
}

/// Reads the `bundle.Dockerfile` next to a bundle directory of a revision; `None` if it does not exist.
pub fn dockerfile_beside(bundle: &Revision) -> Option<TreeFile> {
    const NAME: &str = "bundle.Dockerfile";
    let path = bundle.path.as_deref()?.parent()?.join(NAME);
    let dockerfile = Revision { revision: bundle.revision.clone(), path: Some(path) };
    let content = read_file(&dockerfile).ok()?;
    Some(TreeFile { path: format!("../{NAME}"), content: Ok(content.into()) })
}

/// Refuses a revision as the target of a command that writes.
pub fn refuse_revision(path: &Path, what: &str) -> Result<(), Failure> {
    let Some(revision) = parse_revision(path) else { return Ok(()) };
    Err(Failure::new(format!("{} is a revision, and {what}", revision.label()))
        .with_hint("check it out (git worktree add DIR REV), and give that directory"))
}

/// Returns true if a path on disk is not opened as a file-based catalog, as a revision always is.
fn is_other_format(path: &Path) -> bool {
    is_image_reference(path) || bundles::find_bundle_folder(path).is_some() || is_older(path)
}
