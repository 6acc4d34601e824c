//! History of a package in a git repository: the commits that touched its files, and the package after each.
//! Does not write, fetch, or read a working tree.
//!
//! The history follows first parents (`git log --first-parent`): what a branch published, one merge after the
//! other. So a merged pull request is one step, and the steps add up to the difference between the ends.

#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ffi::{OsStr, OsString},
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
};

use rayon::prelude::*;

use super::{Commit, GitError, Repository};
use crate::{
    Catalog, PackageName,
    file::SourceFile,
    lifecycle::Date,
    load::{
        LoadError, Progress, from_bytes,
        git::{
            MissingReason,
            batch::{self, Content, Request},
            path_of,
            tree::{self, TreeEntryKind, path_components},
        },
        lfs,
    },
    model::{DocChange, Origin, RevisionOrigin},
    paths::indexignore::{self, IgnoreSet},
};

/// Returns the number of commits and files in the output of `git log`. For fuzzing.
#[cfg(fuzzing)]
pub(super) fn count(bytes: &[u8]) -> usize {
    parse_log(bytes, 7).iter().map(|touching| 1 + touching.changes.len()).sum()
}

/// A commit with its metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitInfo {
    /// Object name.
    pub commit: Commit,
    /// Git's abbreviated name.
    pub short: String,
    /// Commit date.
    pub date: Date,
    /// Author, unescaped: it may contain any characters.
    pub author: String,
    /// First line of the message, unescaped: it may contain any characters.
    pub subject: String,
    /// True for a merge.
    pub is_merge: bool,
}

/// Files of a package in one state, with the object of each content.
type Files = BTreeMap<Arc<Path>, Arc<str>>;

/// Error: the package in the state of a commit is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownState(pub String);

/// History of a package.
#[derive(Debug)]
pub struct PackageHistory {
    repository: Repository,
    package: PackageName,
    /// Path of the catalog, relative to the root of the repository.
    path: PathBuf,
    /// Commits that touched its files, newest first.
    commits: Vec<TouchingCommit>,
    /// Its files after each commit, and before the oldest.
    states: Vec<Files>,
    /// True if the repository does not have older commits.
    is_shallow: bool,
}

impl PackageHistory {
    /// Finds the commits that touched the files of a package, in a catalog whose path exists or existed on
    /// disk. With `since`, only commits after that revision.
    ///
    /// A file belongs to the package if its newest content has objects of it. It also belongs if it had some
    /// when another file of the package was added or removed in the same commit. So the package is followed
    /// from file to file within the catalog.
    ///
    /// # Errors
    ///
    /// If git fails or does not find a repository, or if the revision does not exist.
    pub fn load(
        path: &Path,
        package: &PackageName,
        since: Option<&str>,
        progress: &Progress,
    ) -> Result<Self, LoadError> {
        let repository = Repository::discover(path)?;
        let inside = repository.relative_path(path)?;
        let head = repository.resolve_revision("HEAD")?;
        let since = since.map(|since| repository.resolve_revision(since)).transpose()?;
        let mut commits = list_commits(&repository, &head, since.as_ref(), &inside)?;
        progress.check_stopped()?;
        let all = list_files(&repository, &head, &inside)?;
        let mine = list_package_files(&repository, package, &all, &commits, progress)?;
        for touching in &mut commits {
            touching.changes.retain(|change| mine.contains(&change.path));
        }
        commits.retain(|touching| !touching.changes.is_empty());
        let mut now = all;
        now.retain(|path, _| mine.contains(path));
        let mut states = vec![now.clone()];
        for touching in &commits {
            for change in &touching.changes {
                match &change.before {
                    Some(blob) => now.insert(Arc::clone(&change.path), Arc::clone(blob)),
                    None => now.remove(&change.path),
                };
            }
            states.push(now.clone());
        }
        let is_shallow = repository.is_shallow()?;
        let package = package.clone();
        Ok(Self { repository, package, path: inside, commits, states, is_shallow })
    }

    /// Returns the number of commits that touched its files.
    pub fn len(&self) -> usize {
        self.commits.len()
    }

    /// Returns true if no commit touched its files.
    pub fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// Returns the commits, newest first.
    pub fn commits(&self) -> impl ExactSizeIterator<Item = &CommitInfo> {
        self.commits.iter().map(|touching| &touching.committed)
    }

    /// Returns true if the repository has only the newest part of its history.
    pub fn is_shallow(&self) -> bool {
        self.is_shallow
    }

    /// Returns catalogs with only the package, in the states after some commits. State [`Self::len`] is before
    /// the oldest commit. A state without the package is an empty catalog.
    ///
    /// # Errors
    ///
    /// If git fails, or loading is stopped.
    pub fn load_states(
        &self,
        numbers: std::ops::Range<usize>,
        progress: &Progress,
    ) -> Result<Vec<Result<Catalog, UnknownState>>, LoadError> {
        load_states(self, numbers, progress)
    }

    /// Returns the other path of a file that a commit moved into or out of the catalog, if git detects the
    /// move.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn moved_path(&self, number: usize) -> Result<Option<PathBuf>, GitError> {
        let Some(touching) = self.commits.get(number) else { return Ok(None) };
        find_moved_path(&self.repository, touching, &self.path)
    }
}

/// Contents by object name; `None` if the repository does not have the object.
type Contents = HashMap<Arc<str>, Option<Arc<[u8]>>>;

fn load_states(
    history: &PackageHistory,
    numbers: Range<usize>,
    progress: &Progress,
) -> Result<Vec<Result<Catalog, UnknownState>>, LoadError> {
    let states: Vec<(usize, &Files)> =
        history.states.iter().enumerate().skip(numbers.start).take(numbers.len()).collect();
    let contents = load_contents(history, states.iter().map(|(_, files)| *files), progress)?;
    let why_missing = contents.values().any(Option::is_none).then(|| history.repository.missing_reason());
    let read = |(number, files): (usize, &Files)| {
        progress.check_stopped()?;
        Ok(build_catalog(history, number, files, &contents, why_missing))
    };
    states.into_par_iter().map(read).collect()
}

fn load_contents<'f>(
    history: &PackageHistory,
    states: impl Iterator<Item = &'f Files>,
    progress: &Progress,
) -> Result<Contents, LoadError> {
    let blobs: BTreeSet<&Arc<str>> = states.flat_map(Files::values).collect();
    let wanted: Vec<Request> = blobs.iter().map(|blob| Request::Object(blob.to_string())).collect();
    let mut blobs = blobs.into_iter();
    let mut contents = Contents::new();
    batch::read_contents(&history.repository, &wanted, |content| {
        progress.check_stopped()?;
        progress.read.fetch_add(1, Ordering::Relaxed);
        let bytes = match content {
            Content::Bytes(bytes) => Some(Arc::from(bytes)),
            _ => None,
        };
        if let Some(blob) = blobs.next() {
            contents.insert(Arc::clone(blob), bytes);
        }
        Ok(())
    })?;
    Ok(contents)
}

fn build_catalog(
    history: &PackageHistory,
    number: usize,
    files: &Files,
    contents: &Contents,
    why_missing: Option<MissingReason>,
) -> Result<Catalog, UnknownState> {
    let root = &history.path;
    let inside = |path: &Path| path.strip_prefix(root).map(Path::to_owned).unwrap_or_default();
    let mut ignore = IgnoreSet::default();
    let mut sources = Vec::new();
    for (path, blob) in files {
        let not_here = |why: MissingReason| UnknownState(format!("{}: {why}", path.display()));
        let Some(bytes) = contents.get(blob).and_then(Option::as_ref) else {
            return Err(not_here(why_missing.unwrap_or(MissingReason::Damaged)));
        };
        let place = inside(path);
        if is_ignore_file(path) {
            let folder: Vec<&str> =
                place.parent().map(|folder| path_components(folder).collect()).unwrap_or_default();
            let added = ignore.add(&folder, &String::from_utf8_lossy(bytes));
            added.map_err(|error| UnknownState(format!("{}: {error}", path.display())))?;
            continue;
        }
        if lfs::is_pointer(bytes) {
            return Err(not_here(MissingReason::Lfs));
        }
        sources.push((path, place, bytes));
    }
    let is_file = sources.iter().any(|(_, place, _)| place.as_os_str().is_empty());
    let sources = sources
        .into_iter()
        .filter(|(_, place, _)| is_file || !ignore.ignores(&path_components(place).collect::<Vec<_>>()));
    let sources = sources.map(|(path, place, bytes)| {
        let shown = if place.as_os_str().is_empty() { path.to_path_buf() } else { place };
        let mut file = SourceFile::new(shown, None, bytes.to_vec());
        file.writable = false;
        file
    });
    let at = history.commits.get(number).or(history.commits.last());
    let label = at.map(|at| at.committed.short.clone()).unwrap_or_default();
    let label = if number < history.commits.len() { label } else { format!("{label}^") };
    let origin = Origin::Revision(RevisionOrigin { label, path: root.clone(), is_file });
    let catalog = Catalog::new(origin, sources.collect(), Vec::new());
    // Problems of other packages in a shared file belong to their history.
    let others = catalog.packages().filter(|package| package.name != history.package);
    let changes: Vec<DocChange> =
        others.flat_map(|package| package.documents()).map(|doc| DocChange::Remove { doc }).collect();
    Ok(if changes.is_empty() { catalog } else { catalog.with_changes(changes).0 })
}

/// Options that override the user's configuration. A merge is compared with its first parent.
const LOG_OPTIONS: [&str; 7] =
    ["--no-show-signature", "--no-follow", "--no-color", "--first-parent", "-m", "--raw", "--no-abbrev"];

/// Format of a commit; each field ends with a byte that fields cannot contain.
const FORMAT: &str = "--format=%H%x00%P%x00%cs%x00%an%x00%s";

const FIELD_COUNT: usize = 5;

/// A commit with its changed files.
#[derive(Debug)]
struct TouchingCommit {
    pub committed: CommitInfo,
    pub changes: Vec<FileChange>,
}

/// Change of a file, as object names of its content.
#[derive(Debug)]
struct FileChange {
    pub path: Arc<Path>,
    pub before: Option<Arc<str>>,
    pub after: Option<Arc<str>>,
}

/// Returns the commits that touch a path, newest first.
fn list_commits(
    repository: &Repository,
    head: &Commit,
    since: Option<&Commit>,
    path: &Path,
) -> Result<Vec<TouchingCommit>, GitError> {
    let mut pathspec = OsString::from(":(top,literal)");
    pathspec.push(path);
    let without = since.map(|since| format!("^{}", since.as_str()));
    let mut arguments = LOG_OPTIONS.map(OsStr::new).to_vec();
    arguments
        .extend(["-z", "--root", "--no-renames", "--no-relative", FORMAT, head.as_str()].map(OsStr::new));
    arguments.extend(without.as_deref().map(OsStr::new));
    arguments.push(OsStr::new("--"));
    // Git rejects an empty path; without a path it lists all commits.
    if !path.as_os_str().is_empty() {
        arguments.push(&pathspec);
    }
    // Length of git's unique abbreviated names.
    let short = [OsStr::new("--short"), OsStr::new(head.as_str())];
    let letters = repository.run_git("rev-parse", &short)?.trim_ascii().len();
    Ok(parse_log(&repository.run_git("log", &arguments)?, letters))
}

/// Parses the output of `git log -z --raw`.
fn parse_log(bytes: &[u8], letters: usize) -> Vec<TouchingCommit> {
    let mut tokens = bytes.split(|byte| *byte == 0).peekable();
    let mut commits: Vec<TouchingCommit> = Vec::new();
    loop {
        let fields: Vec<String> = tokens
            .by_ref()
            .take(FIELD_COUNT)
            .map(|field| String::from_utf8_lossy(field).into_owned())
            .collect();
        let Some(committed) = parse_commit(fields, letters) else { return commits };
        let mut changes = Vec::new();
        while let Some(change) =
            tokens.next_if(|token| token.trim_ascii_start().first() == Some(&b':') || token.is_empty())
        {
            // Between two commits there may be an empty token.
            if change.is_empty() {
                continue;
            }
            let Some(path) = tokens.next() else { break };
            changes.push(parse_file_change(&String::from_utf8_lossy(change), path));
        }
        commits.push(TouchingCommit { committed, changes });
    }
}

fn parse_commit(fields: Vec<String>, letters: usize) -> Option<CommitInfo> {
    let [commit, parents, date, author, subject] = <[String; FIELD_COUNT]>::try_from(fields).ok()?;
    Some(CommitInfo {
        short: commit.trim().chars().take(letters).collect(),
        commit: Commit(commit.trim().to_owned()),
        // The clock of the author may be wrong by thousands of years.
        date: Date::parse(&date).unwrap_or(Date::LAST),
        author,
        subject,
        is_merge: parents.split(' ').count() > 1,
    })
}

/// Parses `:MODE MODE OBJECT OBJECT STATUS`. Links and submodules count as absent.
fn parse_file_change(line: &str, path: &[u8]) -> FileChange {
    let words: Vec<&str> = line.trim_start().trim_start_matches(':').split(' ').collect();
    let object = |mode: usize, object: usize| {
        let (mode, object) = (words.get(mode)?, words.get(object)?);
        mode.starts_with("100").then(|| Arc::from(*object))
    };
    FileChange { path: path_of(path).into(), before: object(0, 2), after: object(1, 3) }
}

/// Returns the origin of a file that the commit moved into a folder, or the destination of one moved out of it.
fn find_moved_path(
    repository: &Repository,
    touching: &TouchingCommit,
    folder: &Path,
) -> Result<Option<PathBuf>, GitError> {
    let mut arguments = LOG_OPTIONS.map(OsStr::new).to_vec();
    let commit = touching.committed.commit.as_str();
    arguments.extend(
        ["-z", "--root", "-M", "--diff-filter=R", "--no-relative", "--format=", "--no-walk", commit]
            .map(OsStr::new),
    );
    let bytes = repository.run_git("log", &arguments)?;
    let mut tokens = bytes.split(|byte| *byte == 0).filter(|token| !token.is_empty());
    while let (Some(_), Some(from), Some(to)) = (tokens.next(), tokens.next(), tokens.next()) {
        let (from, to) = (path_of(from), path_of(to));
        let is_mine = |path: &Path| touching.changes.iter().any(|change| &*change.path == path);
        if is_mine(&to) && !from.starts_with(folder) {
            return Ok(Some(from));
        }
        if is_mine(&from) && !to.starts_with(folder) {
            return Ok(Some(to));
        }
    }
    Ok(None)
}

/// Returns the files below a path in a commit.
fn list_files(repository: &Repository, commit: &Commit, path: &Path) -> Result<Files, GitError> {
    let found = tree::list_tree_entries(repository, commit, path)?;
    let files = found.into_iter().filter_map(|entry| match entry.kind {
        TreeEntryKind::File { blob } => Some((entry.path.into(), blob.into())),
        TreeEntryKind::Link { .. } | TreeEntryKind::Submodule => None,
    });
    Ok(files.collect())
}

/// Returns true if the file is an `.indexignore` file.
fn is_ignore_file(path: &Path) -> bool {
    path.file_name() == Some(OsStr::new(indexignore::FILE_NAME))
}

/// Returns the files that have or had objects of a package, and the `.indexignore` files.
fn list_package_files(
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
        let had = |change: &&FileChange| {
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
