//! Finds the catalog files of a directory tree by opm's rules.

use std::{
    collections::HashSet,
    ffi::OsStr,
    fs::{self, File, Metadata, TryLockError},
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

use rayon::prelude::*;

use super::{LoadError, Progress, is_current, open_catalog, quotable, regular_file, with_repository_info};
use crate::{
    FileId, SourceFile,
    model::{Catalog, Origin},
    paths::{
        indexignore::{self, IgnoreSet},
        leftover::{SUFFIX, is_leftover},
    },
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
        walk.files.retain(|file| !ignores(&file.parts));
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
        match super::read_bytes(path) {
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

/// File or folder of a save.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SaveItem {
    /// Folder of an olmap process that is saving.
    Active,
    /// Folder left behind. Its content is hidden from opm.
    Folder,
    /// File left behind that is not hidden from opm.
    File,
}

/// Classifies a path by its name; `None` if a save did not create it.
pub(super) fn classify(path: &Path, name: &OsStr, metadata: &Metadata) -> Option<SaveItem> {
    if !is_leftover(name) {
        return None;
    }
    if metadata.is_dir() {
        return Some(if is_locked(path) { SaveItem::Active } else { SaveItem::Folder });
    }
    name.to_str()?.ends_with(SUFFIX).then_some(SaveItem::File)
}

/// Returns true if an olmap process holds the lock of a folder. The lock ends with the process.
fn is_locked(folder: &Path) -> bool {
    File::open(folder).is_ok_and(|folder| matches!(folder.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Returns the catalog with the current content of its files; `None` if they are unchanged since `known` was
/// read or written. Reads only the changed files of a directory. Catalogs that are not on disk never change.
///
/// # Errors
///
/// As [`open_catalog`].
pub fn reload(known: &Catalog, progress: &Progress) -> Result<Option<Catalog>, LoadError> {
    match &known.origin {
        Origin::Stdin
        | Origin::Demo
        | Origin::Revision(_)
        | Origin::Bundles(_)
        | Origin::Image(_)
        | Origin::Converted(_) => Ok(None),
        Origin::File(path) => {
            let there: Vec<_> = known.files().iter().filter(|file| file.exists()).collect();
            let is_same = known.missing_part().is_none() && there.par_iter().all(|file| is_current(file));
            // The only file is the whole catalog. A pipe can be read only once.
            match fs::metadata(path) {
                Ok(metadata) if is_same || regular_file::describe_special(&metadata).is_some() => Ok(None),
                _ => open_catalog(path, progress).map(Some),
            }
        }
        Origin::Directory(root) => {
            if known.missing_part().is_some() {
                return open_catalog(root, progress).map(Some);
            }
            let walk = DirectoryWalk::walk(root, progress)?;
            match changed_files(known, &walk.files, progress) {
                // The order of the files determines all other orders.
                DirectoryChange::FileSet => open_catalog(root, progress).map(Some),
                DirectoryChange::Contents(changed, unreadable) => {
                    let about_files: Vec<Problem> = walk.problems.into_iter().chain(unreadable).collect();
                    let before = known.problems().file_problems();
                    if changed.is_empty()
                        && before.eq(&about_files)
                        && known.has_ignore_patterns(&walk.ignore)
                    {
                        return Ok(None);
                    }
                    let again = known.with_files(changed, about_files).with_ignore_patterns(walk.ignore);
                    Ok(Some(with_repository_info(root, again)))
                }
            }
        }
    }
}

/// Change of the files of a catalog.
enum DirectoryChange {
    /// Files with other content, and problems of unreadable ones.
    Contents(Vec<(FileId, SourceFile)>, Vec<Problem>),
    /// Files were added, removed or reordered.
    FileSet,
}

fn changed_files(known: &Catalog, found: &[CatalogFile], progress: &Progress) -> DirectoryChange {
    let there = || known.files().iter().filter(|file| file.exists());
    let (readable, unreadable): (Vec<&CatalogFile>, Vec<&CatalogFile>) = if found.len() == there().count() {
        (found.iter().collect(), Vec::new())
    } else {
        found.iter().partition(|found| regular_file::open_regular(&found.path).is_ok())
    };
    let paths: Vec<PathBuf> = readable.iter().map(|found| found.display_path()).collect();
    let in_order =
        known.files().iter().map(|file| file.display_path()).eq(paths.iter().map(PathBuf::as_path));
    if !in_order {
        let known: HashSet<_> = there().map(|file| file.display_path()).collect();
        let same = known.len() == paths.len() && paths.iter().all(|path| known.contains(path.as_path()));
        let is_same = same && there().collect::<Vec<_>>().par_iter().all(|file| is_current(file));
        if !is_same {
            return DirectoryChange::FileSet;
        }
        return DirectoryChange::Contents(
            Vec::new(),
            unreadable.iter().filter_map(|f| super::read_file(f, progress).err()).collect(),
        );
    }
    let numbered: Vec<_> = (0..).map(FileId).zip(known.files()).zip(readable).collect();
    let changed: Vec<_> = numbered
        .par_iter()
        .filter(|((_, file), found)| {
            !is_current(file) || (file.writable, file.foreign) != (found.writable, found.foreign)
        })
        .map(|((id, _), found)| super::read_file(found, progress).map(|file| (*id, file)))
        .collect();
    let unreadable = unreadable.iter().filter_map(|found| super::read_file(found, progress).err()).collect();
    match changed.into_iter().collect::<Result<_, Problem>>() {
        Ok(changed) => DirectoryChange::Contents(changed, unreadable),
        Err(_) => DirectoryChange::FileSet,
    }
}
