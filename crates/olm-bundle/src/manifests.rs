//! Sources of bundle manifests: they return a bundle directory for a name and an image.

use super::{Tree, crd::ManifestsUnavailable};
use olm_catalog::{PackageName, blob::BundleBlob};

/// Manifests of a bundle.
#[derive(Clone, Debug)]
pub struct BundleManifests {
    /// Files of the bundle.
    pub tree: Tree,
    /// Display name of the directory or image; `None` if the files represent objects of a catalog.
    pub shown: Option<String>,
}

/// Source of bundle manifests: directories on disk, a catalog with whole objects, images.
pub trait Manifests: Sync {
    /// Returns the bundle directory of a bundle, or an equivalent.
    ///
    /// # Errors
    ///
    /// If the manifests are unavailable. This says nothing about their content.
    fn manifests_of(
        &self,
        package: &PackageName,
        bundle: &BundleBlob,
    ) -> Result<BundleManifests, ManifestsUnavailable>;
}
