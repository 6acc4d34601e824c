//! Catalogs that somebody else makes of what they read, as text.

use std::path::PathBuf;

use super::{FIRST, LoadError, Progress, grow, one_by_one, walk::file_problem};
use crate::catalog::{
    file::SourceFile,
    home::BundleHomes,
    model::{Catalog, Growing, Origin},
    paths::indexignore::{self, IgnoreSet},
    problem::{Problem, ProblemKind},
};

/// The files of a directory that is on no disk, in lexical order: what is in each, or why that cannot be read.
pub type Listing = Vec<(PathBuf, Result<Vec<u8>, ProblemKind>)>;

/// Files by their paths.
type Named = Vec<(PathBuf, Vec<u8>)>;

/// A catalog of a directory that is on no disk. What its `.indexignore` files name is left out, as on disk.
pub fn from_listing(origin: Origin, listing: Listing) -> Catalog {
    let (files, problems, ignore) = read(listing);
    Catalog::new(origin, sources(files), problems).ignoring(ignore)
}

/// The same, shown each time there is more of it.
///
/// # Errors
///
/// When loading is stopped.
pub fn from_listing_showing(
    origin: Origin,
    listing: Listing,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    let (mut files, problems, ignore) = read(listing);
    let mut growing = Growing::new(origin);
    // What is shown first need not wait for the last file.
    let mut bytes = 0;
    let is_enough = |(_, text): &(PathBuf, Vec<u8>)| {
        bytes += text.len();
        bytes > FIRST
    };
    let rest = files.iter().position(is_enough).map(|at| files.split_off(at + 1)).unwrap_or_default();
    growing.add(sources(files));
    if !rest.is_empty() {
        growing.read_on(None, usize::MAX);
        show(growing.so_far(false));
        growing.add(sources(rest));
    }
    Ok(grow(growing, progress, show)?.finish(problems).ignoring(ignore))
}

/// A catalog of one text that is on no disk, shown each time there is more of it.
///
/// # Errors
///
/// When loading is stopped.
pub fn from_text_showing(
    origin: Origin,
    (path, bytes): (PathBuf, Vec<u8>),
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    one_by_one(origin, SourceFile::new(path, None, bytes), progress, show)
}

/// The files that count, what is wrong with others, and what is left out.
fn read(listing: Listing) -> (Named, Vec<Problem>, IgnoreSet) {
    let mut ignore = IgnoreSet::new();
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for (path, content) in listing {
        let is_ignore_file = path.file_name().is_some_and(|name| name == indexignore::FILE_NAME);
        match content {
            Ok(bytes) if is_ignore_file => {
                let parts = parts(&path);
                let folder: Vec<&str> =
                    parts.iter().take(parts.len().saturating_sub(1)).map(String::as_str).collect();
                if let Err(error) = ignore.add(&folder, &String::from_utf8_lossy(&bytes)) {
                    problems.push((path, ProblemKind::BadIgnore(error.to_string()), false));
                }
            }
            Ok(bytes) => files.push((path, bytes)),
            Err(kind) => problems.push((path, kind, !is_ignore_file)),
        }
    }
    let ignores = |path: &PathBuf| {
        let parts = parts(path);
        ignore.ignores(&parts.iter().map(String::as_str).collect::<Vec<_>>())
    };
    files.retain(|(path, _)| !ignores(path));
    problems.retain(|(path, _, excusable)| !(*excusable && ignores(path)));
    let problems = problems.into_iter().map(|(path, kind, _)| file_problem(&path, kind)).collect();
    (files, problems, ignore)
}

fn sources(files: Named) -> Vec<SourceFile> {
    files.into_iter().map(|(path, bytes)| SourceFile::new(path, None, bytes)).collect()
}

fn parts(path: &std::path::Path) -> Vec<String> {
    path.iter().map(|part| part.to_string_lossy().into_owned()).collect()
}

/// A catalog of texts that are on no disk, a portion at a time.
pub struct GrowingTexts(Growing);

impl GrowingTexts {
    /// Nothing yet.
    pub fn new(origin: Origin) -> Self {
        Self(Growing::new(origin))
    }

    /// Adds named texts.
    pub fn add(&mut self, texts: impl IntoIterator<Item = (PathBuf, Vec<u8>)>) {
        let files = texts.into_iter().map(|(path, bytes)| SourceFile::new(path, None, bytes)).collect();
        self.0.add(files);
        self.0.read_on(None, usize::MAX);
    }

    /// What is there so far; it says that there is more to come.
    pub fn so_far(&mut self) -> Catalog {
        self.0.so_far(false)
    }

    /// All of it, with what is wrong with what it was made from, and where that is.
    pub fn finish(self, problems: Vec<Problem>, homes: BundleHomes) -> Catalog {
        let mut catalog = self.0.finish(problems);
        catalog.set_bundle_homes(homes);
        catalog
    }
}
