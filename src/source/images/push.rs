//! Copying of an image from a layout or an archive to a registry.

use super::{
    build,
    digest::Digest,
    error::ImageError,
    exact,
    image::{CopySource, layer_of, verify},
    manifest::{Document, MAX_BYTES, Manifest},
    name::Name,
    registry::Uploader,
};
use crate::{catalog::load::Progress, source::Access};

/// Default media type of a manifest and an index without one.
const IMAGE: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// Pushes the image of a local reference under a name. Returns the digest of the pushed manifest or index.
///
/// # Errors
///
/// If the image is incomplete, or if the registry refuses it.
pub fn push(
    reference: &str,
    name: &Name,
    access: &Access,
    progress: &Progress,
) -> Result<Digest, ImageError> {
    let place = build::open_layout(reference)?;
    let (bytes, declared) = place.top_document()?;
    let digest = Digest::of(&bytes);
    let document = Document::read(&bytes, declared.as_deref())?;
    let to = Uploader::new(name, access, progress)?;
    match document {
        Document::Image(manifest) => push_blobs(&*place, &manifest, &to, progress)?,
        Document::Index(entries) => {
            for entry in entries {
                let bytes = place.manifest(&entry.at)?;
                exact::check(&entry.at, "manifest", &bytes)?;
                verify(&entry.at.digest, &bytes)?;
                let kind = Some(entry.at.media_type.as_str()).filter(|kind| !kind.is_empty());
                let Document::Image(manifest) = Document::read(&bytes, kind)? else {
                    let why = "an index lies in it, and only images are pushed with one".to_owned();
                    return Err(ImageError::Malformed { what: "index", why });
                };
                push_blobs(&*place, &manifest, &to, progress)?;
                to.manifest(&entry.at.digest.to_string(), kind.unwrap_or(IMAGE), &bytes)?;
            }
        }
    }
    let own = || {
        let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let usual = if value.get("manifests").is_some() { INDEX } else { IMAGE };
        value.get("mediaType").and_then(|kind| kind.as_str()).unwrap_or(usual).to_owned()
    };
    to.manifest(&name.version.to_string(), &declared.unwrap_or_else(own), &bytes)?;
    Ok(digest)
}

fn push_blobs(
    place: &dyn CopySource,
    manifest: &Manifest,
    to: &Uploader<'_>,
    progress: &Progress,
) -> Result<(), ImageError> {
    let config = place.small_blob(&manifest.config, MAX_BYTES)?;
    exact::check(&manifest.config, "config", &config)?;
    verify(&manifest.config.digest, &config)?;
    for at in &manifest.layers {
        progress.check()?;
        to.blob(&at.digest, Some(at.declared("layer")?), &|| place.layer(&layer_of(at)))?;
    }
    let config = config.as_slice();
    to.blob(&manifest.config.digest, Some(config.len() as u64), &|| Ok(Box::new(config)))
}
