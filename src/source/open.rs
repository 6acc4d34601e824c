//! Opening a path, whatever it is: a file-based catalog, or bundle directories.

use std::{path::Path, sync::Arc};

use super::{bundles, legacy, templates::published_beside};
use crate::{
    bundle::render::ImageTemplate,
    catalog::{
        Catalog, Known, Origin,
        load::{self, LoadError, Progress},
    },
};

/// Opens a catalog or bundle directories, all of it at once. `image` makes the images of bundles that are directories.
///
/// # Errors
///
/// As [`load::open`].
pub fn open(path: &Path, image: Option<&ImageTemplate>, progress: &Progress) -> Result<Catalog, LoadError> {
    if let Some(catalog) = of_image(path, progress) {
        return catalog;
    }
    if let Some(older) = legacy::open(path, progress) {
        return older;
    }
    match bundles::find(path) {
        Some(folder) => bundles::open(path, &folder, image, progress, &mut |_| ()),
        None => Ok(with_published(load::open(path, progress)?)),
    }
}

/// The same, shown each time there is more of it.
///
/// # Errors
///
/// As [`load::open_showing`].
pub fn open_showing(
    path: &Path,
    image: Option<&ImageTemplate>,
    progress: &Progress,
    show: &mut dyn FnMut(Catalog),
) -> Result<Catalog, LoadError> {
    if let Some(catalog) = of_image(path, progress) {
        return catalog;
    }
    if let Some(older) = legacy::open(path, progress) {
        return older;
    }
    match bundles::find(path) {
        Some(folder) => bundles::open(path, &folder, image, progress, show),
        None => Ok(with_published(load::open_showing(path, progress, show)?)),
    }
}

/// Whether a path names a container image, and not a file.
pub fn is_image(path: &Path) -> bool {
    #[cfg(feature = "images")]
    return path.to_str().is_some_and(super::images::Reference::is_one);
    #[cfg(not(feature = "images"))]
    {
        let _ = path;
        false
    }
}

/// The catalog of the image that a path names; none where it names none. It is spoken to as this machine is configured.
fn of_image(path: &Path, progress: &Progress) -> Option<Result<Catalog, LoadError>> {
    if !is_image(path) {
        return None;
    }
    #[cfg(feature = "images")]
    {
        use super::images::{self, Access};
        let opened = images::open(path.to_str()?, &Access::default(), progress);
        Some(opened.and_then(images::Opened::catalog).map_err(LoadError::from))
    }
    #[cfg(not(feature = "images"))]
    {
        let _ = progress;
        None
    }
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
pub fn open_again(
    known: &Catalog,
    image: Option<&ImageTemplate>,
    progress: &Progress,
) -> Result<Option<Catalog>, LoadError> {
    let Origin::Bundles(path) = &known.origin else {
        return Ok(load::open_again(known, progress)?.map(with_published));
    };
    let again = open(path, image, progress)?;
    // What is made of the directories follows from them and from `ci.yaml`; its texts are compared for that.
    let texts = |catalog: &Catalog| catalog.files().iter().map(|file| file.bytes()).collect::<Vec<_>>();
    let is_same = again.bundle_directories() == known.bundle_directories() && texts(&again) == texts(known);
    Ok((!is_same).then_some(again))
}
