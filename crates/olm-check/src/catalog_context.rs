//! Data outside of a package that its rules need, computed once for all packages.

use std::sync::Arc;

use super::rule::Rule;
use olm_catalog::{Catalog, PackageName, package::Package, similar_names::Candidates};
use olm_upgrade::{
    apis::{UnmetRequirement, UnmetRequirements},
    resolve::{CatalogIndex, PackageResolution, Source, channel_resolution},
};

/// Catalog with data that the rules of all packages share.
pub struct CatalogContext<'a> {
    pub(super) catalog: &'a Catalog,
    /// Names of the defined packages, as suggestions for undefined ones; `None` if all packages are defined.
    defined_packages: Option<Candidates<'a>>,
    unmet: UnmetRequirements,
    /// Index of the catalog.
    pub index: Arc<CatalogIndex>,
    /// Other open catalogs.
    other_catalogs: &'a [Source],
    /// Step budget for the resolution of one channel.
    step_budget: u64,
    /// Rules of the caller.
    pub(super) own_rules: &'a [&'static Rule],
    /// Catalogs that the rules about consoles compare with this one; `None` unless these rules are requested.
    pub(super) compared_catalogs: Option<&'a [Source]>,
}

impl<'a> CatalogContext<'a> {
    /// Collects the shared data of a catalog.
    pub fn from_catalog(catalog: &'a Catalog) -> Self {
        Self::with_index(catalog, Arc::new(CatalogIndex::new(catalog)), &[])
    }

    /// Collects the shared data of a catalog, with its index and the other open catalogs.
    pub fn with_index(catalog: &'a Catalog, index: Arc<CatalogIndex>, beside: &'a [Source]) -> Self {
        let is_defined = |package: &Package| !package.definitions.is_empty();
        let defined = catalog.packages().filter(|package| is_defined(package));
        let is_any_undefined = catalog.packages().any(|package| !is_defined(package));
        let defined = is_any_undefined.then(|| Candidates::new(defined.map(|package| package.name.as_str())));
        let steps = channel_resolution::steps_per_channel(&index);
        Self {
            catalog,
            defined_packages: defined,
            unmet: UnmetRequirements::from_index(&index),
            index,
            other_catalogs: beside,
            step_budget: steps,
            own_rules: &[],
            compared_catalogs: None,
        }
    }

    /// Adds rules of the caller.
    #[must_use]
    pub(super) fn with_own_rules(self, own_rules: &'a [&'static Rule]) -> Self {
        Self { own_rules, ..self }
    }

    /// Requests the rules about consoles, unless `compared` is `None`.
    #[must_use]
    pub(super) fn with_compared_catalogs(self, compared: Option<&'a [Source]>) -> Self {
        Self { compared_catalogs: compared, ..self }
    }

    /// Returns the results of a new Subscription to each channel of a package. Empty for
    /// templates, since the requirements of bundles are in their images.
    pub fn resolve_package(&self, package: &PackageName) -> PackageResolution {
        if self.catalog.template().is_some() {
            return PackageResolution::default();
        }
        PackageResolution::resolve(&self.index, package.as_str(), self.other_catalogs, self.step_budget)
    }

    /// Suggests a defined package with a similar name.
    pub(super) fn suggest_package(&self, name: &str) -> Option<&'a str> {
        self.defined_packages.as_ref()?.suggest(name)
    }

    /// Returns requirements of a package that the catalog does not provide, or provides only in
    /// older bundles.
    pub fn requirements_of(&self, package: &PackageName) -> &[UnmetRequirement] {
        self.unmet.for_package(package)
    }
}
