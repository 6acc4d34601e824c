//! Finding and reading the files of a catalog. One of the few places with side effects.
//!
//! In a directory tree every file counts, whatever its name, but for `.indexignore` files and what they ignore
//! (operator-registry `alpha/declcfg/load.go`). Links to files are read, links to folders and to nothing are errors.

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

/// How many bytes are read before anything is shown: few enough to be there at once.
const FIRST: usize = 4_000_000;

/// How many bytes of documents are read between one showing and the next.
const PORTION: usize = 32_000_000;

/// Why a catalog could not be opened at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The path is not there or cannot be read.
    #[error("{}", unopened(path, source))]
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
    /// The path is in an older format and cannot be read as that.
    #[error("cannot read {path}: {why}")]
    Older {
        /// As given.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file is not there: a pointer of Git LFS stands in its place.
    #[error("{path} is only a Git LFS pointer")]
    LfsPointer {
        /// As given.
        path: PathBuf,
    },
    /// Git could not give what it was asked for.
    #[error(transparent)]
    Git(#[from] git::GitError),
    /// What an image says, or the lack of it.
    #[error("{why}")]
    Image {
        /// Which image, and why it cannot be opened.
        why: String,
        /// What to try.
        hint: Option<String>,
    },
    /// Somebody asked to stop.
    #[error("loading was cancelled")]
    Stopped,
}

/// Why a path cannot be opened.
fn unopened(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("cannot open {}: no such file or directory", path.display()),
        _ => format!("cannot open {}: {error}", path.display()),
    }
}

impl LoadError {
    /// A way out, where one is known.
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

/// How far loading is, readable from another thread, and what is wanted of it.
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
    wanted: Mutex<Option<PackageName>>,
}

impl Progress {
    /// Asks for a package to be read before the others.
    pub fn want(&self, package: PackageName) {
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = Some(package);
    }

    fn wanted(&self) -> Option<PackageName> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// # Errors
    ///
    /// When somebody asked to stop.
    pub(crate) fn check(&self) -> Result<(), LoadError> {
        if self.stop.load(Ordering::Relaxed) { Err(LoadError::Stopped) } else { Ok(()) }
    }
}

/// Opens the catalog at a path: a directory or a file. All of it at once, which is quicker than [`open_showing`] where nobody
/// looks meanwhile.
///
/// # Errors
///
/// Only when there is nothing to open or loading is stopped. Files that cannot be read, and documents that mean
/// nothing, become [`Problem`](super::problem::Problem)s of the catalog.
pub fn open(path: &Path, progress: &Progress) -> Result<Catalog, LoadError> {
    let catalog = if is_directory(path)? {
        let walk = Walk::through(path, progress)?;
        let read = read::files(&walk.files, progress)?;
        progress.check()?;
        let about_files = walk.problems.into_iter().chain(read.problems).collect();
        let origin = Origin::Directory(path.to_owned());
        Catalog::new(origin, read.files, about_files).ignoring(walk.ignore)
    } else {
        let file = read::only_file(path, progress, &mut |_| ())?;
        progress.check()?;
        Catalog::new(Origin::File(path.to_owned()), vec![file], Vec::new())
    };
    Ok(in_repository(path, catalog))
}

/// Opens the catalog at a path as [`open`] does, and shows what is there of it each time there is more. What is shown may
/// lack what stands in files that were not read yet; it says so ([`Catalog::unread`]).
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
        one_by_one(origin(), file, progress, show)?
    };
    Ok(in_repository(path, catalog))
}

/// Reads a directory. What is shown first need not wait for the last file, nor for the end of a long one.
fn directory_showing(
    path: &Path,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    let mut walk = Walk::through(path, progress)?;
    let mut rest = walk.files.split_off(read::portion(&walk.files, FIRST));
    let cut = walk.files.pop_if(|last| read::is_long(last.length));
    let Portion { files, problems } = read::files(&walk.files, progress)?;
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
    let Portion { files, problems } = read::files(&rest, progress)?;
    walk.problems.extend(problems);
    growing.add(files);
    Ok(grow(growing, progress, show)?.finish(walk.problems).ignoring(walk.ignore))
}

/// A catalog from bytes that are on no disk: standard input.
pub fn from_bytes(bytes: Vec<u8>) -> Catalog {
    Catalog::new(Origin::Stdin, vec![stdin(bytes)], Vec::new())
}

/// The same as [`from_bytes`], shown each time there is more of it.
///
/// # Errors
///
/// When loading is stopped.
pub fn from_bytes_showing(
    bytes: Vec<u8>,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    one_by_one(Origin::Stdin, stdin(bytes), progress, show)
}

fn stdin(bytes: Vec<u8>) -> SourceFile {
    SourceFile::new(PathBuf::from("<stdin>"), None, bytes)
}

fn is_directory(path: &Path) -> Result<bool, LoadError> {
    let metadata = fs::metadata(path).map_err(|source| LoadError::Open { path: path.to_owned(), source })?;
    Ok(metadata.is_dir())
}

/// Reads the documents of a file package by package.
fn one_by_one(
    origin: Origin,
    file: SourceFile,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    if file.template_document().is_some() {
        // It may be a template, and there is nothing to wait for.
        return Ok(Catalog::new(origin, vec![file], Vec::new()));
    }
    let mut growing = Growing::new(origin);
    growing.add(vec![file]);
    Ok(grow(growing, progress, show)?.finish(Vec::new()))
}

/// Reads what is known to be there, a portion at a time.
fn grow(
    mut growing: Growing,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Growing, LoadError> {
    let mut portion = FIRST;
    loop {
        progress.check()?;
        if !growing.read_on(progress.wanted().as_ref(), portion) {
            return Ok(growing);
        }
        show(growing.so_far(true));
        portion = PORTION;
    }
}

/// A catalog with what the repository around it says of it.
fn in_repository(path: &Path, mut catalog: Catalog) -> Catalog {
    if let Some(repository) = Repository::around(path) {
        let made_from = repository.made_from(&catalog);
        let homes = repository.homes(&catalog);
        catalog.set_made_from(made_from);
        catalog.set_bundle_homes(homes);
    } else if let Some(place) = TemplatePlace::of(path).filter(|_| catalog.template().is_some()) {
        let mut homes = BundleHomes::default();
        homes.add_operator_of_all(place.operator_folder());
        catalog.set_bundle_homes(homes);
    }
    catalog
}

/// A catalog from named texts that are on no disk: the demo.
pub fn from_texts(origin: Origin, texts: impl IntoIterator<Item = (PathBuf, Vec<u8>)>) -> Catalog {
    let files = texts.into_iter().map(|(path, bytes)| SourceFile::new(path, None, bytes)).collect();
    Catalog::new(origin, files, Vec::new())
}

/// `registry.example.com/ns/index:v4.18`: what people type who want to look into an image.
fn looks_like_image(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let host = text.split('/').next().unwrap_or_default();
    text.contains('/') && host.contains('.') && !host.starts_with('.') && text.contains(':')
}
