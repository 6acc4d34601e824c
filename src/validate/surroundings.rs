//! Data outside of a package that its rules need, computed once for all packages.

use std::sync::Arc;

use crate::{
    catalog::{Catalog, PackageName, near::Candidates, package::Package},
    resolve::{CatalogIndex, Source, Standings, standing},
    upgrade::apis::{Unmet, Want},
};

/// Catalog with data that the rules of all packages share.
pub struct Surroundings<'a> {
    pub(super) catalog: &'a Catalog,
    /// Names of the defined packages, as suggestions for undefined ones; `None` if all packages are defined.
    defined: Option<Candidates<'a>>,
    unmet: Unmet,
    /// Index of the catalog.
    pub index: Arc<CatalogIndex>,
    /// Other open catalogs.
    beside: &'a [Source],
    /// Step budget for the resolution of one channel.
    steps: u64,
}

impl<'a> Surroundings<'a> {
    /// Collects the shared data of a catalog.
    pub fn of(catalog: &'a Catalog) -> Self {
        Self::with(catalog, Arc::new(CatalogIndex::new(catalog)), &[])
    }

    /// Collects the shared data of a catalog, with its index and the other open catalogs.
    pub fn with(catalog: &'a Catalog, index: Arc<CatalogIndex>, beside: &'a [Source]) -> Self {
        let is_defined = |package: &Package| !package.definitions.is_empty();
        let defined = catalog.packages().filter(|package| is_defined(package));
        let is_any_undefined = catalog.packages().any(|package| !is_defined(package));
        let defined = is_any_undefined.then(|| Candidates::new(defined.map(|package| package.name.as_str())));
        let steps = standing::steps_for_one(catalog);
        Self { catalog, defined, unmet: Unmet::of(catalog), index, beside, steps }
    }

    /// Returns the results of a new Subscription to each channel of a package. Empty for
    /// templates, since the requirements of bundles are in their images.
    pub fn standings(&self, package: &PackageName) -> Standings {
        if self.catalog.template().is_some() {
            return Standings::default();
        }
        Standings::of(&self.index, package.as_str(), self.beside, self.steps)
    }

    /// Suggests a defined package with a similar name.
    pub(super) fn meant(&self, name: &str) -> Option<&'a str> {
        self.defined.as_ref()?.meant(name)
    }

    /// Returns requirements of a package that the catalog does not provide, or provides only in
    /// older bundles.
    pub fn wants(&self, package: &PackageName) -> &[Want] {
        self.unmet.package(package)
    }
}
