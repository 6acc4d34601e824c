//! Where the bundles of a catalog were made from: directories with their manifests.

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
};

use super::names::{BundleName, PackageName};

/// Where the directory of a bundle is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BundleHome {
    /// It is known.
    Directory {
        /// The directory.
        path: PathBuf,
        /// The file of its ClusterServiceVersion, where it has one.
        csv: Option<PathBuf>,
    },
    /// It is in an operator's folder, called by its version most often (the layout of community-operators).
    Operator(PathBuf),
}

/// Where the bundles of a catalog were made from, as far as that is known.
#[derive(Clone, Debug, Default)]
pub struct BundleHomes {
    bundles: HashMap<(PackageName, BundleName), BundleHome>,
    operators: BTreeMap<PackageName, PathBuf>,
}

impl BundleHomes {
    /// Adds the directory of a bundle; the first one stays.
    pub fn add_directory(&mut self, package: &str, bundle: &str, path: PathBuf, csv: Option<PathBuf>) {
        let home = BundleHome::Directory { path, csv };
        self.bundles.entry((package.into(), bundle.into())).or_insert(home);
    }

    /// Adds the folder in which the bundles of a package are.
    pub fn add_operator(&mut self, package: PackageName, folder: PathBuf) {
        self.operators.insert(package, folder);
    }

    /// The directories that are known.
    pub fn directories(&self) -> Vec<PathBuf> {
        let directory = |home: &BundleHome| match home {
            BundleHome::Directory { path, .. } => Some(path.clone()),
            BundleHome::Operator(_) => None,
        };
        let mut found: Vec<PathBuf> = self.bundles.values().filter_map(directory).collect();
        found.sort();
        found
    }

    /// Where a bundle is.
    pub fn of(&self, package: &PackageName, bundle: &BundleName) -> Option<BundleHome> {
        let known = self.bundles.get(&(package.clone(), bundle.clone())).cloned();
        known.or_else(|| self.operators.get(package).cloned().map(BundleHome::Operator))
    }
}
