//! Opening of an image reference.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    CachedRegistry,
    address::{Fetched, WebAddress},
    contents::{self, Contents},
    digest::Digest,
    error::ImageError,
    image::ImageSource,
    name::{self, ImageName, ImageVersion},
    platform::Platform,
    registry,
    sources::{DiskFiles, DockerArchive, Folder, Layout, TarFiles},
};
use crate::{Access, bundles};
use olm_bundle::{
    registry::Bundle,
    render::{self, ImageTemplate, RenderedBundle},
};
use olm_catalog::{
    Catalog, ImageContent, ImageNote, ImageOrigin, Origin,
    load::{self, Progress},
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
                ImageVersion::Digest(digest) => cache.is_some_and(|cache| super::has_image(cache, digest)),
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
    let image = place.image(platform)?;
    let contents = contents::read_contents(place, &image, progress)?;
    contents::check_cost(&contents)?;
    let reference = redact(reference).into_owned();
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
            Contents::Database { path, bytes } => name::catalog_from_index(&path, bytes, origin),
            Contents::Bundle(tree) => {
                let image = self.pulled_as.as_deref().map(ImageTemplate::literal);
                Ok(bundles::catalog_of_tree(origin, &tree, self.labels, image.as_ref()))
            }
        }
    }
}

/// A parsed image reference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ImageReference {
    /// `oci:DIR[:TAG]`: an OCI layout.
    Layout(PathBuf, Option<String>),
    /// `oci-archive:FILE[:TAG]`: an OCI layout in a tar.
    LayoutArchive(PathBuf, Option<String>),
    /// `docker-archive:FILE[:NAME:TAG]`: an archive of `docker save`.
    DockerArchive(PathBuf, Option<String>),
    /// `dir:DIR`: manifest and blobs in a folder.
    Folder(PathBuf),
    /// `docker://HOST/NAME:TAG`, with or without the prefix: an image in a registry.
    Registry(ImageName),
    /// `https://...`: a stream of JSON or YAML.
    Address(WebAddress),
}

impl ImageReference {
    /// Returns true if a text is an image reference: by its prefix, or by its form if there is no such file.
    pub fn is_reference(text: &str) -> bool {
        Self::parse(text).is_some()
    }

    /// Parses an image reference; `None` if the text is a path.
    pub fn parse(text: &str) -> Option<Result<Self, ImageError>> {
        if Path::new(text).exists() {
            return None;
        }
        let with_tag = |rest: &str| {
            let (path, tag) = path_and_tag(rest);
            if path.as_os_str().is_empty() { Err(without_path(text)) } else { Ok((path, tag)) }
        };
        if let Some(rest) = text.strip_prefix("oci:") {
            return Some(with_tag(rest).map(|(path, tag)| Self::Layout(path, tag)));
        }
        if let Some(rest) = text.strip_prefix("oci-archive:") {
            return Some(with_tag(rest).map(|(path, tag)| Self::LayoutArchive(path, tag)));
        }
        if let Some(rest) = text.strip_prefix("docker-archive:") {
            return Some(with_tag(rest).map(|(path, tag)| Self::DockerArchive(path, tag)));
        }
        if let Some(rest) = text.strip_prefix("dir:") {
            return Some(if rest.is_empty() {
                Err(without_path(text))
            } else {
                Ok(Self::Folder(rest.into()))
            });
        }
        if let Some(rest) = text.strip_prefix("docker://") {
            return Some(ImageName::parse(rest).map(Self::Registry));
        }
        if WebAddress::is_address(text) {
            return Some(WebAddress::parse(text).map(Self::Address));
        }
        for (prefix, hint) in [
            (
                "containers-storage:",
                "skopeo copy containers-storage:NAME oci-archive:FILE makes a file of it",
            ),
            ("docker-daemon:", "docker save -o FILE NAME, then docker-archive:FILE"),
        ] {
            if text.starts_with(prefix) {
                return Some(Err(ImageError::Reference {
                    reference: text.to_owned(),
                    why: "olmap does not reach into the storage of container engines",
                    hint: Some(hint.to_owned()),
                }));
            }
        }
        looks_like_reference(text).then(|| ImageName::parse(text).map(Self::Registry))
    }
}

fn without_path(reference: &str) -> ImageError {
    ImageError::Reference {
        reference: reference.to_owned(),
        why: "the path is missing",
        hint: Some(
            "oci:DIR[:TAG], oci-archive:FILE[:TAG], docker-archive:FILE[:NAME:TAG], dir:DIR".to_owned(),
        ),
    }
}

/// Splits a text at its first colon into path and tag. An existing path may contain colons.
fn path_and_tag(rest: &str) -> (PathBuf, Option<String>) {
    if Path::new(rest).exists() {
        return (rest.into(), None);
    }
    let colons = rest.match_indices(':').map(|(at, _)| at);
    let is_there = |at: &usize| rest.get(..*at).is_some_and(|path| Path::new(path).exists());
    let mut there = colons.clone().filter(is_there);
    match there.next().or_else(|| colons.clone().next()) {
        Some(at) => {
            let (path, tag) = rest.split_at(at);
            let tag = tag.trim_start_matches(':');
            (path.into(), (!tag.is_empty()).then(|| tag.to_owned()))
        }
        None => (rest.into(), None),
    }
}

/// Returns true for texts such as `HOST/NAME:TAG` or `NAME/NAME@DIGEST`, which are unusual for paths.
fn looks_like_reference(text: &str) -> bool {
    if text.starts_with(['.', '/', '~']) || text.contains("://") || text.contains('\\') {
        return false;
    }
    let Some((_, last)) = text.rsplit_once('/') else { return false };
    text.contains('@') && text.contains("sha") || last.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_references_of_skopeo() {
        let of = |text: &str| ImageReference::parse(text).map(Result::ok).unwrap();
        assert_eq!(of("oci:a/b"), Some(ImageReference::Layout("a/b".into(), None)));
        assert_eq!(of("oci:a/b:v1"), Some(ImageReference::Layout("a/b".into(), Some("v1".into()))));
        assert_eq!(of("dir:a"), Some(ImageReference::Folder("a".into())));
        assert_eq!(
            of("docker-archive:a.tar:example.com/ns/cat:v1"),
            Some(ImageReference::DockerArchive("a.tar".into(), Some("example.com/ns/cat:v1".into())))
        );
        assert!(matches!(of("docker://example.com/ns/cat:v1"), Some(ImageReference::Registry(_))));
        assert!(matches!(of("example.com/ns/cat:v1"), Some(ImageReference::Registry(_))));
        for wrong in ["oci:", "dir:", "docker-archive::v1", "containers-storage:x", "ns/cat:v1", "docker://x"]
        {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn paths_are_not_references() {
        for path in
            ["Cargo.toml", "catalogs/v4.20", "./a/b:c", "/a/b:c", "git:HEAD:catalog", "-", "", "a.b/c/d.yaml"]
        {
            assert!(!ImageReference::is_reference(path), "{path}");
        }
    }
}
