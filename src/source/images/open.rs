//! Opening of an image reference.

use std::collections::BTreeMap;

use super::{
    address::{Address, Fetched},
    cached::{self, Cached},
    contents::{self, Contents},
    cost,
    digest::Digest,
    error::ImageError,
    image::ImageSource,
    name::{Name, Version},
    platform::Platform,
    reference::Reference,
    registry,
    sources::{DockerArchive, Folder, InTar, Layout, OnDisk},
    sqlite,
};
use crate::{
    bundle::{
        registry::Bundle,
        render::{self, ImageTemplate, RenderedBundle},
    },
    catalog::{
        AtImage, Catalog, Holds, ImageNote, Origin,
        load::{self, Progress},
        redact::redact,
    },
    source::{Access, bundles},
};

/// An opened image.
#[derive(Debug)]
pub struct Opened {
    /// Reference as typed, without secrets.
    pub reference: String,
    /// Digest that identifies the same content, if there is one.
    pub digest: Option<Digest>,
    /// Pull spec of the image; `None` if it is not in a registry.
    pub pulled_as: Option<String>,
    /// Notes for the user.
    pub notes: Vec<ImageNote>,
    /// Labels of the image.
    pub labels: BTreeMap<String, String>,
    /// Contents of the image.
    pub contents: Contents,
}

/// Returns the host of an image reference or web address. Does not check whether the text is a path on disk.
pub fn mentioned_host(text: &str) -> Option<String> {
    if Address::is_address(text) {
        return Some(Address::parse(text).ok()?.host());
    }
    let is_path = text.starts_with(['.', '/', '~']);
    let name = Name::parse(text.strip_prefix("docker://").unwrap_or(text)).ok()?;
    (!is_path).then_some(name.host)
}

/// Returns the hosts that opening a reference connects to, in order. Empty if it needs no connection, for
/// example for a cached image with a digest.
pub fn needs_connection(reference: &str, access: &Access) -> Vec<String> {
    if access.offline {
        return Vec::new();
    }
    match Reference::of(reference) {
        Some(Ok(Reference::Registry(name))) => {
            let cache = access.cache.as_ref();
            let is_there = match &name.version {
                Version::Digest(digest) => cache.is_some_and(|cache| cached::has_image(cache, digest)),
                Version::Tag(_) => false,
            };
            if is_there { Vec::new() } else { registry::hosts(&name) }
        }
        Some(Ok(Reference::Address(address))) => vec![address.host()],
        _ => Vec::new(),
    }
}

/// Opens the image of a reference, or the stream of a web address.
///
/// # Errors
///
/// If it does not exist, fails verification, or is neither a catalog nor a bundle.
pub fn open(reference: &str, access: &Access, progress: &Progress) -> Result<Opened, ImageError> {
    let named = Reference::of(reference).unwrap_or_else(|| {
        Err(ImageError::Reference { reference: reference.to_owned(), why: "it is a path", hint: None })
    })?;
    let platform = access.platform.clone().unwrap_or_else(Platform::here);
    let place: Box<dyn ImageSource + '_> = match named {
        Reference::Layout(folder, tag) => Box::new(Layout { files: OnDisk(folder), tag }),
        Reference::LayoutArchive(file, tag) => Box::new(Layout { files: InTar::open(&file)?, tag }),
        Reference::DockerArchive(file, name) => Box::new(DockerArchive { files: InTar::open(&file)?, name }),
        Reference::Folder(folder) => Box::new(Folder(OnDisk(folder))),
        Reference::Address(address) => {
            let Fetched { bytes, digest, notes } = address.fetch(access, progress)?;
            let contents = Contents::Stream { name: address.file_name(&bytes), bytes };
            cost::check(&contents)?;
            let reference = redact(reference).into_owned();
            let labels = BTreeMap::new();
            return Ok(Opened { reference, digest: Some(digest), pulled_as: None, notes, labels, contents });
        }
        Reference::Registry(name) => {
            let cached = Cached::new(&name, access, progress)?;
            let opened = read_image(reference, &cached, &platform, progress)?;
            return Ok(Opened { pulled_as: Some(name.to_string()), notes: cached.finish(), ..opened });
        }
    };
    read_image(reference, &*place, &platform, progress)
}

fn read_image(
    reference: &str,
    place: &dyn ImageSource,
    platform: &Platform,
    progress: &Progress,
) -> Result<Opened, ImageError> {
    let image = place.image(platform)?;
    let contents = contents::read_contents(place, &image, progress)?;
    cost::check(&contents)?;
    let reference = redact(reference).into_owned();
    let (digest, labels) = (image.digest, image.config.labels);
    Ok(Opened { reference, digest, pulled_as: None, notes: Vec::new(), labels, contents })
}

impl Opened {
    /// Returns the pull spec by digest, if the image was opened by a tag.
    pub fn by_digest(&self) -> Option<String> {
        let (name, digest) = (self.pulled_as.as_ref()?, self.digest.as_ref()?);
        let at = name.rfind('/')?;
        let colon = name.get(at..)?.find(':').filter(|_| !name.contains('@'))?;
        Some(format!("{}@{digest}", name.get(..at + colon)?))
    }

    /// Renders a bundle as opm does; `None` if the image is not a bundle. The bundle's image is the reference
    /// as typed.
    ///
    /// # Errors
    ///
    /// If opm rejects the bundle.
    pub fn bundle(
        &self,
        image: Option<&ImageTemplate>,
        migrate: bool,
    ) -> Option<Result<RenderedBundle, ImageError>> {
        let Contents::Bundle(tree) = &self.contents else { return None };
        let pulled_as = || self.pulled_as.as_deref().map(ImageTemplate::literal);
        let options = render::Options { image: image.cloned().or_else(pulled_as), migrate };
        let rendered = Bundle::read(tree).and_then(|bundle| render::render(&bundle, &options));
        Some(rendered.map_err(|fault| ImageError::Bundle(fault.to_string())))
    }

    /// Returns the catalog in the image, or the catalog that its bundle proposes.
    ///
    /// # Errors
    ///
    /// If the image has an old index that cannot be read.
    pub fn catalog(self) -> Result<Catalog, ImageError> {
        self.build_catalog(None)
    }

    /// Like [`catalog`](Self::catalog), and passes partial catalogs to `show`.
    ///
    /// # Errors
    ///
    /// See [`catalog`](Self::catalog). Also if loading is cancelled.
    pub fn catalog_showing(
        self,
        progress: &Progress,
        show: &mut dyn FnMut(Catalog),
    ) -> Result<Catalog, ImageError> {
        self.build_catalog(Some((progress, show)))
    }

    fn build_catalog(
        self,
        showing: Option<(&Progress, &mut dyn FnMut(Catalog))>,
    ) -> Result<Catalog, ImageError> {
        let label = self.reference.clone();
        let digest = self.digest.map(|digest| digest.to_string());
        let holds = match &self.contents {
            Contents::Catalog(_) | Contents::Stream { .. } => Holds::Catalog,
            Contents::Bundle(_) => Holds::Bundle,
            Contents::Database { .. } => Holds::Index,
        };
        let origin = Origin::Image(AtImage { label, digest, holds, notes: self.notes });
        match self.contents {
            Contents::Stream { name, bytes } => match showing {
                Some((progress, show)) => {
                    Ok(load::from_text_showing(origin, (name.into(), bytes), progress, show)?)
                }
                None => Ok(load::from_texts(origin, [(name.into(), bytes)])),
            },
            Contents::Catalog(listing) => match showing {
                Some((progress, show)) => Ok(load::from_listing_showing(origin, listing, progress, show)?),
                None => Ok(load::from_listing(origin, listing)),
            },
            Contents::Database { path, bytes } => sqlite::catalog(&path, bytes, origin),
            Contents::Bundle(tree) => {
                let image = self.pulled_as.as_deref().map(ImageTemplate::literal);
                Ok(bundles::of_tree(origin, &tree, self.labels, image.as_ref()))
            }
        }
    }
}
