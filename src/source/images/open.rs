//! From a reference to what is in the image.

use std::collections::BTreeMap;

use super::{
    address::{Address, Fetched},
    cached::{self, Cached},
    contents::{self, Contents},
    cost,
    digest::Digest,
    error::ImageError,
    image::Place,
    name::{Name, Version},
    places::{DockerArchive, Folder, InTar, Layout, OnDisk},
    platform::Platform,
    reference::Reference,
    registry, sqlite,
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

/// An image that was opened.
#[derive(Debug)]
pub struct Opened {
    /// As typed, without secrets.
    pub reference: String,
    /// The digest by which the same is opened again, where it has one.
    pub digest: Option<Digest>,
    /// How a cluster would pull it; none of an image that is in no registry.
    pub pulled_as: Option<String>,
    /// What whoever opens it should know.
    pub notes: Vec<ImageNote>,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// What is in it.
    pub contents: Contents,
}

/// The host that a text means: that of an image in a registry, or of a web address. Whether it is a path is not looked at.
pub fn mentioned_host(text: &str) -> Option<String> {
    if Address::begins(text) {
        return Some(Address::parse(text).ok()?.host());
    }
    let is_path = text.starts_with(['.', '/', '~']);
    let name = Name::parse(text.strip_prefix("docker://").unwrap_or(text)).ok()?;
    (!is_path).then_some(name.host)
}

/// The hosts to which opening a reference opens connections, in the order in which they are asked; none where it opens none. An
/// image by its digest that the cache has is opened without.
pub fn needs_connection(reference: &str, access: &Access) -> Vec<String> {
    if access.offline {
        return Vec::new();
    }
    match Reference::of(reference) {
        Some(Ok(Reference::Registry(name))) => {
            let cache = access.cache.as_ref();
            let is_there = match &name.version {
                Version::Digest(digest) => cache.is_some_and(|cache| cached::has_whole(cache, digest)),
                Version::Tag(_) => false,
            };
            if is_there { Vec::new() } else { registry::hosts(&name) }
        }
        Some(Ok(Reference::Address(address))) => vec![address.host()],
        _ => Vec::new(),
    }
}

/// Opens the image that a reference names, or the stream behind a web address.
///
/// # Errors
///
/// When it is not there, is not to be believed or is neither a catalog nor a bundle.
pub fn open(reference: &str, access: &Access, progress: &Progress) -> Result<Opened, ImageError> {
    let named = Reference::of(reference).unwrap_or_else(|| {
        Err(ImageError::Reference { reference: reference.to_owned(), why: "it is a path", hint: None })
    })?;
    let platform = access.platform.clone().unwrap_or_else(Platform::here);
    let place: Box<dyn Place + '_> = match named {
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
            let opened = read(reference, &cached, &platform, progress)?;
            return Ok(Opened { pulled_as: Some(name.to_string()), notes: cached.arrived(), ..opened });
        }
    };
    read(reference, &*place, &platform, progress)
}

fn read(
    reference: &str,
    place: &dyn Place,
    platform: &Platform,
    progress: &Progress,
) -> Result<Opened, ImageError> {
    let image = place.image(platform)?;
    let contents = contents::of(place, &image, progress)?;
    cost::check(&contents)?;
    let reference = redact(reference).into_owned();
    let (digest, labels) = (image.digest, image.config.labels);
    Ok(Opened { reference, digest, pulled_as: None, notes: Vec::new(), labels, contents })
}

impl Opened {
    /// How a cluster names the same image by its digest, where it was opened by a tag.
    pub fn by_digest(&self) -> Option<String> {
        let (name, digest) = (self.pulled_as.as_ref()?, self.digest.as_ref()?);
        let at = name.rfind('/')?;
        let colon = name.get(at..)?.find(':').filter(|_| !name.contains('@'))?;
        Some(format!("{}@{digest}", name.get(..at + colon)?))
    }

    /// What opm makes of a bundle; none where the image is no bundle. Its image is the reference as typed.
    ///
    /// # Errors
    ///
    /// When opm rejects it.
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

    /// The catalog that it is, or that a bundle proposes.
    ///
    /// # Errors
    ///
    /// When it is an old index that cannot be read.
    pub fn catalog(self) -> Result<Catalog, ImageError> {
        self.made(None)
    }

    /// The same, shown each time there is more of it.
    ///
    /// # Errors
    ///
    /// As [`catalog`](Self::catalog), and when loading is stopped.
    pub fn catalog_showing(
        self,
        progress: &Progress,
        show: &mut dyn FnMut(Catalog),
    ) -> Result<Catalog, ImageError> {
        self.made(Some((progress, show)))
    }

    fn made(self, showing: Option<(&Progress, &mut dyn FnMut(Catalog))>) -> Result<Catalog, ImageError> {
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
