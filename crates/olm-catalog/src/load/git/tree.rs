//! Files of a commit that form a catalog, by the same rules as on disk.

use std::{
    ffi::{OsStr, OsString},
    path::{Component, Path, PathBuf},
    sync::atomic::Ordering,
};

use super::{
    Commit, GitError, MissingReason, Repository,
    batch::{self, Content, Request},
    links::Links,
    path_of,
};
use crate::{
    file::SourceFile,
    load::{LoadError, Progress, lfs, walk::file_problem},
    model::{Catalog, Origin, RevisionOrigin},
    paths::{
        indexignore::{self, IgnoreSet},
        leftover::is_leftover,
    },
    problem::ProblemKind,
};

/// An entry of a commit's tree.
pub(super) struct TreeEntry {
    /// Path relative to the root of the repository.
    pub path: PathBuf,
    /// Path relative to the root of the catalog; empty for a catalog that is a file.
    pub inside: PathBuf,
    pub kind: TreeEntryKind,
}

pub(super) enum TreeEntryKind {
    File {
        /// Object name of its content.
        blob: String,
    },
    Link {
        /// Object name of its target.
        blob: String,
    },
    Submodule,
}

pub(super) fn open_tree(
    repository: &Repository,
    label: &str,
    commit: &Commit,
    path: &Path,
    progress: &Progress,
) -> Result<Catalog, LoadError> {
    let found = list_existing(repository, label, commit, path)?;
    progress.check_stopped()?;
    progress.files.fetch_add(found.len(), Ordering::Relaxed);
    let is_file = is_one_file(&found);
    let links = if is_file { Links::default() } else { Links::load(repository, path, &found)? };
    let mut reading = CatalogReader { links, ..CatalogReader::default() };
    reading.read_entries(repository, commit, found, progress)?;
    let CatalogReader { files, problems, ignore, missing, .. } = reading;
    let is_kept = |inside: &Path| is_file || !ignore.ignores(&path_components(inside).collect::<Vec<_>>());
    // Files that opm does not read may be missing.
    let missing = missing.into_iter().filter(|missing| is_kept(&missing.inside));
    let missing = missing.map(|missing| (missing.path, missing.why)).collect();
    if let Some(error) = missing_error(repository, label, commit, missing) {
        return Err(error.into());
    }
    let problems = problems.into_iter().filter(|problem| !problem.excusable || is_kept(&problem.inside));
    let problems = problems.map(|problem| file_problem(&problem.shown, problem.kind)).collect();
    let origin = Origin::Revision(RevisionOrigin {
        label: label.to_owned(),
        path: path.to_owned(),
        is_file,
        commit: Some(commit.as_str().to_owned()),
    });
    let files = files.into_iter().filter(|(inside, _)| is_kept(inside)).map(|(_, file)| file).collect();
    Ok(Catalog::new(origin, files, problems).with_ignore_patterns(ignore))
}

/// Lists everything below a path except folders, in the order of a walk through the tree on disk.
pub(super) fn list_existing(
    repository: &Repository,
    label: &str,
    commit: &Commit,
    path: &Path,
) -> Result<Vec<TreeEntry>, GitError> {
    let revision = || label.to_owned();
    let mut found = match list_tree_entries(repository, commit, path) {
        // Without the tree objects, even the file names are unknown.
        Err(GitError::Failed { .. }) if repository.missing_reason() == MissingReason::PartialClone => {
            let (commit, paths) = (commit.clone(), vec![path.to_owned()]);
            return Err(GitError::MissingContent {
                revision: revision(),
                commit,
                paths,
                why: MissingReason::PartialClone,
            });
        }
        other => other?,
    };
    if found.is_empty() && !is_folder(repository, commit, path) {
        return Err(GitError::NoPath { revision: revision(), path: path.to_owned() });
    }
    found.sort_by(|a, b| a.inside.components().cmp(b.inside.components()));
    Ok(found)
}

/// Returns true if the listed path is a file.
pub(super) fn is_one_file(found: &[TreeEntry]) -> bool {
    matches!(found, [only] if only.inside.as_os_str().is_empty())
}

/// Returns the error for files whose content is not in the repository. A reason is `None` if it depends on the
/// repository.
pub(super) fn missing_error(
    repository: &Repository,
    label: &str,
    commit: &Commit,
    missing: Vec<(PathBuf, Option<MissingReason>)>,
) -> Option<GitError> {
    let why = missing.iter().map(|(_, why)| *why).min()?;
    let why = why.unwrap_or_else(|| repository.missing_reason());
    let alike = missing.into_iter().filter(|(_, other)| other.is_none_or(|other| other == why));
    let paths = alike.map(|(path, _)| path).collect();
    Some(GitError::MissingContent { revision: label.to_owned(), commit: commit.clone(), paths, why })
}

/// Lists everything below a path except folders.
pub(super) fn list_tree_entries(
    repository: &Repository,
    commit: &Commit,
    path: &Path,
) -> Result<Vec<TreeEntry>, GitError> {
    // The path is literal, whatever characters it has.
    let literal = OsStr::new("--literal-pathspecs");
    let mut arguments = ["-r", "-z", "--full-tree", commit.as_str(), "--"].map(OsStr::new).to_vec();
    if !path.as_os_str().is_empty() {
        arguments.push(path.as_os_str());
    }
    let mut git = repository.git();
    let output = git.arg(literal).arg("ls-tree").args(arguments).output().map_err(GitError::Run)?;
    if !output.status.success() {
        return Err(GitError::Failed { what: "ls-tree", said: super::stderr_line(&output) });
    }
    Ok(output.stdout.split(|byte| *byte == 0).filter_map(|line| parse_tree_entry(line, path)).collect())
}

/// Parses a line of `git ls-tree`: mode, type, name and path.
pub(super) fn parse_tree_entry(line: &[u8], root: &Path) -> Option<TreeEntry> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let (head, path) = (line.get(..tab)?, line.get(tab + 1..)?);
    let mut words = std::str::from_utf8(head).ok()?.split(' ');
    let (mode, _, blob) = (words.next()?, words.next()?, words.next()?);
    let path = path_of(path);
    let inside = path.strip_prefix(root).ok()?.to_owned();
    let kind = match mode {
        "120000" => TreeEntryKind::Link { blob: blob.to_owned() },
        "160000" => TreeEntryKind::Submodule,
        _ => TreeEntryKind::File { blob: blob.to_owned() },
    };
    Some(TreeEntry { path, inside, kind })
}

/// Returns true if a folder exists at a path. An empty folder does not have entries to list. Git fails if it
/// does not exist.
fn is_folder(repository: &Repository, commit: &Commit, path: &Path) -> bool {
    let mut object = OsString::from(commit.as_str());
    object.push(":");
    object.push(path);
    let kind = repository.run_git("cat-file", &[OsStr::new("-t"), &object]);
    kind.is_ok_and(|kind| kind.trim_ascii() == b"tree")
}

/// State of reading a catalog.
#[derive(Default)]
struct CatalogReader {
    /// Files by path in the catalog.
    files: Vec<(PathBuf, SourceFile)>,
    problems: Vec<FileProblem>,
    missing: Vec<MissingFile>,
    ignore: IgnoreSet,
    links: Links,
}

struct FileProblem {
    inside: PathBuf,
    shown: PathBuf,
    kind: ProblemKind,
    /// True if the problem is dropped when `.indexignore` matches the file.
    excusable: bool,
}

/// A file whose content is not in the repository.
struct MissingFile {
    path: PathBuf,
    inside: PathBuf,
    /// `None` if it depends on the repository.
    why: Option<MissingReason>,
}

impl CatalogReader {
    fn read_entries(
        &mut self,
        repository: &Repository,
        commit: &Commit,
        found: Vec<TreeEntry>,
        progress: &Progress,
    ) -> Result<(), LoadError> {
        let mut readable = Vec::new();
        for entry in found {
            if let Some(staged) = leftover_path(&entry.inside) {
                self.report_leftover(&entry, staged);
                continue;
            }
            match entry.kind {
                TreeEntryKind::File { .. } | TreeEntryKind::Link { .. } => readable.push(entry),
                TreeEntryKind::Submodule => {
                    // Git is queried for any name: a pattern for the folder covers them all.
                    let inside = entry.inside.join("*");
                    self.missing.push(MissingFile {
                        path: entry.path,
                        inside,
                        why: Some(MissingReason::Submodule),
                    });
                }
            }
        }
        let wanted: Vec<Request> = readable.iter().map(|entry| request_for(commit, entry)).collect();
        let mut readable = readable.into_iter();
        batch::read_contents(repository, &wanted, |content| {
            progress.check_stopped()?;
            progress.read.fetch_add(1, Ordering::Relaxed);
            if let Some(entry) = readable.next() {
                self.take_content(&entry, content, progress);
            }
            Ok(())
        })
    }

    fn take_content(&mut self, entry: &TreeEntry, content: Content, progress: &Progress) {
        match content {
            Content::Bytes(bytes) => {
                progress.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
                let foreign = self.links.leads_outside(&entry.path);
                if foreign {
                    self.report_problem(entry, ProblemKind::OutOfCatalog);
                }
                if entry.inside.file_name() == Some(OsStr::new(indexignore::FILE_NAME)) {
                    return self.add_ignore_file(entry, &bytes);
                }
                if lfs::is_pointer(&bytes) {
                    return self.add_missing(entry, Some(MissingReason::Lfs));
                }
                let mut file = SourceFile::new(display_path(entry), None, bytes);
                file.writable = false;
                file.foreign = foreign;
                self.files.push((entry.inside.clone(), file));
            }
            Content::Folder => {
                self.report_problem(
                    entry,
                    ProblemKind::BadLink("a link to a folder, which opm does not read"),
                );
            }
            Content::BrokenLink => {
                self.report_problem(
                    entry,
                    ProblemKind::BadLink("a link to a file that is not in the revision"),
                );
            }
            Content::Missing => self.add_missing(entry, None),
        }
    }

    fn add_ignore_file(&mut self, entry: &TreeEntry, bytes: &[u8]) {
        let folder: Vec<&str> =
            entry.inside.parent().map(|folder| path_components(folder).collect()).unwrap_or_default();
        if let Err(error) = self.ignore.add(&folder, &String::from_utf8_lossy(bytes)) {
            self.report_problem(entry, ProblemKind::BadIgnore(error.to_string()));
        }
    }

    /// Records files left behind by a save, once per folder.
    fn report_leftover(&mut self, entry: &TreeEntry, staged: PathBuf) {
        if staged == entry.inside {
            return self.report_problem(entry, ProblemKind::LeftOver);
        }
        if self.problems.last().is_none_or(|last| last.shown != staged) {
            let kind = ProblemKind::LeftOverFolder;
            self.problems.push(FileProblem { inside: staged.clone(), shown: staged, kind, excusable: false });
        }
    }

    fn add_missing(&mut self, entry: &TreeEntry, why: Option<MissingReason>) {
        self.missing.push(MissingFile { path: entry.path.clone(), inside: entry.inside.clone(), why });
    }

    fn report_problem(&mut self, entry: &TreeEntry, kind: ProblemKind) {
        let excusable = entry.inside.file_name() != Some(OsStr::new(indexignore::FILE_NAME));
        self.problems.push(FileProblem {
            inside: entry.inside.clone(),
            shown: display_path(entry),
            kind,
            excusable,
        });
    }
}

pub(super) fn request_for(commit: &Commit, entry: &TreeEntry) -> Request {
    match &entry.kind {
        TreeEntryKind::File { blob } => Request::Object(blob.clone()),
        TreeEntryKind::Link { .. } | TreeEntryKind::Submodule => {
            let mut name = OsString::from(format!("{}:", commit.as_str()));
            name.push(&entry.path);
            Request::Path(name)
        }
    }
}

/// Returns the display path: for a single-file catalog, the path in the repository.
fn display_path(entry: &TreeEntry) -> PathBuf {
    if entry.inside.as_os_str().is_empty() { entry.path.clone() } else { entry.inside.clone() }
}

/// Returns the file or folder that a save left behind and that contains the path.
fn leftover_path(inside: &Path) -> Option<PathBuf> {
    let at = inside.iter().position(is_leftover)?;
    Some(inside.iter().take(at + 1).collect())
}

pub(super) fn path_components(path: &Path) -> impl Iterator<Item = &str> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_str().unwrap_or_default()),
        _ => None,
    })
}
