//! Finds the catalog files of a directory tree by opm's rules.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

use super::{
    LoadError, Progress, file_reader, quotable, regular_file,
    save_files::{SaveItem, classify},
};
use crate::{
    paths::indexignore::{self, IgnoreSet},
    problem::{Problem, ProblemKind, ProblemLocation},
};

/// A file of the catalog.
pub(super) struct CatalogFile {
    pub path: PathBuf,
    /// Components of its path relative to the root.
    pub parts: Vec<String>,
    pub length: u64,
    pub writable: bool,
    /// True if its text must not be quoted: it is a link out of the catalog, or the whole catalog
    /// is foreign.
    pub foreign: bool,
}

impl CatalogFile {
    /// Returns its path in the catalog.
    pub fn display_path(&self) -> PathBuf {
        self.parts.iter().collect()
    }
}

/// Content of a directory tree.
pub(super) struct DirectoryWalk<'a> {
    root: &'a Path,
    progress: &'a Progress,
    /// Catalog files in the order in which opm reads them.
    pub files: Vec<CatalogFile>,
    pub ignore: IgnoreSet,
    pub problems: Vec<Problem>,
    /// Problems found so far. Those of ignored files are dropped when all `.indexignore` files are
    /// known.
    unfiltered: Vec<FileProblem>,
    /// True if the root must not be quoted, for example because it is a link out of its directory.
    /// Then no file in it is quoted.
    is_foreign: bool,
    /// Root with links resolved; computed at the first link.
    real_root: Option<PathBuf>,
}

struct FileProblem {
    parts: Vec<String>,
    kind: ProblemKind,
    /// True if the problem is dropped when `.indexignore` matches the file.
    excusable: bool,
}

impl<'a> DirectoryWalk<'a> {
    /// Finds the catalog files of a directory, and its problems.
    pub fn walk(root: &'a Path, progress: &'a Progress) -> Result<Self, LoadError> {
        let mut walk = Self {
            root,
            progress,
            files: Vec::new(),
            ignore: IgnoreSet::new(),
            problems: Vec::new(),
            unfiltered: Vec::new(),
            real_root: None,
            is_foreign: quotable::check_quotable(root).is_err(),
        };
        walk.visit_tree()?;
        let ignore = &walk.ignore;
        let ignores = |parts: &[String]| {
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            ignore.ignores(&parts)
        };
        walk.files.retain(|file| {
            let is_ignored = ignores(&file.parts);
            if is_ignored {
                log::debug!("skipped {}: .indexignore", file.path.display());
            }
            !is_ignored
        });
        walk.unfiltered.retain(|wrong| !(wrong.excusable && ignores(&wrong.parts)));
        for FileProblem { parts, kind, .. } in walk.unfiltered.drain(..) {
            let shown: PathBuf = if parts.is_empty() { root.to_owned() } else { parts.iter().collect() };
            walk.problems.push(file_problem(&shown, kind));
        }
        Ok(walk)
    }

    /// Visits the tree in lexical order, without recursion.
    fn visit_tree(&mut self) -> Result<(), LoadError> {
        if fs::canonicalize(self.root).is_ok_and(|real| quotable::is_in_kernel_dir(&real)) {
            // Some of its files are endless, and its links lead everywhere.
            self.report_problem(Vec::new(), ProblemKind::Special("a folder of kernel files"), false);
            return Ok(());
        }
        let mut pending: Vec<(PathBuf, Vec<String>)> = vec![(self.root.to_owned(), Vec::new())];
        while let Some((path, parts)) = pending.pop() {
            self.progress.check_stopped()?;
            let is_root = parts.is_empty();
            let metadata = match fs::symlink_metadata(&path) {
                // A link given on the command line may lead to a folder.
                Ok(metadata) if is_root && metadata.is_symlink() => fs::metadata(&path),
                other => other,
            };
            let metadata = match metadata {
                Ok(metadata) => metadata,
                Err(error) => {
                    self.report_problem(parts, ProblemKind::Unreadable(error.to_string()), false);
                    continue;
                }
            };
            let staged = parts.last().and_then(|name| classify(&path, OsStr::new(name), &metadata));
            match staged {
                // Another olmap process is saving; the folder disappears soon.
                Some(SaveItem::Active) => continue,
                Some(SaveItem::Folder) => {
                    self.report_problem(parts, ProblemKind::LeftOverFolder, false);
                    continue;
                }
                Some(SaveItem::File) => {
                    self.report_problem(parts, ProblemKind::LeftOver, true);
                    continue;
                }
                None => {}
            }
            if metadata.is_dir() {
                let entries = fs::read_dir(&path).and_then(|d| d.map(|e| e.map(|e| e.file_name())).collect());
                let mut names: Vec<std::ffi::OsString> = match entries {
                    Ok(names) => names,
                    Err(error) => {
                        self.report_problem(parts, ProblemKind::Unreadable(error.to_string()), false);
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
                self.visit_file(path, parts, metadata);
            }
        }
        Ok(())
    }

    fn visit_file(&mut self, path: PathBuf, parts: Vec<String>, metadata: fs::Metadata) {
        let is_ignore_file = parts.last().is_some_and(|name| name == indexignore::FILE_NAME);
        let excusable = !is_ignore_file;
        let mut leads_out = false;
        let mut is_kernel_file = false;
        let mut metadata = metadata;
        if metadata.is_symlink() {
            metadata = match fs::metadata(&path) {
                Ok(target) if target.is_dir() => {
                    let words = "a link to a folder, which opm does not read";
                    return self.report_problem(parts, ProblemKind::BadLink(words), excusable);
                }
                Ok(target) => target,
                Err(_) => {
                    let words = "a broken link";
                    return self.report_problem(parts, ProblemKind::BadLink(words), excusable);
                }
            };
            let real = fs::canonicalize(&path).unwrap_or_default();
            leads_out = !real.starts_with(self.real_root());
            is_kernel_file = metadata.len() == 0 && quotable::is_in_kernel_dir(&real);
        }
        let special =
            regular_file::describe_special(&metadata).or_else(|| is_kernel_file.then_some("a kernel file"));
        if let Some(what) = special {
            return self.report_problem(parts, ProblemKind::Special(what), excusable);
        }
        if leads_out {
            self.report_problem(parts.clone(), ProblemKind::OutOfCatalog, excusable);
        }
        if is_ignore_file {
            return self.add_ignore_file(&path, parts);
        }
        self.progress.files.fetch_add(1, Ordering::Relaxed);
        let writable = !metadata.permissions().readonly();
        let foreign = leads_out || self.is_foreign;
        self.files.push(CatalogFile { path, parts, length: metadata.len(), writable, foreign });
    }

    /// Returns the root without links. If that fails, every link leads out of it.
    fn real_root(&mut self) -> &Path {
        self.real_root.get_or_insert_with(|| fs::canonicalize(self.root).unwrap_or_default())
    }

    fn add_ignore_file(&mut self, path: &Path, parts: Vec<String>) {
        match file_reader::read_bytes(path) {
            Ok((bytes, _)) => {
                let folder: Vec<&str> =
                    parts.iter().take(parts.len().saturating_sub(1)).map(String::as_str).collect();
                if let Err(error) = self.ignore.add(&folder, &String::from_utf8_lossy(&bytes)) {
                    self.report_problem(parts, ProblemKind::BadIgnore(error.to_string()), false);
                }
            }
            Err(error) => self.report_problem(parts, ProblemKind::Unreadable(error.to_string()), false),
        }
    }

    fn report_problem(&mut self, parts: Vec<String>, kind: ProblemKind, excusable: bool) {
        self.unfiltered.push(FileProblem { parts, kind, excusable });
    }
}

pub(super) fn file_problem(shown: &Path, kind: ProblemKind) -> Problem {
    Problem { at: ProblemLocation::File(shown.to_owned()), kind }
}
