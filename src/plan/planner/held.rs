//! Bundles as they are installed: what of them decides about the next move.

use std::collections::HashMap;

use crate::{
    catalog::{BundleName, package::Package},
    upgrade::{Installed, openshift::Limit},
};

/// An installed bundle. The same name may stand for another version in another catalog; then it is another one.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Held {
    /// Name and version.
    pub installed: Installed,
    /// The newest OpenShift it runs on.
    pub limit: Limit,
}

impl Held {
    /// A bundle as the package of a catalog has it.
    pub fn of(package: &Package, name: &BundleName) -> Self {
        let limit = package.bundle(name.as_str()).map_or(Limit::None, |bundle| Limit::of(bundle));
        Self { installed: Installed::of(package, name), limit }
    }
}

/// All of them, each once, by number.
#[derive(Debug, Default)]
pub(super) struct Holds {
    all: Vec<Held>,
    by_name: HashMap<BundleName, Vec<usize>>,
}

impl Holds {
    /// The number of a bundle.
    pub fn number(&mut self, held: Held) -> usize {
        let known = self.by_name.entry(held.installed.name.clone()).or_default();
        if let Some(&at) = known.iter().find(|&&at| self.all.get(at) == Some(&held)) {
            return at;
        }
        let at = self.all.len();
        known.push(at);
        self.all.push(held);
        at
    }

    /// The bundle of a number.
    pub fn get(&self, at: usize) -> Option<&Held> {
        self.all.get(at)
    }
}
