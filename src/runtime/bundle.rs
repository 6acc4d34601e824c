//! Reading the manifests of a bundle that is looked into: its directory, or its image where that was fetched.

use std::sync::Arc;

use crate::{
    app::work::{
        Refusal,
        effect::SoughtBundle,
        outcome::{BundleFound, BundlePlace, Looked},
    },
    bundle::{Tree, compare::Comparison, inside::Inside, registry::Contents},
    catalog::{BundleHome, load::Progress},
    source::{Images, NoImage, bundles::find_directory, read_bundle_directory},
};

/// What is inside a bundle whose manifests are here.
pub fn look(sought: &SoughtBundle, images: &Images) -> Result<Looked, Refusal> {
    let SoughtBundle { home, image, bundle, version } = sought;
    let directory = home.as_ref().and_then(|home| find_directory(home, bundle.as_str(), version));
    if let Some(directory) = directory {
        let tree = read_bundle_directory(&directory).map_err(|error| Refusal::new(error.to_string()))?;
        return Ok(found(BundlePlace::Directory(directory), &tree));
    }
    match (image, home) {
        (Some(image), home) => match images.bundle(image, &Progress::default()) {
            Ok(tree) => Ok(found(BundlePlace::Image(image.clone()), &tree)),
            Err(NoImage::NotFetched) => match home {
                Some(home) => Err(no_directory(home, sought)),
                None => Ok(Looked::NotFetched),
            },
            Err(NoImage::Failed { why, hint }) => Err(Refusal { message: why, hint }),
        },
        (None, Some(home)) => Err(no_directory(home, sought)),
        (None, None) => Ok(Looked::NotFetched),
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

/// What differs between two bundles whose manifests are here.
pub fn compare([old, new]: &[SoughtBundle; 2], images: &Images) -> Result<Arc<Comparison>, Refusal> {
    let read = |sought: &SoughtBundle| match look(sought, images)? {
        Looked::Found(found) => Ok(found),
        Looked::NotFetched => Err(Refusal::new(format!("the image of {} was not fetched", sought.bundle))),
    };
    Ok(Arc::new(Comparison::between(&read(old)?.inside, &read(new)?.inside)))
}
