//! Search path for the manifests of a catalog's bundles, besides the catalog itself.

use std::path::PathBuf;

use super::Access;
use crate::{bundle::Tree, catalog::load::Progress};

/// Additional folders, and the images that the catalog names.
#[derive(Clone, Debug, Default)]
pub struct Sight {
    /// Folders of bundle directories.
    pub folders: Vec<PathBuf>,
    /// Access to images.
    pub images: Images,
}

/// Bundle images that may be used.
#[derive(Clone, Debug, Default)]
pub enum Images {
    /// None.
    #[default]
    Hidden,
    /// Only images in the cache.
    Cached(Access),
    /// All images; missing ones are fetched.
    Fetched(Access),
}

/// Reason why a bundle's image is not available.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoImage {
    /// The image is not in the cache.
    NotFetched,
    /// The image could not be fetched or read.
    Failed {
        /// Error message.
        why: String,
        /// Suggestion how to solve the problem.
        hint: Option<String>,
    },
}

impl Images {
    /// Allows only images in the cache of `access`.
    #[must_use]
    pub fn cached(access: &Access) -> Self {
        Self::Cached(Access { offline: true, ..access.clone() })
    }

    /// Returns true if an image may be available, without reading it.
    pub fn may_have(&self, image: &str) -> bool {
        match self {
            Self::Hidden => false,
            Self::Cached(access) => may_be_cached(image, access),
            Self::Fetched(_) => true,
        }
    }

    /// Returns the bundle directory in an image.
    ///
    /// # Errors
    ///
    /// If the image is not available, cannot be fetched, or is not a bundle.
    pub fn bundle(&self, image: &str, progress: &Progress) -> Result<Tree, NoImage> {
        match self {
            Self::Hidden => Err(NoImage::NotFetched),
            Self::Cached(access) if !may_be_cached(image, access) => Err(NoImage::NotFetched),
            Self::Cached(access) | Self::Fetched(access) => bundle(image, access, progress),
        }
    }
}

#[cfg(feature = "images")]
fn may_be_cached(image: &str, access: &Access) -> bool {
    super::images::may_be_cached(image, access)
}

#[cfg(feature = "images")]
fn bundle(image: &str, access: &Access, progress: &Progress) -> Result<Tree, NoImage> {
    use super::images::{ImageError, bundle};
    bundle(image, access, progress).map_err(|error| match error {
        ImageError::Offline(_) => NoImage::NotFetched,
        error => NoImage::Failed { hint: error.hint(), why: error.to_string() },
    })
}

#[cfg(not(feature = "images"))]
fn may_be_cached(_: &str, _: &Access) -> bool {
    false
}

#[cfg(not(feature = "images"))]
fn bundle(_: &str, _: &Access, _: &Progress) -> Result<Tree, NoImage> {
    let why = "this olmap was built without the feature images".to_owned();
    Err(NoImage::Failed { why, hint: None })
}
