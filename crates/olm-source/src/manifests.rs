//! Manifests of a catalog's bundles, from bundle directories, the catalog itself or images, and the search
//! path for them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use crate::{
    Access,
    bundles::{self, BundleFolder, directory_by, find_bundle_folder},
    read_bundle_directory,
};
use olm_bundle::{
    FilePool, Tree, TreeFile,
    crd::ManifestsUnavailable,
    field_access,
    manifests::{BundleManifests, Manifests},
    registry::{BundleError, DirectoryContents, DropReason, DroppedFile},
};
use olm_catalog::{
    Catalog, PackageName, blob::BundleBlob, details::bundle_object, load::Progress, package::Package,
    text::emit,
};

/// Source of the manifests of a catalog's bundles.
///
/// Searches the directories that the catalog was made from, those next to the catalog, and
/// further folders. The objects in the catalog (`olm.bundle.object`) come next, then the bundles'
/// images.
#[derive(Debug)]
pub struct ManifestStore<'c> {
    catalog: &'c Catalog,
    folders: Vec<BundleFolder>,
    package_folders: BTreeMap<PackageName, Vec<BundleFolder>>,
    images: ImageAccess,
    progress: &'c Progress,
    /// Large files, which are often equal in the versions of an operator.
    files: FilePool,
    /// Indexed folders by path.
    indexed: Mutex<HashMap<PathBuf, Arc<FolderIndex>>>,
    /// CSV names of operators' bundle directories, by directory. Each directory is read once for all bundles.
    csv_names: Mutex<HashMap<PathBuf, Option<String>>>,
}

/// Bundle directories of a folder.
#[derive(Debug, Default)]
struct FolderIndex {
    /// Directories by CSV name.
    by_name: HashMap<String, PathBuf>,
    /// Directories without a readable CSV, with the reason.
    unread: Vec<(PathBuf, String)>,
}

impl<'c> ManifestStore<'c> {
    /// Creates a store with a search path. Image downloads report to `progress`, which can also cancel them.
    ///
    /// # Errors
    ///
    /// Returns the first folder without a bundle directory.
    pub fn new(
        catalog: &'c Catalog,
        sight: &ManifestSearchPath,
        progress: &'c Progress,
    ) -> Result<Self, PathBuf> {
        let found = sight.folders.iter().map(|path| find_bundle_folder(path).ok_or_else(|| path.clone()));
        let folders = found.collect::<Result<_, _>>()?;
        let package_folders = sight.package_directories.iter().map(|(package, directories)| {
            let folders = directories.iter().filter_map(|path| bundles::find_version_directories(path));
            (package.clone(), folders.collect::<Vec<_>>())
        });
        Ok(Self {
            catalog,
            folders,
            package_folders: package_folders.filter(|(_, folders)| !folders.is_empty()).collect(),
            images: sight.images.clone(),
            progress,
            files: FilePool::default(),
            indexed: Mutex::default(),
            csv_names: Mutex::default(),
        })
    }

    /// Returns true if there may be manifests of a package. Folders always count, because only a search shows
    /// what they contain.
    pub fn has_any(&self, package: &Package) -> bool {
        let images = || package.bundles.iter().filter_map(|bundle| bundle.image.as_ref());
        self.folders_of(&package.name).next().is_some()
            || self.catalog.has_manifests_of(package)
            || images().any(|image| self.images.may_have(&image.value))
    }

    /// Iterates over the folders that may have bundles of a package, its own first.
    fn folders_of(&self, package: &PackageName) -> impl Iterator<Item = &BundleFolder> {
        self.package_folders.get(package).into_iter().flatten().chain(&self.folders)
    }

    /// Returns the bundle directory of a bundle, if there is one.
    fn find_directory_of(&self, package: &PackageName, bundle: &BundleBlob) -> Option<PathBuf> {
        let name = bundle.name.value.as_str();
        directory_by(self.catalog, package, bundle, |path| self.csv_name(path)).or_else(|| {
            let mut indexes =
                self.folders_of(package).map(|folder| self.index_folder(folder, package.as_str()));
            indexes.find_map(|index| index.by_name.get(name).cloned())
        })
    }

    /// Returns the name of the CSV in a bundle directory and caches it.
    fn csv_name(&self, path: &Path) -> Option<String> {
        let names = || self.csv_names.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(name) = names().get(path) {
            return name.clone();
        }
        let name = bundles::csv_name(path);
        names().insert(path.to_owned(), name.clone());
        name
    }

    /// Returns the first unreadable directory that may hold a bundle.
    fn unread_directory(&self, package: &PackageName, bundle: &BundleBlob) -> Option<ManifestsUnavailable> {
        let mut indexes = self.folders_of(package).map(|folder| self.index_folder(folder, package.as_str()));
        let (path, why) = indexes.find_map(|index| index.unread.first().cloned())?;
        let path = path.to_string_lossy().into_owned();
        Some(ManifestsUnavailable::Directory { bundle: bundle.name.value.to_string(), path, why })
    }

    /// Indexes the folder of the operator that is named like the package, or all directories if
    /// it does not exist.
    fn index_folder(&self, folder: &BundleFolder, package: &str) -> Arc<FolderIndex> {
        let is_operators = |path: &Path| {
            path.parent().and_then(Path::file_name).is_some_and(|called| called.to_string_lossy() == package)
        };
        let own: Vec<PathBuf> = folder.paths().filter(|path| is_operators(path)).collect();
        let (folder_path, directories) = match own.first().and_then(|first| first.parent()) {
            Some(folder_path) => (folder_path.to_owned(), own),
            None => (folder.root.clone(), folder.paths().collect()),
        };
        let indexed = || self.indexed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(index) = indexed().get(&folder_path) {
            return Arc::clone(index);
        }
        let index = Arc::new(FolderIndex::new(&directories));
        indexed().insert(folder_path, Arc::clone(&index));
        index
    }

    fn find_in_image(
        &self,
        bundle: &BundleBlob,
        image: &str,
    ) -> Result<BundleManifests, ManifestsUnavailable> {
        let name = bundle.name.value.to_string();
        match self.images.load_bundle(image, self.progress) {
            Ok(tree) => {
                let tree = self.files.share_files(tree);
                Ok(BundleManifests { tree, shown: Some(image.to_owned()) })
            }
            Err(ImageUnavailable::NotFetched) => Err(ManifestsUnavailable::NotFetched(name)),
            Err(ImageUnavailable::Failed { why, .. }) => {
                Err(ManifestsUnavailable::Image { bundle: name, why })
            }
        }
    }
}

impl FolderIndex {
    fn new(directories: &[PathBuf]) -> Self {
        let mut index = Self::default();
        for path in directories {
            match csv_name(path) {
                Ok(name) => drop(index.by_name.insert(name, path.clone())),
                Err(why) => index.unread.push((path.clone(), why)),
            }
        }
        index
    }
}

/// Returns the name of the CSV in a bundle directory, or the reason why there is none.
fn csv_name(path: &Path) -> Result<String, String> {
    let tree = read_bundle_directory(path).map_err(|error| error.to_string())?;
    let contents = DirectoryContents::from_tree(&tree);
    if let Some(csv) = contents.csv() {
        return Ok(csv.name().to_owned());
    }
    let unread = tree.files_in("manifests").find_map(|file| {
        let reason = file.content.as_ref().err()?;
        Some(format!("{}: {reason}", file.path))
    });
    let dropped = || {
        let unreadable = |dropped: &&DroppedFile<'_>| matches!(dropped.reason, DropReason::Unreadable(_));
        let dropped = contents.dropped.iter().find(unreadable)?;
        Some(format!("{}: {}", dropped.file.path, dropped.reason))
    };
    Err(unread.or_else(dropped).unwrap_or_else(|| BundleError::NoCsv.to_string()))
}

impl Manifests for ManifestStore<'_> {
    fn manifests_of(
        &self,
        package: &PackageName,
        bundle: &BundleBlob,
    ) -> Result<BundleManifests, ManifestsUnavailable> {
        if let Some(path) = self.find_directory_of(package, bundle) {
            return match read_bundle_directory(&path) {
                Ok(tree) => Ok(BundleManifests {
                    tree: self.files.share_files(tree),
                    shown: Some(path.to_string_lossy().into_owned()),
                }),
                Err(error) => Err(ManifestsUnavailable::Directory {
                    bundle: bundle.name.value.to_string(),
                    path: path.to_string_lossy().into_owned(),
                    why: error.to_string(),
                }),
            };
        }
        let found = match (&bundle.image, bundle.has_objects) {
            (Some(image), false) => self.find_in_image(bundle, &image.value),
            (None, false) if matches!(self.images, ImageAccess::Fetched(_)) => {
                Err(ManifestsUnavailable::NoImage(bundle.name.value.to_string()))
            }
            _ => tree_from_objects(self.catalog, bundle).map(|tree| BundleManifests { tree, shown: None }),
        };
        found.map_err(|error| match self.unread_directory(package, bundle) {
            Some(unread) if !error.is_failure() => unread,
            _ => error,
        })
    }
}

/// Returns the objects of a bundle in the catalog, as one file each.
fn tree_from_objects(catalog: &Catalog, bundle: &BundleBlob) -> Result<Tree, ManifestsUnavailable> {
    let name = || bundle.name.value.to_string();
    if !bundle.has_objects {
        return Err(ManifestsUnavailable::NoObjects(name()));
    }
    let document = catalog
        .parse_document(bundle.doc)
        .and_then(Result::ok)
        .ok_or_else(|| ManifestsUnavailable::Unread(name()))?;
    let properties = field_access::items_at(&document, &["properties"]);
    let values = properties
        .iter()
        .filter(|property| field_access::text_at(property, &["type"]) == "olm.bundle.object")
        .filter_map(|property| field_access::node_at(property, &["value"]));
    let mut files = Vec::new();
    for (at, value) in values.enumerate() {
        let object = bundle_object(value).ok_or_else(|| ManifestsUnavailable::Unread(name()))?;
        let path = format!("manifests/{:03}-{}.json", at + 1, field_access::text_at(&object, &["kind"]));
        files.push(TreeFile { path, content: Ok(emit::write_json(&object).into()) });
    }
    Ok(Tree::new(files, vec!["manifests".to_owned(), "metadata".to_owned()]))
}

/// Additional folders, and the images that the catalog names.
#[derive(Clone, Debug, Default)]
pub struct ManifestSearchPath {
    /// Folders of bundle directories.
    pub folders: Vec<PathBuf>,
    /// Bundle directories of packages. The directories next to them, of other versions, count too. Paths
    /// without a bundle are ignored.
    pub package_directories: BTreeMap<PackageName, BTreeSet<PathBuf>>,
    /// Access to images.
    pub images: ImageAccess,
}

/// Bundle images that may be used.
#[derive(Clone, Debug, Default)]
pub enum ImageAccess {
    /// None.
    #[default]
    Disabled,
    /// Only images in the cache.
    Cached(Access),
    /// All images; missing ones are fetched.
    Fetched(Access),
}

/// Reason why a bundle's image is not available.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ImageUnavailable {
    /// The image is not in the cache.
    NotFetched,
    /// The image could not be fetched or read.
    Failed {
        /// Error message.
        why: String,
        /// Suggestion how to solve the problem.
        hint: Option<String>,
    },
}

impl ImageAccess {
    /// Allows only images in the cache of `access`.
    #[must_use]
    pub fn only_cached(access: &Access) -> Self {
        Self::Cached(Access { offline: true, ..access.clone() })
    }

    /// Returns true if an image may be available, without reading it.
    pub fn may_have(&self, image: &str) -> bool {
        match self {
            Self::Disabled => false,
            Self::Cached(access) => may_be_cached(image, access),
            Self::Fetched(_) => true,
        }
    }

    /// Returns the bundle directory in an image.
    ///
    /// # Errors
    ///
    /// If the image is not available, cannot be fetched, or is not a bundle.
    pub fn load_bundle(&self, image: &str, progress: &Progress) -> Result<Tree, ImageUnavailable> {
        match self {
            Self::Disabled => Err(ImageUnavailable::NotFetched),
            Self::Cached(access) if !may_be_cached(image, access) => Err(ImageUnavailable::NotFetched),
            Self::Cached(access) | Self::Fetched(access) => load_image_bundle(image, access, progress),
        }
    }
}

#[cfg(feature = "images")]
fn may_be_cached(image: &str, access: &Access) -> bool {
    super::images::may_be_cached(image, access)
}

#[cfg(feature = "images")]
fn load_image_bundle(image: &str, access: &Access, progress: &Progress) -> Result<Tree, ImageUnavailable> {
    use super::images::{ImageError, load_bundle_tree};
    load_bundle_tree(image, access, progress).map_err(|error| match error {
        ImageError::Offline(_) => ImageUnavailable::NotFetched,
        error => ImageUnavailable::Failed { hint: error.hint(), why: error.to_string() },
    })
}

#[cfg(not(feature = "images"))]
fn may_be_cached(_: &str, _: &Access) -> bool {
    false
}

#[cfg(not(feature = "images"))]
fn load_image_bundle(_: &str, _: &Access, _: &Progress) -> Result<Tree, ImageUnavailable> {
    let why = "this olmap was built without the feature images".to_owned();
    Err(ImageUnavailable::Failed { why, hint: None })
}
