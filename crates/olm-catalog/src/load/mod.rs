//! Finds and reads the files of a catalog. One of the few modules with side effects.
//!
//! In a directory tree every file counts, whatever its name, except `.indexignore` files and the files they
//! match (operator-registry `alpha/declcfg/load.go`). Links to files are followed; links to folders and
//! dangling links are errors.

mod file_reader;
pub mod git;
pub mod lfs;
mod package_part;
mod progress;
pub mod quotable;
pub mod regular_file;
mod reload;
mod save_files;
mod similar;
mod template_source;
mod texts;
mod texts_on_disk;
mod walk;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    time::Instant,
};

use super::{
    BundleSources,
    file::SourceFile,
    model::{Catalog, IncrementalCatalog, Origin},
};

use file_reader::Portion;
pub use package_part::open_package_part;
pub use progress::{Phase, Progress};
pub use reload::reload;
pub use similar::open_similar;
use template_source::OperatorRepository;
pub use template_source::TemplateLocation;
pub use texts::{GrowingTexts, Listing, from_listing, from_listing_incremental, from_text_incremental};
pub use texts_on_disk::open_with_texts_on_disk;
use walk::DirectoryWalk;

/// Number of bytes read before the first display: few enough to be fast.
const FIRST_DISPLAY_BYTES: usize = 4_000_000;

/// Number of bytes of documents read between two displays.
const PORTION_BYTES: usize = 32_000_000;

/// Errors of opening a catalog.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The path does not exist or cannot be read.
    #[error("{}", format_open_error(path, source))]
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
fn format_open_error(path: &Path, error: &io::Error) -> String {
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

/// Opens the file-based catalog at a path: a directory or a file. The crate `olm-source` also opens container
/// images, old indexes and bundle directories.
///
/// # Errors
///
/// Only if the path does not exist. Unreadable files and invalid documents become
/// [`Problem`](super::problem::Problem)s of the catalog.
pub fn open_catalog(path: impl AsRef<Path>) -> Result<Catalog, LoadError> {
    open_catalog_with_progress(path.as_ref(), &Progress::default())
}

/// Opens a catalog like [`open_catalog`], and counts in `progress` what is read, so that another thread can show
/// or cancel it. Reads all of the catalog at once, which is faster than [`open_catalog_incremental`].
///
/// # Errors
///
/// As [`open_catalog`], and if loading is cancelled.
pub fn open_catalog_with_progress(path: &Path, progress: &Progress) -> Result<Catalog, LoadError> {
    let log = LoadLog::start(path, progress);
    let catalog = if is_directory(path)? {
        let walk = DirectoryWalk::walk(path, progress)?;
        let read = file_reader::read_and_decode_files(&walk.files, progress)?;
        progress.check_stopped()?;
        log.end_reading(read.files.len());
        let about_files = walk.problems.into_iter().chain(read.problems).collect();
        let origin = Origin::Directory(path.to_owned());
        Catalog::from_decoded_files(origin, read.files, about_files).with_ignore_patterns(walk.ignore)
    } else {
        let read = file_reader::read_and_decode_only_file(path, progress)?;
        progress.check_stopped()?;
        log.end_reading(1);
        let origin = Origin::File(path.to_owned());
        if read.file.template_document().is_some() {
            // It may be a template, which is a single document.
            Catalog::new(origin, vec![read.file], Vec::new())
        } else {
            Catalog::from_decoded_files(origin, vec![read], Vec::new())
        }
    };
    log.end_decoding(&catalog);
    Ok(with_repository_info(path, catalog))
}

/// Phases of loading a catalog: for the progress, and for the log, which has the time and size of each.
struct LoadLog<'p> {
    path: &'p Path,
    progress: &'p Progress,
    started: Instant,
    bytes_before: usize,
}

impl<'p> LoadLog<'p> {
    fn start(path: &'p Path, progress: &'p Progress) -> Self {
        progress.begin_phase(Phase::Reading);
        let bytes_before = progress.bytes.load(Ordering::Relaxed);
        Self { path, progress, started: Instant::now(), bytes_before }
    }

    fn end_reading(&self, files: usize) {
        let bytes = self.progress.bytes.load(Ordering::Relaxed).saturating_sub(self.bytes_before);
        let (path, time) = (self.path.display(), self.started.elapsed());
        log::info!("read {path}: files: {files}, bytes: {bytes}, in {time:.1?}");
        self.progress.begin_phase(Phase::Decoding);
    }

    fn end_decoding(&self, catalog: &Catalog) {
        let packages = catalog.packages().count();
        log::info!(
            "decoded {}: packages: {packages}, after {:.1?}",
            self.path.display(),
            self.started.elapsed()
        );
    }
}

/// Opens the catalog at a path like [`open_catalog`], and passes it to `show` whenever more of it is read. The shown
/// catalog may lack content of files that were not read yet ([`Catalog::missing_part`]).
///
/// # Errors
///
/// As [`open_catalog`].
pub fn open_catalog_incremental(
    path: &Path,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    let catalog = if is_directory(path)? {
        open_directory_incremental(path, progress, show)?
    } else {
        let origin = || Origin::File(path.to_owned());
        let mut beginning = |bytes: &[u8]| {
            let file = SourceFile::new(path.to_owned(), None, bytes.to_vec());
            IncrementalCatalog::beginning(origin(), vec![file]).into_iter().for_each(&mut *show);
        };
        let file = file_reader::read_only_file(path, progress, &mut beginning)?;
        read_file_in_portions(origin(), file, progress, show)?
    };
    Ok(with_repository_info(path, catalog))
}

/// Reads a directory. The first display does not wait for the last file or the end of a long one.
fn open_directory_incremental(
    path: &Path,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    let mut walk = DirectoryWalk::walk(path, progress)?;
    let mut rest = walk.files.split_off(file_reader::portion_length(&walk.files, FIRST_DISPLAY_BYTES));
    let cut = walk.files.pop_if(|last| file_reader::is_long(last.length));
    let Portion { files, problems } = file_reader::read_files(&walk.files, progress)?;
    walk.problems.extend(problems);
    let origin = || Origin::Directory(path.to_owned());
    let mut growing = IncrementalCatalog::new(origin());
    if let Some(long) = cut {
        let beginning = files.iter().cloned().chain(file_reader::read_beginning(&long)).collect();
        IncrementalCatalog::beginning(origin(), beginning).into_iter().for_each(&mut *show);
        growing.add_files(files);
        rest.insert(0, long);
    } else {
        growing.add_files(files);
        if !rest.is_empty() {
            growing.read_packages(None, usize::MAX);
            show(growing.snapshot(false));
        }
    }
    let Portion { files, problems } = file_reader::read_files(&rest, progress)?;
    walk.problems.extend(problems);
    growing.add_files(files);
    Ok(read_portions(growing, progress, show)?.into_catalog(walk.problems).with_ignore_patterns(walk.ignore))
}

/// Creates a catalog from standard input.
pub fn from_bytes(bytes: Vec<u8>) -> Catalog {
    Catalog::new(Origin::Stdin, vec![stdin_file(bytes)], Vec::new())
}

/// Creates a catalog like [`from_bytes`], and passes it to `show` whenever more of it is read.
///
/// # Errors
///
/// If loading is cancelled.
pub fn from_bytes_incremental(
    bytes: Vec<u8>,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    read_file_in_portions(Origin::Stdin, stdin_file(bytes), progress, show)
}

fn stdin_file(bytes: Vec<u8>) -> SourceFile {
    SourceFile::new(PathBuf::from("<stdin>"), None, bytes)
}

fn is_directory(path: &Path) -> Result<bool, LoadError> {
    let metadata = fs::metadata(path).map_err(|source| LoadError::Open { path: path.to_owned(), source })?;
    Ok(metadata.is_dir())
}

/// Reads the documents of a file package by package.
fn read_file_in_portions(
    origin: Origin,
    file: SourceFile,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    if file.template_document().is_some() {
        // It may be a template, which is a single document.
        return Ok(Catalog::new(origin, vec![file], Vec::new()));
    }
    let mut growing = IncrementalCatalog::new(origin);
    growing.add_files(vec![file]);
    Ok(read_portions(growing, progress, show)?.into_catalog(Vec::new()))
}

/// Reads the documents found so far, a portion at a time.
fn read_portions(
    mut growing: IncrementalCatalog,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<IncrementalCatalog, LoadError> {
    let mut portion = FIRST_DISPLAY_BYTES;
    loop {
        progress.check_stopped()?;
        if !growing.read_packages(progress.take_request().as_ref(), portion) {
            return Ok(growing);
        }
        show(growing.snapshot(true));
        portion = PORTION_BYTES;
    }
}

/// Adds information from the repository around a catalog.
fn with_repository_info(path: &Path, mut catalog: Catalog) -> Catalog {
    if let Some(repository) = OperatorRepository::from_path(path) {
        let made_from = repository.template_sources(&catalog);
        let homes = repository.bundle_sources(&catalog);
        catalog.set_template_sources(made_from);
        catalog.set_bundle_sources(homes);
    } else if let Some(place) = TemplateLocation::from_path(path).filter(|_| catalog.template().is_some()) {
        let mut homes = BundleSources::default();
        homes.set_common_operator(place.operator_folder());
        catalog.set_bundle_sources(homes);
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
