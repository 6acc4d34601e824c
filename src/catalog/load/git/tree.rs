//! The files of a commit that are a catalog: the same rules as for files on disk.

use std::{
    ffi::{OsStr, OsString},
    path::{Component, Path, PathBuf},
    sync::atomic::Ordering,
};

use super::{
    Commit, GitError, NotHere, Repository,
    batch::{self, Content, Wanted},
    links::Links,
    path_of,
};
use crate::catalog::{
    file::SourceFile,
    load::{LoadError, Progress, lfs, walk::file_problem},
    model::{AtRevision, Catalog, Origin},
    paths::{
        indexignore::{self, IgnoreSet},
        leftover::is_leftover,
    },
    problem::ProblemKind,
};

/// Something that stands at a path of a commit.
pub(super) struct Found {
    /// From the repository's root on.
    pub path: PathBuf,
    /// From the catalog's root on; empty for a catalog that is a file.
    pub inside: PathBuf,
    pub kind: Kind,
}

pub(super) enum Kind {
    File {
        /// The name of the object that has its content.
        blob: String,
    },
    Link {
        /// The name of the object that says where it leads.
        blob: String,
    },
    Submodule,
}

pub(super) fn open(
    repository: &Repository,
    label: &str,
    commit: &Commit,
    path: &Path,
    progress: &Progress,
) -> Result<Catalog, LoadError> {
    let found = list_existing(repository, label, commit, path)?;
    progress.check()?;
    progress.files.fetch_add(found.len(), Ordering::Relaxed);
    let is_file = is_one_file(&found);
    let links = if is_file { Links::default() } else { Links::read(repository, path, &found)? };
    let mut reading = Reading { links, ..Reading::default() };
    reading.read(repository, commit, found, progress)?;
    let Reading { files, wrong, ignore, missing, .. } = reading;
    let is_kept = |inside: &Path| is_file || !ignore.ignores(&parts(inside).collect::<Vec<_>>());
    // What opm does not read need not be here.
    let missing = missing.into_iter().filter(|missing| is_kept(&missing.inside));
    let missing = missing.map(|missing| (missing.path, missing.why)).collect();
    if let Some(error) = missing_error(repository, label, commit, missing) {
        return Err(error.into());
    }
    let problems = wrong.into_iter().filter(|wrong| !wrong.excusable || is_kept(&wrong.inside));
    let problems = problems.map(|wrong| file_problem(&wrong.shown, wrong.kind)).collect();
    let origin = Origin::Revision(AtRevision { label: label.to_owned(), path: path.to_owned(), is_file });
    let files = files.into_iter().filter(|(inside, _)| is_kept(inside)).map(|(_, file)| file).collect();
    Ok(Catalog::new(origin, files, problems).ignoring(ignore))
}

/// Lists everything below a path, except folders: folder by folder, as a walk through the tree on disk meets them.
pub(super) fn list_existing(
    repository: &Repository,
    label: &str,
    commit: &Commit,
    path: &Path,
) -> Result<Vec<Found>, GitError> {
    let revision = || label.to_owned();
    let mut found = match list(repository, commit, path) {
        // Without the folders not even the names of the files are known.
        Err(GitError::Failed { .. }) if repository.why_missing() == NotHere::PartialClone => {
            let (commit, paths) = (commit.clone(), vec![path.to_owned()]);
            return Err(GitError::NotHere {
                revision: revision(),
                commit,
                paths,
                why: NotHere::PartialClone,
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

/// Whether a listed path is a file.
pub(super) fn is_one_file(found: &[Found]) -> bool {
    matches!(found, [only] if only.inside.as_os_str().is_empty())
}

/// Returns the error for files whose content is not in the repository. A reason is `None` if only the repository can tell it.
pub(super) fn missing_error(
    repository: &Repository,
    label: &str,
    commit: &Commit,
    missing: Vec<(PathBuf, Option<NotHere>)>,
) -> Option<GitError> {
    let why = missing.iter().map(|(_, why)| *why).min()?;
    let why = why.unwrap_or_else(|| repository.why_missing());
    let alike = missing.into_iter().filter(|(_, other)| other.is_none_or(|other| other == why));
    let paths = alike.map(|(path, _)| path).collect();
    Some(GitError::NotHere { revision: label.to_owned(), commit: commit.clone(), paths, why })
}

/// Everything below a path, but folders.
pub(super) fn list(repository: &Repository, commit: &Commit, path: &Path) -> Result<Vec<Found>, GitError> {
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
pub(super) fn entry(line: &[u8], root: &Path) -> Option<Found> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let (head, path) = (line.get(..tab)?, line.get(tab + 1..)?);
    let mut words = std::str::from_utf8(head).ok()?.split(' ');
    let (mode, _, blob) = (words.next()?, words.next()?, words.next()?);
    let path = path_of(path);
    let inside = path.strip_prefix(root).ok()?.to_owned();
    let kind = match mode {
        "120000" => Kind::Link { blob: blob.to_owned() },
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

/// What was read so far.
#[derive(Default)]
struct Reading {
    /// By their place in the catalog.
    files: Vec<(PathBuf, SourceFile)>,
    wrong: Vec<Wrong>,
    missing: Vec<Missing>,
    ignore: IgnoreSet,
    links: Links,
}

struct Wrong {
    inside: PathBuf,
    shown: PathBuf,
    kind: ProblemKind,
    /// Whether it is no matter where `.indexignore` names the file.
    excusable: bool,
}

/// A file whose content is not in the repository.
struct Missing {
    path: PathBuf,
    inside: PathBuf,
    /// `None` where only the repository can tell.
    why: Option<NotHere>,
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
            if let Some(staged) = staged(&one.inside) {
                self.left_over(&one, staged);
                continue;
            }
            match one.kind {
                Kind::File { .. } | Kind::Link { .. } => readable.push(one),
                Kind::Submodule => {
                    // Its files are asked for by any name: a pattern for the folder covers them all.
                    let inside = one.inside.join("*");
                    self.missing.push(Missing { path: one.path, inside, why: Some(NotHere::Submodule) });
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
                let foreign = self.links.leads_out(&one.path);
                if foreign {
                    self.wrong(one, ProblemKind::OutOfCatalog);
                }
                if one.inside.file_name() == Some(OsStr::new(indexignore::FILE_NAME)) {
                    return self.ignore_file(one, &bytes);
                }
                if lfs::is_pointer(&bytes) {
                    return self.missing(one, Some(NotHere::Lfs));
                }
                let mut file = SourceFile::new(shown(one), None, bytes);
                file.writable = false;
                file.foreign = foreign;
                self.files.push((one.inside.clone(), file));
            }
            Content::Folder => {
                self.wrong(one, ProblemKind::BadLink("a link to a folder, which opm does not read"));
            }
            Content::Nowhere => {
                self.wrong(one, ProblemKind::BadLink("a link to a file that is not in the revision"));
            }
            Content::Missing => self.missing(one, None),
        }
    }

    fn ignore_file(&mut self, one: &Found, bytes: &[u8]) {
        let folder: Vec<&str> = one.inside.parent().map(|folder| parts(folder).collect()).unwrap_or_default();
        if let Err(error) = self.ignore.add(&folder, &String::from_utf8_lossy(bytes)) {
            self.wrong(one, ProblemKind::BadIgnore(error.to_string()));
        }
    }

    /// Notes what a save left, of a folder once.
    fn left_over(&mut self, one: &Found, staged: PathBuf) {
        if staged == one.inside {
            return self.wrong(one, ProblemKind::LeftOver);
        }
        if self.wrong.last().is_none_or(|last| last.shown != staged) {
            let kind = ProblemKind::LeftOverFolder;
            self.wrong.push(Wrong { inside: staged.clone(), shown: staged, kind, excusable: false });
        }
    }

    fn missing(&mut self, one: &Found, why: Option<NotHere>) {
        self.missing.push(Missing { path: one.path.clone(), inside: one.inside.clone(), why });
    }

    fn wrong(&mut self, one: &Found, kind: ProblemKind) {
        let excusable = one.inside.file_name() != Some(OsStr::new(indexignore::FILE_NAME));
        self.wrong.push(Wrong { inside: one.inside.clone(), shown: shown(one), kind, excusable });
    }
}

pub(super) fn wanted(commit: &Commit, one: &Found) -> Wanted {
    match &one.kind {
        Kind::File { blob } => Wanted::Object(blob.clone()),
        Kind::Link { .. } | Kind::Submodule => {
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

/// What a save left: the file itself, or the folder it is in.
fn staged(inside: &Path) -> Option<PathBuf> {
    let at = inside.iter().position(is_leftover)?;
    Some(inside.iter().take(at + 1).collect())
}

pub(super) fn parts(path: &Path) -> impl Iterator<Item = &str> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_str().unwrap_or_default()),
        _ => None,
    })
}
