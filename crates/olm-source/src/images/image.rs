//! An image with its config and layers, and the traits of image sources.

use std::io::{self, Read};

use super::{
    build::Config,
    digest::Digest,
    error::{FoundSize, ImageError},
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
        check_declared_size(&entry.at, "manifest", &bytes)?;
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
    check_declared_size(at, "config", &bytes)?;
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

/// Reader that fails unless the content has exactly the declared size. It never returns more bytes.
pub struct ExactReader<R> {
    inner: R,
    what: &'static str,
    digest: Digest,
    declared: u64,
    /// Number of bytes read.
    position: u64,
    /// True if the content is known to be complete.
    is_over: bool,
}

impl<R: Read> ExactReader<R> {
    /// Limits a reader to the content of a descriptor.
    ///
    /// # Errors
    ///
    /// If the descriptor does not declare a size.
    pub fn new(inner: R, at: &Descriptor, what: &'static str) -> Result<Self, ImageError> {
        Ok(Self::with_size(inner, at.digest.clone(), at.declared(what)?, what))
    }

    /// Limits a reader to content of a known size.
    pub fn with_size(inner: R, digest: Digest, declared: u64, what: &'static str) -> Self {
        Self { inner, what, digest, declared, position: 0, is_over: false }
    }

    fn wrong(&self, found: FoundSize) -> io::Error {
        let (what, digest, declared) = (self.what, self.digest.clone(), self.declared);
        io::Error::other(ImageError::WrongSize { what, digest, declared, found })
    }
}

impl<R: Read> Read for ExactReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() || self.is_over {
            return Ok(0);
        }
        let left = self.declared - self.position;
        if left == 0 {
            if self.inner.read(&mut [0])? > 0 {
                return Err(self.wrong(FoundSize::More));
            }
            self.is_over = true;
            return Ok(0);
        }
        let most = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let count = self.inner.read(buffer.get_mut(..most).unwrap_or_default())?;
        if count == 0 {
            return Err(self.wrong(FoundSize::Exactly(self.position)));
        }
        self.position += count as u64;
        Ok(count)
    }
}

/// Reads the whole content of a descriptor and checks its size. Does not call `open` for content above `most`
/// bytes.
///
/// # Errors
///
/// If it cannot be read, or has another size. `unread` converts read errors.
pub fn read_declared<R: Read>(
    at: &Descriptor,
    what: &'static str,
    most: u64,
    open: impl FnOnce() -> Result<R, ImageError>,
    unread: impl FnOnce(io::Error) -> ImageError,
) -> Result<Vec<u8>, ImageError> {
    if at.declared(what)? > most {
        let why = format!("it is larger than {} MiB", most >> 20);
        return Err(ImageError::Malformed { what, why });
    }
    let mut bytes = Vec::new();
    match ExactReader::new(open()?, at, what)?.read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(error.downcast::<ImageError>().unwrap_or_else(unread)),
    }
}

/// Checks the size of content that is already in memory.
///
/// # Errors
///
/// If the size differs from the declared one.
pub fn check_declared_size(at: &Descriptor, what: &'static str, bytes: &[u8]) -> Result<(), ImageError> {
    read_declared(
        at,
        what,
        manifest::MAX_BYTES,
        || Ok(bytes),
        |source| ImageError::Malformed { what, why: source.to_string() },
    )
    .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_descriptor(size: Option<u64>) -> Descriptor {
        Descriptor { digest: Digest::sha256(b"tide"), size, media_type: String::new() }
    }

    fn read_as(size: Option<u64>) -> Result<Vec<u8>, String> {
        let unread = |error: io::Error| ImageError::Registry(error.to_string(), None);
        read_declared(&test_descriptor(size), "layer", 100, || Ok(&b"tide"[..]), unread)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn content_of_wrong_size_is_refused() {
        assert_eq!(read_as(Some(4)).as_deref(), Ok(&b"tide"[..]));
        assert!(read_as(Some(3)).unwrap_err().ends_with("has more, and 3 bytes are declared"));
        assert!(read_as(Some(0)).unwrap_err().ends_with("has more, and 0 bytes are declared"));
        assert!(read_as(Some(5)).unwrap_err().ends_with("has 4 bytes, and 5 bytes are declared"));
        assert!(read_as(Some(101)).unwrap_err().contains("larger than"));
        assert!(read_as(None).unwrap_err().contains("size"));
    }

    #[test]
    fn reads_no_more_than_the_declared_size() {
        let mut endless = ExactReader::new(io::repeat(7), &test_descriptor(Some(1000)), "layer").unwrap();
        let mut bytes = Vec::new();
        assert!(endless.read_to_end(&mut bytes).is_err());
        assert_eq!(bytes.len(), 1000);
    }
}
