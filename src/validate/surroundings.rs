//! What a package is judged by besides itself, worked out once for all packages.

use std::sync::Arc;

use crate::{
    catalog::{Catalog, PackageName, near::Candidates, package::Package},
    resolve::{CatalogIndex, Source, Standings, standing},
    upgrade::apis::{Unmet, Want},
};

/// A catalog around its packages.
pub struct Surroundings<'a> {
    pub(super) catalog: &'a Catalog,
    /// The names of the packages that are defined, where others are not: one of those may be meant.
    defined: Option<Candidates<'a>>,
    unmet: Unmet,
    /// The catalog as it is looked up in.
    pub index: Arc<CatalogIndex>,
    /// The other catalogs that are open.
    beside: &'a [Source],
    /// What each channel may take to be resolved, in steps.
    steps: u64,
}

impl<'a> Surroundings<'a> {
    /// The surroundings of a catalog's packages.
    pub fn of(catalog: &'a Catalog) -> Self {
        Self::with(catalog, Arc::new(CatalogIndex::new(catalog)), &[])
    }

    /// The same, with what is looked up in the catalog, and the other catalogs that are open.
    pub fn with(catalog: &'a Catalog, index: Arc<CatalogIndex>, beside: &'a [Source]) -> Self {
        let is_defined = |package: &Package| !package.definitions.is_empty();
        let defined = catalog.packages().filter(|package| is_defined(package));
        let is_any_undefined = catalog.packages().any(|package| !is_defined(package));
        let defined = is_any_undefined.then(|| Candidates::new(defined.map(|package| package.name.as_str())));
        let steps = standing::steps_for_one(catalog);
        Self { catalog, defined, unmet: Unmet::of(catalog), index, beside, steps }
    }

    /// What somebody gets who subscribes to a channel of a package. Of a template nobody knows: what bundles require is in
    /// their images.
    pub fn standings(&self, package: &PackageName) -> Standings {
        if self.catalog.template().is_some() {
            return Standings::default();
        }
        Standings::of(&self.index, package.as_str(), self.beside, self.steps)
    }

    /// The defined package that a name was probably meant to be.
    pub(super) fn meant(&self, name: &str) -> Option<&'a str> {
        self.defined.as_ref()?.meant(name)
    }

    /// What a package requires and the catalog does not provide, or only by older bundles.
    pub fn wants(&self, package: &PackageName) -> &[Want] {
        self.unmet.package(package)
    }
}
