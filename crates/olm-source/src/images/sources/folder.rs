//! Folders in the format of `skopeo copy ... dir:DIR`: `manifest.json`, and blobs named by their digests.

use std::io::Read;

use super::{DiskFiles, Files as _, read_described, read_small};
use crate::images::{
    error::ImageError,
    image::{self, Image, ImageSource, Layer, Manifests},
    manifest::{self, Descriptor},
    platform::Platform,
};

/// An image in a folder.
pub struct Folder(pub DiskFiles);

impl Manifests for Folder {
    fn top_document(&self) -> Result<(Vec<u8>, Option<String>), ImageError> {
        Ok((read_small(&self.0, "manifest.json", manifest::MAX_BYTES, "manifest")?, None))
    }

    fn manifest(&self, at: &Descriptor) -> Result<Vec<u8>, ImageError> {
        let name = format!("{}.manifest.json", at.digest.hex());
        read_described(&self.0, &name, at, manifest::MAX_BYTES, "manifest")
    }

    fn small_blob(&self, at: &Descriptor, most: u64) -> Result<Vec<u8>, ImageError> {
        read_described(&self.0, at.digest.hex(), at, most, "config")
    }
}

impl ImageSource for Folder {
    fn image(&self, platform: &Platform) -> Result<Image, ImageError> {
        image::select_image(self, platform)
    }

    fn layer(&self, layer: &Layer) -> Result<Box<dyn Read + '_>, ImageError> {
        let digits = layer.name.split_once(':').map_or(layer.name.as_str(), |(_, digits)| digits);
        self.0.open(digits)
    }
}
