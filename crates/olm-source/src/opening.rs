//! Opening of a path: a file-based catalog, bundle directories, an image or an older format.

use std::{path::Path, sync::Arc};

#[cfg(feature = "images")]
use super::images;
use super::{Access, bundles, discovery::versions_on_disk, legacy, templates::published_catalogs};
use olm_bundle::render::ImageTemplate;
use olm_catalog::{
    Catalog, KnownBundles, Origin, PackageName,
    load::{self, LoadError, Progress},
};

/// Options for opening a path.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Template for the image references of bundle directories.
    pub image: Option<ImageTemplate>,
    /// Options for fetching images and web addresses.
    pub access: Access,
    /// Package of interest: other packages of a catalog on disk may be absent or incomplete, which is faster. All
    /// problems that are errors are reported nevertheless.
    pub only_package: Option<PackageName>,
    /// True to leave the text of documents on disk until it is needed, which is faster if little of it is. If a file
    /// changes meanwhile, its text is lost ([`Catalog::lost_file`]).
    pub leaves_texts_on_disk: bool,
    /// Catalog whose files are probably equal. Equal ones share memory.
    pub similar_to: Option<Arc<Catalog>>,
}

/// Opens a catalog or bundle directories completely.
///
/// # Errors
///
/// See [`load::open_catalog`].
pub fn open_path(path: &Path, how: &OpenOptions, progress: &Progress) -> Result<Catalog, LoadError> {
    if let Some(catalog) = open_remote(path, &how.access, progress, None) {
        return catalog;
    }
    if let Some(older) = legacy::open_older(path, progress) {
        log::info!("{} is in an older format", path.display());
        return older;
    }
    if let Some(folder) = bundles::find_bundle_folder(path) {
        let directories = folder.directories.len();
        log::info!("{} has bundle directories: {directories}", path.display());
        return bundles::open_bundles(path, &folder, how.image.as_ref(), progress, &mut |_| ());
    }
    let catalog = match (&how.only_package, &how.similar_to) {
        (Some(package), _) => load::open_package_part(path, package, progress)?,
        (None, Some(known)) => load::open_similar(path, known, progress)?,
        (None, None) if how.leaves_texts_on_disk => load::open_with_texts_on_disk(path, progress)?,
        (None, None) => load::open_catalog_with_progress(path, progress)?,
    };
    Ok(with_repository_facts(catalog))
}

/// Like [`open_path()`], and passes partial catalogs to `show` while it reads.
///
/// # Errors
///
/// See [`load::open_catalog_incremental`].
pub fn open_path_showing(
    path: &Path,
    how: &OpenOptions,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    if let Some(catalog) = open_remote(path, &how.access, progress, Some(&mut *show)) {
        return catalog;
    }
    if let Some(older) = legacy::open_older(path, progress) {
        return older;
    }
    match bundles::find_bundle_folder(path) {
        Some(folder) => bundles::open_bundles(path, &folder, how.image.as_ref(), progress, show),
        None => Ok(with_repository_facts(load::open_catalog_incremental(path, progress, show)?)),
    }
}

/// Returns true if a path is a container image reference, not a file.
pub fn is_image_reference(path: &Path) -> bool {
    #[cfg(feature = "images")]
    return path.to_str().is_some_and(images::ImageReference::is_reference);
    #[cfg(not(feature = "images"))]
    {
        let _ = path;
        false
    }
}

/// Callback for partial catalogs, if the caller shows them.
type PartialCatalogs<'s> = Option<&'s mut dyn FnMut(Catalog)>;

/// Opens the catalog of an image or web address. `None` if the path is neither.
#[cfg(feature = "images")]
fn open_remote(
    path: &Path,
    access: &Access,
    progress: &Progress,
    show: PartialCatalogs<'_>,
) -> Option<Result<Catalog, LoadError>> {
    let reference = path.to_str().filter(|_| is_image_reference(path))?;
    let opened = images::open_reference(reference, access, progress);
    let catalog = opened.and_then(|opened| match show {
        Some(show) => opened.into_catalog_showing(progress, show),
        None => opened.into_catalog(),
    });
    Some(catalog.map_err(|error| error.into_load_error(reference)))
}

#[cfg(not(feature = "images"))]
fn open_remote(
    _: &Path,
    _: &Access,
    _: &Progress,
    _: PartialCatalogs<'_>,
) -> Option<Result<Catalog, LoadError>> {
    None
}

/// Returns the host of an image reference or a web address. Does not check whether the text is a
/// path on disk.
pub fn mentioned_host(text: &str) -> Option<String> {
    #[cfg(feature = "images")]
    return images::mentioned_host(text);
    #[cfg(not(feature = "images"))]
    {
        let _ = text;
        None
    }
}

/// Returns the hosts that opening a path connects to; empty if it needs no connection.
pub fn hosts_to_contact(path: &Path, access: &Access) -> Vec<String> {
    #[cfg(feature = "images")]
    return path.to_str().map(|path| images::hosts_for_reference(path, access)).unwrap_or_default();
    #[cfg(not(feature = "images"))]
    {
        let _ = (path, access);
        Vec::new()
    }
}

/// Adds what the repository says about a catalog: OpenShift versions, and published bundles for a template.
fn with_repository_facts(catalog: Catalog) -> Catalog {
    let versions = match &catalog.origin {
        Origin::Directory(path) | Origin::File(path) => versions_on_disk(path),
        _ => Vec::new(),
    };
    with_published_bundles(catalog.with_openshift(versions))
}

/// Adds to a template the bundles of the catalogs that its repository makes from it. Returns other catalogs
/// unchanged, and ignores catalogs that cannot be read.
fn with_published_bundles(catalog: Catalog) -> Catalog {
    let (Some(_), Origin::File(path)) = (catalog.template(), &catalog.origin) else { return catalog };
    let published: Vec<Catalog> =
        published_catalogs(path).iter().filter_map(|path| load::open_catalog(path).ok()).collect();
    if published.is_empty() {
        return catalog;
    }
    catalog.with_known_bundles(Arc::new(KnownBundles::from_published(&published)))
}

/// Opens a catalog again. `None` if it is unchanged.
///
/// # Errors
///
/// See [`load::reload`].
pub fn reopen(known: &Catalog, how: &OpenOptions, progress: &Progress) -> Result<Option<Catalog>, LoadError> {
    let (Origin::Bundles(path) | Origin::Converted(path)) = &known.origin else {
        return Ok(load::reload(known, progress)?.map(with_repository_facts));
    };
    let again = open_path(path, how, progress)?;
    // The catalog follows from the directories and `ci.yaml`, so comparing their texts is enough.
    let texts =
        |catalog: &Catalog| catalog.files().iter().map(|file| file.current_bytes()).collect::<Vec<_>>();
    let is_same = again.bundle_directories() == known.bundle_directories() && texts(&again) == texts(known);
    Ok((!is_same).then_some(again))
}
