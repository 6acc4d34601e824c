//! Opening a path, whatever it is: a file-based catalog, or bundle directories.

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

/// How a path is opened.
#[derive(Clone, Debug, Default)]
pub struct How {
    /// What makes the images of bundles that are directories.
    pub image: Option<ImageTemplate>,
    /// How images and addresses are reached.
    pub access: Access,
}

/// Opens a catalog or bundle directories, all of it at once.
///
/// # Errors
///
/// As [`load::open`].
pub fn open(path: &Path, how: &How, progress: &Progress) -> Result<Catalog, LoadError> {
    if let Some(catalog) = of_image(path, &how.access, progress, None) {
        return catalog;
    }
    if let Some(older) = legacy::open(path, progress) {
        return older;
    }
    match bundles::find(path) {
        Some(folder) => bundles::open(path, &folder, how.image.as_ref(), progress, &mut |_| ()),
        None => Ok(with_surroundings(load::open(path, progress)?)),
    }
}

/// The same, shown each time there is more of it.
///
/// # Errors
///
/// As [`load::open_showing`].
pub fn open_showing(
    path: &Path,
    how: &How,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    if let Some(catalog) = of_image(path, &how.access, progress, Some(&mut *show)) {
        return catalog;
    }
    if let Some(older) = legacy::open(path, progress) {
        return older;
    }
    match bundles::find(path) {
        Some(folder) => bundles::open(path, &folder, how.image.as_ref(), progress, show),
        None => Ok(with_surroundings(load::open_showing(path, progress, show)?)),
    }
}

/// Whether a path names a container image, and not a file.
pub fn is_image(path: &Path) -> bool {
    #[cfg(feature = "images")]
    return path.to_str().is_some_and(images::Reference::is_one);
    #[cfg(not(feature = "images"))]
    {
        let _ = path;
        false
    }
}

/// What shows a catalog each time there is more of it, where somebody looks.
type Show<'s> = Option<&'s mut dyn FnMut(Catalog)>;

/// The catalog of the image or the address that a path names; none where it names none.
#[cfg(feature = "images")]
fn of_image(
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
fn of_image(_: &Path, _: &Access, _: &Progress, _: Show<'_>) -> Option<Result<Catalog, LoadError>> {
    None
}

/// The host that a text means, where it is a reference of an image in a registry or a web address. Whether it is a path on disk
/// instead is not looked at.
pub fn mentioned_host(text: &str) -> Option<String> {
    #[cfg(feature = "images")]
    return images::mentioned_host(text);
    #[cfg(not(feature = "images"))]
    {
        let _ = text;
        None
    }
}

/// The hosts to which opening a path opens connections; none where it opens none.
pub fn needs_connection(path: &Path, access: &Access) -> Vec<String> {
    #[cfg(feature = "images")]
    return path.to_str().map(|path| images::needs_connection(path, access)).unwrap_or_default();
    #[cfg(not(feature = "images"))]
    {
        let _ = (path, access);
        Vec::new()
    }
}

/// Returns a catalog with what its repository says about it: OpenShift versions, and for a template published bundles.
fn with_surroundings(catalog: Catalog) -> Catalog {
    let versions = match &catalog.origin {
        Origin::Directory(path) | Origin::File(path) => versions_on_disk(path),
        _ => Vec::new(),
    };
    with_published(catalog.with_openshift(versions))
}

/// A template with the bundles of the catalogs that its repository makes of it; anything else as it is. Catalogs that cannot
/// be read know nothing.
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

/// What is there now; `None` where it is what was there before.
///
/// # Errors
///
/// As [`load::open_again`].
pub fn open_again(known: &Catalog, how: &How, progress: &Progress) -> Result<Option<Catalog>, LoadError> {
    let (Origin::Bundles(path) | Origin::Converted(path)) = &known.origin else {
        return Ok(load::open_again(known, progress)?.map(with_surroundings));
    };
    let again = open(path, how, progress)?;
    // What is made of the directories follows from them and from `ci.yaml`; its texts are compared for that.
    let texts = |catalog: &Catalog| catalog.files().iter().map(|file| file.bytes()).collect::<Vec<_>>();
    let is_same = again.bundle_directories() == known.bundle_directories() && texts(&again) == texts(known);
    Ok((!is_same).then_some(again))
}
