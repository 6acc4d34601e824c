//! Files and images for background jobs.

use std::path::{Path, PathBuf};
use std::{io::ErrorKind, sync::Arc};

use super::checks::{
    VerdictStore, check_catalog, openshift_versions, run_deferred_checks, with_available_checks,
};
use super::file_output::{self, expand_home};
use super::{journal, loaders};
use crate::tui::work::outcome::{
    BundleComparison, FetchOutcome, ManifestLookup, MirrorPreview, PathCompletions,
};
use crate::tui::work::{Base, Services};
use crate::tui::{LoadOutcome, Settings, Source, UserError};
use crate::{demo::demo, tui::work::effect::BundleLocator, tui::work::job::PackageChecks};
use olm_bundle::NewBundle;
use olm_catalog::load::git::{self, Repository, Revision};
use olm_catalog::load::{self, LoadError, Progress};
use olm_catalog::{BundleName, Catalog, PackageName};
use olm_check::review::history::History;
use olm_check::review::{PackageState, Snapshot};
use olm_source::{ManifestSearchPath, OpenOptions};
use olm_upgrade::{openshift::OpenShift, safety::VerdictCache};

/// Options and caches for background jobs.
#[derive(Clone)]
pub struct JobServices {
    /// Search path for the manifests of bundles.
    search_path: ManifestSearchPath,
    /// Cached verdicts on upgrade steps.
    verdicts: Option<VerdictStore>,
    /// Options for opening paths.
    open_options: OpenOptions,
    /// OpenShift versions of the open catalogs.
    openshift: Arc<[OpenShift]>,
}

impl JobServices {
    /// Creates the services from the settings.
    pub fn new(settings: &Settings) -> Self {
        Self {
            search_path: settings.search_path.clone(),
            verdicts: VerdictStore::open_default(),
            open_options: settings.open_options.clone(),
            openshift: Arc::default(),
        }
    }

    /// Adds the OpenShift versions of catalogs on disk.
    pub fn add_openshift_versions(&mut self, sources: &[Source]) {
        let more = openshift_versions(&disk_paths(sources));
        self.openshift = self.openshift.iter().copied().chain(more).collect();
    }

    /// Adds a bundle directory to the search path for the manifests of a package.
    pub fn use_bundle_directory(&mut self, package: PackageName, path: PathBuf) {
        self.search_path.package_directories.entry(package).or_default().insert(expand_home(path));
    }

    fn load_base_at(
        &self,
        base: Base,
        default_path: Option<&Path>,
        progress: &Progress,
    ) -> Result<Arc<Snapshot>, UserError> {
        let (how, sight) = (&self.open_options, &self.search_path);
        load_base(base, default_path, how, &self.openshift, sight, progress)
    }
}

impl Services for JobServices {
    fn load_catalogs(
        &self,
        sources: &[Source],
        progress: &Progress,
        show: &dyn Fn(&Source, Arc<Snapshot>),
    ) -> Vec<LoadOutcome> {
        let last = sources.len();
        let load = |(number, source): (usize, &Source)| {
            let (how, openshift) = (&self.open_options, &self.openshift);
            load_source(source.clone(), number == last, how, openshift, progress, show)
        };
        (1..).zip(sources).map(load).collect()
    }

    fn reload_changed(&self, baseline: &Snapshot) -> Option<Result<Arc<Snapshot>, UserError>> {
        let again = olm_source::reopen(&baseline.catalog, &self.open_options, &Progress::default());
        let reload = |catalog| Arc::new(check_again(baseline, catalog, &self.openshift));
        again.transpose().map(|result| result.map(reload).map_err(|error| to_user_error(&error)))
    }

    fn load_base(
        &self,
        base: &Base,
        default_path: Option<&Path>,
        progress: &Progress,
    ) -> Result<Arc<Snapshot>, UserError> {
        self.load_base_at(base.clone(), default_path, progress)
    }

    fn load_commit(
        &self,
        path: &Path,
        commit: &str,
        progress: &Progress,
    ) -> Result<Arc<Snapshot>, UserError> {
        let base = Base::Revision(Revision { revision: commit.to_owned(), path: None });
        self.load_base_at(base, Some(&expand_home(path.to_owned())), progress)
    }

    fn load_history(
        &self,
        path: &Path,
        package: &PackageName,
        progress: &Progress,
    ) -> Result<Arc<History>, UserError> {
        loaders::load_explorer_history(&expand_home(path.to_owned()), package, progress)
    }

    fn check_repository(&self, path: &Path) -> Result<(), UserError> {
        check_repository(path)
    }

    fn load_companion_file(&self, path: &Path) -> Result<Option<Vec<u8>>, UserError> {
        file_output::load_optional_file(path)
    }

    fn complete_path(&self, typed: &str) -> Result<PathCompletions, UserError> {
        loaders::complete_path(typed, self.open_options.access.cache.as_ref())
    }

    fn load_new_bundle(&self, path: &Path, image: &str) -> Result<Arc<NewBundle>, UserError> {
        let bundle = olm_source::read_new_bundle(&expand_home(path.to_owned()), image);
        bundle.map(Arc::new).map_err(|error| UserError { message: error.to_string(), hint: error.hint() })
    }

    fn load_manifests(&self, bundle: &BundleLocator) -> Result<ManifestLookup, UserError> {
        loaders::load_bundle_contents(bundle, &self.search_path)
    }

    fn compare_bundles(&self, bundles: &[BundleLocator; 2]) -> Result<Arc<BundleComparison>, UserError> {
        loaders::compare_bundles(bundles, &self.search_path)
    }

    fn apply_mirror_configuration(
        &self,
        snapshot: &Arc<Snapshot>,
        path: &Path,
    ) -> Result<Box<MirrorPreview>, UserError> {
        loaders::apply_configuration(snapshot, path)
    }

    fn run_deferred_checks(
        &self,
        package: Option<&Arc<PackageState>>,
        snapshot: &Snapshot,
    ) -> Vec<PackageChecks> {
        let verdicts = self.verdicts.as_ref().map(|verdicts| verdicts as &dyn VerdictCache);
        run_deferred_checks(package, snapshot, &self.search_path, verdicts)
    }

    fn fetch_images(
        &self,
        images: &[(BundleName, String)],
        progress: &Progress,
        report: &(dyn Fn(&BundleName, Result<FetchOutcome, UserError>) + Sync),
    ) {
        loaders::fetch_images(images, &self.open_options.access, progress, report);
    }
}

/// Loads and checks one source. While it loads, passes snapshots of the loaded part to `show`.
fn load_source(
    source: Source,
    is_last: bool,
    options: &OpenOptions,
    openshift: &[OpenShift],
    progress: &Progress,
    show: &dyn Fn(&Source, Arc<Snapshot>),
) -> LoadOutcome {
    let mut shown: Option<Arc<Snapshot>> = None;
    let mut show_partial = |catalog| {
        let snapshot = Arc::new(Snapshot::from_partial(shown.as_deref(), catalog));
        show(&source, snapshot.clone());
        shown = Some(snapshot);
    };
    let catalog = match &source {
        Source::Demo => Ok(demo()),
        Source::Path(path) => {
            olm_source::open_path_showing(&expand_home(path.clone()), options, progress, &mut show_partial)
        }
        Source::Stdin(bytes) => load::from_bytes_incremental(bytes.to_vec(), progress, &mut show_partial),
        Source::Revision(revision) => git::open_revision(revision, Path::new("."), progress),
    };
    let result = catalog
        .map(|catalog| Arc::new(check_catalog(catalog, openshift)))
        .map_err(|error| to_user_error(&error));
    // The result of the last source is part of the final message.
    if let Ok(snapshot) = &result
        && !is_last
    {
        show(&source, snapshot.clone());
    }
    let left_over = match &source {
        Source::Path(path) => journal::find_left_over(path),
        Source::Demo | Source::Stdin(_) | Source::Revision(_) => None,
    };
    LoadOutcome { source, result, recoverable_edits: left_over }
}

/// Checks a reloaded catalog. Reuses results for unchanged packages, but not if the catalog is made
/// from bundle directories, since any of them may have changed.
fn check_again(baseline: &Snapshot, catalog: Catalog, openshift: &[OpenShift]) -> Snapshot {
    if catalog.is_rendered_from_bundles() {
        check_catalog(catalog, openshift)
    } else {
        baseline.after_change(catalog)
    }
}

/// Returns the paths of catalogs on disk.
fn disk_paths(sources: &[Source]) -> Vec<PathBuf> {
    let path = |source: &Source| match source {
        Source::Path(path) => Some(path.clone()),
        Source::Demo | Source::Stdin(_) | Source::Revision(_) => None,
    };
    sources.iter().filter_map(path).collect()
}

fn to_user_error(error: &LoadError) -> UserError {
    UserError { message: error.to_string(), hint: error.hint() }
}

/// Loads and checks the base, with its upgrade steps. `like` is the path of the open catalog, `sight` the
/// search path of manifests.
fn load_base(
    base: Base,
    like: Option<&Path>,
    how: &OpenOptions,
    openshift: &[OpenShift],
    sight: &ManifestSearchPath,
    progress: &Progress,
) -> Result<Arc<Snapshot>, UserError> {
    let catalog = match base {
        Base::Revision(revision) => {
            let here = Path::new(".");
            git::open_revision(&revision, like.unwrap_or(here), progress)
        }
        Base::Path(path) | Base::Open(Source::Path(path)) => {
            olm_source::open_path(&expand_home(path), how, progress)
        }
        Base::Open(Source::Revision(revision)) => git::open_revision(&revision, Path::new("."), progress),
        Base::Open(Source::Stdin(bytes)) => Ok(load::from_bytes(bytes.to_vec())),
        Base::Loaded | Base::Open(Source::Demo) => Ok(demo()),
    };
    let catalog = catalog.map_err(|error: LoadError| {
        let message = match &error {
            LoadError::Open { path, source } if source.kind() == ErrorKind::NotFound => {
                format!("no file or directory {}", path.display())
            }
            _ => error.to_string(),
        };
        UserError { message, hint: error.hint() }
    })?;
    Ok(Arc::new(with_available_checks(check_catalog(catalog, openshift), sight)))
}

/// Checks that a catalog is in a git repository with a commit.
fn check_repository(path: &Path) -> Result<(), UserError> {
    let repository = Repository::discover(path).map_err(|error| UserError::new(error.to_string()))?;
    repository
        .resolve_revision("HEAD")
        .map_err(|_| UserError::new("its git repository has no commit yet"))?;
    repository.relative_path(path).map_err(|error| UserError::new(error.to_string()))?;
    Ok(())
}
