//! Catalogs and bundles from disk, git and registries. One of the few modules with side effects.
//!
//! [`open_path`] opens a path as bundle directories if it has any, else as a file-based catalog with
//! [`catalog::load`](olm_catalog::load). Older formats ([`legacy`]) are converted the way opm
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
mod conformance_mutations;
#[cfg(test)]
mod conformance_steps;
mod containment;
mod digest;
pub mod discovery;
#[cfg(feature = "images")]
pub mod images;
mod last_changes;
pub mod legacy;
mod manifests;
mod new_bundle;
mod opening;
mod platform;
mod search_path;
mod templates;

pub use access::{Access, Trust, UnreachableHosts};
pub use base::{Base, OldCatalogs, SearchScope, expand_paths};
pub use bundle_dir::{
    bundle_of_files, dockerfile_beside, folder_name, is_bundle_directory, read_bundle_directory,
    unread_part_of,
};
pub use cluster::{ClusterFile, ClusterFileError, read_cluster_files};
pub use containment::lies_in;
pub use digest::{Digest, ParseDigestError};
pub use last_changes::{LastChanges, compare_last_changes};
pub use legacy::is_older;
pub use manifests::ManifestStore;
pub use new_bundle::{NewBundleError, new_bundle_of, read_new_bundle};
pub use opening::{
    OpenOptions, hosts_to_contact, is_image_reference, mentioned_host, open_path, open_path_showing, reopen,
};
pub use platform::{ParsePlatformError, Platform};
pub use search_path::{ImageAccess, ImageUnavailable, ManifestSearchPath};
pub use templates::{OperatorTemplates, operator_templates};
