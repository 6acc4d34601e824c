//! Where the manifests of bundles come from: a name and an image in, a bundle directory out.

use super::{Tree, crd::NotInSight};
use crate::catalog::{PackageName, blob::BundleBlob};

/// The manifests of a bundle.
#[derive(Clone, Debug)]
pub struct Found {
    /// The files.
    pub tree: Tree,
    /// The directory, or the image, as people see it; `None` where the files stand for objects of a catalog, and are nowhere.
    pub shown: Option<String>,
}

/// Something that knows the manifests of bundles: directories on disk, a catalog with whole objects, images.
pub trait Manifests: Sync {
    /// The bundle directory of a bundle, or what stands for it.
    ///
    /// # Errors
    ///
    /// When the manifests are nowhere to be seen, which says nothing of what is in them.
    fn of(&self, package: &PackageName, bundle: &BundleBlob) -> Result<Found, NotInSight>;
}
