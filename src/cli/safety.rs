//! Options that name the sources of manifests, for commands that judge upgrade steps.

use std::path::{Path, PathBuf};

use super::{Failure, image, source, with_progress};
use olm_catalog::{Catalog, package::Package};
use olm_source::{Access, ImageAccess, ManifestSearchPath, ManifestStore, bundles};
use olm_upgrade::safety::{ApiNeighbors, PackageSafety, SafetyInputs};

/// Folders of bundle directories.
#[derive(Debug, Default, clap::Args)]
pub struct FoldersArgs {
    /// Additional folder with manifests of the bundles: bundle directory, operator's folder, or
    /// repository of operators. Can be repeated.
    #[arg(long, value_name = "DIR")]
    bundles: Vec<PathBuf>,
}

/// Sources of manifests.
#[derive(Debug, Default, clap::Args)]
pub struct BundlesArgs {
    #[command(flatten)]
    folders: FoldersArgs,
    /// Fetch the images of the bundles in question, for their manifests. The cache keeps them.
    #[arg(long)]
    #[cfg_attr(feature = "images", arg(conflicts_with = "offline"))]
    fetch_bundles: bool,
}

/// Checks of upgrade steps.
#[derive(Debug, Default, clap::Args)]
pub struct SafetyArgs {
    /// Show for each step whether OLM refuses it, and what to check before it.
    #[arg(long)]
    safety: bool,
    #[command(flatten)]
    bundles: BundlesArgs,
}

impl SafetyArgs {
    /// Returns the sources of manifests if steps are judged: with `--safety`, or if a source is
    /// given.
    pub fn search_path(&self, images: &image::Args) -> Option<ManifestSearchPath> {
        let is_asked = self.safety || self.bundles.has_source();
        is_asked.then(|| self.bundles.search_path(&images.access()))
    }
}

/// Steps whose verdicts a command shows.
#[derive(Debug)]
pub enum ShownSteps {
    /// All steps, judged with manifests from these sources.
    All(Box<ManifestSearchPath>),
    /// Only refused steps, because the user did not request verdicts.
    Refused,
}

impl SafetyArgs {
    /// Opens the catalog for a question about a package: all of it if steps are judged, because that takes the APIs of
    /// all packages.
    pub fn open_catalog(
        &self,
        path: Option<&Path>,
        package: Option<&str>,
        images: &image::Args,
    ) -> anyhow::Result<Catalog> {
        if self.search_path(images).is_none() {
            let catalog = source::open_for_package(path, package, images)?;
            let own = package.and_then(|name| catalog.package(name));
            let is_judged = own.is_some_and(|own| catalog.has_manifests_of(own));
            if catalog.missing_part().is_none() || !is_judged {
                return Ok(catalog);
            }
        }
        source::open_catalog(path, images)
    }

    /// Returns the steps whose verdicts a command shows. `None` if the user did not request
    /// verdicts and the catalog does not contain manifests of the package.
    pub fn shown_steps(
        &self,
        images: &image::Args,
        catalog: &Catalog,
        package: &Package,
    ) -> Option<ShownSteps> {
        match self.search_path(images) {
            Some(sight) => Some(ShownSteps::All(Box::new(sight))),
            None => catalog.has_manifests_of(package).then_some(ShownSteps::Refused),
        }
    }
}

impl ShownSteps {
    /// Judges steps with the available manifests, and keeps those that are shown.
    pub fn judge_steps(
        &self,
        catalog: &Catalog,
        judge: impl FnOnce(SafetyInputs<'_>) -> PackageSafety,
    ) -> Result<PackageSafety, Failure> {
        let neighbours = ApiNeighbors::from_catalog(catalog);
        let own = ManifestSearchPath::default();
        let sight = match self {
            Self::All(sight) => sight.as_ref(),
            Self::Refused => &own,
        };
        let safety = with_manifests(catalog, sight, |shelves| {
            judge(SafetyInputs { manifests: shelves, neighbors: &neighbours, cache: None })
        })?;
        Ok(match self {
            Self::All(_) => safety,
            Self::Refused => safety.retain_refused(),
        })
    }

    /// Returns true if the user requested a verdict on each step.
    pub fn is_requested(&self) -> bool {
        matches!(self, Self::All(_))
    }
}

impl BundlesArgs {
    /// Returns true if the user named a source of manifests.
    pub fn has_source(&self) -> bool {
        self.fetch_bundles || !self.folders.bundles.is_empty()
    }

    /// Returns the sources of manifests. Cached images are always used.
    pub fn search_path(&self, access: &Access) -> ManifestSearchPath {
        let images = if self.fetch_bundles {
            ImageAccess::Fetched(access.clone())
        } else {
            ImageAccess::only_cached(access)
        };
        ManifestSearchPath { folders: self.folders.bundles.clone(), images, ..ManifestSearchPath::default() }
    }
}

impl FoldersArgs {
    /// Returns the folders. Refuses a folder without a bundle directory.
    pub fn checked_folders(self) -> Result<Vec<PathBuf>, Failure> {
        match self.bundles.iter().find(|path| bundles::find_bundle_folder(path).is_none()) {
            Some(path) => Err(no_bundles_failure(path)),
            None => Ok(self.bundles),
        }
    }
}

/// Calls `work` with the manifests of a catalog's bundles, and shows progress.
pub fn with_manifests<T>(
    catalog: &Catalog,
    sight: &ManifestSearchPath,
    work: impl FnOnce(&ManifestStore<'_>) -> T,
) -> Result<T, Failure> {
    with_progress(|progress| ManifestStore::new(catalog, sight, progress).map(|shelves| work(&shelves)))
        .map_err(|path| no_bundles_failure(&path))
}

/// Returns the error for a folder without bundle directories.
pub fn no_bundles_failure(path: &Path) -> Failure {
    Failure::new(format!("no bundle directory in {}", path.display()))
        .with_hint("name a folder with manifests/ and metadata/, or one with such folders below it")
}
