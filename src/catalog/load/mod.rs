//! Finds and reads the files of a catalog. One of the few modules with side effects.
//!
//! In a directory tree every file counts, whatever its name, except `.indexignore` files and the files they
//! match (operator-registry `alpha/declcfg/load.go`). Links to files are followed; links to folders and
//! dangling links are errors.

mod again;
pub mod git;
pub mod lfs;
mod made_from;
pub mod quotable;
mod read;
pub mod regular;
mod staged;
mod texts;
mod walk;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use super::{
    BundleHomes,
    file::SourceFile,
    model::{Catalog, Growing, Origin},
    names::PackageName,
};

pub use again::open_again;
use made_from::Repository;
pub use made_from::TemplatePlace;
use read::Portion;
pub use texts::{GrowingTexts, Listing, from_listing, from_listing_showing, from_text_showing};
use walk::Walk;

/// Number of bytes read before the first display: few enough to be fast.
const FIRST: usize = 4_000_000;

/// Number of bytes of documents read between two displays.
const PORTION: usize = 32_000_000;

/// Errors of opening a catalog.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The path does not exist or cannot be read.
    #[error("{}", open_error(path, source))]
    Open {
        /// Path as given.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The path is a container image, or the SQLite file of an old index.
    #[error("{path} is not a file-based catalog")]
    NotFileBased {
        /// Path as given.
        path: PathBuf,
    },
    /// The path is in an older format and cannot be read.
    #[error("cannot read {path}: {why}")]
    Older {
        /// Path as given.
        path: PathBuf,
        /// Reason.
        why: String,
    },
    /// The file is a pointer of Git LFS.
    #[error("{path} is only a Git LFS pointer")]
    LfsPointer {
        /// Path as given.
        path: PathBuf,
    },
    /// Git failed.
    #[error(transparent)]
    Git(#[from] git::GitError),
    /// An image cannot be opened.
    #[error("{why}")]
    Image {
        /// Message with the image and the reason.
        why: String,
        /// Hint for a solution.
        hint: Option<String>,
    },
    /// Loading was cancelled.
    #[error("loading was cancelled")]
    Stopped,
}

/// Formats the error for a path that cannot be opened.
fn open_error(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("cannot open {}: no such file or directory", path.display()),
        _ => format!("cannot open {}: {error}", path.display()),
    }
}

impl LoadError {
    /// Returns a hint for a solution, if known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotFileBased { path } => Some(format!("try: opm render {} | olmap -", path.display())),
            Self::Open { path, .. } if looks_like_image(path) => {
                Some(format!("for an image, try: opm render {} | olmap -", path.display()))
            }
            Self::LfsPointer { .. } => Some(lfs::HINT.to_owned()),
            Self::Git(error) => error.hint(),
            Self::Image { hint, .. } => hint.clone(),
            _ => None,
        }
    }
}

/// Progress of loading, shared between threads, and requests to the loader.
#[derive(Debug, Default)]
pub struct Progress {
    /// Number of files found so far.
    pub files: AtomicUsize,
    /// Number of files read so far.
    pub read: AtomicUsize,
    /// Number of bytes read so far.
    pub bytes: AtomicUsize,
    /// Set to cancel loading.
    pub stop: AtomicBool,
    wanted: Mutex<Option<PackageName>>,
}

impl Progress {
    /// Requests that a package is read before the others.
    pub fn want(&self, package: PackageName) {
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = Some(package);
    }

    fn take_request(&self) -> Option<PackageName> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Checks if loading was cancelled.
    ///
    /// # Errors
    ///
    /// If it was.
    pub(crate) fn check(&self) -> Result<(), LoadError> {
        if self.stop.load(Ordering::Relaxed) { Err(LoadError::Stopped) } else { Ok(()) }
    }
}

/// Opens the catalog at a path: a directory or a file. Reads all of it at once, which is faster than
/// [`open_showing`].
///
/// # Errors
///
/// Only if the path does not exist or loading is cancelled. Unreadable files and invalid documents become
/// [`Problem`](super::problem::Problem)s of the catalog.
pub fn open(path: &Path, progress: &Progress) -> Result<Catalog, LoadError> {
    let catalog = if is_directory(path)? {
        let walk = Walk::through(path, progress)?;
        let read = read::read_files(&walk.files, progress)?;
        progress.check()?;
        let about_files = walk.problems.into_iter().chain(read.problems).collect();
        let origin = Origin::Directory(path.to_owned());
        Catalog::new(origin, read.files, about_files).ignoring(walk.ignore)
    } else {
        let file = read::only_file(path, progress, &mut |_| ())?;
        progress.check()?;
        Catalog::new(Origin::File(path.to_owned()), vec![file], Vec::new())
    };
    Ok(with_repository_info(path, catalog))
}

/// Opens the catalog at a path like [`open`], and passes it to `show` whenever more of it is read. The shown
/// catalog may lack content of files that were not read yet ([`Catalog::unread`]).
///
/// # Errors
///
/// As [`open`].
pub fn open_showing(
    path: &Path,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    let catalog = if is_directory(path)? {
        directory_showing(path, progress, show)?
    } else {
        let origin = || Origin::File(path.to_owned());
        let mut beginning = |bytes: &[u8]| {
            let file = SourceFile::new(path.to_owned(), None, bytes.to_vec());
            Growing::beginning(origin(), vec![file]).into_iter().for_each(&mut *show);
        };
        let file = read::only_file(path, progress, &mut beginning)?;
        grow_file(origin(), file, progress, show)?
    };
    Ok(with_repository_info(path, catalog))
}

/// Reads a directory. The first display does not wait for the last file or the end of a long one.
fn directory_showing(
    path: &Path,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    let mut walk = Walk::through(path, progress)?;
    let mut rest = walk.files.split_off(read::portion_length(&walk.files, FIRST));
    let cut = walk.files.pop_if(|last| read::is_long(last.length));
    let Portion { files, problems } = read::read_files(&walk.files, progress)?;
    walk.problems.extend(problems);
    let origin = || Origin::Directory(path.to_owned());
    let mut growing = Growing::new(origin());
    if let Some(long) = cut {
        let beginning = files.iter().cloned().chain(read::beginning(&long)).collect();
        Growing::beginning(origin(), beginning).into_iter().for_each(&mut *show);
        growing.add(files);
        rest.insert(0, long);
    } else {
        growing.add(files);
        if !rest.is_empty() {
            growing.read_on(None, usize::MAX);
            show(growing.so_far(false));
        }
    }
    let Portion { files, problems } = read::read_files(&rest, progress)?;
    walk.problems.extend(problems);
    growing.add(files);
    Ok(grow(growing, progress, show)?.finish(walk.problems).ignoring(walk.ignore))
}

/// Creates a catalog from standard input.
pub fn from_bytes(bytes: Vec<u8>) -> Catalog {
    Catalog::new(Origin::Stdin, vec![stdin(bytes)], Vec::new())
}

/// Creates a catalog like [`from_bytes`], and passes it to `show` whenever more of it is read.
///
/// # Errors
///
/// If loading is cancelled.
pub fn from_bytes_showing(
    bytes: Vec<u8>,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    grow_file(Origin::Stdin, stdin(bytes), progress, show)
}

fn stdin(bytes: Vec<u8>) -> SourceFile {
    SourceFile::new(PathBuf::from("<stdin>"), None, bytes)
}

fn is_directory(path: &Path) -> Result<bool, LoadError> {
    let metadata = fs::metadata(path).map_err(|source| LoadError::Open { path: path.to_owned(), source })?;
    Ok(metadata.is_dir())
}

/// Reads the documents of a file package by package.
fn grow_file(
    origin: Origin,
    file: SourceFile,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    if file.template_document().is_some() {
        // It may be a template, which is a single document.
        return Ok(Catalog::new(origin, vec![file], Vec::new()));
    }
    let mut growing = Growing::new(origin);
    growing.add(vec![file]);
    Ok(grow(growing, progress, show)?.finish(Vec::new()))
}

/// Reads the documents found so far, a portion at a time.
fn grow(
    mut growing: Growing,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Growing, LoadError> {
    let mut portion = FIRST;
    loop {
        progress.check()?;
        if !growing.read_on(progress.take_request().as_ref(), portion) {
            return Ok(growing);
        }
        show(growing.so_far(true));
        portion = PORTION;
    }
}

/// Adds information from the repository around a catalog.
fn with_repository_info(path: &Path, mut catalog: Catalog) -> Catalog {
    if let Some(repository) = Repository::around(path) {
        let made_from = repository.made_from(&catalog);
        let homes = repository.bundle_homes(&catalog);
        catalog.set_made_from(made_from);
        catalog.set_bundle_homes(homes);
    } else if let Some(place) = TemplatePlace::of(path).filter(|_| catalog.template().is_some()) {
        let mut homes = BundleHomes::default();
        homes.add_operator_of_all(place.operator_folder());
        catalog.set_bundle_homes(homes);
    }
    catalog
}

/// Creates a catalog from named texts that are not on disk, such as the demo.
pub fn from_texts(origin: Origin, texts: impl IntoIterator<Item = (PathBuf, Vec<u8>)>) -> Catalog {
    let files = texts.into_iter().map(|(path, bytes)| SourceFile::new(path, None, bytes)).collect();
    Catalog::new(origin, files, Vec::new())
}

/// Returns true for text like `registry.example.com/ns/index:v4.18`, which users type for an image.
fn looks_like_image(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let host = text.split('/').next().unwrap_or_default();
    text.contains('/') && host.contains('.') && !host.starts_with('.') && text.contains(':')
}
