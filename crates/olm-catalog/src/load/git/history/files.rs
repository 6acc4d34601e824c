//! Files of a package.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    ffi::OsStr,
    path::Path,
    sync::{Arc, atomic::Ordering},
};

use super::{Files, log::TouchingCommit};
use crate::{
    PackageName,
    load::{
        LoadError, Progress, from_bytes,
        git::{
            Commit, GitError, Repository,
            batch::{self, Content, Request},
            tree::{self, TreeEntryKind},
        },
    },
    paths::indexignore,
};

/// Returns the files below a path in a commit.
pub(super) fn list_files(repository: &Repository, commit: &Commit, path: &Path) -> Result<Files, GitError> {
    let found = tree::list_tree_entries(repository, commit, path)?;
    let files = found.into_iter().filter_map(|entry| match entry.kind {
        TreeEntryKind::File { blob } => Some((entry.path.into(), blob.into())),
        TreeEntryKind::Link { .. } | TreeEntryKind::Submodule => None,
    });
    Ok(files.collect())
}

/// Returns true if the file is an `.indexignore` file.
pub(super) fn is_ignore_file(path: &Path) -> bool {
    path.file_name() == Some(OsStr::new(indexignore::FILE_NAME))
}

/// Returns the files that have or had objects of a package, and the `.indexignore` files.
pub(super) fn list_package_files(
    repository: &Repository,
    package: &PackageName,
    now: &Files,
    commits: &[TouchingCommit],
    progress: &Progress,
) -> Result<BTreeSet<Arc<Path>>, LoadError> {
    // Newest content of every file that exists or existed.
    let mut newest: HashMap<&Arc<Path>, &Arc<str>> = now.iter().collect();
    for change in commits.iter().flat_map(|touching| &touching.changes) {
        if let Some(blob) = change.after.as_ref().or(change.before.as_ref()) {
            newest.entry(&change.path).or_insert(blob);
        }
    }
    let mut having = PackageSearch { repository, package, known: HashMap::new() };
    having.load_contents(newest.values().copied(), progress)?;
    let is_first = |(path, blob): &(&Arc<Path>, &Arc<str>)| is_ignore_file(path) || having.has_package(blob);
    let mut mine: BTreeSet<Arc<Path>> =
        newest.into_iter().filter(is_first).map(|(path, _)| Arc::clone(path)).collect();
    if mine.iter().all(|path| is_ignore_file(path)) {
        // The package no longer exists. It was removed from files that remain, so all their contents are
        // searched.
        let changes = || commits.iter().flat_map(|touching| &touching.changes);
        having.load_contents(
            changes().flat_map(|change| change.before.iter().chain(&change.after)),
            progress,
        )?;
        let had = |change: &&super::log::FileChange| {
            change.before.iter().chain(&change.after).any(|blob| having.has_package(blob))
        };
        mine.extend(changes().filter(had).map(|change| Arc::clone(&change.path)));
    }
    // Its objects may have moved from a file that no longer has any, and into that one from another.
    loop {
        let is_move = |touching: &&TouchingCommit| {
            let mut changes = touching.changes.iter().filter(|change| mine.contains(&change.path));
            changes.any(|change| change.before.is_none() || change.after.is_none())
        };
        let others: Vec<_> = commits
            .iter()
            .filter(is_move)
            .flat_map(|touching| &touching.changes)
            .filter(|change| !mine.contains(&change.path))
            .collect();
        having.load_contents(
            others.iter().flat_map(|change| change.before.iter().chain(&change.after)),
            progress,
        )?;
        let is_mine = |blob: &Option<Arc<str>>| blob.as_ref().is_some_and(|blob| having.has_package(blob));
        let more: Vec<Arc<Path>> = others
            .into_iter()
            .filter(|change| is_mine(&change.before) || is_mine(&change.after))
            .map(|change| Arc::clone(&change.path))
            .collect();
        if more.is_empty() {
            return Ok(mine);
        }
        mine.extend(more);
    }
}

/// Cache of which contents have objects of a package.
struct PackageSearch<'a> {
    repository: &'a Repository,
    package: &'a PackageName,
    known: HashMap<Arc<str>, bool>,
}

impl PackageSearch<'_> {
    fn has_package(&self, blob: &str) -> bool {
        self.known.get(blob).copied().unwrap_or_default()
    }

    /// Reads contents that are not cached yet.
    fn load_contents<'b>(
        &mut self,
        blobs: impl Iterator<Item = &'b Arc<str>>,
        progress: &Progress,
    ) -> Result<(), LoadError> {
        let unknown: HashSet<&Arc<str>> = blobs.filter(|blob| !self.known.contains_key(*blob)).collect();
        let unknown: Vec<Arc<str>> = unknown.into_iter().cloned().collect();
        let wanted: Vec<Request> = unknown.iter().map(|blob| Request::Object(blob.to_string())).collect();
        let mut unknown = unknown.into_iter();
        batch::read_contents(self.repository, &wanted, |content| {
            progress.check_stopped()?;
            progress.read.fetch_add(1, Ordering::Relaxed);
            let has = match content {
                Content::Bytes(bytes) => {
                    progress.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
                    contains_package(bytes, self.package)
                }
                _ => false,
            };
            if let Some(blob) = unknown.next() {
                self.known.insert(blob, has);
            }
            Ok(())
        })
    }
}

/// Returns true if a file has objects of a package. Most files do not contain its name, so they are not
/// decoded.
fn contains_package(bytes: Vec<u8>, package: &PackageName) -> bool {
    // A name whose source differs from its value has a backslash, or spans several lines.
    let name = package.as_str().as_bytes();
    let may_be_escaped = bytes.contains(&b'\\');
    let is_named = memchr::memmem::find(&bytes, name).is_some();
    (is_named || may_be_escaped) && from_bytes(bytes).package(package.as_str()).is_some()
}
