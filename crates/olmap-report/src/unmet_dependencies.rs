//! Bundles with unmet dependencies, for programs.

use serde::Serialize;

use olm_catalog::BundleName;
use olm_check::review::UnmetDependency;

/// Bundles of a package with the same unmet dependency (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    package: &'a str,
    bundles: Vec<&'a str>,
    needs: &'a str,
}

impl<'a> Row<'a> {
    /// Returns the row of bundles with an unmet dependency.
    pub fn from_unmet_dependency(left: &'a UnmetDependency) -> Self {
        Self {
            package: left.package.as_str(),
            bundles: left.bundles.iter().map(BundleName::as_str).collect(),
            needs: &left.what,
        }
    }
}
