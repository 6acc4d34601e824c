//! Catalogs from texts in memory, such as files of a git revision or an image.

use std::path::PathBuf;

use super::{
    FIRST_DISPLAY_BYTES, LoadError, Progress, read_file_in_portions, read_portions, walk::file_problem,
};
use crate::{
    bundle_sources::BundleSources,
    file::SourceFile,
    model::{Catalog, IncrementalCatalog, Origin},
    paths::indexignore::{self, IgnoreSet},
    problem::{Problem, ProblemKind},
};

/// Files of a directory that is not on disk, in lexical order: the content of each, or the error of reading it.
pub type Listing = Vec<(PathBuf, Result<Vec<u8>, ProblemKind>)>;

/// Files by path.
type NamedFiles = Vec<(PathBuf, Vec<u8>)>;

/// Creates a catalog from a directory that is not on disk. Files that match its `.indexignore` files are
/// omitted, as on disk.
pub fn from_listing(origin: Origin, listing: Listing) -> Catalog {
    let (files, problems, ignore) = split_listing(listing);
    Catalog::new(origin, source_files(files), problems).with_ignore_patterns(ignore)
}

/// Creates a catalog like [`from_listing`], and passes it to `show` whenever more of it is read.
///
/// # Errors
///
/// If loading is stopped.
pub fn from_listing_incremental(
    origin: Origin,
    listing: Listing,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    let (mut files, problems, ignore) = split_listing(listing);
    let mut growing = IncrementalCatalog::new(origin);
    // The first snapshot needs only enough files to fill the screen.
    let mut bytes = 0;
    let is_enough = |(_, text): &(PathBuf, Vec<u8>)| {
        bytes += text.len();
        bytes > FIRST_DISPLAY_BYTES
    };
    let rest = files.iter().position(is_enough).map(|at| files.split_off(at + 1)).unwrap_or_default();
    growing.add_files(source_files(files));
    if !rest.is_empty() {
        growing.read_packages(None, usize::MAX);
        show(growing.snapshot(false));
        growing.add_files(source_files(rest));
    }
    Ok(read_portions(growing, progress, show)?.into_catalog(problems).with_ignore_patterns(ignore))
}

/// Creates a catalog from one text that is not on disk, and passes it to `show` whenever more of it is read.
///
/// # Errors
///
/// If loading is stopped.
pub fn from_text_incremental(
    origin: Origin,
    (path, bytes): (PathBuf, Vec<u8>),
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    read_file_in_portions(origin, SourceFile::new(path, None, bytes), progress, show)
}

/// Splits a listing into the files of the catalog, the problems of files that could not be read,
/// and the ignore patterns.
fn split_listing(listing: Listing) -> (NamedFiles, Vec<Problem>, IgnoreSet) {
    let mut ignore = IgnoreSet::new();
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for (path, content) in listing {
        let is_ignore_file = path.file_name().is_some_and(|name| name == indexignore::FILE_NAME);
        match content {
            Ok(bytes) if is_ignore_file => {
                let parts = path_components(&path);
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
        let parts = path_components(path);
        ignore.ignores(&parts.iter().map(String::as_str).collect::<Vec<_>>())
    };
    files.retain(|(path, _)| !ignores(path));
    problems.retain(|(path, _, excusable)| !(*excusable && ignores(path)));
    let problems = problems.into_iter().map(|(path, kind, _)| file_problem(&path, kind)).collect();
    (files, problems, ignore)
}

fn source_files(files: NamedFiles) -> Vec<SourceFile> {
    files.into_iter().map(|(path, bytes)| SourceFile::new(path, None, bytes)).collect()
}

fn path_components(path: &std::path::Path) -> Vec<String> {
    path.iter().map(|part| part.to_string_lossy().into_owned()).collect()
}

/// Catalog of texts that are not on disk, built portion by portion.
pub struct GrowingTexts(IncrementalCatalog);

impl GrowingTexts {
    /// Creates an empty catalog.
    pub fn new(origin: Origin) -> Self {
        Self(IncrementalCatalog::new(origin))
    }

    /// Adds named texts.
    pub fn add_texts(&mut self, texts: impl IntoIterator<Item = (PathBuf, Vec<u8>)>) {
        let files = texts.into_iter().map(|(path, bytes)| SourceFile::new(path, None, bytes)).collect();
        self.0.add_files(files);
        self.0.read_packages(None, usize::MAX);
    }

    /// Returns the catalog so far, marked as incomplete.
    pub fn snapshot(&mut self) -> Catalog {
        self.0.snapshot(false)
    }

    /// Returns the complete catalog, with the given problems and bundle sources.
    pub fn into_catalog(self, problems: Vec<Problem>, homes: BundleSources) -> Catalog {
        let mut catalog = self.0.into_catalog(problems);
        catalog.set_bundle_sources(homes);
        catalog
    }
}
