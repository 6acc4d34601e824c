//! Loading of bundle manifests from a directory or from the image cache.

use std::sync::Arc;

use crate::{
    app::work::{
        Refusal,
        effect::SoughtBundle,
        outcome::{BundleFound, BundlePlace, BundlesCompared, Looked},
    },
    bundle::{
        Tree,
        compare::Comparison,
        inside::Inside,
        manifests::Found,
        registry::Contents,
        step::{Judgement, StepBundle, StoredBefore, judge},
    },
    catalog::{BundleHome, load::Progress},
    source::{Images, NoImage, bundles::find_directory, read_bundle_directory},
};

/// Returns the contents of a bundle.
pub fn look(sought: &SoughtBundle, images: &Images) -> Result<Looked, Refusal> {
    Ok(read(sought, images)?.map_or(Looked::NotFetched, |(place, tree)| found(place, &tree)))
}

/// Reads the manifests of a bundle; `None` if its image is not cached.
fn read(sought: &SoughtBundle, images: &Images) -> Result<Option<(BundlePlace, Tree)>, Refusal> {
    let SoughtBundle { home, image, bundle, version } = sought;
    let directory = home.as_ref().and_then(|home| find_directory(home, bundle.as_str(), version));
    if let Some(directory) = directory {
        let tree = read_bundle_directory(&directory).map_err(|error| Refusal::new(error.to_string()))?;
        return Ok(Some((BundlePlace::Directory(directory), tree)));
    }
    match (image, home) {
        (Some(image), home) => match images.bundle(image, &Progress::default()) {
            Ok(tree) => Ok(Some((BundlePlace::Image(image.clone()), tree))),
            Err(NoImage::NotFetched) => match home {
                Some(home) => Err(no_directory(home, sought)),
                None => Ok(None),
            },
            Err(NoImage::Failed { why, hint }) => Err(Refusal { message: why, hint }),
        },
        (None, Some(home)) => Err(no_directory(home, sought)),
        (None, None) => Ok(None),
    }
}

fn found(place: BundlePlace, tree: &Tree) -> Looked {
    let inside = Arc::new(Inside::of_directory(&Contents::read(tree), tree));
    Looked::Found(Arc::new(BundleFound { place, inside }))
}

fn no_directory(home: &BundleHome, SoughtBundle { bundle, .. }: &SoughtBundle) -> Refusal {
    let (BundleHome::Directory { path, .. } | BundleHome::Operator(path)) = home;
    Refusal::new(format!("no directory of {} has {bundle}", path.display()))
}

/// Compares two bundles whose manifests are available locally.
pub fn compare([old, new]: &[SoughtBundle; 2], images: &Images) -> Result<Arc<BundlesCompared>, Refusal> {
    let read = |sought: &SoughtBundle| match read(sought, images)? {
        Some((place, tree)) => {
            let inside = Inside::of_directory(&Contents::read(&tree), &tree);
            let shown = match place {
                BundlePlace::Directory(path) => path.to_string_lossy().into_owned(),
                BundlePlace::Image(image) => image,
            };
            Ok((inside, StepBundle::read(Found { tree, shown: Some(shown) })))
        }
        None => Err(Refusal::new(format!("the image of {} was not fetched", sought.bundle))),
    };
    let ((before, old), (after, new)) = (read(old)?, read(new)?);
    let step = match (&old, &new) {
        (Ok(old), Ok(new)) => judge(old, new, &StoredBefore::new()),
        (Err(reason), _) | (_, Err(reason)) => Judgement::not_checked(reason.clone()),
    };
    Ok(Arc::new(BundlesCompared { comparison: Comparison::between(&before, &after), step }))
}
