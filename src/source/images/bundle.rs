//! Manifests of a bundle, from the image that a catalog names.

use super::{
    contents::Contents,
    error::ImageError,
    name::{Name, Version},
    open,
};
use crate::{bundle::Tree, catalog::load::Progress, source::Access};

/// Returns true if the image of a bundle may be in the cache. Reads no blob.
pub fn may_be_cached(image: &str, access: &Access) -> bool {
    let (Some(cache), Ok(name)) = (&access.cache, Name::parse(image)) else { return false };
    match &name.version {
        Version::Digest(digest) => cache.has(digest),
        Version::Tag(_) => cache
            .last_seen(&name.canonical().to_string())
            .and_then(|note| note.digest())
            .is_some_and(|digest| cache.has(&digest)),
    }
}

/// Returns the bundle directory in an image. The platform does not matter, because manifests are the same for
/// all.
///
/// # Errors
///
/// If the image cannot be fetched, or is not a bundle.
pub fn bundle(image: &str, access: &Access, progress: &Progress) -> Result<Tree, ImageError> {
    let host = Name::parse(image).map(|name| name.host).unwrap_or_default();
    if !access.offline && access.given_up.has(&host) && !may_be_cached(image, access) {
        let why = format!("{host} was given up, because another image of it took too long");
        return Err(ImageError::Registry(
            why,
            Some("--total-timeout SECONDS gives each image more time".to_owned()),
        ));
    }
    let fetched = fetch(image, access, progress);
    if let Err(ImageError::TooSlow(_)) = fetched {
        access.given_up.add(&host);
    }
    fetched
}

fn fetch(image: &str, access: &Access, progress: &Progress) -> Result<Tree, ImageError> {
    let reference = format!("docker://{image}");
    let opened = match open::open(&reference, access, progress) {
        Err(ImageError::NoPlatform { platform, there }) if access.platform.is_none() => {
            let other = there.iter().find_map(|other| other.parse().ok());
            let Some(other) = other else { return Err(ImageError::NoPlatform { platform, there }) };
            open::open(&reference, &Access { platform: Some(other), ..access.clone() }, progress)?
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
