//! Judging what was opened: a catalog, and the directories that its bundles were made from.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::{
    catalog::Catalog,
    review::Snapshot,
    source::{Shelves, dockerfile_beside, folder_name, read_bundle_directory},
    upgrade::{PackageGraph, openshift::OpenShift, safety::PackageSafety},
    validate::{
        Diagnostic,
        bundles::{self, Directory, Questions},
        steps,
    },
};

/// Judges a catalog. Bundles that are directories are judged with it: the usual suites, OLM Classic, our own rules.
/// `openshift` are the versions that the catalogs beside it are for.
pub fn judged(catalog: Catalog, openshift: &[OpenShift]) -> Snapshot {
    let directories = catalog.bundle_directories();
    let questions = Questions { openshift: openshift.to_vec(), ..Questions::default() };
    let mut found: Vec<Diagnostic> =
        directories.par_iter().flat_map_iter(|directory| of_directory(&directory.path, &questions)).collect();
    if catalog.is_proposed()
        && let Ok(shelves) = Shelves::new(&catalog, &[])
    {
        found.extend(of_steps(&catalog, &shelves));
    }
    Snapshot::with_bundles(catalog, found)
}

/// Judges a catalog, and its upgrade steps by the manifests of its bundles.
pub fn judged_with(catalog: Catalog, folders: &[PathBuf]) -> Result<Snapshot, PathBuf> {
    let found = of_steps(&catalog, &Shelves::new(&catalog, folders)?);
    Ok(Snapshot::with_bundles(catalog, found))
}

fn of_steps(catalog: &Catalog, shelves: &Shelves<'_>) -> Vec<Diagnostic> {
    let packages: Vec<_> = catalog.packages().collect();
    let found = packages.par_iter().flat_map_iter(|package| {
        let safety = PackageSafety::judge(&PackageGraph::new(package), shelves);
        steps::findings(package, &safety)
    });
    found.collect()
}

/// A directory that cannot be read is a problem of the catalog already.
fn of_directory(path: &Path, questions: &Questions) -> Vec<Diagnostic> {
    let Ok(tree) = read_bundle_directory(path) else { return Vec::new() };
    let dockerfile = dockerfile_beside(path);
    let folder = folder_name(path);
    let directory =
        Directory { tree: &tree, shown: path, folder: folder.as_deref(), dockerfile: dockerfile.as_ref() };
    bundles::check(&directory, questions)
}

/// The OpenShift versions that catalogs are for, by the habit of calling them `v4.18`.
pub fn openshift_of(paths: &[PathBuf]) -> Vec<OpenShift> {
    let version = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?;
        OpenShift::parse(name.strip_prefix('v')?).ok()
    };
    paths.iter().filter_map(version).collect()
}
