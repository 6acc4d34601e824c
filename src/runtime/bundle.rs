//! Loading of bundle manifests from a directory or from the image cache, and fetching of images.

use std::sync::{Arc, atomic::Ordering};

use rayon::{ThreadPoolBuilder, prelude::*};

use crate::tui::work::{
    UserError,
    effect::BundleLocator,
    outcome::{BundleComparison, FetchOutcome, FoundManifests, ManifestLocation, ManifestLookup},
};
use olm_bundle::{
    Tree,
    compare::Comparison,
    manifests::BundleManifests,
    outline::Outline,
    registry::DirectoryContents,
    step::{Judgement, StepBundle, StoredVersions, judge_step},
};
use olm_catalog::{BundleName, BundleSource, load::Progress};
use olm_source::{
    Access, ImageAccess, ImageUnavailable, UnreachableHosts, bundles::find_directory, read_bundle_directory,
};

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

/// Maximum number of concurrent fetches. Registries answer slowly, and limit the number of requests.
const MAX_CONCURRENT: usize = 4;

/// Fetches images and reports each result. Images that are not started before the user cancels are not
/// reported.
pub fn fetch_images(
    images: &[(BundleName, String)],
    access: &Access,
    progress: &Progress,
    report: &(dyn Fn(&BundleName, Result<FetchOutcome, UserError>) + Sync),
) {
    // The user retries, so hosts that failed before are tried again.
    let access = &Access { unreachable_hosts: UnreachableHosts::default(), ..access.clone() };
    let one = |(bundle, image): &(BundleName, String)| {
        if progress.stop.load(Ordering::Relaxed) {
            return;
        }
        let outcome = fetch_image(image, access, progress);
        if outcome.is_err() && progress.stop.load(Ordering::Relaxed) {
            return;
        }
        report(bundle, outcome);
    };
    match ThreadPoolBuilder::new().num_threads(MAX_CONCURRENT).build() {
        Ok(pool) => pool.install(|| images.par_iter().with_max_len(1).for_each(one)),
        Err(_) => images.iter().for_each(one),
    }
}

/// Fetches one image. An image that the cache cannot keep counts as failed, because it could not be opened
/// later.
fn fetch_image(image: &str, access: &Access, progress: &Progress) -> Result<FetchOutcome, UserError> {
    let cached = ImageAccess::only_cached(access);
    if cached.load_bundle(image, progress).is_ok() {
        return Ok(FetchOutcome::Cached);
    }
    let refused = |why: String, hint: Option<String>| UserError { message: why, hint };
    match ImageAccess::Fetched(access.clone()).load_bundle(image, progress) {
        Ok(_) if cached.may_have(image) => Ok(FetchOutcome::Fetched),
        Ok(_) => Err(refused(
            "the cache cannot keep it".to_owned(),
            Some("olmap doctor shows the cache".to_owned()),
        )),
        Err(ImageUnavailable::NotFetched) => Err(refused("no connection may be opened".to_owned(), None)),
        Err(ImageUnavailable::Failed { why, hint }) => Err(refused(why, hint)),
    }
}
