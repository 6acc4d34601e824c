//! Options that name the sources of manifests, for commands that judge upgrade steps.

use std::path::{Path, PathBuf};

use super::{failure::Failure, image, progress};
use crate::{
    catalog::{Catalog, package::Package},
    source::{Access, Images, Shelves, Sight, bundles},
    upgrade::safety::{Grounds, Neighbours, PackageSafety},
};

/// The folders of bundle directories.
#[derive(Debug, Default, clap::Args)]
pub struct FoldersArgs {
    /// Look for the bundles' manifests in this folder too: a bundle directory, an operator's folder, or a repository of
    /// operators. May be given several times.
    #[arg(long, value_name = "DIR")]
    bundles: Vec<PathBuf>,
}

/// Where manifests are looked for.
#[derive(Debug, Default, clap::Args)]
pub struct BundlesArgs {
    #[command(flatten)]
    folders: FoldersArgs,
    /// Fetch the images of the bundles that are asked about, for their manifests. They are kept in the cache.
    #[arg(long)]
    #[cfg_attr(feature = "images", arg(conflicts_with = "offline"))]
    fetch_bundles: bool,
}

/// Whether steps are judged.
#[derive(Debug, Default, clap::Args)]
pub struct SafetyArgs {
    /// Say of each step whether OLM refuses it, and what to look at before it.
    #[arg(long)]
    safety: bool,
    #[command(flatten)]
    bundles: BundlesArgs,
}

impl SafetyArgs {
    /// Returns the sources of manifests if steps are judged: with `--safety`, or if a source is
    /// given.
    pub fn sight(&self, images: &image::Args) -> Option<Sight> {
        let is_asked = self.safety || self.bundles.says_where();
        is_asked.then(|| self.bundles.sight(&images.access()))
    }
}

/// Steps whose verdicts a command shows.
#[derive(Debug)]
pub enum StepsShown {
    /// All steps, judged with manifests from these sources.
    All(Box<Sight>),
    /// Only refused steps, because the user did not request verdicts.
    Refused,
}

impl SafetyArgs {
    /// Returns the steps whose verdicts a command shows. `None` if the user did not request
    /// verdicts and the catalog does not contain manifests of the package.
    pub fn steps_shown(
        &self,
        images: &image::Args,
        catalog: &Catalog,
        package: &Package,
    ) -> Option<StepsShown> {
        match self.sight(images) {
            Some(sight) => Some(StepsShown::All(Box::new(sight))),
            None => catalog.has_manifests_of(package).then_some(StepsShown::Refused),
        }
    }
}

impl StepsShown {
    /// Judges steps with the available manifests, and keeps those that are shown.
    pub fn judge(
        &self,
        catalog: &Catalog,
        judge: impl FnOnce(Grounds<'_>) -> PackageSafety,
    ) -> Result<PackageSafety, Failure> {
        let neighbours = Neighbours::of(catalog);
        let own = Sight::default();
        let sight = match self {
            Self::All(sight) => sight.as_ref(),
            Self::Refused => &own,
        };
        let safety = with_manifests(catalog, sight, |shelves| {
            judge(Grounds { manifests: shelves, neighbours: &neighbours, memory: None })
        })?;
        Ok(match self {
            Self::All(_) => safety,
            Self::Refused => safety.only_refused(),
        })
    }

    /// Returns true if the user requested a verdict on each step.
    pub fn is_asked(&self) -> bool {
        matches!(self, Self::All(_))
    }
}

impl BundlesArgs {
    /// Returns true if the user named a source of manifests.
    pub fn says_where(&self) -> bool {
        self.fetch_bundles || !self.folders.bundles.is_empty()
    }

    /// Returns the sources of manifests. Cached images are always used.
    pub fn sight(&self, access: &Access) -> Sight {
        let images =
            if self.fetch_bundles { Images::Fetched(access.clone()) } else { Images::cached(access) };
        Sight { folders: self.folders.bundles.clone(), images }
    }
}

impl FoldersArgs {
    /// Returns the folders. Refuses a folder without a bundle directory.
    pub fn checked(self) -> Result<Vec<PathBuf>, Failure> {
        match self.bundles.iter().find(|path| bundles::find(path).is_none()) {
            Some(path) => Err(no_bundles(path)),
            None => Ok(self.bundles),
        }
    }
}

/// Calls `work` with the manifests of a catalog's bundles, and shows progress.
pub fn with_manifests<T>(
    catalog: &Catalog,
    sight: &Sight,
    work: impl FnOnce(&Shelves<'_>) -> T,
) -> Result<T, Failure> {
    progress::watched(|progress| Shelves::new(catalog, sight, progress).map(|shelves| work(&shelves)))
        .map_err(|path| no_bundles(&path))
}

/// Returns the error for a folder without bundle directories.
pub fn no_bundles(path: &Path) -> Failure {
    Failure::new(format!("no bundle directory in {}", path.display()))
        .hint("name a folder with manifests/ and metadata/, or one with such folders below it")
}
