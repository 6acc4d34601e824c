//! Opening of an image reference: as a catalog, also from the SQLite index of an old one, or as the manifests
//! of a bundle that a catalog names.

use std::{collections::BTreeMap, io::Cursor, path::PathBuf, sync::Arc, time::Instant};

use super::{
    address::{Fetched, WebAddress},
    cached_registry::{self, CachedRegistry},
    contents::{self, Contents},
    digest::Digest,
    error::ImageError,
    image::ImageSource,
    name::{ImageName, ImageReference, ImageVersion},
    registry,
    sources::{DiskFiles, DockerArchive, Folder, Layout, TarFiles},
};
use crate::{Access, Platform, bundles, legacy::documents_of_reader};
use olm_bundle::{
    Tree,
    registry::Bundle,
    render::{self, ImageTemplate, RenderedBundle},
};
use olm_catalog::{
    Catalog, ImageContent, ImageNote, ImageOrigin, Origin,
    load::{self, Phase, Progress},
    redact::redact,
};

/// An opened image.
#[derive(Debug)]
pub struct OpenedImage {
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
    if WebAddress::is_address(text) {
        return Some(WebAddress::parse(text).ok()?.host());
    }
    let is_path = text.starts_with(['.', '/', '~']);
    let name = ImageName::parse(text.strip_prefix("docker://").unwrap_or(text)).ok()?;
    (!is_path).then_some(name.host)
}

/// Returns the hosts that opening a reference connects to, in order. Empty if it needs no connection, for
/// example for a cached image with a digest.
pub fn hosts_for_reference(reference: &str, access: &Access) -> Vec<String> {
    if access.offline {
        return Vec::new();
    }
    match ImageReference::parse(reference) {
        Some(Ok(ImageReference::Registry(name))) => {
            let cache = access.cache.as_ref();
            let is_there = match &name.version {
                ImageVersion::Digest(digest) => {
                    cache.is_some_and(|cache| cached_registry::has_image(cache, digest))
                }
                ImageVersion::Tag(_) => false,
            };
            if is_there { Vec::new() } else { registry::hosts_for_image(&name) }
        }
        Some(Ok(ImageReference::Address(address))) => vec![address.host()],
        _ => Vec::new(),
    }
}

/// Opens the image of a reference, or the stream of a web address.
///
/// # Errors
///
/// If it does not exist, fails verification, or is neither a catalog nor a bundle.
pub fn open_reference(
    reference: &str,
    access: &Access,
    progress: &Progress,
) -> Result<OpenedImage, ImageError> {
    let named = ImageReference::parse(reference).unwrap_or_else(|| {
        Err(ImageError::Reference { reference: reference.to_owned(), why: "it is a path", hint: None })
    })?;
    let platform = access.platform.clone().unwrap_or_else(Platform::for_this_machine);
    let place: Box<dyn ImageSource + '_> = match named {
        ImageReference::Layout(folder, tag) => Box::new(Layout { files: DiskFiles(folder), tag }),
        ImageReference::LayoutArchive(file, tag) => {
            Box::new(Layout { files: TarFiles::index_tar(&file)?, tag })
        }
        ImageReference::DockerArchive(file, name) => {
            Box::new(DockerArchive { files: TarFiles::index_tar(&file)?, name })
        }
        ImageReference::Folder(folder) => Box::new(Folder(DiskFiles(folder))),
        ImageReference::Address(address) => {
            let Fetched { bytes, digest, notes } = address.fetch(access, progress)?;
            let contents = Contents::Stream { name: address.file_name(&bytes), bytes };
            contents::check_cost(&contents)?;
            let reference = redact(reference).into_owned();
            let labels = BTreeMap::new();
            return Ok(OpenedImage {
                reference,
                digest: Some(digest),
                pulled_as: None,
                notes,
                labels,
                contents,
            });
        }
        ImageReference::Registry(name) => {
            let cached = CachedRegistry::new(&name, access, progress)?;
            let opened = read_image(reference, &cached, &platform, progress)?;
            return Ok(OpenedImage {
                pulled_as: Some(name.to_string()),
                notes: cached.finish_reading(),
                ..opened
            });
        }
    };
    read_image(reference, &*place, &platform, progress)
}

fn read_image(
    reference: &str,
    place: &dyn ImageSource,
    platform: &Platform,
    progress: &Progress,
) -> Result<OpenedImage, ImageError> {
    let started = Instant::now();
    progress.begin_phase(Phase::Fetching);
    let image = place.image(platform)?;
    let size = image.layers.iter().filter_map(|layer| layer.at.as_ref()?.size).sum();
    progress.expect_bytes(size);
    let contents = contents::read_contents(place, &image, progress)?;
    contents::check_cost(&contents)?;
    progress.begin_phase(Phase::Decoding);
    let reference = redact(reference).into_owned();
    let (layers, time) = (image.layers.len(), started.elapsed());
    log::info!("read {reference}: layers: {layers}, bytes: {size}, platform {platform}, in {time:.1?}");
    let (digest, labels) = (image.digest, image.config.labels);
    Ok(OpenedImage { reference, digest, pulled_as: None, notes: Vec::new(), labels, contents })
}

impl OpenedImage {
    /// Returns the pull spec by digest, if the image was opened by a tag.
    pub fn pull_spec_by_digest(&self) -> Option<String> {
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
    pub fn render_bundle(
        &self,
        image: Option<&ImageTemplate>,
        migrate: bool,
    ) -> Option<Result<RenderedBundle, ImageError>> {
        let Contents::Bundle(tree) = &self.contents else { return None };
        let pulled_as = || self.pulled_as.as_deref().map(ImageTemplate::literal);
        let options = render::Options { image: image.cloned().or_else(pulled_as), migrate };
        let rendered =
            Bundle::from_tree(tree).and_then(|bundle| render::render_olm_bundle(&bundle, &options));
        Some(rendered.map_err(|fault| ImageError::Bundle(fault.to_string())))
    }

    /// Returns the catalog in the image, or the catalog that its bundle proposes.
    ///
    /// # Errors
    ///
    /// If the image has an old index that cannot be read.
    pub fn into_catalog(self) -> Result<Catalog, ImageError> {
        self.build_catalog(None)
    }

    /// Like [`into_catalog`](Self::into_catalog), and passes partial catalogs to `show`.
    ///
    /// # Errors
    ///
    /// See [`into_catalog`](Self::into_catalog). Also if loading is cancelled.
    pub fn into_catalog_showing(
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
            Contents::Catalog(_) | Contents::Stream { .. } => ImageContent::Catalog,
            Contents::Bundle(_) => ImageContent::Bundle,
            Contents::Database { .. } => ImageContent::Index,
        };
        let origin = Origin::Image(ImageOrigin { label, digest, content: holds, notes: self.notes });
        match self.contents {
            Contents::Stream { name, bytes } => match showing {
                Some((progress, show)) => {
                    Ok(load::from_text_incremental(origin, (name.into(), bytes), progress, show)?)
                }
                None => Ok(load::from_texts(origin, [(name.into(), bytes)])),
            },
            Contents::Catalog(listing) => match showing {
                Some((progress, show)) => {
                    Ok(load::from_listing_incremental(origin, listing, progress, show)?)
                }
                None => Ok(load::from_listing(origin, listing)),
            },
            Contents::Database { path, bytes } => catalog_from_index(&path, bytes, origin),
            Contents::Bundle(tree) => {
                let image = self.pulled_as.as_deref().map(ImageTemplate::literal);
                Ok(bundles::catalog_of_tree(origin, &tree, self.labels, image.as_ref()))
            }
        }
    }
}

/// Returns true if the image of a bundle may be in the cache. Reads no blob.
pub fn may_be_cached(image: &str, access: &Access) -> bool {
    let (Some(cache), Ok(name)) = (&access.cache, ImageName::parse(image)) else { return false };
    match &name.version {
        ImageVersion::Digest(digest) => cache.has_blob(digest),
        ImageVersion::Tag(_) => cache
            .last_seen(&name.canonical().to_string())
            .and_then(|note| note.digest())
            .is_some_and(|digest| cache.has_blob(&digest)),
    }
}

/// Returns the bundle directory in an image. The platform does not matter, because manifests are the same for
/// all.
///
/// # Errors
///
/// If the image cannot be fetched, or is not a bundle.
pub fn load_bundle_tree(image: &str, access: &Access, progress: &Progress) -> Result<Tree, ImageError> {
    let host = ImageName::parse(image).map(|name| name.host).unwrap_or_default();
    if !access.offline && access.unreachable_hosts.contains(&host) && !may_be_cached(image, access) {
        let why = format!("{host} was given up, because another image of it took too long");
        return Err(ImageError::Registry(
            why,
            Some("--total-timeout SECONDS gives each image more time".to_owned()),
        ));
    }
    let fetched = fetch_bundle_tree(image, access, progress);
    if let Err(ImageError::TooSlow(_)) = fetched {
        access.unreachable_hosts.add_host(&host);
    }
    fetched
}

fn fetch_bundle_tree(image: &str, access: &Access, progress: &Progress) -> Result<Tree, ImageError> {
    let reference = format!("docker://{image}");
    let opened = match open_reference(&reference, access, progress) {
        Err(ImageError::NoPlatform { platform, there }) if access.platform.is_none() => {
            let other = there.iter().find_map(|other| other.parse().ok());
            let Some(other) = other else { return Err(ImageError::NoPlatform { platform, there }) };
            open_reference(&reference, &Access { platform: Some(other), ..access.clone() }, progress)?
        }
        opened => opened?,
    };
    match opened.contents {
        Contents::Bundle(tree) => Ok(tree),
        Contents::Catalog(_) | Contents::Stream { .. } | Contents::Database { .. } => {
            Err(ImageError::NotABundle)
        }
    }
}

/// Returns the catalog of an SQLite index. `path` is its path in the image.
///
/// # Errors
///
/// If opm would not make a catalog from it.
fn catalog_from_index(path: &str, bytes: Arc<[u8]>, origin: Origin) -> Result<Catalog, ImageError> {
    let length = bytes.len();
    let documents = documents_of_reader(Cursor::new(bytes), length)
        .map_err(|fault| ImageError::Sqlite { path: path.to_owned(), reason: fault.to_string() })?;
    contents::check_texts([documents.as_slice()])?;
    // The folder in the image does not matter for a directory that the catalog is saved to.
    let name = path.rsplit('/').next().filter(|name| !matches!(*name, "" | "." | "..")).unwrap_or("index.db");
    Ok(load::from_texts(origin, [(PathBuf::from(format!("{name}.json")), documents)]))
}
