//! What a cluster has installed.

use crate::{
    catalog::{BundleName, package::Package},
    version::VersionRelease,
};

/// An installed bundle. It need not be in the catalog any more; then its version must be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Installed {
    /// The bundle's name.
    pub name: BundleName,
    /// Its version, where known: without one no range can match it.
    pub version: Option<VersionRelease>,
}

impl Installed {
    /// A bundle of the package by name.
    pub fn of(package: &Package, name: &BundleName) -> Self {
        Self { name: name.clone(), version: package.version_of(name.as_str()).cloned() }
    }
}
