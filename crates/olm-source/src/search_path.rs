//! Search path for the manifests of a catalog's bundles, besides the catalog itself.

use std::path::PathBuf;

use super::Access;
use olm_bundle::Tree;
use olm_catalog::load::Progress;

/// Additional folders, and the images that the catalog names.
#[derive(Clone, Debug, Default)]
pub struct ManifestSearchPath {
    /// Folders of bundle directories.
    pub folders: Vec<PathBuf>,
    /// Access to images.
    pub images: ImageAccess,
}

/// Bundle images that may be used.
#[derive(Clone, Debug, Default)]
pub enum ImageAccess {
    /// None.
    #[default]
    Disabled,
    /// Only images in the cache.
    Cached(Access),
    /// All images; missing ones are fetched.
    Fetched(Access),
}

/// Reason why a bundle's image is not available.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ImageUnavailable {
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

impl ImageAccess {
    /// Allows only images in the cache of `access`.
    #[must_use]
    pub fn only_cached(access: &Access) -> Self {
        Self::Cached(Access { offline: true, ..access.clone() })
    }

    /// Returns true if an image may be available, without reading it.
    pub fn may_have(&self, image: &str) -> bool {
        match self {
            Self::Disabled => false,
            Self::Cached(access) => may_be_cached(image, access),
            Self::Fetched(_) => true,
        }
    }

    /// Returns the bundle directory in an image.
    ///
    /// # Errors
    ///
    /// If the image is not available, cannot be fetched, or is not a bundle.
    pub fn load_bundle(&self, image: &str, progress: &Progress) -> Result<Tree, ImageUnavailable> {
        match self {
            Self::Disabled => Err(ImageUnavailable::NotFetched),
            Self::Cached(access) if !may_be_cached(image, access) => Err(ImageUnavailable::NotFetched),
            Self::Cached(access) | Self::Fetched(access) => load_image_bundle(image, access, progress),
        }
    }
}

#[cfg(feature = "images")]
fn may_be_cached(image: &str, access: &Access) -> bool {
    super::images::may_be_cached(image, access)
}

#[cfg(feature = "images")]
fn load_image_bundle(image: &str, access: &Access, progress: &Progress) -> Result<Tree, ImageUnavailable> {
    use super::images::{ImageError, load_bundle_tree};
    load_bundle_tree(image, access, progress).map_err(|error| match error {
        ImageError::Offline(_) => ImageUnavailable::NotFetched,
        error => ImageUnavailable::Failed { hint: error.hint(), why: error.to_string() },
    })
}

#[cfg(not(feature = "images"))]
fn may_be_cached(_: &str, _: &Access) -> bool {
    false
}

#[cfg(not(feature = "images"))]
fn load_image_bundle(_: &str, _: &Access, _: &Progress) -> Result<Tree, ImageUnavailable> {
    let why = "this olmap was built without the feature images".to_owned();
    Err(ImageUnavailable::Failed { why, hint: None })
}
