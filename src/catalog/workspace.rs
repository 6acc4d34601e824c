//! One or several catalogs, open side by side. Each path on the command line is a catalog of its own.

use std::sync::Arc;

use super::model::Catalog;

/// A catalog of a workspace, by position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct CatalogId(pub usize);

/// The open catalogs.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    catalogs: Vec<Arc<Catalog>>,
}

impl Workspace {
    /// A workspace of these catalogs.
    pub fn new(catalogs: impl IntoIterator<Item = Catalog>) -> Self {
        Self { catalogs: catalogs.into_iter().map(Arc::new).collect() }
    }

    /// The catalogs in the order they were named.
    pub fn catalogs(&self) -> impl ExactSizeIterator<Item = (CatalogId, &Arc<Catalog>)> {
        self.catalogs.iter().enumerate().map(|(index, catalog)| (CatalogId(index), catalog))
    }

    /// One catalog.
    pub fn get(&self, id: CatalogId) -> Option<&Arc<Catalog>> {
        self.catalogs.get(id.0)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.catalogs.len()
    }

    /// Whether nothing is open.
    pub fn is_empty(&self) -> bool {
        self.catalogs.is_empty()
    }

    /// Puts another state of a catalog in its place.
    pub fn replace(&mut self, id: CatalogId, catalog: Arc<Catalog>) {
        if let Some(slot) = self.catalogs.get_mut(id.0) {
            *slot = catalog;
        }
    }
}
