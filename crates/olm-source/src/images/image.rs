//! An image with its config and layers, the traits of image sources, and manifests and indexes of OCI and
//! docker (schema 2).
//!
//! Sources: the OCI image specification, and what containers/image accepts, which opm pulls with.

use std::io::Read;

use serde_json::{Map, Value};

use super::{
    contents::Config,
    declared_size::{self, ExactReader},
    digest::Digest,
    error::ImageError,
    unpack::{ExpectedDigest, Layers},
};
use crate::Platform;

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
        let entry = choose_entry(&entries, platform)?;
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
    let bytes = place.small_blob(at, MAX_MANIFEST_BYTES)?;
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

/// Size limit of a manifest, an index or a config: 4 MiB, as in containers/image.
pub const MAX_MANIFEST_BYTES: u64 = 4 << 20;

/// Maximum number of layers of an image.
pub const MAX_LAYERS: usize = 128;

/// Annotation of the preferred image if several match a platform.
const ZSTD_ANNOTATION: &str = "io.github.containers.compression.zstd";

/// Media types of requests.
pub const ACCEPTED_TYPES: [&str; 4] = [
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
];

/// Reference to a blob.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Descriptor {
    /// Digest of the blob.
    pub digest: Digest,
    /// Declared number of bytes; `None` if it is missing or is not a number of bytes.
    pub size: Option<u64>,
    /// Declared media type; may be empty or wrong.
    pub media_type: String,
}

impl Descriptor {
    /// Returns the declared size, which bounds what is read.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn declared(&self, what: &'static str) -> Result<u64, ImageError> {
        self.size.ok_or_else(|| ImageError::NoSize { what, digest: self.digest.clone() })
    }
}

/// Manifest of an image for one platform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manifest {
    /// The config, which has the labels.
    pub config: Descriptor,
    /// Layers, lowest first.
    pub layers: Vec<Descriptor>,
}

/// An entry of an index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexEntry {
    /// Descriptor of a manifest or another index.
    pub at: Descriptor,
    /// Platform of the image, if declared.
    pub platform: Option<Platform>,
    /// Name of the image in a layout.
    pub name: Option<String>,
    /// True if its layers are compressed with zstd.
    is_zstd: bool,
}

/// A manifest or an index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ManifestDocument {
    /// Manifest of an image.
    Image(Manifest),
    /// Entries of an index.
    Index(Vec<IndexEntry>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Image,
    Index,
}

/// Returns the kind of document for a media type; `None` if it is unknown.
fn kind_of(media_type: &str) -> Option<Kind> {
    let plain = media_type.split(';').next().unwrap_or_default().trim();
    let at = ACCEPTED_TYPES.iter().position(|known| *known == plain)?;
    Some(if at % 2 == 0 { Kind::Image } else { Kind::Index })
}

fn malformed_error(what: &'static str, why: impl Into<String>) -> ImageError {
    ImageError::Malformed { what, why: why.into() }
}

impl ManifestDocument {
    /// Parses a manifest or an index. `declared` is the media type of the response, if any.
    ///
    /// # Errors
    ///
    /// If the document is ambiguous, malformed or of an unsupported kind.
    pub fn parse(bytes: &[u8], declared: Option<&str>) -> Result<Self, ImageError> {
        let value: Value =
            serde_json::from_slice(bytes).map_err(|error| malformed_error("manifest", error.to_string()))?;
        let object =
            value.as_object().ok_or_else(|| malformed_error("manifest", "it is not a JSON object"))?;
        let has = |name: &str| object.get(name).is_some_and(|value| !value.is_null());
        let own = object.get("mediaType").and_then(Value::as_str);
        if has("fsLayers")
            || has("signatures")
            || declared.is_some_and(|kind| kind.contains("docker.distribution.manifest.v1+"))
        {
            return Err(malformed_error(
                "manifest",
                "it has docker's schema 1, which is not supported any more",
            ));
        }
        let kind = match (has("manifests"), has("config")) {
            (true, true) => {
                return Err(malformed_error(
                    "manifest",
                    "it is ambiguous: it has both a config and manifests",
                ));
            }
            (true, false) => Kind::Index,
            (false, true) => Kind::Image,
            (false, false) => {
                return Err(malformed_error("manifest", "it has neither a config nor manifests"));
            }
        };
        let said = [declared, own].into_iter().flatten().filter_map(kind_of);
        if said.into_iter().any(|said| said != kind) || (kind == Kind::Index && has("layers")) {
            return Err(malformed_error("manifest", "it is ambiguous: its media type and its fields differ"));
        }
        match kind {
            Kind::Image => parse_image(object).map(Self::Image),
            Kind::Index => object_array(object, "manifests")
                .map(parse_index_entry)
                .collect::<Result<_, _>>()
                .map(Self::Index),
        }
    }
}

fn parse_image(object: &Map<String, Value>) -> Result<Manifest, ImageError> {
    let config = parse_descriptor(object.get("config").unwrap_or(&Value::Null))?;
    let layers: Vec<&Value> = object_array(object, "layers").collect();
    if layers.len() > MAX_LAYERS {
        let why = format!("it has {} layers; the most that are unpacked are {MAX_LAYERS}", layers.len());
        return Err(ImageError::TooMuch(why));
    }
    for layer in &layers {
        if layer.get("urls").and_then(Value::as_array).is_some_and(|urls| !urls.is_empty()) {
            return Err(malformed_error(
                "manifest",
                "a layer of it is kept elsewhere (urls), and is not fetched from there",
            ));
        }
    }
    Ok(Manifest { config, layers: layers.into_iter().map(parse_descriptor).collect::<Result<_, _>>()? })
}

fn object_array<'v>(object: &'v Map<String, Value>, name: &str) -> impl Iterator<Item = &'v Value> {
    object.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn parse_descriptor(value: &Value) -> Result<Descriptor, ImageError> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let digest = text("digest").parse().map_err(|error| malformed_error("manifest", format!("{error}")))?;
    let size = value.get("size").and_then(Value::as_u64);
    Ok(Descriptor { digest, size, media_type: text("mediaType").to_owned() })
}

fn parse_index_entry(value: &Value) -> Result<IndexEntry, ImageError> {
    let annotation = |name: &str| value.get("annotations")?.get(name)?.as_str();
    let platform = value.get("platform").filter(|platform| !platform.is_null()).map(|platform| {
        let text = |name: &str| platform.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Platform { os: text("os"), architecture: text("architecture"), variant: text("variant") }
    });
    Ok(IndexEntry {
        at: parse_descriptor(value)?,
        platform,
        name: annotation("org.opencontainers.image.ref.name").map(str::to_owned),
        is_zstd: annotation(ZSTD_ANNOTATION) == Some("true"),
    })
}

/// Returns the entry of an index for a platform. Prefers zstd entries, then the first match. An
/// entry without a platform is used only if no other matches.
///
/// # Errors
///
/// If there is none.
pub fn choose_entry<'e>(entries: &'e [IndexEntry], wanted: &Platform) -> Result<&'e IndexEntry, ImageError> {
    let is_for = |entry: &&IndexEntry| entry.platform.as_ref().is_some_and(|offered| wanted.accepts(offered));
    let matching: Vec<&IndexEntry> = entries.iter().filter(is_for).collect();
    let of_zstd = matching.iter().find(|entry| entry.is_zstd);
    let any = || entries.iter().find(|entry| entry.platform.is_none());
    of_zstd.or(matching.first()).copied().or_else(any).ok_or_else(|| ImageError::NoPlatform {
        platform: wanted.clone(),
        there: entries.iter().filter_map(|entry| Some(entry.platform.as_ref()?.to_string())).collect(),
    })
}
