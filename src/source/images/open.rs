//! From a reference to what is in the image.

use std::path::PathBuf;

use super::{
    contents::{self, Contents},
    digest::Digest,
    error::ImageError,
    image::Place,
    places::{DockerArchive, Folder, InTar, Layout, OnDisk},
    platform::Platform,
    reference::Reference,
    registry::Registry,
    sqlite,
};
use crate::{
    bundle::{
        registry::Bundle,
        render::{self, ImageTemplate, RenderedBundle},
    },
    catalog::{
        AtImage, Catalog, Origin,
        load::{self, Progress},
    },
    source::bundles,
};

/// How a registry is spoken to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Trust {
    /// TLS with a certificate that is verified.
    #[default]
    Verified,
    /// TLS with any certificate, as `--skip-tls-verify` of opm.
    AnyCertificate,
    /// TLS with any certificate or none at all, as `--use-http` of opm.
    Plain,
}

/// How images are found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Access {
    /// Which image of an index; none: that of this machine.
    pub platform: Option<Platform>,
    /// The only file of credentials that is asked.
    pub authfile: Option<PathBuf>,
    /// How a registry is spoken to.
    pub trust: Trust,
}

/// An image that was opened.
#[derive(Debug)]
pub struct Opened {
    /// As typed.
    pub reference: String,
    /// The digest by which the same is opened again, where it has one.
    pub digest: Option<Digest>,
    /// How a cluster would pull it; none of an image that is in no registry.
    pub pulled_as: Option<String>,
    /// What is in it.
    pub contents: Contents,
}

/// Opens the image that a reference names.
///
/// # Errors
///
/// When it is not there, is not to be believed or is neither a catalog nor a bundle.
pub fn open(reference: &str, access: &Access, progress: &Progress) -> Result<Opened, ImageError> {
    let named = Reference::of(reference).unwrap_or_else(|| {
        Err(ImageError::Reference { reference: reference.to_owned(), why: "it is a path", hint: None })
    })?;
    let platform = access.platform.clone().unwrap_or_else(Platform::here);
    let pulled_as = match &named {
        Reference::Registry(name) => Some(name.to_string()),
        _ => None,
    };
    let place: Box<dyn Place + '_> = match named {
        Reference::Layout(folder, tag) => Box::new(Layout { files: OnDisk(folder), tag }),
        Reference::LayoutArchive(file, tag) => Box::new(Layout { files: InTar::open(&file)?, tag }),
        Reference::DockerArchive(file, name) => Box::new(DockerArchive { files: InTar::open(&file)?, name }),
        Reference::Folder(folder) => Box::new(Folder(OnDisk(folder))),
        Reference::Registry(name) => Box::new(Registry::new(&name, access, progress)?),
    };
    let image = place.image(&platform)?;
    let contents = contents::of(&*place, &image, progress)?;
    Ok(Opened { reference: reference.to_owned(), digest: image.digest, pulled_as, contents })
}

impl Opened {
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
        let label = self.reference.clone();
        let origin = Origin::Image(AtImage { label, digest: self.digest.map(|digest| digest.to_string()) });
        match self.contents {
            Contents::Catalog(listing) => Ok(load::from_listing(origin, listing)),
            Contents::Database { path, bytes } => sqlite::catalog(&path, &bytes, origin),
            Contents::Bundle(tree) => {
                let image = self.pulled_as.as_deref().map(ImageTemplate::literal);
                Ok(bundles::of_tree(origin, &tree, image.as_ref()))
            }
        }
    }
}
