//! Opening a path, whatever it is: a file-based catalog, or bundle directories.

use std::path::Path;

use super::bundles;
use crate::{
    bundle::render::ImageTemplate,
    catalog::{
        Catalog, Origin,
        load::{self, LoadError, Progress},
    },
};

/// Opens a catalog or bundle directories, all of it at once. `image` makes the images of bundles that are directories.
///
/// # Errors
///
/// As [`load::open`].
pub fn open(path: &Path, image: Option<&ImageTemplate>, progress: &Progress) -> Result<Catalog, LoadError> {
    match bundles::find(path) {
        Some(folder) => bundles::open(path, &folder, image, progress, &mut |_| ()),
        None => load::open(path, progress),
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
    match bundles::find(path) {
        Some(folder) => bundles::open(path, &folder, image, progress, show),
        None => load::open_showing(path, progress, show),
    }
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
    let Origin::Bundles(path) = &known.origin else { return load::open_again(known, progress) };
    let again = open(path, image, progress)?;
    // What is made of the directories follows from them and from `ci.yaml`; its texts are compared for that.
    let texts = |catalog: &Catalog| catalog.files().iter().map(|file| file.bytes()).collect::<Vec<_>>();
    let is_same = again.bundle_directories() == known.bundle_directories() && texts(&again) == texts(known);
    Ok((!is_same).then_some(again))
}
