//! Reading of a new bundle for catalogs: from its directory, or from the output of `opm render`.

use std::path::{Path, PathBuf};

use super::{is_bundle_directory, read_bundle_directory, unread_part_of};
use olm_bundle::{AddBundleError, NewBundle};
use olm_catalog::load::{self, LoadError, regular_file};

/// Error for a bundle that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum NewBundleError {
    /// Its files cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The path is a directory, but not a bundle directory.
    #[error("{} is not a bundle directory", .0.display())]
    NotABundle(PathBuf),
    /// The bundle cannot be added.
    #[error(transparent)]
    NotAdded(#[from] AddBundleError),
    /// The bundle cannot be added, because part of it cannot be read.
    #[error("{part}; {error}")]
    Unread {
        /// The part and the reason, in words.
        part: String,
        /// Consequence for the bundle.
        error: AddBundleError,
    },
}

impl NewBundleError {
    /// Returns a suggestion how to solve the problem, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Load(error) => error.hint(),
            Self::NotABundle(_) => Some("name the directory with manifests/ and metadata/".to_owned()),
            Self::NotAdded(error) | Self::Unread { error, .. } => Some(error.hint().to_owned()),
        }
    }
}

/// Reads a bundle directory or a rendered bundle. `image` is the bundle's image; empty if the rendered bundle
/// names it.
///
/// # Errors
///
/// If the bundle cannot be read, or if the input is not exactly one bundle.
pub fn read_new_bundle(path: &Path, image: &str) -> Result<NewBundle, NewBundleError> {
    if is_bundle_directory(path) {
        let tree = read_bundle_directory(path)?;
        return NewBundle::from_directory(&tree, image).map_err(|error| match unread_part_of(path, &tree) {
            Some(part) => NewBundleError::Unread { part, error },
            None => NewBundleError::NotAdded(error),
        });
    }
    if path.is_dir() {
        return Err(NewBundleError::NotABundle(path.to_owned()));
    }
    let bytes = regular_file::read_regular(path, MAX_BYTES)
        .map_err(|source| LoadError::Open { path: path.to_owned(), source })?;
    new_bundle_of(bytes, image)
}

/// Reads a rendered bundle from bytes, such as standard input.
///
/// # Errors
///
/// If the input is not exactly one bundle.
pub fn new_bundle_of(bytes: Vec<u8>, image: &str) -> Result<NewBundle, NewBundleError> {
    Ok(NewBundle::from_rendered(&load::from_bytes(bytes), image)?)
}

/// Size limit of a rendered bundle, in bytes.
const MAX_BYTES: u64 = 64 << 20;
