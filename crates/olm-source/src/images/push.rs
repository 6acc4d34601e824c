//! Copying of an image from a layout or an archive to a registry.

use super::{
    build, declared_size,
    digest::Digest,
    error::ImageError,
    image::{CopySource, layer_for, verify_digest},
    manifest::{MAX_BYTES, Manifest, ManifestDocument},
    name::ImageName,
    registry::Uploader,
};
use crate::Access;
use olm_catalog::load::Progress;

/// Default media type of a manifest and an index without one.
const IMAGE: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// Pushes the image of a local reference under a name. Returns the digest of the pushed manifest or index.
///
/// # Errors
///
/// If the image is incomplete, or if the registry refuses it.
pub fn push_image(
    reference: &str,
    name: &ImageName,
    access: &Access,
    progress: &Progress,
) -> Result<Digest, ImageError> {
    let place = build::open_layout(reference)?;
    let (bytes, declared) = place.top_document()?;
    let digest = Digest::sha256(&bytes);
    let document = ManifestDocument::parse(&bytes, declared.as_deref())?;
    let to = Uploader::new(name, access, progress)?;
    match document {
        ManifestDocument::Image(manifest) => push_blobs(&*place, &manifest, &to, progress)?,
        ManifestDocument::Index(entries) => {
            for entry in entries {
                let bytes = place.manifest(&entry.at)?;
                declared_size::check_declared_size(&entry.at, "manifest", &bytes)?;
                verify_digest(&entry.at.digest, &bytes)?;
                let kind = Some(entry.at.media_type.as_str()).filter(|kind| !kind.is_empty());
                let ManifestDocument::Image(manifest) = ManifestDocument::parse(&bytes, kind)? else {
                    let why = "an index lies in it, and only images are pushed with one".to_owned();
                    return Err(ImageError::Malformed { what: "index", why });
                };
                push_blobs(&*place, &manifest, &to, progress)?;
                to.upload_manifest(&entry.at.digest.to_string(), kind.unwrap_or(IMAGE), &bytes)?;
            }
        }
    }
    let own = || {
        let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let usual = if value.get("manifests").is_some() { INDEX } else { IMAGE };
        value.get("mediaType").and_then(|kind| kind.as_str()).unwrap_or(usual).to_owned()
    };
    to.upload_manifest(&name.version.to_string(), &declared.unwrap_or_else(own), &bytes)?;
    Ok(digest)
}

fn push_blobs(
    place: &dyn CopySource,
    manifest: &Manifest,
    to: &Uploader<'_>,
    progress: &Progress,
) -> Result<(), ImageError> {
    let config = place.small_blob(&manifest.config, MAX_BYTES)?;
    declared_size::check_declared_size(&manifest.config, "config", &config)?;
    verify_digest(&manifest.config.digest, &config)?;
    for at in &manifest.layers {
        progress.check_stopped()?;
        to.upload_blob(&at.digest, Some(at.declared("layer")?), &|| place.layer(&layer_for(at)))?;
    }
    let config = config.as_slice();
    to.upload_blob(&manifest.config.digest, Some(config.len() as u64), &|| Ok(Box::new(config)))
}
