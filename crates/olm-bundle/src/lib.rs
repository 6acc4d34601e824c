//! Bundles: one version of an operator with its manifests and metadata.
//!
//! A bundle is a directory ([`Tree`]) with `manifests/` (one ClusterServiceVersion, its CRDs, other objects)
//! and `metadata/`. Three programs read it, each by its own rules: opm and OLM Classic (`registry`), the checks
//! of the api library, and OLM v1. This module is pure: callers read the directories and pass a [`Tree`].
//!
//! - `document`: documents of a file.
//! - `typed`: Go's types and their errors.
//! - `registry`: a bundle as opm reads it.
//! - `render`: the `olm.bundle` that `opm render` produces.
//! - `schema`: validation of an object by the schema of its CRD.
//! - `suites`: checks of opm and the api library; `classic` and `v1`: requirements of a cluster.
//! - `placement`: the channels and the entry that a bundle asks for.
//! - `new_bundle`: data for adding a bundle to catalogs.
//! - `view`: description of a bundle for a console.
//! - `outline`: outline of a bundle for display.
//! - `compare`: differences between two bundles, and the important ones among them.
//! - `crd`: compatibility of a new CRD with an old one.
//! - `step`: the effect of replacing a bundle in both OLMs.
//! - `manifests`: interface to sources of bundle directories.
//! - `generate`: metadata and Dockerfile for a directory of manifests.
//! - `field_access`: fields of parsed objects by path.

pub mod classic;
pub mod compare;
#[cfg(test)]
mod conformance_mutations;
pub mod crd;
pub mod document;
pub mod field_access;
pub mod generate;
pub mod manifests;
mod new_bundle;
pub mod outline;
pub mod placement;
pub mod registry;
pub mod render;
pub mod schema;
pub mod step;
pub mod suites;
pub mod template;
mod tree;
pub mod typed;
mod unread_parts;
pub mod v1;
pub mod view;

pub use new_bundle::{AddBundleError, NewBundle};
pub use tree::{Tree, TreeFile};
pub use unread_parts::describe_unread_part;
