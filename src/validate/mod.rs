//! Findings: what `opm validate` rejects, and what hurts users though opm accepts it.
//!
//! One rule, one function, one stable id. [`catalog`] judges all of a catalog, [`package`] one package again after
//! an edit; both give findings in an order that does not depend on the order of the input.

pub mod diagnostic;
pub mod rule;

pub use diagnostic::{Diagnostic, Location, Related};
pub use rule::{Rule, Severity};

use crate::{catalog::Catalog, upgrade::PackageGraph};

/// The findings of one package.
pub fn package(_catalog: &Catalog, _graph: &PackageGraph) -> Vec<Diagnostic> {
    Vec::new()
}

/// The findings that belong to no package: unreadable files and documents, objects without a package.
pub fn outside_packages(_catalog: &Catalog) -> Vec<Diagnostic> {
    Vec::new()
}
