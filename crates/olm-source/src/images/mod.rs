//! Catalogs and bundles in container images: registries, layouts and archives.
//!
//! - `reference`, `name`: image references in the syntax of skopeo; `address`: web addresses of catalogs.
//! - `sources`, `registry`: image sources; `image` and `manifest`: parts of an image; `declared_size`: checks of
//!   declared sizes.
//! - `unpack`: unpacking of layers to a `tree` in memory, with limits; `cost`: limits of their text. Nothing of
//!   an image is written to disk under its own name.
//! - `cached_registry`: cache in front of a registry, which is the only source without a connection.
//! - `labels`, `contents`: kind and files of an image.
//! - `open`: the steps to open an image; `bundle`: manifests of a bundle. `build`, `push`: creation of images.
//!
//! Sources of the rules: the OCI specifications (image, distribution), the answers of opm, and
//! the libraries it pulls and unpacks with (containers/image 5 and containerd).

mod address;
mod build;
mod bundle;
mod cached_registry;
#[cfg(test)]
mod conformance;
mod contents;
mod cost;
mod declared_size;
mod error;
#[cfg(fuzzing)]
pub mod fuzzing;
mod image;
mod labels;
mod manifest;
mod name;
mod open;
mod push;
mod reference;
mod registry;
#[cfg(test)]
mod sample;
mod sources;
mod sqlite;
#[cfg(test)]
mod tests;
mod tree;
mod unpack;

use super::{digest, platform};

pub use build::{ImageRecipe, ParseTargetError, Target, build_image};
pub use bundle::{load_bundle_tree, may_be_cached};
pub use contents::{Contents, from_layers as files_of_layers};
pub use error::ImageError;
pub use name::ImageName;
pub use open::{OpenedImage, hosts_for_reference, mentioned_host, open_reference};
pub use push::push_image;
pub use reference::ImageReference;
