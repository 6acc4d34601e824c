//! Lookup of the directory that a bundle of a catalog was made from.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{is_bundle_directory, read_bundle_directory};
use olm_bundle::registry::DirectoryContents;
use olm_catalog::{BundleSource, Catalog, PackageName, blob::BundleBlob};

/// Returns the directory of a bundle of a catalog, if it is known and exists.
pub fn directory_of(catalog: &Catalog, package: &PackageName, bundle: &BundleBlob) -> Option<PathBuf> {
    directory_by(catalog, package, bundle, csv_name)
}

/// Like [`directory_of`], with a function that returns the name of the CSV in a directory.
pub fn directory_by(
    catalog: &Catalog,
    package: &PackageName,
    bundle: &BundleBlob,
    csv_name: impl Fn(&Path) -> Option<String>,
) -> Option<PathBuf> {
    let home = catalog.bundle_source(package, &bundle.name.value)?;
    let version = bundle.version.as_ref().map(ToString::to_string).unwrap_or_default();
    find_directory_by(&home, bundle.name.value.as_str(), &version, csv_name)
}

/// Returns the directory of a bundle if its CSV has the bundle's name. In an operator's folder, directories
/// named after the version are tried first.
pub fn find_directory(home: &BundleSource, name: &str, version: &str) -> Option<PathBuf> {
    find_directory_by(home, name, version, csv_name)
}

fn find_directory_by(
    home: &BundleSource,
    name: &str,
    version: &str,
    csv_name: impl Fn(&Path) -> Option<String>,
) -> Option<PathBuf> {
    let folder = match home {
        BundleSource::Directory { path, .. } => return Some(path.clone()),
        BundleSource::Operator(folder) => folder,
    };
    let mut directories: Vec<PathBuf> = subfolders(folder).filter(|path| is_bundle_directory(path)).collect();
    let is_likely = |path: &Path| {
        let called = path.file_name().and_then(|called| called.to_str());
        called.is_some_and(|called| called == version || called.strip_prefix('v') == Some(version))
    };
    directories.sort_by_cached_key(|path| (!is_likely(path), path.clone()));
    directories.into_iter().find(|path| csv_name(path).as_deref() == Some(name))
}

/// Returns the name of the CSV in a bundle directory.
pub fn csv_name(directory: &Path) -> Option<String> {
    let tree = read_bundle_directory(directory).ok()?;
    Some(DirectoryContents::from_tree(&tree).csv()?.name().to_owned())
}

fn subfolders(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}
