//! OCI layouts: `index.json` and blobs by digest, in a folder or a tar.

use std::io::Read;

use super::{Files, read_described, read_small};
use crate::images::{
    error::ImageError,
    image::{self, Image, ImageSource, Layer, Manifests, verify_digest},
    manifest::{self, Descriptor, IndexEntry, ManifestDocument},
    platform::Platform,
};

/// An image in a layout.
pub struct Layout<F> {
    /// Files of the layout.
    pub files: F,
    /// Tag of the image; `None` for the only one.
    pub tag: Option<String>,
}

impl<F: Files> Layout<F> {
    fn select_entry(&self) -> Result<IndexEntry, ImageError> {
        let bytes = read_small(&self.files, "index.json", manifest::MAX_BYTES, "index")?;
        let ManifestDocument::Index(entries) = ManifestDocument::parse(&bytes, None)? else {
            let why = "index.json of the layout is not an index".to_owned();
            return Err(ImageError::Malformed { what: "index", why });
        };
        let names = || entries.iter().filter_map(|entry| entry.name.clone()).collect::<Vec<_>>();
        let found = match &self.tag {
            Some(tag) => entries.iter().find(|entry| entry.name.as_ref() == Some(tag)),
            None => entries.first().filter(|_| entries.len() == 1),
        };
        found.cloned().ok_or_else(|| match &self.tag {
            Some(tag) => ImageError::Missing {
                place: self.files.label(),
                what: format!("the image {tag} (there is: {})", join_quoted_names(&names())),
            },
            None => {
                ImageError::WhichImage { place: self.files.label(), count: entries.len(), names: names() }
            }
        })
    }

    fn blob_path(name: &str) -> String {
        format!("blobs/{}", name.replacen(':', "/", 1))
    }
}

fn join_quoted_names(names: &[String]) -> String {
    if names.is_empty() { "none with a name".to_owned() } else { names.join(", ") }
}

impl<F: Files> Manifests for Layout<F> {
    fn top_document(&self) -> Result<(Vec<u8>, Option<String>), ImageError> {
        let entry = self.select_entry()?;
        let bytes = self.manifest(&entry.at)?;
        verify_digest(&entry.at.digest, &bytes)?;
        let declared = Some(entry.at.media_type).filter(|kind| !kind.is_empty());
        Ok((bytes, declared))
    }

    fn manifest(&self, at: &Descriptor) -> Result<Vec<u8>, ImageError> {
        read_described(
            &self.files,
            &Self::blob_path(&at.digest.to_string()),
            at,
            manifest::MAX_BYTES,
            "manifest",
        )
    }

    fn small_blob(&self, at: &Descriptor, most: u64) -> Result<Vec<u8>, ImageError> {
        read_described(&self.files, &Self::blob_path(&at.digest.to_string()), at, most, "config")
    }
}

impl<F: Files> ImageSource for Layout<F> {
    fn image(&self, platform: &Platform) -> Result<Image, ImageError> {
        image::select_image(self, platform)
    }

    fn layer(&self, layer: &Layer) -> Result<Box<dyn Read + '_>, ImageError> {
        self.files.open(&Self::blob_path(&layer.name))
    }
}
