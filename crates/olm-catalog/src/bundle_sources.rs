//! Source directories of the bundles of a catalog.

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
};

use super::names::{BundleName, PackageName};

/// Location of the source of a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BundleSource {
    /// A known bundle directory.
    Directory {
        /// Path of the directory.
        path: PathBuf,
        /// File of its ClusterServiceVersion, if any.
        csv: Option<PathBuf>,
    },
    /// Folder of an operator, in which directories are usually named by version (the layout of
    /// community-operators).
    Operator(PathBuf),
}

/// A source directory of a catalog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundleDirectory {
    /// Path of the directory.
    pub path: PathBuf,
    /// Hash of its content within this run of the program, because a catalog shows only a part of what is
    /// checked.
    pub content_hash: u64,
}

/// A bundle in the source image of a catalog.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ImageBundle {
    /// Content of each file by path in the bundle, or the error of reading it.
    pub files: Vec<(String, Result<Vec<u8>, String>)>,
    /// Paths of the folders.
    pub folders: Vec<String>,
    /// Labels of the image.
    pub labels: BTreeMap<String, String>,
}

/// Known sources of the bundles of a catalog.
#[derive(Clone, Debug, Default)]
pub struct BundleSources {
    bundles: HashMap<(PackageName, BundleName), BundleSource>,
    operators: BTreeMap<PackageName, PathBuf>,
    common_operator: Option<PathBuf>,
    directories: Vec<BundleDirectory>,
    image: Option<ImageBundle>,
}

impl BundleSources {
    /// Adds a bundle directory, whatever it contains.
    pub fn record_directory(&mut self, directory: BundleDirectory) {
        self.directories.push(directory);
    }

    /// Sets the bundle of the source image.
    pub fn set_image(&mut self, bundle: ImageBundle) {
        self.image = Some(bundle);
    }

    /// Returns the bundle of the source image.
    pub fn image_bundle(&self) -> Option<&ImageBundle> {
        self.image.as_ref()
    }

    /// Records the directory of a bundle. The first directory of a name wins.
    pub fn add_directory(&mut self, package: &str, bundle: &str, path: PathBuf, csv: Option<PathBuf>) {
        let home = BundleSource::Directory { path, csv };
        self.bundles.entry((package.into(), bundle.into())).or_insert(home);
    }

    /// Adds the folder with the bundles of a package.
    pub fn add_operator(&mut self, package: PackageName, folder: PathBuf) {
        self.operators.insert(package, folder);
    }

    /// Adds the folder with the bundles of all packages. A template generates those of one operator.
    pub fn set_common_operator(&mut self, folder: PathBuf) {
        self.common_operator = Some(folder);
    }

    /// Returns the source directories, including unreadable ones.
    pub fn directories(&self) -> &[BundleDirectory] {
        &self.directories
    }

    /// Returns the source of a bundle.
    pub fn get(&self, package: &PackageName, bundle: &BundleName) -> Option<BundleSource> {
        let known = self.bundles.get(&(package.clone(), bundle.clone())).cloned();
        let operator = || self.operators.get(package).or(self.common_operator.as_ref());
        known.or_else(|| operator().cloned().map(BundleSource::Operator))
    }
}
