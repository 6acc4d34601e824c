//! Opening of a path: a file-based catalog, bundle directories, an image or an older format.

use std::{path::Path, sync::Arc};

#[cfg(feature = "images")]
use super::images;
use super::{Access, bundles, discovery::versions_on_disk, legacy, templates::published_beside};
use crate::{
    bundle::render::ImageTemplate,
    catalog::{
        Catalog, Known, Origin,
        load::{self, LoadError, Progress},
    },
};

/// Options for opening a path.
#[derive(Clone, Debug, Default)]
pub struct How {
    /// Template for the image references of bundle directories.
    pub image: Option<ImageTemplate>,
    /// Options for fetching images and web addresses.
    pub access: Access,
}

/// Opens a catalog or bundle directories completely.
///
/// # Errors
///
/// See [`load::open`].
pub fn open(path: &Path, how: &How, progress: &Progress) -> Result<Catalog, LoadError> {
    if let Some(catalog) = open_remote(path, &how.access, progress, None) {
        return catalog;
    }
    if let Some(older) = legacy::open(path, progress) {
        return older;
    }
    match bundles::find(path) {
        Some(folder) => bundles::open(path, &folder, how.image.as_ref(), progress, &mut |_| ()),
        None => Ok(with_repository_facts(load::open(path, progress)?)),
    }
}

/// Like [`open()`], and passes partial catalogs to `show` while it reads.
///
/// # Errors
///
/// See [`load::open_showing`].
pub fn open_showing(
    path: &Path,
    how: &How,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    if let Some(catalog) = open_remote(path, &how.access, progress, Some(&mut *show)) {
        return catalog;
    }
    if let Some(older) = legacy::open(path, progress) {
        return older;
    }
    match bundles::find(path) {
        Some(folder) => bundles::open(path, &folder, how.image.as_ref(), progress, show),
        None => Ok(with_repository_facts(load::open_showing(path, progress, show)?)),
    }
}

/// Returns true if a path is a container image reference, not a file.
pub fn is_image(path: &Path) -> bool {
    #[cfg(feature = "images")]
    return path.to_str().is_some_and(images::Reference::is_one);
    #[cfg(not(feature = "images"))]
    {
        let _ = path;
        false
    }
}

/// Callback for partial catalogs, if the caller shows them.
type Show<'s> = Option<&'s mut dyn FnMut(Catalog)>;

/// Opens the catalog of an image or web address. `None` if the path is neither.
#[cfg(feature = "images")]
fn open_remote(
    path: &Path,
    access: &Access,
    progress: &Progress,
    show: Show<'_>,
) -> Option<Result<Catalog, LoadError>> {
    let reference = path.to_str().filter(|_| is_image(path))?;
    let opened = images::open(reference, access, progress);
    let catalog = opened.and_then(|opened| match show {
        Some(show) => opened.catalog_showing(progress, show),
        None => opened.catalog(),
    });
    Some(catalog.map_err(|error| error.into_load_error(reference)))
}

#[cfg(not(feature = "images"))]
fn open_remote(_: &Path, _: &Access, _: &Progress, _: Show<'_>) -> Option<Result<Catalog, LoadError>> {
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
pub fn needs_connection(path: &Path, access: &Access) -> Vec<String> {
    #[cfg(feature = "images")]
    return path.to_str().map(|path| images::needs_connection(path, access)).unwrap_or_default();
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
    with_published(catalog.with_openshift(versions))
}

/// Adds to a template the bundles of the catalogs that its repository makes from it. Returns other catalogs
/// unchanged, and ignores catalogs that cannot be read.
fn with_published(catalog: Catalog) -> Catalog {
    let (Some(_), Origin::File(path)) = (catalog.template(), &catalog.origin) else { return catalog };
    let published: Vec<Catalog> = published_beside(path)
        .iter()
        .filter_map(|path| load::open(path, &Progress::default()).ok())
        .collect();
    if published.is_empty() {
        return catalog;
    }
    catalog.with_known(Arc::new(Known::published(&published)))
}

/// Opens a catalog again. `None` if it is unchanged.
///
/// # Errors
///
/// See [`load::open_again`].
pub fn open_again(known: &Catalog, how: &How, progress: &Progress) -> Result<Option<Catalog>, LoadError> {
    let (Origin::Bundles(path) | Origin::Converted(path)) = &known.origin else {
        return Ok(load::open_again(known, progress)?.map(with_repository_facts));
    };
    let again = open(path, how, progress)?;
    // The catalog follows from the directories and `ci.yaml`, so comparing their texts is enough.
    let texts = |catalog: &Catalog| catalog.files().iter().map(|file| file.bytes()).collect::<Vec<_>>();
    let is_same = again.bundle_directories() == known.bundle_directories() && texts(&again) == texts(known);
    Ok((!is_same).then_some(again))
}
