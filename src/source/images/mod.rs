//! Catalogs and bundles in container images: registries, layouts, archives.
//!
//! - `reference`, `name`: what people type, in skopeo's words; `address`: catalogs that are no images, behind web addresses.
//! - `places`, `registry`: where images are; `image` and `manifest`: what one is made of; `digest`, `exact`: that it is what it says.
//! - `unpack`: layers onto a `tree` in memory, with limits; `cost`: limits of the text in them. Nothing of an image is written to a disk under its own name.
//! - `cached`: what was fetched before is not fetched again, and may be all there is.
//! - `labels`, `contents`: what an image is, and what is in it.
//! - `open`: all of that in order; `bundle`: the manifests of a bundle. `build`, `push`: the other way round.
//!
//! Sources of the rules: the specifications of OCI (image, distribution), containers/image 5 and containerd, with which opm
//! pulls and unpacks, and opm's answers.

mod address;
mod build;
mod bundle;
mod cached;
#[cfg(test)]
mod conformance;
mod contents;
mod cost;
mod error;
mod exact;
#[cfg(fuzzing)]
pub mod fuzzing;
mod image;
mod labels;
mod manifest;
mod name;
mod open;
mod places;
mod push;
mod reference;
mod registry;
#[cfg(test)]
mod sample;
mod sqlite;
#[cfg(test)]
mod tests;
mod tree;
mod unpack;

use super::{digest, platform};

pub use build::{NotATarget, Recipe, Target, build};
pub use bundle::{bundle, may_be_cached};
pub use contents::{Contents, of_layers as files_of_layers};
pub use error::ImageError;
pub use name::Name;
pub use open::{Opened, mentioned_host, needs_connection, open};
pub use push::push;
pub use reference::Reference;
