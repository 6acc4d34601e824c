//! The files of a commit that are a catalog: the same rules as for files on disk.

use std::{
    ffi::{OsStr, OsString},
    path::{Component, Path, PathBuf},
    sync::atomic::Ordering,
};

use super::{
    Commit, GitError, Repository,
    batch::{self, Content, Wanted},
    path_of,
};
use crate::catalog::{
    file::SourceFile,
    indexignore::{self, IgnoreSet},
    load::{LoadError, Progress, walk::file_problem},
    model::{AtRevision, Catalog, Origin},
    problem::{Problem, ProblemKind},
};

/// Something that stands at a path of a commit.
struct Found {
    /// From the repository's root on.
    path: PathBuf,
    /// From the catalog's root on; empty for a catalog that is a file.
    inside: PathBuf,
    kind: Kind,
}

enum Kind {
    File { blob: String },
    Link,
    Submodule,
}

pub(super) fn open(
    repository: &Repository,
    label: &str,
    commit: &Commit,
    path: &Path,
    progress: &Progress,
) -> Result<Catalog, LoadError> {
    let mut found = list(repository, commit, path)?;
    progress.check()?;
    if found.is_empty() && !is_folder(repository, commit, path) {
        let revision = label.to_owned();
        return Err(GitError::NoPath { revision, path: path.to_owned() }.into());
    }
    progress.files.fetch_add(found.len(), Ordering::Relaxed);
    // Folder by folder, as a walk through the tree on disk meets them.
    found.sort_by(|a, b| a.inside.components().cmp(b.inside.components()));
    let is_file = matches!(found.as_slice(), [only] if only.inside.as_os_str().is_empty());
    let mut reading = Reading { files: Vec::new(), problems: Vec::new(), ignore: IgnoreSet::new() };
    reading.read(repository, commit, found, progress)?;
    let Reading { files, problems, ignore } = reading;
    let origin = Origin::Revision(AtRevision { label: label.to_owned(), path: path.to_owned(), is_file });
    let is_kept = |shown: &Path| is_file || !ignore.ignores(&parts(shown).collect::<Vec<_>>());
    let files = files.into_iter().filter(|(inside, _)| is_kept(inside)).map(|(_, file)| file).collect();
    Ok(Catalog::new(origin, files, problems).ignoring(ignore))
}

/// Everything below a path, but folders.
fn list(repository: &Repository, commit: &Commit, path: &Path) -> Result<Vec<Found>, GitError> {
    // A path is meant literally, whatever characters it has.
    let literal = OsStr::new("--literal-pathspecs");
    let mut arguments = ["-r", "-z", "--full-tree", commit.as_str(), "--"].map(OsStr::new).to_vec();
    if !path.as_os_str().is_empty() {
        arguments.push(path.as_os_str());
    }
    let mut git = repository.git();
    let output = git.arg(literal).arg("ls-tree").args(arguments).output().map_err(GitError::Run)?;
    if !output.status.success() {
        return Err(GitError::Failed { what: "ls-tree", said: super::said(&output) });
    }
    Ok(output.stdout.split(|byte| *byte == 0).filter_map(|line| entry(line, path)).collect())
}

/// A line of `git ls-tree`: mode, type, name and path.
fn entry(line: &[u8], root: &Path) -> Option<Found> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let (head, path) = (line.get(..tab)?, line.get(tab + 1..)?);
    let mut words = std::str::from_utf8(head).ok()?.split(' ');
    let (mode, _, blob) = (words.next()?, words.next()?, words.next()?);
    let path = path_of(path);
    let inside = path.strip_prefix(root).ok()?.to_owned();
    let kind = match mode {
        "120000" => Kind::Link,
        "160000" => Kind::Submodule,
        _ => Kind::File { blob: blob.to_owned() },
    };
    Some(Found { path, inside, kind })
}

/// Whether a folder stands at a path: an empty one has nothing to list. Git says no by failing.
fn is_folder(repository: &Repository, commit: &Commit, path: &Path) -> bool {
    let mut object = OsString::from(commit.as_str());
    object.push(":");
    object.push(path);
    let kind = repository.output("cat-file", &[OsStr::new("-t"), &object]);
    kind.is_ok_and(|kind| kind.trim_ascii() == b"tree")
}

/// What was read so far, files by their place in the catalog.
struct Reading {
    files: Vec<(PathBuf, SourceFile)>,
    problems: Vec<Problem>,
    ignore: IgnoreSet,
}

impl Reading {
    fn read(
        &mut self,
        repository: &Repository,
        commit: &Commit,
        found: Vec<Found>,
        progress: &Progress,
    ) -> Result<(), LoadError> {
        let mut readable = Vec::new();
        for one in found {
            match one.kind {
                Kind::File { .. } | Kind::Link => readable.push(one),
                Kind::Submodule => {
                    let words = "a submodule, which is a repository of its own".to_owned();
                    self.problem(&one, ProblemKind::Unreadable(words));
                }
            }
        }
        let wanted: Vec<Wanted> = readable.iter().map(|one| wanted(commit, one)).collect();
        let mut readable = readable.into_iter();
        batch::contents(repository, &wanted, |content| {
            progress.check()?;
            progress.read.fetch_add(1, Ordering::Relaxed);
            if let Some(one) = readable.next() {
                self.take(&one, content, progress);
            }
            Ok(())
        })
    }

    fn take(&mut self, one: &Found, content: Content, progress: &Progress) {
        match content {
            Content::Bytes(bytes) => {
                progress.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
                if one.inside.file_name() == Some(OsStr::new(indexignore::FILE_NAME)) {
                    return self.ignore_file(one, &bytes);
                }
                let mut file = SourceFile::new(shown(one), None, bytes);
                file.writable = false;
                self.files.push((one.inside.clone(), file));
            }
            Content::Folder => {
                self.problem(one, ProblemKind::BadLink("a link to a folder: opm reads no such links"));
            }
            Content::Nowhere => {
                self.problem(one, ProblemKind::BadLink("a link to a file that is not in the revision"));
            }
            Content::Missing => {
                let words = "git does not have it: a partial clone?".to_owned();
                self.problem(one, ProblemKind::Unreadable(words));
            }
        }
    }

    fn ignore_file(&mut self, one: &Found, bytes: &[u8]) {
        let folder: Vec<&str> = one.inside.parent().map(|folder| parts(folder).collect()).unwrap_or_default();
        if let Err(error) = self.ignore.add(&folder, &String::from_utf8_lossy(bytes)) {
            self.problem(one, ProblemKind::BadIgnore(error.to_string()));
        }
    }

    fn problem(&mut self, one: &Found, kind: ProblemKind) {
        self.problems.push(file_problem(&shown(one), kind));
    }
}

fn wanted(commit: &Commit, one: &Found) -> Wanted {
    match &one.kind {
        Kind::File { blob } => Wanted::Object(blob.clone()),
        Kind::Link | Kind::Submodule => {
            let mut name = OsString::from(format!("{}:", commit.as_str()));
            name.push(&one.path);
            Wanted::Path(name)
        }
    }
}

/// How a file of the catalog is called: a file that is all of it, as in the repository.
fn shown(one: &Found) -> PathBuf {
    if one.inside.as_os_str().is_empty() { one.path.clone() } else { one.inside.clone() }
}

fn parts(path: &Path) -> impl Iterator<Item = &str> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_str().unwrap_or_default()),
        _ => None,
    })
}
