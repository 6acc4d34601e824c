//! What the rules find: each on a small example, then everything that opm was asked, then real catalogs.

mod bundles;
mod cases;
mod changes;
mod conformance;
mod demo;
mod loading;
mod selection;
mod slow;
mod steps;
mod stories;
mod templates;

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::Diagnostic;
use crate::{
    catalog::{Catalog, load},
    upgrade::PackageGraph,
};

/// All findings of a catalog, as the program collects them.
fn findings(catalog: &Catalog) -> Vec<Diagnostic> {
    let mut all = super::outside_packages(catalog);
    let around = super::Surroundings::of(catalog);
    let of_packages = catalog.packages_by_name().par_iter().flat_map(|(_, package)| {
        let graph = PackageGraph::new(package);
        super::package(&around, &graph, &around.standings(&package.name))
    });
    all.par_extend(of_packages);
    all
}

fn open(path: &Path) -> Catalog {
    load::open(path, &load::Progress::default()).unwrap()
}

/// The path of a part of the repository.
fn repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// `rule file:line:column message`
fn line(catalog: &Catalog, finding: &Diagnostic) -> String {
    let place = finding.at.as_ref().and_then(|at| at.place(catalog)).unwrap();
    format!(
        "{} {}:{}:{} {}",
        finding.rule.id,
        place.path.display(),
        place.line,
        place.column,
        finding.message
    )
}
