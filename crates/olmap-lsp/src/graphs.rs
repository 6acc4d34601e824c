//! Upgrade graphs of packages, kept until the package changes.

use std::{collections::HashMap, sync::Arc};

use olm_catalog::{PackageName, package::Package};
use olm_upgrade::PackageGraph;

/// Maximum number of packages whose graphs are kept. A client shows few packages at a time.
const MAX_PACKAGES: usize = 16;

/// Upgrade graphs by package. Editors ask for the same package again with each line that scrolls into view.
#[derive(Debug, Default)]
pub(super) struct GraphCache(HashMap<PackageName, PackageGraph>);

impl GraphCache {
    /// Returns the graph of a package. Builds it if the package is new or has changed.
    pub fn graph(&mut self, package: &Arc<Package>) -> PackageGraph {
        let is_current = |known: &&PackageGraph| Arc::ptr_eq(&known.package, package);
        if let Some(known) = self.0.get(&package.name).filter(is_current) {
            return known.clone();
        }
        if self.0.len() >= MAX_PACKAGES {
            self.0.clear();
        }
        let graph = PackageGraph::new(package);
        self.0.insert(package.name.clone(), graph.clone());
        graph
    }
}
