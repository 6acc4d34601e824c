//! `dir:`: what `skopeo copy ... dir:DIR` writes: `manifest.json`, and blobs by their digits.

use std::io::Read;

use super::{Files as _, OnDisk, described, small};
use crate::source::images::{
    error::ImageError,
    image::{self, Image, Layer, Manifests, Place},
    manifest::{self, Descriptor},
    platform::Platform,
};

/// An image in a folder.
pub struct Folder(pub OnDisk);

impl Manifests for Folder {
    fn top(&self) -> Result<(Vec<u8>, Option<String>), ImageError> {
        Ok((small(&self.0, "manifest.json", manifest::MOST, "manifest")?, None))
    }

    fn manifest(&self, at: &Descriptor) -> Result<Vec<u8>, ImageError> {
        let name = format!("{}.manifest.json", at.digest.hex());
        described(&self.0, &name, at, manifest::MOST, "manifest")
    }

    fn small_blob(&self, at: &Descriptor, most: u64) -> Result<Vec<u8>, ImageError> {
        described(&self.0, at.digest.hex(), at, most, "config")
    }
}

impl Place for Folder {
    fn image(&self, platform: &Platform) -> Result<Image, ImageError> {
        image::of_manifests(self, platform)
    }

    fn layer(&self, layer: &Layer) -> Result<Box<dyn Read + '_>, ImageError> {
        let digits = layer.name.split_once(':').map_or(layer.name.as_str(), |(_, digits)| digits);
        self.0.open(digits)
    }
}
