//! Where the manifests of bundles come from: a name and an image in, a bundle directory out.

use super::{Tree, crd::NotInSight};
use crate::catalog::{PackageName, blob::BundleBlob};

/// Something that knows the manifests of bundles: directories on disk, a catalog with whole objects, one day images.
pub trait Manifests: Sync {
    /// The bundle directory of a bundle, or what stands for it.
    ///
    /// # Errors
    ///
    /// When the manifests are nowhere to be seen, which says nothing of what is in them.
    fn tree(&self, package: &PackageName, bundle: &BundleBlob) -> Result<Tree, NotInSight>;
}
