//! Checks of opened sources: catalogs, and the directories of their bundles.

use std::{
    collections::BTreeSet,
    fs,
    num::NonZero,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, OnceLock},
};

use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};

use crate::{
    bundle::Tree,
    catalog::{
        Catalog, ImageBundle, MadeFrom, Origin,
        load::{Progress, quotable, regular},
        package::Package,
    },
    review::{Judged, Learned, Snapshot, template},
    source::{
        Shelves, Sight, bundles::find, discovery::versions_on_disk, dockerfile_beside, folder_name, newer,
        read_bundle_directory,
    },
    upgrade::{
        openshift::OpenShift,
        safety::{Grounds, Memory, Neighbours, PackageSafety},
    },
    validate::{
        Diagnostic,
        bundles::{self, Directory, Questions},
        not_checked, steps,
    },
};

/// Maximum size of a template in bytes.
const MOST_OF_TEMPLATE: u64 = 256 << 20;

/// Checks a catalog and its bundle directories: the usual suites, OLM Classic and olmap's own
/// rules. `openshift` are the versions of neighboring catalogs.
pub fn judged(catalog: Catalog, openshift: &[OpenShift]) -> Snapshot {
    let directories = catalog.bundle_directories();
    let questions = Questions { openshift: openshift.to_vec(), ..Questions::default() };
    let mut found: Vec<Diagnostic> =
        directories.par_iter().flat_map_iter(|directory| of_directory(&directory.path, &questions)).collect();
    found
        .extend(catalog.image_bundle().into_iter().flat_map(|bundle| judge_image_bundle(bundle, &questions)));
    Snapshot::with_bundles(catalog, found)
}

/// Runs the slow checks of a snapshot: the safety of upgrade steps, and the comparison of
/// packages with their templates.
///
/// # Errors
///
/// Fails with the first folder that does not contain a bundle directory.
pub fn with_learned(snapshot: Snapshot, sight: &Sight, progress: &Progress) -> Result<Snapshot, PathBuf> {
    let learned = learn(None, &snapshot, Some(&Shelves::new(&snapshot.catalog, sight, progress)?), None);
    Ok(knowing(snapshot, learned))
}

/// Adds the findings about templates and upgrade steps. Uses the manifests in the catalog and in
/// bundle directories, so the findings do not depend on the cache.
pub fn with_own_manifests(snapshot: Snapshot) -> Snapshot {
    with_learned_in_sight(snapshot, &Sight::default())
}

/// Adds the comparison of packages with their templates, without the safety of upgrade steps.
pub fn with_templates(snapshot: Snapshot) -> Snapshot {
    let learned = learn(None, &snapshot, None, None);
    knowing(snapshot, learned)
}

fn knowing(snapshot: Snapshot, learned: Vec<(Arc<Judged>, Learned)>) -> Snapshot {
    let learned: Vec<_> =
        learned.into_iter().map(|(was, learned)| (Arc::clone(&was), was.with_learned(learned))).collect();
    snapshot.with_learned(&learned).unwrap_or(snapshot)
}

/// Runs the slow checks. Ignores folders whose bundles were removed after the program started.
pub fn with_learned_in_sight(snapshot: Snapshot, sight: &Sight) -> Snapshot {
    with_learned(snapshot.clone(), &still(sight), &Progress::default()).unwrap_or(snapshot)
}

/// Runs the slow checks of a package, or of all packages without results.
pub fn learned_of(
    package: Option<&Arc<Judged>>,
    snapshot: &Snapshot,
    sight: &Sight,
    memory: Option<&dyn Memory>,
) -> Vec<(Arc<Judged>, Learned)> {
    let progress = Progress::default();
    let shelves = Shelves::new(&snapshot.catalog, &still(sight), &progress);
    let Ok(shelves) = shelves else { return Vec::new() };
    let learn = || learn(package, snapshot, Some(&shelves), memory);
    match pool() {
        Some(pool) => pool.install(learn),
        None => learn(),
    }
}

/// Thread pool with all cores but one, which is reserved for input; `None` if threads cannot be started.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        ThreadPoolBuilder::new().num_threads(cores.saturating_sub(1).max(1)).build().ok()
    });
    POOL.as_ref()
}

fn still(sight: &Sight) -> Sight {
    let folders = sight.folders.iter().filter(|path| find(path).is_some()).cloned().collect();
    Sight { folders, images: sight.images.clone() }
}

fn learn(
    package: Option<&Arc<Judged>>,
    snapshot: &Snapshot,
    shelves: Option<&Shelves<'_>>,
    memory: Option<&dyn Memory>,
) -> Vec<(Arc<Judged>, Learned)> {
    let all = || snapshot.packages().map(|(_, judged)| judged).filter(|judged| judged.learned().is_none());
    let wanted: Vec<&Arc<Judged>> = package.map_or_else(|| all().collect(), |package| vec![package]);
    let neighbours = OnceLock::new();
    let learned = wanted.par_iter().filter_map(|judged| {
        let shelves = shelves.filter(|shelves| shelves.has_any(judged.package()));
        let made_from = snapshot.catalog.made_from(&judged.package().name);
        if shelves.is_none() && made_from.is_none() {
            return None;
        }
        let safety = shelves.map(|shelves| {
            let neighbours = neighbours.get_or_init(|| Neighbours::of(&snapshot.catalog));
            let grounds = Grounds { manifests: shelves, neighbours, memory };
            Arc::new(PackageSafety::judge(&judged.graph, grounds))
        });
        let is_refused_by_v1 =
            safety.is_some() && steps::v1_refuses_every_head(&snapshot.catalog, &judged.graph);
        let template =
            made_from.and_then(|template| disagreement(&snapshot.catalog, judged.package(), template));
        Some((Arc::clone(judged), Learned { safety, is_refused_by_v1, template }))
    });
    learned.collect()
}

/// Returns the finding about a package that differs from its template, or about an unreadable
/// template.
fn disagreement(catalog: &Catalog, package: &Package, made_from: &MadeFrom) -> Option<Diagnostic> {
    // With some packages of the template closed, the comparison would report them as missing.
    let makes =
        |other: &&Arc<Package>| catalog.made_from(&other.name).is_some_and(|of| of.path == made_from.path);
    if catalog.packages().filter(makes).count() > 1 || is_part_of_a_folder(&catalog.origin) {
        return None;
    }
    let text = quotable::check(&made_from.path)
        .map_err(|why| why.to_string())
        .and_then(|()| regular::read(&made_from.path, MOST_OF_TEMPLATE).map_err(|error| error.to_string()));
    let text = match text {
        Ok(text) => text,
        Err(reason) => return Some(not_checked::unread_template(package, &made_from.shown, &reason)),
    };
    let disagreement = template::disagreement(catalog, package, made_from, &text)?;
    let files = package.documents().filter_map(|doc| catalog.file(doc.file)?.disk.clone());
    let files: Vec<PathBuf> = files.collect::<BTreeSet<_>>().into_iter().collect();
    let newer = newer(&made_from.path, &files);
    Some(disagreement.finding(newer.map(|newer| newer.to_string()).as_deref()))
}

/// Returns true if a catalog is one of several files in its folder.
fn is_part_of_a_folder(origin: &Origin) -> bool {
    let Origin::File(path) = origin else { return false };
    let folder = path.parent().and_then(|folder| fs::read_dir(folder).ok());
    folder.into_iter().flatten().flatten().filter(|entry| entry.path().is_file()).count() > 1
}

/// Returns the findings of a bundle directory. An unreadable directory is already a problem of
/// the catalog.
fn of_directory(path: &Path, questions: &Questions) -> Vec<Diagnostic> {
    let Ok(tree) = read_bundle_directory(path) else { return Vec::new() };
    let dockerfile = dockerfile_beside(path);
    let folder = folder_name(path);
    let directory = Directory {
        tree: &tree,
        shown: path,
        folder: folder.as_deref(),
        dockerfile: dockerfile.as_ref(),
        labels: None,
    };
    bundles::check(&directory, questions)
}

/// Returns the findings of a bundle in an image: those of its directory, and those about the labels of the
/// image.
pub fn judge_image_bundle(bundle: &ImageBundle, questions: &Questions) -> Vec<Diagnostic> {
    let tree = Tree::from(bundle);
    // Paths are relative to the root of the image.
    let shown = Path::new(".");
    let directory =
        Directory { tree: &tree, shown, folder: None, dockerfile: None, labels: Some(&bundle.labels) };
    bundles::check(&directory, questions)
}

/// Returns the OpenShift versions of the catalogs at `paths`.
pub fn openshift_of(paths: &[PathBuf]) -> Vec<OpenShift> {
    let is_on_disk = |path: &&PathBuf| path.exists();
    paths.iter().filter(is_on_disk).flat_map(|path| versions_on_disk(path)).collect()
}
