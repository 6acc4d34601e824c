//! An image with its config and layers, and the traits of image sources.

use std::io::Read;

use super::{
    declared_size::{self, ExactReader},
    digest::Digest,
    error::ImageError,
    labels::Config,
    manifest::{self, Descriptor, Manifest, ManifestDocument},
    platform::Platform,
    unpack::{ExpectedDigest, Layers},
};

/// Maximum depth of nested indexes.
const MAX_INDEX_DEPTH: usize = 4;

/// A layer of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layer {
    /// Name of the layer in its source.
    pub name: String,
    /// Expected digest of the bytes.
    pub proof: ExpectedDigest,
    /// Descriptor in the manifest; `None` in an archive of docker, which does not have descriptors.
    pub at: Option<Descriptor>,
}

/// An image of one platform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// Digest of the manifest, or of the index for a tag. Archives of docker do not have one.
    pub digest: Option<Digest>,
    /// Config of the image.
    pub config: Config,
    /// Layers, lowest first.
    pub layers: Vec<Layer>,
}

/// A source of images: a registry, a layout or an archive.
pub trait ImageSource {
    /// Returns the selected image.
    ///
    /// # Errors
    ///
    /// If there is none, or if it cannot be read.
    fn image(&self, platform: &Platform) -> Result<Image, ImageError>;

    /// Opens the bytes of a layer, without unpacking.
    ///
    /// # Errors
    ///
    /// If the layer is missing.
    fn layer(&self, layer: &Layer) -> Result<Box<dyn Read + '_>, ImageError>;
}

/// A source of images with manifests.
pub trait Manifests {
    /// Returns the selected manifest or index, with its declared media type.
    ///
    /// # Errors
    ///
    /// If there is none.
    fn top_document(&self) -> Result<(Vec<u8>, Option<String>), ImageError>;

    /// Returns a manifest that an index refers to.
    ///
    /// # Errors
    ///
    /// If it is missing.
    fn manifest(&self, at: &Descriptor) -> Result<Vec<u8>, ImageError>;

    /// Returns a blob of at most `most` bytes.
    ///
    /// # Errors
    ///
    /// If it is missing.
    fn small_blob(&self, at: &Descriptor, most: u64) -> Result<Vec<u8>, ImageError>;
}

/// Returns the image for a platform from a source with manifests.
///
/// # Errors
///
/// If a manifest is malformed or has a wrong digest, or if there is no image for the platform.
pub fn select_image(place: &dyn Manifests, platform: &Platform) -> Result<Image, ImageError> {
    let (digest, manifest) = manifest_for(place, platform)?;
    with_config(place, digest, &manifest)
}

/// Returns the manifest of the image for a platform, with the digest of the selected manifest or index.
///
/// # Errors
///
/// If a manifest is malformed or has a wrong digest, or if there is no image for the platform.
pub fn manifest_for(place: &dyn Manifests, platform: &Platform) -> Result<(Digest, Manifest), ImageError> {
    let (bytes, declared) = place.top_document()?;
    let digest = Digest::sha256(&bytes);
    let mut document = ManifestDocument::parse(&bytes, declared.as_deref())?;
    for _ in 0..=MAX_INDEX_DEPTH {
        let entries = match document {
            ManifestDocument::Image(manifest) => return Ok((digest, manifest)),
            ManifestDocument::Index(entries) => entries,
        };
        let entry = manifest::choose_entry(&entries, platform)?;
        let bytes = place.manifest(&entry.at)?;
        declared_size::check_declared_size(&entry.at, "manifest", &bytes)?;
        verify_digest(&entry.at.digest, &bytes)?;
        document = ManifestDocument::parse(
            &bytes,
            Some(&entry.at.media_type).filter(|kind| !kind.is_empty()).map(String::as_str),
        )?;
    }
    let why = format!("more than {MAX_INDEX_DEPTH} indexes lie inside each other");
    Err(ImageError::Malformed { what: "index", why })
}

fn with_config(place: &dyn Manifests, digest: Digest, manifest: &Manifest) -> Result<Image, ImageError> {
    let at = &manifest.config;
    let bytes = place.small_blob(at, manifest::MAX_BYTES)?;
    declared_size::check_declared_size(at, "config", &bytes)?;
    verify_digest(&at.digest, &bytes)?;
    Ok(Image {
        digest: Some(digest),
        config: Config::parse(&bytes, &at.media_type)?,
        layers: manifest.layers.iter().map(layer_for).collect(),
    })
}

/// Returns a layer identified by its digest.
pub fn layer_for(at: &Descriptor) -> Layer {
    Layer {
        name: at.digest.to_string(),
        proof: ExpectedDigest::Stored(at.digest.clone()),
        at: Some(at.clone()),
    }
}

/// A source whose manifests and blobs can be copied.
pub trait CopySource: Manifests + ImageSource {}

impl<T: Manifests + ImageSource> CopySource for T {}

/// # Errors
///
/// If the bytes have another digest.
pub fn verify_digest(expected: &Digest, bytes: &[u8]) -> Result<(), ImageError> {
    if expected.matches(bytes) {
        return Ok(());
    }
    Err(ImageError::WrongDigest { expected: expected.clone(), found: Digest::sha256(bytes) })
}

/// Layers of an image in a source.
pub struct ImageLayers<'i> {
    /// Source of the image.
    pub place: &'i dyn ImageSource,
    /// The image.
    pub image: &'i Image,
}

impl Layers for ImageLayers<'_> {
    fn count(&self) -> usize {
        self.image.layers.len()
    }

    fn open(&self, number: usize) -> Result<(Box<dyn Read + '_>, ExpectedDigest), ImageError> {
        let layer = self.image.layers.get(number).ok_or_else(|| ImageError::Missing {
            place: "the image".to_owned(),
            what: format!("layer {}", number + 1),
        })?;
        let bytes = self.place.layer(layer)?;
        let bytes = match &layer.at {
            Some(at) => Box::new(ExactReader::new(bytes, at, "layer")?),
            None => bytes,
        };
        Ok((bytes, layer.proof.clone()))
    }
}
