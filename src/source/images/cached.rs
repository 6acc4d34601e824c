//! A registry behind the cache: blobs that are there are not asked for, and where nobody can be asked the cache is all there is.

use std::{cell::RefCell, io::Read};

use super::{
    digest::Digest,
    error::ImageError,
    image::{self, Image, Layer, Manifests, Place, verify},
    manifest::{Descriptor, Document, MOST},
    name::{Name, Version},
    platform::Platform,
    registry::Registry,
    unpack::Proof,
};
use crate::{
    catalog::{ImageNote, load::Progress},
    source::{
        Access,
        cache::{Cache, LastSeen, NewBlob},
    },
};

/// An image of a registry, as far as possible from the cache.
pub struct Cached<'p> {
    name: Name,
    registry: Registry<'p>,
    cache: Option<Cache>,
    offline: bool,
    notes: RefCell<Vec<ImageNote>>,
    /// What the tag stands for now.
    seen: RefCell<Option<LastSeen>>,
}

impl<'p> Cached<'p> {
    /// The image of a name, as this machine is configured. No connection is opened yet.
    ///
    /// # Errors
    ///
    /// When the configuration refuses it or cannot be read.
    pub fn new(name: &Name, access: &Access, progress: &'p Progress) -> Result<Self, ImageError> {
        let registry = Registry::new(name, access, progress)?;
        Ok(Self {
            name: name.canonical(),
            registry,
            cache: access.cache.clone(),
            offline: access.offline,
            notes: RefCell::default(),
            seen: RefCell::default(),
        })
    }

    /// All of the image is there: from now on it is what the tag was last. Before, what was last stays what opens without a
    /// connection. What whoever opens it should know.
    pub fn arrived(&self) -> Vec<ImageNote> {
        if let (Some(cache), Some(seen)) = (&self.cache, self.seen.take()) {
            cache.remember(&seen);
        }
        self.notes.borrow().clone()
    }

    fn known(&self, digest: &Digest, most: u64) -> Option<Vec<u8>> {
        self.cache.as_ref()?.small_blob(digest, most)
    }

    fn keep(&self, digest: &Digest, bytes: &[u8]) {
        if let Some(cache) = &self.cache {
            cache.keep(digest, bytes);
        }
    }

    /// # Errors
    ///
    /// When no connection may be opened.
    fn check_online(&self, what: &dyn std::fmt::Display) -> Result<(), ImageError> {
        if self.offline { Err(ImageError::Offline(what.to_string())) } else { Ok(()) }
    }

    /// What the tag stood for when all of it was fetched, if its manifest is still there.
    fn last(&self, why: String) -> Option<Vec<u8>> {
        let note = self.cache.as_ref()?.last_seen(&self.name.to_string())?;
        let bytes = self.known(&note.digest()?, MOST)?;
        self.notes.borrow_mut().push(ImageNote::FromCache { why, age: note.age() });
        Some(bytes)
    }

    /// Keeps what a tag stands for now, and notes where that is something else than the last time.
    fn seen(&self, bytes: &[u8]) {
        let Some(cache) = &self.cache else { return };
        let (name, digest) = (self.name.to_string(), Digest::of(bytes));
        cache.keep(&digest, bytes);
        if let Some(before) = cache.last_seen(&name).and_then(|note| note.digest())
            && before != digest
        {
            let Name { host, repository, .. } = &self.name;
            let before = format!("docker://{host}/{repository}@{before}");
            let now = format!("docker://{name}");
            self.notes.borrow_mut().push(ImageNote::Moved { before, now });
        }
        *self.seen.borrow_mut() = Some(LastSeen::now(&name, &digest));
    }

    fn top_of_digest(&self, digest: &Digest) -> Result<(Vec<u8>, Option<String>), ImageError> {
        if let Some(bytes) = self.known(digest, MOST) {
            return Ok((bytes, None));
        }
        self.check_online(&self.name)?;
        let (bytes, declared) = self.registry.top()?;
        self.keep(digest, &bytes);
        Ok((bytes, declared))
    }

    fn top_of_tag(&self) -> Result<(Vec<u8>, Option<String>), ImageError> {
        if self.offline {
            let bytes = self.last("no connection is opened (--offline)".to_owned());
            return Ok((bytes.ok_or_else(|| ImageError::Offline(self.name.to_string()))?, None));
        }
        match self.registry.top() {
            Ok((bytes, declared)) => {
                self.seen(&bytes);
                Ok((bytes, declared))
            }
            Err(error) if error.is_unreachable() => match self.last(error.to_string()) {
                Some(bytes) => Ok((bytes, None)),
                None => Err(error),
            },
            Err(error) => Err(error),
        }
    }
}

impl Manifests for Cached<'_> {
    fn top(&self) -> Result<(Vec<u8>, Option<String>), ImageError> {
        match &self.name.version {
            Version::Digest(digest) => self.top_of_digest(digest),
            Version::Tag(_) => self.top_of_tag(),
        }
    }

    fn manifest(&self, at: &Descriptor) -> Result<Vec<u8>, ImageError> {
        if let Some(bytes) = self.known(&at.digest, MOST) {
            return Ok(bytes);
        }
        self.check_online(&at.digest)?;
        let bytes = self.registry.manifest(at)?;
        verify(&at.digest, &bytes)?;
        self.keep(&at.digest, &bytes);
        Ok(bytes)
    }

    fn small_blob(&self, at: &Descriptor, most: u64) -> Result<Vec<u8>, ImageError> {
        if let Some(bytes) = self.known(&at.digest, most) {
            return Ok(bytes);
        }
        self.check_online(&at.digest)?;
        let bytes = self.registry.small_blob(at, most)?;
        self.keep(&at.digest, &bytes);
        Ok(bytes)
    }
}

impl Place for Cached<'_> {
    fn image(&self, platform: &Platform) -> Result<Image, ImageError> {
        image::of_manifests(self, platform)
    }

    fn layer(&self, layer: &Layer) -> Result<Box<dyn Read + '_>, ImageError> {
        let (Some(cache), Proof::Packed(digest)) = (&self.cache, &layer.proof) else {
            self.check_online(&layer.name)?;
            return self.registry.layer(layer);
        };
        if let Some(file) = cache.blob(digest) {
            return Ok(Box::new(file));
        }
        self.check_online(digest)?;
        Ok(Box::new(Keeping { bytes: self.registry.layer(layer)?, new: cache.begin(digest) }))
    }
}

/// Whether a cache has all of an image. Of an index it is not known which of its images is wanted.
pub fn has_whole(cache: &Cache, digest: &Digest) -> bool {
    let document = cache.small_blob(digest, MOST).map(|bytes| Document::read(&bytes, None));
    let Some(Ok(Document::Image(manifest))) = document else { return false };
    [&manifest.config].into_iter().chain(&manifest.layers).all(|at| cache.has(&at.digest))
}

/// Bytes that are kept while they are read; only what was read to its end stays.
struct Keeping<'r> {
    bytes: Box<dyn Read + 'r>,
    new: Option<NewBlob>,
}

impl Read for Keeping<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        if count > 0
            && let Some(new) = &mut self.new
        {
            new.add(buffer.get(..count).unwrap_or_default());
        } else if count == 0
            && !buffer.is_empty()
            && let Some(new) = self.new.take()
        {
            new.finish();
        }
        Ok(count)
    }
}
