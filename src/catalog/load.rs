//! Finding and reading the files of a catalog. One of the few places with side effects.
//!
//! In a directory tree every file counts, whatever its name, but for `.indexignore` files and what they ignore
//! (operator-registry `alpha/declcfg/load.go`). Links to files are read, links to folders and to nothing are errors.

mod made_from;

use std::{
    collections::HashSet,
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use rayon::prelude::*;

use super::{
    file::SourceFile,
    indexignore::IgnoreSet,
    leftover::is_leftover,
    model::{Catalog, Origin},
    problem::{Problem, ProblemKind, ProblemPlace},
};

pub use made_from::MadeFrom;
use made_from::Repository;

const IGNORE_FILE: &str = ".indexignore";

/// Why a catalog could not be opened at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The path is not there or cannot be read.
    #[error("cannot open {path}: {source}")]
    Open {
        /// As given.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The path names a container image, or the SQLite file of an old index.
    #[error("{path} is not a file-based catalog")]
    NotFileBased {
        /// As given.
        path: PathBuf,
    },
    /// Somebody asked to stop.
    #[error("loading was stopped")]
    Stopped,
}

impl LoadError {
    /// A way out, where one is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotFileBased { path } => Some(format!("try: opm render {} | olmap -", path.display())),
            Self::Open { path, .. } if looks_like_image(path) => {
                Some(format!("for an image, try: opm render {} | olmap -", path.display()))
            }
            _ => None,
        }
    }
}

/// How far loading is, readable from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    /// Files found so far.
    pub files: AtomicUsize,
    /// Files read so far.
    pub read: AtomicUsize,
    /// Bytes read so far.
    pub bytes: AtomicUsize,
    /// Set by whoever wants loading to stop.
    pub stop: AtomicBool,
}

impl Progress {
    fn check(&self) -> Result<(), LoadError> {
        if self.stop.load(Ordering::Relaxed) { Err(LoadError::Stopped) } else { Ok(()) }
    }
}

/// Opens the catalog at a path: a directory or a file.
///
/// # Errors
///
/// Only when there is nothing to open or loading is stopped. Files that cannot be read, and documents that mean
/// nothing, become [`Problem`]s of the catalog.
pub fn open(path: &Path, progress: &Progress) -> Result<Catalog, LoadError> {
    let mut catalog = read(path, progress)?;
    if let Some(repository) = Repository::around(path) {
        let made_from = repository.made_from(&catalog);
        catalog.set_made_from(made_from);
    }
    Ok(catalog)
}

fn read(path: &Path, progress: &Progress) -> Result<Catalog, LoadError> {
    let failed = |source| LoadError::Open { path: path.to_owned(), source };
    let metadata = fs::metadata(path).map_err(failed)?;
    if metadata.is_dir() {
        return directory(path, progress);
    }
    progress.files.fetch_add(1, Ordering::Relaxed);
    let bytes = fs::read(path).map_err(failed)?;
    progress.read.fetch_add(1, Ordering::Relaxed);
    progress.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
    if bytes.starts_with(b"SQLite format 3\0") {
        return Err(LoadError::NotFileBased { path: path.to_owned() });
    }
    let mut file = SourceFile::new(path.to_owned(), Some(path.to_owned()), bytes);
    file.writable = !metadata.permissions().readonly();
    progress.check()?;
    Ok(Catalog::new(Origin::File(path.to_owned()), vec![file], Vec::new()))
}

/// A catalog from bytes that are on no disk: standard input.
pub fn from_bytes(bytes: Vec<u8>) -> Catalog {
    let file = SourceFile::new(PathBuf::from("<stdin>"), None, bytes);
    Catalog::new(Origin::Stdin, vec![file], Vec::new())
}

/// A catalog from named texts that are on no disk: the demo.
pub fn from_texts(origin: Origin, texts: impl IntoIterator<Item = (PathBuf, Vec<u8>)>) -> Catalog {
    let files = texts.into_iter().map(|(path, bytes)| SourceFile::new(path, None, bytes)).collect();
    Catalog::new(origin, files, Vec::new())
}

/// Whether the files of a catalog are on disk what they are in it, byte for byte, and no others are there. What comes from
/// no disk is always current.
pub fn is_current(catalog: &Catalog) -> bool {
    let same = |file: &SourceFile| {
        let Some(disk) = &file.disk else { return true };
        // A length is cheaper to ask for than the bytes.
        fs::metadata(disk).is_ok_and(|metadata| metadata.len() == file.len() as u64)
            && fs::read(disk).is_ok_and(|bytes| file.holds(&bytes))
    };
    if let Origin::Directory(root) = &catalog.origin {
        let progress = Progress::default();
        let Ok(Walk { files: found, .. }) = walk(root, &progress) else { return false };
        let readable = found.iter().filter(|found| fs::File::open(&found.path).is_ok());
        let there: Vec<PathBuf> = readable.map(|found| found.parts.iter().collect()).collect();
        let known = catalog.files().iter().filter(|file| file.is_there()).map(|file| file.shown());
        let known: HashSet<&Path> = known.collect();
        if known.len() != there.len() || !there.iter().all(|path| known.contains(path.as_path())) {
            return false;
        }
    }
    catalog.files().par_iter().filter(|file| file.is_there()).all(|file| same(file))
}

/// The files of a directory that count, and what is wrong with it.
fn walk<'a>(root: &'a Path, progress: &'a Progress) -> Result<Walk<'a>, LoadError> {
    let mut walk = Walk { root, progress, files: Vec::new(), ignore: IgnoreSet::new(), problems: Vec::new() };
    walk.run()?;
    let ignore = &walk.ignore;
    walk.files.retain(|file| {
        let parts: Vec<&str> = file.parts.iter().map(String::as_str).collect();
        !ignore.ignores(&parts)
    });
    Ok(walk)
}

fn directory(root: &Path, progress: &Progress) -> Result<Catalog, LoadError> {
    let Walk { files: kept, ignore, mut problems, .. } = walk(root, progress)?;
    for parts in kept.iter().map(|file| &file.parts) {
        if parts.last().is_some_and(|name| is_leftover(OsStr::new(name))) {
            problems.push(file_problem(&parts.iter().collect::<PathBuf>(), ProblemKind::LeftOver));
        }
    }
    let read: Vec<Result<SourceFile, Problem>> = kept
        .into_par_iter()
        .map(|found| {
            progress.check()?;
            let shown: PathBuf = found.parts.iter().collect();
            let result = fs::read(&found.path);
            progress.read.fetch_add(1, Ordering::Relaxed);
            Ok(match result {
                Ok(bytes) => {
                    progress.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
                    let mut file = SourceFile::new(shown, Some(found.path), bytes);
                    file.writable = found.writable;
                    Ok(file)
                }
                Err(error) => Err(file_problem(&shown, ProblemKind::Unreadable(error.to_string()))),
            })
        })
        .collect::<Result<_, LoadError>>()?;
    let mut files = Vec::with_capacity(read.len());
    for outcome in read {
        match outcome {
            Ok(file) => files.push(file),
            Err(problem) => problems.push(problem),
        }
    }
    progress.check()?;
    Ok(Catalog::new(Origin::Directory(root.to_owned()), files, problems).ignoring(ignore))
}

struct Found {
    path: PathBuf,
    parts: Vec<String>,
    writable: bool,
}

struct Walk<'a> {
    root: &'a Path,
    progress: &'a Progress,
    files: Vec<Found>,
    ignore: IgnoreSet,
    problems: Vec<Problem>,
}

impl Walk<'_> {
    /// Visits the tree in lexical order, without recursion.
    fn run(&mut self) -> Result<(), LoadError> {
        let mut pending: Vec<(PathBuf, Vec<String>)> = vec![(self.root.to_owned(), Vec::new())];
        while let Some((path, parts)) = pending.pop() {
            self.progress.check()?;
            let is_root = parts.is_empty();
            let metadata = match fs::symlink_metadata(&path) {
                // A link given on the command line may well lead to a folder.
                Ok(metadata) if is_root && metadata.is_symlink() => fs::metadata(&path),
                other => other,
            };
            let metadata = match metadata {
                Ok(metadata) => metadata,
                Err(error) => {
                    self.problem(&parts, ProblemKind::Unreadable(error.to_string()));
                    continue;
                }
            };
            if metadata.is_dir() {
                let entries = fs::read_dir(&path).and_then(|d| d.map(|e| e.map(|e| e.file_name())).collect());
                let mut names: Vec<std::ffi::OsString> = match entries {
                    Ok(names) => names,
                    Err(error) => {
                        self.problem(&parts, ProblemKind::Unreadable(error.to_string()));
                        continue;
                    }
                };
                names.sort_unstable_by(|a, b| b.cmp(a));
                for name in names {
                    let mut parts = parts.clone();
                    parts.push(name.to_string_lossy().into_owned());
                    pending.push((path.join(name), parts));
                }
            } else {
                self.file(path, parts, &metadata);
            }
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf, parts: Vec<String>, metadata: &fs::Metadata) {
        let mut writable = !metadata.permissions().readonly();
        if metadata.is_symlink() {
            match fs::metadata(&path) {
                Ok(target) if target.is_dir() => {
                    return self.problem(
                        &parts,
                        ProblemKind::BadLink("a link to a folder: opm reads no such links"),
                    );
                }
                Ok(target) => writable = !target.permissions().readonly(),
                Err(_) => {
                    return self.problem(&parts, ProblemKind::BadLink("a link to a file that is not there"));
                }
            }
        }
        if parts.last().is_some_and(|name| name == IGNORE_FILE) {
            return self.ignore_file(&path, &parts);
        }
        self.progress.files.fetch_add(1, Ordering::Relaxed);
        self.files.push(Found { path, parts, writable });
    }

    fn ignore_file(&mut self, path: &Path, parts: &[String]) {
        match fs::read(path) {
            Ok(bytes) => {
                let folder: Vec<&str> =
                    parts.iter().take(parts.len().saturating_sub(1)).map(String::as_str).collect();
                if let Err(error) = self.ignore.add(&folder, &String::from_utf8_lossy(&bytes)) {
                    self.problem(parts, ProblemKind::BadIgnore(error.to_string()));
                }
            }
            Err(error) => self.problem(parts, ProblemKind::Unreadable(error.to_string())),
        }
    }

    fn problem(&mut self, parts: &[String], kind: ProblemKind) {
        let shown: PathBuf = if parts.is_empty() { self.root.to_owned() } else { parts.iter().collect() };
        self.problems.push(file_problem(&shown, kind));
    }
}

fn file_problem(shown: &Path, kind: ProblemKind) -> Problem {
    Problem { at: ProblemPlace::File(shown.to_owned()), kind }
}

/// `registry.example.com/ns/index:v4.18`: what people type who want to look into an image.
fn looks_like_image(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let host = text.split('/').next().unwrap_or_default();
    text.contains('/') && host.contains('.') && !host.starts_with('.') && text.contains(':')
}
