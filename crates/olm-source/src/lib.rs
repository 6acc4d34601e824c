//! Catalogs and bundles of Operator Lifecycle Manager (OLM) from directories, git, images, registries and old indexes.
//!
//! The other crates work with values in memory. This crate finds and reads the files. Start with [`open_path`]: it
//! opens a file-based catalog, bundle directories, a container image or an older format as a catalog.
//!
//! | to | use |
//! |---|---|
//! | open any path or image reference | [`open_path`], [`OpenOptions`] |
//! | show a large catalog while it is read | [`open_path_showing`] |
//! | read a catalog again after a change | [`reopen`] |
//! | read one bundle directory | [`read_bundle_directory`], [`read_new_bundle`] |
//! | find the manifests of bundles in a catalog | [`ManifestStore`], [`ManifestSearchPath`] |
//! | find the catalogs, templates and bundles of a repository | [`discovery::discover`] |
//! | compare with an older git revision | [`Base`] |
//! | check and change `ci.yaml` and `release-config.yaml` | [`operator_config`] |
//! | read the objects of a cluster from files | [`read_cluster_files`] |
//! | set credentials, timeouts and the cache | [`Access`], [`cache::Cache`] |
//!
//! ```
//! use std::fs;
//!
//! use olm_catalog::load::Progress;
//! use olm_source::{OpenOptions, open_path};
//!
//! let folder = tempfile::tempdir()?;
//! let text = "schema: olm.package\nname: ship\ndefaultChannel: stable\n";
//! fs::write(folder.path().join("catalog.yaml"), text)?;
//!
//! let catalog = open_path(folder.path(), &OpenOptions::default(), &Progress::default())?;
//! assert!(catalog.package("ship").is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! No feature is enabled by default.
//!
//! | feature | adds | costs |
//! |---|---|---|
//! | `images` | the module `images`: registries, image layouts, archives | an HTTP client and TLS |
//! | `sqlite` | SQLite indexes, the format before file-based catalogs | a C compiler at build time |
//!
//! Without `images`, an image reference is a path that does not exist. Without `sqlite`, [`open_path`] refuses an
//! index with an error that says so.
//!
//! # Guarantees
//!
//! - **Opening changes nothing.** Only fetches write, to the cache, if [`Access`] has one.
//! - **Images stay in memory.** Nothing is unpacked to disk. Links cannot lead out of an image, and sizes have
//!   limits.
//! - **Fetched content matches its digest.** Otherwise it is not opened.
//! - **Older formats convert as in opm.** They are read-only.
//! - No input causes a panic. There is no unsafe code.

mod access;
mod base;
mod bundle_dir;
pub mod bundles;
pub mod cache;
mod cluster;
#[cfg(test)]
mod conformance;
mod containment;
mod digest;
pub mod discovery;
#[cfg(feature = "images")]
pub mod images;
pub mod legacy;
mod manifests;
mod opening;
pub mod operator_config;
mod templates;

pub use access::{Access, ParsePlatformError, Platform, Trust, UnreachableHosts};
pub use base::{Base, OldCatalogs, SearchScope, expand_paths};
pub use bundle_dir::{
    NewBundleError, bundle_of_files, dockerfile_beside, folder_name, is_bundle_directory, new_bundle_of,
    read_bundle_directory, read_new_bundle, unread_part_of,
};
pub use cluster::{ClusterFile, ClusterFileError, read_cluster_files, read_object_files};
pub use containment::lies_in;
pub use digest::{Digest, ParseDigestError};
pub use legacy::is_older;
pub use manifests::{ImageAccess, ImageUnavailable, ManifestSearchPath, ManifestStore};
pub use opening::{
    OpenOptions, hosts_to_contact, is_image_reference, mentioned_host, open_path, open_path_showing, reopen,
};
pub use templates::{CommitOrder, LastChanges, OperatorTemplates, compare_last_changes, operator_templates};
