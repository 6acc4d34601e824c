//! Judging what was opened: a catalog, and the directories that its bundles were made from.

use std::{
    num::NonZero,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
};

use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};

use crate::{
    catalog::Catalog,
    review::{Judged, Snapshot},
    source::{Shelves, bundles::find, dockerfile_beside, folder_name, read_bundle_directory},
    upgrade::{
        openshift::OpenShift,
        safety::{Grounds, Memory, Neighbours, PackageSafety},
    },
    validate::{
        Diagnostic,
        bundles::{self, Directory, Questions},
    },
};

/// Judges a catalog. Bundles that are directories are judged with it: the usual suites, OLM Classic, our own rules.
/// `openshift` are the versions that the catalogs beside it are for.
pub fn judged(catalog: Catalog, openshift: &[OpenShift]) -> Snapshot {
    let directories = catalog.bundle_directories();
    let questions = Questions { openshift: openshift.to_vec(), ..Questions::default() };
    let found: Vec<Diagnostic> =
        directories.par_iter().flat_map_iter(|directory| of_directory(&directory.path, &questions)).collect();
    Snapshot::with_bundles(catalog, found)
}

/// The same catalog with its upgrade steps judged by the manifests of its bundles. Packages of which no manifests are in
/// sight stay as they are.
///
/// # Errors
///
/// The first of the folders in which there is no bundle directory.
pub fn with_steps(snapshot: Snapshot, folders: &[PathBuf]) -> Result<Snapshot, PathBuf> {
    let judged = judge_steps(None, &snapshot, &Shelves::new(&snapshot.catalog, folders)?, None);
    let judged: Vec<_> =
        judged.into_iter().map(|(was, safety)| (Arc::clone(&was), was.with_steps(safety))).collect();
    Ok(snapshot.with_steps(&judged).unwrap_or(snapshot))
}

/// The same, without folders that have no bundles any more: when the program began they had.
pub fn with_steps_in_sight(snapshot: Snapshot, folders: &[PathBuf]) -> Snapshot {
    with_steps(snapshot.clone(), &in_sight(folders)).unwrap_or(snapshot)
}

/// What is known of the steps of a package, or of all that were not judged yet, if manifests of it are in sight.
pub fn steps_of(
    package: Option<&Arc<Judged>>,
    snapshot: &Snapshot,
    folders: &[PathBuf],
    memory: Option<&dyn Memory>,
) -> Vec<(Arc<Judged>, Arc<PackageSafety>)> {
    let Ok(shelves) = Shelves::new(&snapshot.catalog, &in_sight(folders)) else { return Vec::new() };
    let judge = || judge_steps(package, snapshot, &shelves, memory);
    match pool() {
        Some(pool) => pool.install(judge),
        None => judge(),
    }
}

/// All cores but one, which is left to the keys; `None` where there are no threads to be had.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        ThreadPoolBuilder::new().num_threads(cores.saturating_sub(1).max(1)).build().ok()
    });
    POOL.as_ref()
}

fn in_sight(folders: &[PathBuf]) -> Vec<PathBuf> {
    folders.iter().filter(|path| find(path).is_some()).cloned().collect()
}

fn judge_steps(
    package: Option<&Arc<Judged>>,
    snapshot: &Snapshot,
    shelves: &Shelves<'_>,
    memory: Option<&dyn Memory>,
) -> Vec<(Arc<Judged>, Arc<PackageSafety>)> {
    let all = || snapshot.packages().map(|(_, judged)| judged).filter(|judged| judged.safety().is_none());
    let wanted: Vec<&Arc<Judged>> = package.map_or_else(|| all().collect(), |package| vec![package]);
    let in_sight = wanted.par_iter().filter(|judged| shelves.has_any(judged.package()));
    let neighbours = Neighbours::of(&snapshot.catalog);
    let grounds = Grounds { manifests: shelves, neighbours: &neighbours, memory };
    let judge = |judged: &Judged| Arc::new(PackageSafety::judge(&judged.graph, grounds));
    in_sight.map(|judged| (Arc::clone(judged), judge(judged))).collect()
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
