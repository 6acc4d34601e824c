//! A registry with a cache. Cached blobs are not fetched again, and are the only source without a connection.

use std::{cell::RefCell, io::Read};

use super::{
    digest::Digest,
    error::ImageError,
    image::{
        self, Descriptor, Image, ImageSource, Layer, MAX_MANIFEST_BYTES, ManifestDocument, Manifests,
        verify_digest,
    },
    name::{ImageName, ImageVersion},
    registry::RegistryImage,
    unpack::ExpectedDigest,
};
use crate::{
    Access, Platform,
    cache::{Cache, LastDigest, NewBlob},
};
use olm_catalog::{ImageNote, load::Progress};

/// An image of a registry, read from the cache as far as possible.
pub struct CachedRegistry<'p> {
    name: ImageName,
    registry: RegistryImage<'p>,
    cache: Option<Cache>,
    offline: bool,
    notes: RefCell<Vec<ImageNote>>,
    /// Current digest of the tag.
    seen: RefCell<Option<LastDigest>>,
}

impl<'p> CachedRegistry<'p> {
    /// Creates a reader for an image with the configuration of this machine. Does not connect yet.
    ///
    /// # Errors
    ///
    /// If the configuration forbids the image or cannot be read.
    pub fn new(name: &ImageName, access: &Access, progress: &'p Progress) -> Result<Self, ImageError> {
        let registry = RegistryImage::new(name, access, progress)?;
        Ok(Self {
            name: name.canonical(),
            registry,
            cache: access.cache.clone(),
            offline: access.offline,
            notes: RefCell::default(),
            seen: RefCell::default(),
        })
    }

    /// Records that the whole image was read, and returns the notes for the user. Only now the
    /// cache stores the tag's digest, so that an incomplete image never opens offline.
    pub fn finish_reading(&self) -> Vec<ImageNote> {
        if let (Some(cache), Some(seen)) = (&self.cache, self.seen.take()) {
            cache.store_name(&seen);
        }
        self.notes.borrow().clone()
    }

    fn cached_blob(&self, digest: &Digest, most: u64) -> Option<Vec<u8>> {
        self.cache.as_ref()?.small_blob(digest, most)
    }

    fn store_small_blob(&self, digest: &Digest, bytes: &[u8]) {
        if let Some(cache) = &self.cache {
            cache.store_blob(digest, bytes);
        }
    }

    /// # Errors
    ///
    /// If no connection may be opened.
    fn check_online(&self, what: &dyn std::fmt::Display) -> Result<(), ImageError> {
        if self.offline { Err(ImageError::Offline(what.to_string())) } else { Ok(()) }
    }

    /// Returns the manifest of the last complete fetch of the tag, if it is still in the cache.
    fn last_manifest(&self, why: String) -> Option<Vec<u8>> {
        log::info!("the manifest of {} comes from the cache: {why}", self.name);
        let note = self.cache.as_ref()?.last_seen(&self.name.to_string())?;
        let bytes = self.cached_blob(&note.digest()?, MAX_MANIFEST_BYTES)?;
        self.notes.borrow_mut().push(ImageNote::FromCache { why, age: note.age() });
        Some(bytes)
    }

    /// Stores the current manifest of a tag. Adds a note if it differs from the last one.
    fn record_manifest(&self, bytes: &[u8]) {
        let Some(cache) = &self.cache else { return };
        let (name, digest) = (self.name.to_string(), Digest::sha256(bytes));
        cache.store_blob(&digest, bytes);
        if let Some(before) = cache.last_seen(&name).and_then(|note| note.digest())
            && before != digest
        {
            let ImageName { host, repository, .. } = &self.name;
            let before = format!("docker://{host}/{repository}@{before}");
            let now = format!("docker://{name}");
            self.notes.borrow_mut().push(ImageNote::Moved { before, now });
        }
        *self.seen.borrow_mut() = Some(LastDigest::seen_now(&name, &digest));
    }

    fn top_of_digest(&self, digest: &Digest) -> Result<(Vec<u8>, Option<String>), ImageError> {
        if let Some(bytes) = self.cached_blob(digest, MAX_MANIFEST_BYTES) {
            return Ok((bytes, None));
        }
        self.check_online(&self.name)?;
        let (bytes, declared) = self.registry.top_document()?;
        self.store_small_blob(digest, &bytes);
        Ok((bytes, declared))
    }

    fn top_of_tag(&self) -> Result<(Vec<u8>, Option<String>), ImageError> {
        if self.offline {
            let bytes = self.last_manifest("no connection is opened (--offline)".to_owned());
            return Ok((bytes.ok_or_else(|| ImageError::Offline(self.name.to_string()))?, None));
        }
        match self.registry.top_document() {
            Ok((bytes, declared)) => {
                self.record_manifest(&bytes);
                Ok((bytes, declared))
            }
            Err(error) if error.is_unreachable() => match self.last_manifest(error.to_string()) {
                Some(bytes) => Ok((bytes, None)),
                None => Err(error),
            },
            Err(error) => Err(error),
        }
    }
}

impl Manifests for CachedRegistry<'_> {
    fn top_document(&self) -> Result<(Vec<u8>, Option<String>), ImageError> {
        match &self.name.version {
            ImageVersion::Digest(digest) => self.top_of_digest(digest),
            ImageVersion::Tag(_) => self.top_of_tag(),
        }
    }

    fn manifest(&self, at: &Descriptor) -> Result<Vec<u8>, ImageError> {
        if let Some(bytes) = self.cached_blob(&at.digest, MAX_MANIFEST_BYTES) {
            return Ok(bytes);
        }
        self.check_online(&at.digest)?;
        let bytes = self.registry.manifest(at)?;
        verify_digest(&at.digest, &bytes)?;
        self.store_small_blob(&at.digest, &bytes);
        Ok(bytes)
    }

    fn small_blob(&self, at: &Descriptor, most: u64) -> Result<Vec<u8>, ImageError> {
        if let Some(bytes) = self.cached_blob(&at.digest, most) {
            return Ok(bytes);
        }
        self.check_online(&at.digest)?;
        let bytes = self.registry.small_blob(at, most)?;
        self.store_small_blob(&at.digest, &bytes);
        Ok(bytes)
    }
}

impl ImageSource for CachedRegistry<'_> {
    fn image(&self, platform: &Platform) -> Result<Image, ImageError> {
        image::select_image(self, platform)
    }

    fn layer(&self, layer: &Layer) -> Result<Box<dyn Read + '_>, ImageError> {
        let (Some(cache), ExpectedDigest::Stored(digest)) = (&self.cache, &layer.proof) else {
            self.check_online(&layer.name)?;
            return self.registry.layer(layer);
        };
        if let Some(file) = cache.blob(digest) {
            log::debug!("layer {digest} comes from the cache");
            return Ok(Box::new(file));
        }
        self.check_online(digest)?;
        log::debug!("layer {digest} is fetched");
        Ok(Box::new(CachingReader { bytes: self.registry.layer(layer)?, new: cache.begin_blob(digest) }))
    }
}

/// Returns true if a cache contains a whole image. Returns false for an index, because the selected image is
/// unknown.
pub fn has_image(cache: &Cache, digest: &Digest) -> bool {
    let document =
        cache.small_blob(digest, MAX_MANIFEST_BYTES).map(|bytes| ManifestDocument::parse(&bytes, None));
    let Some(Ok(ManifestDocument::Image(manifest))) = document else { return false };
    [&manifest.config].into_iter().chain(&manifest.layers).all(|at| cache.has_blob(&at.digest))
}

/// Reader that writes to the cache. Only content that is read to its end is stored.
struct CachingReader<'r> {
    bytes: Box<dyn Read + 'r>,
    new: Option<NewBlob>,
}

impl Read for CachingReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        if count > 0
            && let Some(new) = &mut self.new
        {
            new.write_bytes(buffer.get(..count).unwrap_or_default());
        } else if count == 0
            && !buffer.is_empty()
            && let Some(new) = self.new.take()
        {
            new.store_if_valid();
        }
        Ok(count)
    }
}
