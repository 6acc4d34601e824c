//! Catalogs in older formats: SQLite indexes and folders of package manifests. They are read-only and open as
//! the catalog that opm makes from them.

mod convert;
mod manifests;
#[cfg(feature = "sqlite")]
mod rows;
#[cfg(not(feature = "sqlite"))]
#[path = "without.rs"]
mod rows;
#[cfg(test)]
mod tests;

use std::{
    io::{self, Cursor, Read},
    path::Path,
};

use thiserror::Error;

use olm_catalog::{
    Catalog, Origin, SourceFile,
    load::{LoadError, Progress, regular_file},
};

/// First bytes of an SQLite database.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Size limit of an index, in bytes; about five times the largest one ever published.
pub const MAX_INDEX_BYTES: u64 = 1 << 30;
/// Size of the header of an SQLite database, in bytes.
const HEADER_BYTES: usize = 100;
/// Maximum number of bytes of the documents made from an index.
const MAX_DOCUMENT_BYTES: usize = 1 << 30;

/// Returns true if bytes are an SQLite database.
pub fn is_index(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Returns the objects of the file-based catalog that `opm render` makes from an SQLite index, as a JSON
/// stream.
///
/// # Errors
///
/// If the bytes are not an index, or if opm would not convert them.
pub fn documents_of_index(bytes: Vec<u8>) -> Result<Vec<u8>, IndexFault> {
    let length = bytes.len();
    documents_of_reader(Cursor::new(bytes), length)
}

/// Like [`documents_of_index`], with a reader, so that the index is in memory only once.
///
/// # Errors
///
/// See [`documents_of_index`].
pub fn documents_of_reader(mut index: impl Read, length: usize) -> Result<Vec<u8>, IndexFault> {
    let mut header = [0; HEADER_BYTES];
    if length < HEADER_BYTES || index.read_exact(&mut header).is_err() || !is_index(&header) {
        return Err(IndexFault::NotAnIndex);
    }
    // Base64 and repeated names of a large index make the documents several times larger. Anything far beyond
    // that is an attack.
    let most = length.saturating_mul(8).saturating_add(32 << 20).min(MAX_DOCUMENT_BYTES);
    convert::convert_tables(&rows::read_tables(header, index, length)?, most)
}

/// File name extensions of SQLite indexes.
const EXTENSIONS: &[&str] = &["db", "sqlite", "sqlite3"];

/// Returns true if a file name has an extension of an SQLite index.
fn is_named_index(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| EXTENSIONS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// Returns true if a path is in one of the older formats.
pub fn is_older(path: &Path) -> bool {
    if path.is_dir() {
        return manifests::find_package_manifest(path).is_some();
    }
    let mut beginning = [0; MAGIC.len()];
    regular_file::open_regular(path).and_then(|mut file| file.read_exact(&mut beginning)).is_ok()
        && is_index(&beginning)
}

/// Opens a path in one of the older formats; `None` if it is in none.
pub(super) fn open_older(path: &Path, progress: &Progress) -> Option<Result<Catalog, LoadError>> {
    if path.is_dir() {
        let manifests = manifests::find_package_manifest(path)?;
        return Some(
            manifests::convert_manifests(path, &manifests, progress)
                .map(|documents| converted_catalog(path, documents)),
        );
    }
    let mut beginning = [0; MAGIC.len()];
    // A pipe is not opened, because the bytes read would be lost.
    let mut file = regular_file::open_regular(path).ok()?;
    let is_index = file.read_exact(&mut beginning).is_ok() && is_index(&beginning);
    if !is_index && is_named_index(path) {
        // An empty file would otherwise be an empty catalog.
        let why = IndexFault::NotAnIndex.to_string();
        return Some(Err(LoadError::Older { path: path.to_owned(), why }));
    }
    is_index.then(|| {
        let failed = |source| LoadError::Open { path: path.to_owned(), source };
        let file = regular_file::open_regular(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        if length > MAX_INDEX_BYTES {
            return Err(failed(io::Error::from(io::ErrorKind::FileTooLarge)));
        }
        progress.check_stopped()?;
        let documents = documents_of_reader(file, usize::try_from(length).unwrap_or(usize::MAX))
            .map_err(|fault| LoadError::Older { path: path.to_owned(), why: fault.to_string() })?;
        Ok(converted_catalog(path, documents))
    })
}

/// Returns the converted catalog, which does not exist on disk in this form.
fn converted_catalog(path: &Path, documents: Vec<u8>) -> Catalog {
    let mut file = SourceFile::new(path.to_owned(), None, documents);
    file.writable = false;
    Catalog::new(Origin::Converted(path.to_owned()), vec![file], Vec::new())
}

/// Reason why an index cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IndexFault {
    /// The file is not an SQLite database.
    #[error("it is not an SQLite database")]
    NotAnIndex,
    /// Error from SQLite.
    #[error("{0}")]
    Database(String),
    /// A table that every index has is missing.
    #[error("it has no table {0}, so it is not an index of operators")]
    NoTable(&'static str),
    /// The index exceeds all plausible limits of size or query time, which suggests an attack.
    #[error("it is not an index that can be read in bounded time and memory")]
    Unbounded,
    /// The program was built without SQLite.
    #[error("this olmap was built without SQLite; try: opm render")]
    NotBuilt,
    /// A package does not have an existing default channel. opm crashes.
    #[error("package {0} has no default channel")]
    NoDefault(String),
    /// The head of a default channel is missing.
    #[error("package {package}: the head of its default channel {channel} is not in the index")]
    NoHead {
        /// Name of the package.
        package: String,
        /// Name of the channel.
        channel: String,
    },
    /// A ClusterServiceVersion is not JSON.
    #[error("bundle {0}: its ClusterServiceVersion cannot be read")]
    BadCsv(String),
    /// A bundle whose version is not a strict semantic version.
    #[error("bundle {bundle} has the version {version}, which is not a semantic version")]
    BadVersion {
        /// Name of the bundle.
        bundle: String,
        /// Version as written.
        version: String,
    },
    /// Two bundles of a package with the same version.
    #[error("package {package}: {first} and {second} have the same version {version}")]
    SameVersion {
        /// Name of the package.
        package: String,
        /// Version of both bundles.
        version: String,
        /// Name of a bundle.
        first: String,
        /// Name of another bundle.
        second: String,
    },
    /// A property or dependency is not JSON, or does not match its type.
    #[error("bundle {bundle}: its property {kind} cannot be read")]
    BadProperty {
        /// Name of the bundle.
        bundle: String,
        /// Type of the property.
        kind: String,
    },
    /// Objects are not JSON.
    #[error("bundle {0}: its objects cannot be read")]
    BadObjects(String),
}
