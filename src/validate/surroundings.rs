//! What a package is judged by besides itself, worked out once for all packages.

use crate::{
    catalog::{Catalog, PackageName, near::Candidates, package::Package},
    upgrade::apis::{Unmet, Want},
};

/// A catalog around its packages.
pub struct Surroundings<'a> {
    pub(super) catalog: &'a Catalog,
    /// The names of the packages that are defined, where others are not: one of those may be meant.
    defined: Option<Candidates<'a>>,
    unmet: Unmet,
}

impl<'a> Surroundings<'a> {
    /// The surroundings of a catalog's packages.
    pub fn of(catalog: &'a Catalog) -> Self {
        let is_defined = |package: &Package| !package.definitions.is_empty();
        let defined = catalog.packages().filter(|package| is_defined(package));
        let is_any_undefined = catalog.packages().any(|package| !is_defined(package));
        let defined = is_any_undefined.then(|| Candidates::new(defined.map(|package| package.name.as_str())));
        Self { catalog, defined, unmet: Unmet::of(catalog) }
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
