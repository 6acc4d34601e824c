//! Where commands that judge steps look for manifests.

use std::path::{Path, PathBuf};

use super::failure::Failure;
use crate::{
    catalog::Catalog,
    source::{Shelves, bundles},
};

/// The folders of bundle directories.
#[derive(Debug, Default, clap::Args)]
pub struct BundlesArgs {
    /// Look for the bundles' manifests in this folder too: a bundle directory, an operator's folder, or a repository of
    /// operators. May be given several times.
    #[arg(long, value_name = "DIR")]
    pub bundles: Vec<PathBuf>,
}

/// Whether steps are judged.
#[derive(Debug, Default, clap::Args)]
pub struct SafetyArgs {
    /// Say of each step whether OLM refuses it because of its CRDs, and what to look at before it.
    #[arg(long)]
    safety: bool,
    #[command(flatten)]
    bundles: BundlesArgs,
}

impl SafetyArgs {
    /// The manifests to judge by, where steps are judged; who names folders wants that.
    pub fn shelves<'c>(&self, catalog: &'c Catalog) -> Result<Option<Shelves<'c>>, Failure> {
        let is_asked = self.safety || !self.bundles.bundles.is_empty();
        is_asked.then(|| self.bundles.shelves(catalog)).transpose()
    }
}

impl BundlesArgs {
    /// The manifests of the bundles of a catalog.
    pub fn shelves<'c>(&self, catalog: &'c Catalog) -> Result<Shelves<'c>, Failure> {
        Shelves::new(catalog, &self.bundles).map_err(|path| no_bundles(&path))
    }

    /// The folders, each with a bundle directory in it.
    pub fn checked(self) -> Result<Vec<PathBuf>, Failure> {
        match self.bundles.iter().find(|path| bundles::find(path).is_none()) {
            Some(path) => Err(no_bundles(path)),
            None => Ok(self.bundles),
        }
    }
}

/// That a folder has none.
pub fn no_bundles(path: &Path) -> Failure {
    Failure::new(format!("no bundle directory in {}", path.display()))
        .hint("name a folder with manifests/ and metadata/, or one with such folders below it")
}
