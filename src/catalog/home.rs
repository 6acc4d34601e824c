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

/// A bundle directory that a catalog was made from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundleDirectory {
    /// Where it is.
    pub path: PathBuf,
    /// Tells its content from another within this run of the program: a catalog shows only a part of what is judged.
    pub content: u64,
}

/// A bundle in an image that a catalog was made from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ImageBundle {
    /// Files by their paths in the bundle, each with its content or the reason why that cannot be read.
    pub files: Vec<(String, Result<Vec<u8>, String>)>,
    /// Folders.
    pub folders: Vec<String>,
    /// Labels of the image.
    pub labels: BTreeMap<String, String>,
}

/// Where the bundles of a catalog were made from, as far as that is known.
#[derive(Clone, Debug, Default)]
pub struct BundleHomes {
    bundles: HashMap<(PackageName, BundleName), BundleHome>,
    operators: BTreeMap<PackageName, PathBuf>,
    operator_of_all: Option<PathBuf>,
    directories: Vec<BundleDirectory>,
    image: Option<ImageBundle>,
}

impl BundleHomes {
    /// Adds a directory, whatever is in it.
    pub fn add_any(&mut self, directory: BundleDirectory) {
        self.directories.push(directory);
    }

    /// Sets the bundle of an image.
    pub fn set_image(&mut self, bundle: ImageBundle) {
        self.image = Some(bundle);
    }

    /// The bundle of an image that the catalog was made from.
    pub fn image(&self) -> Option<&ImageBundle> {
        self.image.as_ref()
    }

    /// Says which bundle a directory is; of several with one name it is the first.
    pub fn add_directory(&mut self, package: &str, bundle: &str, path: PathBuf, csv: Option<PathBuf>) {
        let home = BundleHome::Directory { path, csv };
        self.bundles.entry((package.into(), bundle.into())).or_insert(home);
    }

    /// Adds the folder in which the bundles of a package are.
    pub fn add_operator(&mut self, package: PackageName, folder: PathBuf) {
        self.operators.insert(package, folder);
    }

    /// Adds the folder in which the bundles of all packages are: a template makes those of one operator.
    pub fn add_operator_of_all(&mut self, folder: PathBuf) {
        self.operator_of_all = Some(folder);
    }

    /// The directories that the catalog was made from, those of which nothing could be read too.
    pub fn directories(&self) -> &[BundleDirectory] {
        &self.directories
    }

    /// Where a bundle is.
    pub fn of(&self, package: &PackageName, bundle: &BundleName) -> Option<BundleHome> {
        let known = self.bundles.get(&(package.clone(), bundle.clone())).cloned();
        let operator = || self.operators.get(package).or(self.operator_of_all.as_ref());
        known.or_else(|| operator().cloned().map(BundleHome::Operator))
    }
}
