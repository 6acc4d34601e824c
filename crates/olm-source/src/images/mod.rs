//! Catalogs and bundles in container images: registries, layouts and archives.
//!
//! - `name`: names of images, and image references in the syntax of skopeo; `address`: web addresses of catalogs.
//! - `sources`, `registry`: image sources; `image`: parts of an image; `declared_size`: checks of declared sizes.
//! - `unpack`: unpacking of layers to a `tree` in memory, with limits. Nothing of an image is written to disk under
//!   its own name.
//! - `cached_registry`: cache in front of a registry, which is the only source without a connection.
//! - `contents`: kind and files of an image, with limits of their text.
//! - `open`: the steps to open an image. `build`: creation of images.
//!
//! Sources of the rules: the OCI specifications (image, distribution), the answers of opm, and
//! the libraries it pulls and unpacks with (containers/image 5 and containerd).

mod address;
mod build;
mod cached_registry;
mod contents;
mod declared_size;
mod error;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod image;
mod name;
mod open;
mod registry;
#[cfg(test)]
mod sample;
mod sources;
#[cfg(test)]
mod tests;
mod tree;
mod unpack;

use crate::digest;

pub use build::{ImageRecipe, PackedContent, ParseTargetError, Target, build_image};
pub use contents::{Contents, from_layers as files_of_layers};
pub use error::ImageError;
pub use name::{ImageName, ImageReference};
pub use open::{
    OpenedImage, hosts_for_reference, load_bundle_tree, may_be_cached, mentioned_host, open_reference,
};
pub use registry::push_image;
