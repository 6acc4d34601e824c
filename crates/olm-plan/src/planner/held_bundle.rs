//! Installed bundles with the properties that decide the next move.

use std::collections::HashMap;

use olm_catalog::{BundleName, package::Package};
use olm_upgrade::{Installed, openshift::OpenShiftLimit};

/// Installed bundle.
///
/// Bundles with the same name but different versions in different catalogs are different values.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct HeldBundle {
    /// The name and version.
    pub installed: Installed,
    /// The highest supported OpenShift version.
    pub limit: OpenShiftLimit,
}

impl HeldBundle {
    /// Creates the value for a bundle of a package.
    pub fn from_package(package: &Package, name: &BundleName) -> Self {
        let limit = package
            .bundle(name.as_str())
            .map_or(OpenShiftLimit::None, |bundle| OpenShiftLimit::from_bundle(bundle));
        Self { installed: Installed::from_package(package, name), limit }
    }
}

/// Numbered set of bundles.
#[derive(Debug, Default)]
pub(super) struct HeldBundles {
    all: Vec<HeldBundle>,
    by_name: HashMap<BundleName, Vec<usize>>,
}

impl HeldBundles {
    /// Returns the number of a bundle. Adds the bundle if it is not in the set.
    pub fn number_of(&mut self, held: HeldBundle) -> usize {
        let known = self.by_name.entry(held.installed.name.clone()).or_default();
        if let Some(&at) = known.iter().find(|&&at| self.all.get(at) == Some(&held)) {
            return at;
        }
        let at = self.all.len();
        known.push(at);
        self.all.push(held);
        at
    }

    /// Returns the bundle with a number.
    pub fn get(&self, at: usize) -> Option<&HeldBundle> {
        self.all.get(at)
    }
}
