//! Where the manifests of a catalog's bundles are: their directories, the objects that the catalog carries, their images.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use crate::{
    bundle::{
        Tree, TreeFile,
        crd::NotInSight,
        manifests::{Found, Manifests},
        read,
        registry::Contents,
    },
    catalog::{
        Catalog, PackageName, blob::BundleBlob, details::bundle_object, load::Progress, package::Package,
        text::emit,
    },
    source::{
        Images, NoImage, Sight,
        bundles::{BundleFolder, directory_of, find},
        read_bundle_directory,
    },
};

/// The manifests of the bundles of a catalog.
///
/// They are looked for in the directories that the catalog was made from or that lie beside it, then in further folders, then
/// in the catalog itself (`olm.bundle.object`), then in the bundles' images.
#[derive(Debug)]
pub struct Shelves<'c> {
    catalog: &'c Catalog,
    folders: Vec<BundleFolder>,
    images: Images,
    progress: &'c Progress,
    /// The bundles of a folder by the names of their CSVs, once somebody asked.
    known: Mutex<HashMap<PathBuf, Arc<HashMap<String, PathBuf>>>>,
}

impl<'c> Shelves<'c> {
    /// The manifests of a catalog, by what else is in sight. Fetching images is told to `progress`, and stops when that says so.
    ///
    /// # Errors
    ///
    /// The first of the folders in which there is no bundle directory.
    pub fn new(catalog: &'c Catalog, sight: &Sight, progress: &'c Progress) -> Result<Self, PathBuf> {
        let found = sight.folders.iter().map(|path| find(path).ok_or_else(|| path.clone()));
        let folders = found.collect::<Result<_, _>>()?;
        Ok(Self { catalog, folders, images: sight.images.clone(), progress, known: Mutex::default() })
    }

    /// Whether manifests of a package may be in sight: where there are folders that is only known by looking.
    pub fn has_any(&self, package: &Package) -> bool {
        let images = || package.bundles.iter().filter_map(|bundle| bundle.image.as_ref());
        !self.folders.is_empty()
            || self.catalog.has_manifests_of(package)
            || images().any(|image| self.images.may_have(&image.value))
    }

    /// The bundle directory of a bundle, where there is one.
    pub fn directory(&self, package: &PackageName, bundle: &BundleBlob) -> Option<PathBuf> {
        let name = bundle.name.value.as_str();
        directory_of(self.catalog, package, bundle)
            .or_else(|| self.folders.iter().find_map(|folder| self.in_folder(folder, package.as_str(), name)))
    }

    /// In an operator's folder that is called like the package; where there is none, in any.
    fn in_folder(&self, folder: &BundleFolder, package: &str, name: &str) -> Option<PathBuf> {
        let is_operators = |path: &Path| {
            path.parent().and_then(Path::file_name).is_some_and(|called| called.to_string_lossy() == package)
        };
        let own: Vec<PathBuf> = folder.paths().filter(|path| is_operators(path)).collect();
        let (place, directories) = match own.first().and_then(|first| first.parent()) {
            Some(place) => (place.to_owned(), own),
            None => (folder.root.clone(), folder.paths().collect()),
        };
        self.by_name(place, &directories).get(name).cloned()
    }

    fn in_image(&self, bundle: &BundleBlob, image: &str) -> Result<Found, NotInSight> {
        let name = bundle.name.value.to_string();
        match self.images.bundle(image, self.progress) {
            Ok(tree) => Ok(Found { tree, shown: Some(image.to_owned()) }),
            Err(NoImage::NotFetched) => Err(NotInSight::NotFetched(name)),
            Err(NoImage::Failed { why, .. }) => Err(NotInSight::Image { bundle: name, why }),
        }
    }

    fn by_name(&self, place: PathBuf, directories: &[PathBuf]) -> Arc<HashMap<String, PathBuf>> {
        let known = || self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(found) = known().get(&place) {
            return Arc::clone(found);
        }
        let named = directories.iter().filter_map(|path| {
            let tree = read_bundle_directory(path).ok()?;
            let name = Contents::read(&tree).csv()?.name().to_owned();
            Some((name, path.clone()))
        });
        let found: Arc<HashMap<String, PathBuf>> = Arc::new(named.collect());
        known().insert(place, Arc::clone(&found));
        found
    }
}

impl Manifests for Shelves<'_> {
    fn of(&self, package: &PackageName, bundle: &BundleBlob) -> Result<Found, NotInSight> {
        if let Some(path) = self.directory(package, bundle) {
            return match read_bundle_directory(&path) {
                Ok(tree) => Ok(Found { tree, shown: Some(path.to_string_lossy().into_owned()) }),
                Err(_) => Err(NotInSight::Unread(bundle.name.value.to_string())),
            };
        }
        match (&bundle.image, bundle.has_objects) {
            (Some(image), false) => self.in_image(bundle, &image.value),
            _ => Ok(Found { tree: of_objects(self.catalog, bundle)?, shown: None }),
        }
    }
}

/// What a catalog carries of a bundle, as files of one object each.
fn of_objects(catalog: &Catalog, bundle: &BundleBlob) -> Result<Tree, NotInSight> {
    let name = || bundle.name.value.to_string();
    if !bundle.has_objects {
        return Err(NotInSight::NoObjects(name()));
    }
    let document = catalog.tree(bundle.doc).and_then(Result::ok).ok_or_else(|| NotInSight::Unread(name()))?;
    let properties = read::items(&document, &["properties"]);
    let values = properties
        .iter()
        .filter(|property| read::text(property, &["type"]) == "olm.bundle.object")
        .filter_map(|property| read::at(property, &["value"]));
    let mut files = Vec::new();
    for (at, value) in values.enumerate() {
        let object = bundle_object(value).ok_or_else(|| NotInSight::Unread(name()))?;
        let path = format!("manifests/{:03}-{}.json", at + 1, read::text(&object, &["kind"]));
        files.push(TreeFile { path, content: Ok(emit::json(&object).into_bytes()) });
    }
    Ok(Tree::new(files, vec!["manifests".to_owned(), "metadata".to_owned()]))
}
