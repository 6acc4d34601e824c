//! Tests of the rules: small examples, comparison with opm, published catalogs.

mod bundles;
mod cases;
mod changes;
mod conformance;
mod console;
mod demo;
mod loading;
mod selection;
mod slow;
mod steps;
mod stories;
mod templates;

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use super::{Finding, FindingKey};
use olm_catalog::{Catalog, load};
use olm_upgrade::PackageGraph;

/// Collects all findings of a catalog as the program does.
fn all_findings(catalog: &Catalog) -> Vec<Finding> {
    let mut all = super::check_outside_packages(catalog);
    let around = super::CatalogContext::from_catalog(catalog);
    let of_packages = catalog.packages_by_name().par_iter().flat_map(|(_, package)| {
        let graph = PackageGraph::new(package);
        super::check_package(&around, &graph, &around.resolve_package(&package.name))
    });
    all.par_extend(of_packages);
    all
}

fn open_test_catalog(path: &Path) -> Catalog {
    load::open_catalog(path).unwrap()
}

/// Returns the path of a file in the repository.
fn repository_path(path: &str) -> PathBuf {
    olmap_testing::repository_path(path)
}

/// Asserts that findings with the same identity do not differ in their messages.
fn assert_distinct_keys(catalog: &Catalog, findings: &[Finding]) {
    let mut messages: HashMap<FindingKey, BTreeSet<&str>> = HashMap::new();
    for finding in findings.iter().flat_map(Finding::all_parts).filter(|part| part.unlisted.is_none()) {
        messages
            .entry(FindingKey::from_finding(catalog, finding).without_file())
            .or_default()
            .insert(&finding.message);
    }
    messages.retain(|_, messages| messages.len() > 1);
    assert!(messages.is_empty(), "{messages:#?}");
}

/// Formats a finding as `rule file:line:column message`.
fn format_finding(catalog: &Catalog, finding: &Finding) -> String {
    let place = finding.at.as_ref().and_then(|at| at.resolve_in_catalog(catalog)).unwrap();
    format!(
        "{} {}:{}:{} {}",
        finding.rule.id,
        place.path.display(),
        place.line,
        place.column,
        finding.message
    )
}
