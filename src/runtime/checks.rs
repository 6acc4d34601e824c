//! Checks of opened catalogs and of their bundle directories. Deferred checks are slow and run
//! later: the safety of upgrade steps, and the comparison of packages with their templates. A cache on disk
//! keeps the safety of steps, so that the next start need not check them again.

use std::path::{Path, PathBuf};
use std::sync::{
    Arc, LazyLock, OnceLock,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};
use std::{
    collections::BTreeSet,
    fs, io,
    num::NonZero,
    time::{Duration, Instant, SystemTime},
};

use etcetera::BaseStrategy as _;
use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};

use olm_bundle::{FilePool, Tree};
use olm_catalog::load::{Phase, Progress, quotable, regular_file};
use olm_catalog::{Catalog, FileId, ImageBundle, Origin, PackageName, TemplateSource, package::Package};
use olm_check::bundles::{self, BundleChecks, LoadedBundle};
use olm_check::review::{DeferredChecks, PackageState, Snapshot, template};
use olm_check::{Finding, steps, unchecked};
use olm_source::{
    ManifestSearchPath, ManifestStore, bundles::find_bundle_folder, cache::folder_entries,
    compare_last_changes, discovery::versions_on_disk, dockerfile_beside, folder_name, read_bundle_directory,
};
use olm_upgrade::openshift::OpenShift;
use olm_upgrade::safety::{ApiNeighbors, Fingerprint, PackageSafety, Safety, SafetyInputs, VerdictCache};

/// Maximum size of a template in bytes.
const MAX_TEMPLATE_BYTES: u64 = 256 << 20;

/// Maximum number of cached packages.
const MAX_PACKAGES: usize = 2000;

/// Maximum size of the verdicts on one package in bytes.
const MAX_PACKAGE_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum size of the cache in bytes.
const MAX_TOTAL_BYTES: u64 = 256 * 1024 * 1024;

/// Returns true for a package whose template is rendered, to compare both. Other templates are only read.
pub type ComparedPackages<'p> = &'p (dyn Fn(&PackageName) -> bool + Sync);

/// Cache of verdicts, with one file per package.
#[derive(Clone, Debug)]
pub struct VerdictStore {
    folder: PathBuf,
}

impl VerdictStore {
    /// Opens `$XDG_CACHE_HOME/olmap/steps/<build>`, or the equivalent of the system; `None` if
    /// there is no home directory. Builds may differ in their verdicts, so each build has its own
    /// folder, and removes the folders of other builds.
    pub fn open_default() -> Option<Self> {
        let all = verdicts_root()?;
        let own = build_id()?;
        for other in folder_entries(&all) {
            if other.file_name() != *own {
                let _ = fs::remove_dir_all(other.path());
            }
        }
        let folder = all.join(own);
        remove_oldest(&folder, MAX_PACKAGES, MAX_TOTAL_BYTES);
        Some(Self { folder })
    }

    /// Returns the number of cached packages of all builds, and their size in bytes.
    pub fn cached_amount() -> (usize, u64) {
        let builds = verdicts_root().into_iter().flat_map(|all| folder_entries(&all).collect::<Vec<_>>());
        let files = builds.flat_map(|build| folder_entries(&build.path()).collect::<Vec<_>>());
        let sizes: Vec<u64> = files.filter_map(|file| Some(file.metadata().ok()?.len())).collect();
        (sizes.len(), sizes.iter().sum())
    }

    /// Removes all verdicts.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be removed.
    pub fn clear() -> io::Result<()> {
        match verdicts_root().map(fs::remove_dir_all) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn verdict_path(&self, of: &Fingerprint) -> PathBuf {
        self.folder.join(format!("{of}.json"))
    }

    fn write_verdicts(&self, of: &Fingerprint, verdicts: &[Safety]) -> io::Result<()> {
        let text = serde_json::to_vec(verdicts)?;
        if text.len() as u64 > MAX_PACKAGE_BYTES {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        // The file is replaced atomically, even if two processes write at once.
        let mut beside = tempfile::NamedTempFile::new_in(&self.folder)?;
        io::Write::write_all(&mut beside, &text)?;
        beside.persist(self.verdict_path(of)).map_err(|error| error.error)?;
        Ok(())
    }
}

impl VerdictCache for VerdictStore {
    fn load_verdicts(&self, of: &Fingerprint) -> Option<Vec<Safety>> {
        let text = regular_file::read_regular(&self.verdict_path(of), MAX_PACKAGE_BYTES).ok()?;
        serde_json::from_slice(&text).ok()
    }

    fn store_verdicts(&self, of: &Fingerprint, verdicts: &[Safety]) {
        // Without a cached verdict, the next start checks again.
        let _ = self.write_verdicts(of, verdicts);
    }
}

/// Checks a catalog and its bundle directories: the usual suites, OLM Classic and olmap's own
/// rules. `openshift` are the versions of neighboring catalogs.
pub fn check_catalog(catalog: Catalog, openshift: &[OpenShift]) -> Snapshot {
    let directories = catalog.bundle_directories();
    let questions = BundleChecks { openshift: openshift.to_vec(), ..BundleChecks::default() };
    let files = FilePool::default();
    let mut found: Vec<Finding> = directories
        .par_iter()
        .flat_map_iter(|directory| check_directory(&directory.path, &files, &questions))
        .collect();
    found
        .extend(catalog.image_bundle().into_iter().flat_map(|bundle| check_image_bundle(bundle, &questions)));
    Snapshot::with_bundle_findings(catalog, found)
}

/// Runs the deferred checks of a snapshot: the safety of upgrade steps, and the comparison of
/// packages with their templates.
///
/// # Errors
///
/// Fails with the first folder of the search path that does not contain a bundle directory.
pub fn with_deferred_checks(
    snapshot: Snapshot,
    sight: &ManifestSearchPath,
    compared: ComparedPackages<'_>,
    progress: &Progress,
) -> Result<Snapshot, PathBuf> {
    progress.begin_phase(Phase::Checking);
    let manifests = ManifestStore::new(&snapshot.catalog, sight, progress)?;
    let learned = run_checks(None, &snapshot, Some(&manifests), compared, None);
    Ok(with_results(snapshot, learned))
}

/// Runs the deferred checks. Uses only the manifests in the catalog and in bundle directories, so
/// that the findings do not depend on cached images.
pub fn with_local_checks(snapshot: Snapshot, compared: ComparedPackages<'_>) -> Snapshot {
    with_deferred_checks(snapshot.clone(), &ManifestSearchPath::default(), compared, &Progress::default())
        .unwrap_or(snapshot)
}

/// Compares packages with their templates. Does not check the safety of upgrade steps.
pub fn with_template_checks(snapshot: Snapshot) -> Snapshot {
    let learned = run_checks(None, &snapshot, None, &|_| true, None);
    with_results(snapshot, learned)
}

fn with_results(snapshot: Snapshot, results: Vec<(Arc<PackageState>, DeferredChecks)>) -> Snapshot {
    let learned: Vec<_> = results
        .into_iter()
        .map(|(was, learned)| (Arc::clone(&was), was.with_deferred_checks(learned)))
        .collect();
    snapshot.with_deferred_checks(&learned).unwrap_or(snapshot)
}

/// Runs the deferred checks. Ignores folders of the search path without bundles, which may have
/// been removed after the program started.
pub fn with_available_checks(snapshot: Snapshot, search_path: &ManifestSearchPath) -> Snapshot {
    with_deferred_checks(snapshot.clone(), &existing_folders(search_path), &|_| true, &Progress::default())
        .unwrap_or(snapshot)
}

/// Runs the deferred checks of a package, or of all packages without results.
pub fn run_deferred_checks(
    package: Option<&Arc<PackageState>>,
    snapshot: &Snapshot,
    sight: &ManifestSearchPath,
    memory: Option<&dyn VerdictCache>,
) -> Vec<(Arc<PackageState>, DeferredChecks)> {
    let progress = Progress::default();
    let shelves = ManifestStore::new(&snapshot.catalog, &existing_folders(sight), &progress);
    let Ok(shelves) = shelves else { return Vec::new() };
    let learn = || run_checks(package, snapshot, Some(&shelves), &|_| true, memory);
    match thread_pool() {
        Some(pool) => pool.install(learn),
        None => learn(),
    }
}

/// Thread pool with all cores but one, which is reserved for input; `None` if threads cannot be started.
fn thread_pool() -> Option<&'static ThreadPool> {
    static POOL: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        ThreadPoolBuilder::new().num_threads(cores.saturating_sub(1).max(1)).build().ok()
    });
    POOL.as_ref()
}

/// Returns the search path without folders that do not contain bundles.
fn existing_folders(search_path: &ManifestSearchPath) -> ManifestSearchPath {
    let folders =
        search_path.folders.iter().filter(|path| find_bundle_folder(path).is_some()).cloned().collect();
    ManifestSearchPath { folders, ..search_path.clone() }
}

/// Runs the deferred checks: see [`run_deferred_checks`]. Without manifests, does not check the
/// safety of upgrade steps.
fn run_checks(
    package: Option<&Arc<PackageState>>,
    snapshot: &Snapshot,
    manifests: Option<&ManifestStore<'_>>,
    compared: ComparedPackages<'_>,
    memory: Option<&dyn VerdictCache>,
) -> Vec<(Arc<PackageState>, DeferredChecks)> {
    let (checked_steps, rendered_templates) = (CheckTimes::default(), CheckTimes::default());
    let all =
        || snapshot.packages().map(|(_, judged)| judged).filter(|judged| judged.deferred_checks().is_none());
    let wanted: Vec<&Arc<PackageState>> = package.map_or_else(|| all().collect(), |package| vec![package]);
    let neighbors = OnceLock::new();
    let learned = wanted.par_iter().filter_map(|judged| {
        let shelves = manifests.filter(|shelves| shelves.has_any(judged.package()));
        let made_from = snapshot.catalog.template_source(&judged.package().name);
        if shelves.is_none() && made_from.is_none() {
            return None;
        }
        let safety = shelves.map(|shelves| {
            let neighbours = neighbors.get_or_init(|| ApiNeighbors::from_catalog(&snapshot.catalog));
            let grounds = SafetyInputs { manifests: shelves, neighbors: neighbours, cache: memory };
            checked_steps.measure(|| Arc::new(PackageSafety::judge_package(&judged.graph, grounds)))
        });
        let is_refused_by_v1 =
            safety.is_some() && steps::v1_refuses_every_head(&snapshot.catalog, &judged.graph);
        let template = made_from.and_then(|source| {
            let package = judged.package();
            let text = read_template(&snapshot.catalog, source)?;
            match text {
                Err(reason) => Some(unchecked::unread_template(package, &source.display_path, &reason)),
                Ok(text) if compared(&package.name) => rendered_templates
                    .measure(|| template_difference(&snapshot.catalog, package, source, &text)),
                Ok(_) => None,
            }
        });
        Some((Arc::clone(judged), DeferredChecks { safety, is_refused_by_v1, template }))
    });
    let learned = learned.collect();
    let label = snapshot.catalog.origin.label();
    checked_steps.log(&format!("checked upgrade steps of {label}"));
    rendered_templates.log(&format!("rendered templates to compare {label} with them"));
    learned
}

/// Number of checked packages, and the time that all threads needed for them.
#[derive(Debug, Default)]
struct CheckTimes {
    packages: AtomicUsize,
    nanoseconds: AtomicU64,
}

impl CheckTimes {
    /// Runs the check of a package.
    fn measure<T>(&self, check: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = check();
        let time = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.packages.fetch_add(1, Ordering::Relaxed);
        self.nanoseconds.fetch_add(time, Ordering::Relaxed);
        result
    }

    /// Logs what was done unless no package was checked.
    fn log(&self, what: &str) {
        let packages = self.packages.load(Ordering::Relaxed);
        let time = Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed));
        if packages > 0 {
            log::info!("{what}: packages: {packages}, in {time:.1?} of all threads");
        }
    }
}

/// Returns the text of a template, or the reason why it cannot be read. `None` if its package is not compared with
/// it.
fn read_template(catalog: &Catalog, template_source: &TemplateSource) -> Option<Result<Vec<u8>, String>> {
    // With some packages of the template closed, the comparison would report them as missing.
    let makes = |other: &&Arc<Package>| {
        catalog.template_source(&other.name).is_some_and(|of| of.path == template_source.path)
    };
    if catalog.packages().filter(makes).count() > 1 || is_part_of_a_folder(&catalog.origin) {
        return None;
    }
    let text =
        quotable::check_quotable(&template_source.path).map_err(|why| why.to_string()).and_then(|()| {
            regular_file::read_regular(&template_source.path, MAX_TEMPLATE_BYTES)
                .map_err(|error| error.to_string())
        });
    Some(text)
}

/// Renders the template of a package. Returns a finding if the package differs from the result.
fn template_difference(
    catalog: &Catalog,
    package: &Package,
    template_source: &TemplateSource,
    text: &[u8],
) -> Option<Finding> {
    let disagreement = template::find_contradiction(catalog, package, template_source, text)?;
    let files = package.documents().filter_map(|doc| catalog.file(doc.file)?.disk.clone());
    let files: Vec<PathBuf> = files.collect::<BTreeSet<_>>().into_iter().collect();
    // Git knows only the files on disk.
    let newer = if has_unsaved_changes(catalog, package) {
        Some("the catalog is newer: it has unsaved changes".to_owned())
    } else {
        compare_last_changes(&template_source.path, &files).map(|newer| newer.to_string())
    };
    Some(disagreement.into_finding(newer.as_deref()))
}

/// Returns true if the text of a package differs from its files on disk.
fn has_unsaved_changes(catalog: &Catalog, package: &Package) -> bool {
    let files: BTreeSet<u32> = package.documents().map(|doc| doc.file.0).collect();
    let is_saved = |file: &u32| {
        let Some(file) = catalog.file(FileId(*file)) else { return true };
        let Some(path) = &file.disk else { return true };
        let on_disk = regular_file::read_regular(path, MAX_TEMPLATE_BYTES);
        on_disk.is_ok_and(|bytes| bytes == file.current_bytes())
    };
    !files.iter().all(is_saved)
}

/// Returns true if a catalog is a file in a folder with several files.
fn is_part_of_a_folder(origin: &Origin) -> bool {
    let Origin::File(path) = origin else { return false };
    let folder = path.parent().and_then(|folder| fs::read_dir(folder).ok());
    folder.into_iter().flatten().flatten().filter(|entry| entry.path().is_file()).count() > 1
}

/// Returns the findings of a bundle directory. An unreadable directory is already a problem of
/// the catalog.
fn check_directory(path: &Path, files: &FilePool, questions: &BundleChecks) -> Vec<Finding> {
    let Ok(tree) = read_bundle_directory(path) else { return Vec::new() };
    let tree = files.share_files(tree);
    let dockerfile = dockerfile_beside(path);
    let folder = folder_name(path);
    let directory = LoadedBundle {
        tree: &tree,
        display_path: path,
        name: folder.as_deref(),
        dockerfile: dockerfile.as_ref(),
        labels: None,
    };
    bundles::check_bundle(&directory, questions)
}

/// Returns the findings of a bundle in an image: those of its directory, and those about the labels of the
/// image.
fn check_image_bundle(bundle: &ImageBundle, questions: &BundleChecks) -> Vec<Finding> {
    let tree = Tree::from(bundle);
    // Paths are relative to the root of the image.
    let shown = Path::new(".");
    let directory = LoadedBundle {
        tree: &tree,
        display_path: shown,
        name: None,
        dockerfile: None,
        labels: Some(&bundle.labels),
    };
    bundles::check_bundle(&directory, questions)
}

/// Returns the OpenShift versions of the catalogs at `paths`.
pub fn openshift_versions(paths: &[PathBuf]) -> Vec<OpenShift> {
    let is_on_disk = |path: &&PathBuf| path.exists();
    paths.iter().filter(is_on_disk).flat_map(|path| versions_on_disk(path)).collect()
}

/// Returns the folder of the verdicts of all builds.
fn verdicts_root() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("olmap").join("steps"))
}

/// Returns an identifier of this build.
fn build_id() -> Option<String> {
    let about = fs::metadata(std::env::current_exe().ok()?).ok()?;
    let since = about.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(format!("{}-{:x}-{:x}", env!("CARGO_PKG_VERSION"), about.len(), since.as_nanos()))
}

/// Keeps only the newest files, within a maximum count and a maximum total size.
fn remove_oldest(folder: &Path, max_files: usize, max_bytes: u64) {
    let about = |file: fs::DirEntry| {
        let about = file.metadata().ok()?;
        Some((about.modified().ok()?, file.path(), about.len()))
    };
    let mut files: Vec<(SystemTime, PathBuf, u64)> = folder_entries(folder).filter_map(about).collect();
    files.sort();
    let mut bytes = 0;
    for (at, (_, file, own)) in files.iter().rev().enumerate() {
        bytes += own;
        if at >= max_files || bytes > max_bytes {
            let _ = fs::remove_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_upgrade::safety::{Findings, NotChecked};

    #[test]
    fn verdicts_survive_a_round_trip() {
        let root = tempfile::tempdir().unwrap();
        let kept = VerdictStore { folder: root.path().join("steps/this") };
        let of = Fingerprint::default();
        assert_eq!(kept.load_verdicts(&of), None);
        let verdicts = [
            Safety::Unknown(NotChecked {
                bundle: "p.v1.0.0".into(),
                reason: "nowhere".to_owned(),
                is_failure: false,
            }),
            Safety::Known(Findings::default()),
        ];
        kept.store_verdicts(&of, &verdicts);
        assert_eq!(kept.load_verdicts(&of).unwrap(), verdicts);
        assert_eq!(fs::read_dir(&kept.folder).unwrap().count(), 1, "nothing is left beside it");
        for broken in ["", "[", "{}", "[{\"Known\":1}]", "\u{0}"] {
            fs::write(kept.verdict_path(&of), broken).unwrap();
            assert_eq!(kept.load_verdicts(&of), None, "{broken}");
        }
        kept.store_verdicts(&of, &verdicts);
        assert_eq!(kept.load_verdicts(&of).unwrap(), verdicts, "what is broken is written again");
    }

    #[test]
    fn number_and_size_of_files_are_limited() {
        let root = tempfile::tempdir().unwrap();
        for number in 0..9 {
            fs::write(root.path().join(format!("{number}.json")), "12345").unwrap();
        }
        let left = || fs::read_dir(root.path()).unwrap().count();
        remove_oldest(root.path(), 6, 1000);
        assert_eq!(left(), 6, "so many files");
        remove_oldest(root.path(), 6, 14);
        assert_eq!(left(), 2, "so many bytes");
    }
}
