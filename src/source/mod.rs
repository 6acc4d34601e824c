//! Where bundles come from: directories on disk. One of the few places with side effects.
//!
//! Catalogs are still read by [`catalog::load`](crate::catalog::load).

mod bundle_dir;
#[cfg(test)]
mod conformance;

pub use bundle_dir::{is_bundle_directory, read_bundle_directory};
