//! Catalogs and bundles from disk, git and registries. One of the few modules with side effects.
//!
//! [`open`] opens a path as bundle directories if it has any, else as a file-based catalog with
//! [`catalog::load`](crate::catalog::load). Older formats ([`legacy`]) are converted the way opm
//! converts them.

mod access;
mod base;
mod bundle_dir;
pub mod bundles;
pub mod cache;
mod cluster;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod conformance_crds;
#[cfg(test)]
mod conformance_steps;
mod containment;
mod digest;
pub mod discovery;
#[cfg(feature = "images")]
pub mod images;
pub mod legacy;
mod manifests;
mod new_bundle;
mod newer;
mod open;
mod platform;
mod search_path;
mod templates;

pub use access::{Access, GivenUp, Trust};
pub use base::{Base, OldCatalogs, SearchScope, meant};
pub use bundle_dir::{
    bundle_of_files, dockerfile_beside, folder_name, is_bundle_directory, read_bundle_directory,
    unread_part_of,
};
pub use cluster::{ClusterFile, ClusterFileError, read_cluster_files};
pub use containment::lies_in;
pub use digest::{Digest, NotADigest};
pub use legacy::is_older;
pub use manifests::Shelves;
pub use new_bundle::{NewBundleError, new_bundle_of, read_new_bundle};
pub use newer::{Newer, newer};
pub use open::{How, is_image, mentioned_host, needs_connection, open, open_again, open_showing};
pub use platform::{NotAPlatform, Platform};
pub use search_path::{Images, NoImage, Sight};
pub use templates::{TemplatesOf, templates_of};
