//! An image of a place: its config, and its layers by name.

use std::io::Read;

use super::{
    digest::Digest,
    error::ImageError,
    exact::{self, Exact},
    labels::Config,
    manifest::{self, Descriptor, Document, Manifest},
    platform::Platform,
    unpack::{Layers, Proof},
};

/// How many indexes may lie inside each other.
const DEEPEST: usize = 4;

/// A layer of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layer {
    /// What the place calls it.
    pub name: String,
    /// What its bytes must be.
    pub proof: Proof,
    /// Descriptor in the manifest; `None` in an archive of docker, which has none.
    pub at: Option<Descriptor>,
}

/// An image of one platform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// The digest by which it is asked for; of what stands under a tag that may be an index. Archives of docker have none.
    pub digest: Option<Digest>,
    /// Its config.
    pub config: Config,
    /// From the lowest on.
    pub layers: Vec<Layer>,
}

/// Where images are: a registry, a layout, an archive.
pub trait Place {
    /// The image that is meant.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    fn image(&self, platform: &Platform) -> Result<Image, ImageError>;

    /// The bytes of a layer, as they are.
    ///
    /// # Errors
    ///
    /// When it is not there.
    fn layer(&self, layer: &Layer) -> Result<Box<dyn Read + '_>, ImageError>;
}

/// A place whose images have manifests.
pub trait Manifests {
    /// The manifest or the index that is meant, and as what it is declared.
    ///
    /// # Errors
    ///
    /// When there is none.
    fn top(&self) -> Result<(Vec<u8>, Option<String>), ImageError>;

    /// Another manifest, of an index.
    ///
    /// # Errors
    ///
    /// When it is not there.
    fn manifest(&self, at: &Descriptor) -> Result<Vec<u8>, ImageError>;

    /// A blob, at most so many bytes of it.
    ///
    /// # Errors
    ///
    /// When it is not there.
    fn small_blob(&self, at: &Descriptor, most: u64) -> Result<Vec<u8>, ImageError>;
}

/// The image for a platform of what has manifests.
///
/// # Errors
///
/// When a manifest means nothing, has another digest than it should have, or none is for the platform.
pub fn of_manifests(place: &dyn Manifests, platform: &Platform) -> Result<Image, ImageError> {
    let (digest, manifest) = manifest_for(place, platform)?;
    with_config(place, digest, &manifest)
}

/// The manifest of the image for a platform, and the digest of what is meant, which may be an index.
///
/// # Errors
///
/// When a manifest means nothing, has another digest than it should have, or none is for the platform.
pub fn manifest_for(place: &dyn Manifests, platform: &Platform) -> Result<(Digest, Manifest), ImageError> {
    let (bytes, declared) = place.top()?;
    let digest = Digest::of(&bytes);
    let mut document = Document::read(&bytes, declared.as_deref())?;
    for _ in 0..=DEEPEST {
        let entries = match document {
            Document::Image(manifest) => return Ok((digest, manifest)),
            Document::Index(entries) => entries,
        };
        let entry = manifest::choose(&entries, platform)?;
        let bytes = place.manifest(&entry.at)?;
        exact::check(&entry.at, "manifest", &bytes)?;
        verify(&entry.at.digest, &bytes)?;
        document = Document::read(
            &bytes,
            Some(&entry.at.media_type).filter(|kind| !kind.is_empty()).map(String::as_str),
        )?;
    }
    let why = format!("more than {DEEPEST} indexes lie inside each other");
    Err(ImageError::Malformed { what: "index", why })
}

fn with_config(place: &dyn Manifests, digest: Digest, manifest: &Manifest) -> Result<Image, ImageError> {
    let at = &manifest.config;
    let bytes = place.small_blob(at, manifest::MOST)?;
    exact::check(at, "config", &bytes)?;
    verify(&at.digest, &bytes)?;
    Ok(Image {
        digest: Some(digest),
        config: Config::read(&bytes, &at.media_type)?,
        layers: manifest.layers.iter().map(layer_of).collect(),
    })
}

/// A layer by its digest.
pub fn layer_of(at: &Descriptor) -> Layer {
    Layer { name: at.digest.to_string(), proof: Proof::Packed(at.digest.clone()), at: Some(at.clone()) }
}

/// A place of which manifests and blobs can be copied.
pub trait Whole: Manifests + Place {}

impl<T: Manifests + Place> Whole for T {}

/// # Errors
///
/// When bytes have another digest than they should have.
pub fn verify(expected: &Digest, bytes: &[u8]) -> Result<(), ImageError> {
    if expected.is_of(bytes) {
        return Ok(());
    }
    Err(ImageError::WrongDigest { expected: expected.clone(), found: Digest::of(bytes) })
}

/// The layers of an image at its place.
pub struct LayersOf<'i> {
    /// Where it is.
    pub place: &'i dyn Place,
    /// What it is.
    pub image: &'i Image,
}

impl Layers for LayersOf<'_> {
    fn count(&self) -> usize {
        self.image.layers.len()
    }

    fn open(&self, number: usize) -> Result<(Box<dyn Read + '_>, Proof), ImageError> {
        let layer = self.image.layers.get(number).ok_or_else(|| ImageError::Missing {
            place: "the image".to_owned(),
            what: format!("layer {}", number + 1),
        })?;
        let bytes = self.place.layer(layer)?;
        let bytes = match &layer.at {
            Some(at) => Box::new(Exact::new(bytes, at, "layer")?),
            None => bytes,
        };
        Ok((bytes, layer.proof.clone()))
    }
}
