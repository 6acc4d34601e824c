//! Finding the files of a directory tree that count: opm's rules.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

use super::{LoadError, Progress};
use crate::catalog::{
    indexignore::IgnoreSet,
    leftover::is_leftover,
    problem::{Problem, ProblemKind, ProblemPlace},
};

const IGNORE_FILE: &str = ".indexignore";

/// A file that counts.
pub(super) struct Found {
    pub path: PathBuf,
    pub parts: Vec<String>,
    pub length: u64,
    pub writable: bool,
}

impl Found {
    /// Its path in the catalog.
    pub fn shown(&self) -> PathBuf {
        self.parts.iter().collect()
    }
}

/// What is in a directory tree.
pub(super) struct Walk<'a> {
    root: &'a Path,
    progress: &'a Progress,
    /// The files that count, in the order in which opm reads them.
    pub files: Vec<Found>,
    pub ignore: IgnoreSet,
    pub problems: Vec<Problem>,
}

impl<'a> Walk<'a> {
    /// Finds the files of a directory that count, and what is wrong with it.
    pub fn through(root: &'a Path, progress: &'a Progress) -> Result<Self, LoadError> {
        let mut walk =
            Self { root, progress, files: Vec::new(), ignore: IgnoreSet::new(), problems: Vec::new() };
        walk.run()?;
        let ignore = &walk.ignore;
        walk.files.retain(|file| {
            let parts: Vec<&str> = file.parts.iter().map(String::as_str).collect();
            !ignore.ignores(&parts)
        });
        for file in &walk.files {
            if file.parts.last().is_some_and(|name| is_leftover(OsStr::new(name))) {
                walk.problems.push(file_problem(&file.shown(), ProblemKind::LeftOver));
            }
        }
        Ok(walk)
    }

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
        let mut length = metadata.len();
        if metadata.is_symlink() {
            match fs::metadata(&path) {
                Ok(target) if target.is_dir() => {
                    return self.problem(
                        &parts,
                        ProblemKind::BadLink("a link to a folder: opm reads no such links"),
                    );
                }
                Ok(target) => {
                    writable = !target.permissions().readonly();
                    length = target.len();
                }
                Err(_) => {
                    return self.problem(&parts, ProblemKind::BadLink("a link to a file that is not there"));
                }
            }
        }
        if parts.last().is_some_and(|name| name == IGNORE_FILE) {
            return self.ignore_file(&path, &parts);
        }
        self.progress.files.fetch_add(1, Ordering::Relaxed);
        self.files.push(Found { path, parts, length, writable });
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

pub(super) fn file_problem(shown: &Path, kind: ProblemKind) -> Problem {
    Problem { at: ProblemPlace::File(shown.to_owned()), kind }
}
