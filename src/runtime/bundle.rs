//! Loading of bundle manifests from a directory or from the image cache.

use std::sync::Arc;

use crate::tui::work::{
    UserError,
    effect::BundleLocator,
    outcome::{BundleComparison, FoundManifests, ManifestLocation, ManifestLookup},
};
use olm_bundle::{
    Tree,
    compare::Comparison,
    manifests::BundleManifests,
    outline::Outline,
    registry::DirectoryContents,
    step::{Judgement, StepBundle, StoredVersions, judge_step},
};
use olm_catalog::{BundleSource, load::Progress};
use olm_source::{ImageAccess, ImageUnavailable, bundles::find_directory, read_bundle_directory};

/// Returns the contents of a bundle.
pub fn load_bundle_contents(
    sought: &BundleLocator,
    images: &ImageAccess,
) -> Result<ManifestLookup, UserError> {
    Ok(load_bundle_tree(sought, images)?
        .map_or(ManifestLookup::NotFetched, |(place, tree)| inspect_bundle(place, &tree)))
}

/// Reads the manifests of a bundle; `None` if its image is not cached.
fn load_bundle_tree(
    sought: &BundleLocator,
    images: &ImageAccess,
) -> Result<Option<(ManifestLocation, Tree)>, UserError> {
    let BundleLocator { source: home, image, bundle, version } = sought;
    let directory = home.as_ref().and_then(|home| find_directory(home, bundle.as_str(), version));
    if let Some(directory) = directory {
        let tree = read_bundle_directory(&directory).map_err(|error| UserError::new(error.to_string()))?;
        return Ok(Some((ManifestLocation::Directory(directory), tree)));
    }
    match (image, home) {
        (Some(image), home) => match images.load_bundle(image, &Progress::default()) {
            Ok(tree) => Ok(Some((ManifestLocation::Image(image.clone()), tree))),
            Err(ImageUnavailable::NotFetched) => match home {
                Some(home) => Err(no_directory_error(home, sought)),
                None => Ok(None),
            },
            Err(ImageUnavailable::Failed { why, hint }) => Err(UserError { message: why, hint }),
        },
        (None, Some(home)) => Err(no_directory_error(home, sought)),
        (None, None) => Ok(None),
    }
}

fn inspect_bundle(place: ManifestLocation, tree: &Tree) -> ManifestLookup {
    let inside = Arc::new(Outline::from_directory(&DirectoryContents::from_tree(tree), tree));
    ManifestLookup::Found(Arc::new(FoundManifests { location: place, outline: inside }))
}

fn no_directory_error(home: &BundleSource, BundleLocator { bundle, .. }: &BundleLocator) -> UserError {
    let (BundleSource::Directory { path, .. } | BundleSource::Operator(path)) = home;
    UserError::new(format!("no directory of {} has {bundle}", path.display()))
}

/// Compares two bundles whose manifests are available locally.
pub fn compare_bundles(
    [old, new]: &[BundleLocator; 2],
    images: &ImageAccess,
) -> Result<Arc<BundleComparison>, UserError> {
    let read = |sought: &BundleLocator| match load_bundle_tree(sought, images)? {
        Some((place, tree)) => {
            let inside = Outline::from_directory(&DirectoryContents::from_tree(&tree), &tree);
            let shown = match place {
                ManifestLocation::Directory(path) => path.to_string_lossy().into_owned(),
                ManifestLocation::Image(image) => image,
            };
            Ok((inside, StepBundle::from_manifests(BundleManifests { tree, shown: Some(shown) })))
        }
        None => Err(UserError::new(format!("the image of {} was not fetched", sought.bundle))),
    };
    let ((before, old), (after, new)) = (read(old)?, read(new)?);
    let step = match (&old, &new) {
        (Ok(old), Ok(new)) => judge_step(old, new, &StoredVersions::new()),
        (Err(reason), _) | (_, Err(reason)) => Judgement::not_checked(reason.clone()),
    };
    Ok(Arc::new(BundleComparison { comparison: Comparison::compare_outlines(&before, &after), step }))
}
