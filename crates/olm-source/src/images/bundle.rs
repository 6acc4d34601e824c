//! Manifests of a bundle, from the image that a catalog names.

use super::{
    contents::Contents,
    error::ImageError,
    name::{ImageName, ImageVersion},
    open,
};
use crate::Access;
use olm_bundle::Tree;
use olm_catalog::load::Progress;

/// Returns true if the image of a bundle may be in the cache. Reads no blob.
pub fn may_be_cached(image: &str, access: &Access) -> bool {
    let (Some(cache), Ok(name)) = (&access.cache, ImageName::parse(image)) else { return false };
    match &name.version {
        ImageVersion::Digest(digest) => cache.has_blob(digest),
        ImageVersion::Tag(_) => cache
            .last_seen(&name.canonical().to_string())
            .and_then(|note| note.digest())
            .is_some_and(|digest| cache.has_blob(&digest)),
    }
}

/// Returns the bundle directory in an image. The platform does not matter, because manifests are the same for
/// all.
///
/// # Errors
///
/// If the image cannot be fetched, or is not a bundle.
pub fn load_bundle_tree(image: &str, access: &Access, progress: &Progress) -> Result<Tree, ImageError> {
    let host = ImageName::parse(image).map(|name| name.host).unwrap_or_default();
    if !access.offline && access.unreachable_hosts.contains(&host) && !may_be_cached(image, access) {
        let why = format!("{host} was given up, because another image of it took too long");
        return Err(ImageError::Registry(
            why,
            Some("--total-timeout SECONDS gives each image more time".to_owned()),
        ));
    }
    let fetched = fetch_bundle_tree(image, access, progress);
    if let Err(ImageError::TooSlow(_)) = fetched {
        access.unreachable_hosts.add_host(&host);
    }
    fetched
}

fn fetch_bundle_tree(image: &str, access: &Access, progress: &Progress) -> Result<Tree, ImageError> {
    let reference = format!("docker://{image}");
    let opened = match open::open_reference(&reference, access, progress) {
        Err(ImageError::NoPlatform { platform, there }) if access.platform.is_none() => {
            let other = there.iter().find_map(|other| other.parse().ok());
            let Some(other) = other else { return Err(ImageError::NoPlatform { platform, there }) };
            open::open_reference(&reference, &Access { platform: Some(other), ..access.clone() }, progress)?
        }
        opened => opened?,
    };
    match opened.contents {
        Contents::Bundle(tree) => Ok(tree),
        Contents::Catalog(_) | Contents::Stream { .. } | Contents::Database { .. } => {
            Err(ImageError::NotABundle)
        }
    }
}
