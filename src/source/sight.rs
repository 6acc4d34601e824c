//! Where the manifests of a catalog's bundles are looked for, besides what the catalog itself says.

use std::path::PathBuf;

use super::Access;
use crate::{bundle::Tree, catalog::load::Progress};

/// Further folders, and the images that the catalog names.
#[derive(Clone, Debug, Default)]
pub struct Sight {
    /// Folders of bundle directories.
    pub folders: Vec<PathBuf>,
    /// How images are reached: those in the cache only, or any.
    pub images: Images,
}

/// Which images of bundles are in sight.
#[derive(Clone, Debug, Default)]
pub enum Images {
    /// None.
    #[default]
    Hidden,
    /// Those that were fetched before.
    Cached(Access),
    /// All: what is not there is fetched.
    Fetched(Access),
}

/// Why a bundle cannot be had from its image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoImage {
    /// Nobody fetched it.
    NotFetched,
    /// It was tried.
    Failed {
        /// Why, in words.
        why: String,
        /// What to do.
        hint: Option<String>,
    },
}

impl Images {
    /// Those that were fetched before, where there is a cache.
    #[must_use]
    pub fn cached(access: &Access) -> Self {
        Self::Cached(Access { offline: true, ..access.clone() })
    }

    /// Whether an image may be in sight, without reading it.
    pub fn may_have(&self, image: &str) -> bool {
        match self {
            Self::Hidden => false,
            Self::Cached(access) => may_be_cached(image, access),
            Self::Fetched(_) => true,
        }
    }

    /// The bundle directory in an image.
    ///
    /// # Errors
    ///
    /// When it is not in sight, cannot be fetched, or is no bundle.
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
