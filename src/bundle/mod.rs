//! What a bundle is: one version of an operator, its manifests and metadata.
//!
//! A bundle is a directory ([`Tree`]) with `manifests/` (one ClusterServiceVersion, its CRDs, other objects) and `metadata/`.
//! Three programs read it, each in its own way: opm and OLM Classic (`registry`), the checks of the api library, and OLM v1.
//! Everything here is pure: who reads directories hands in a [`Tree`].
//!
//! - `document`: the documents of a file.
//! - `typed`: Go's types and what they refuse.
//! - `registry`: a bundle as opm reads it.
//! - `render`: the `olm.bundle` that `opm render` makes of it.
//! - `schema`: an object judged by the schema of its CRD.
//! - `suites`: what opm and the api library say of it; `classic` and `v1`: what a cluster refuses.
//! - `propose`: the channels it names and the entry it asks for.
//! - `new_bundle`: what an edit needs to know to put it into catalogs.
//! - `view`: what a console is told of it.
//! - `inside`: what is in it, for people: the outline of every form.
//! - `compare`: what differs between two of them, and what of it matters.
//! - `crd`: whether a new CRD can take the place of an old one.
//! - `step`: what both OLMs do when one bundle takes the place of another.

pub mod classic;
pub mod compare;
pub mod crd;
pub mod document;
pub mod generate;
pub mod inside;
pub mod manifests;
mod new_bundle;
pub mod propose;
pub mod read;
pub mod registry;
pub mod render;
pub(crate) mod schema;
pub mod step;
pub mod suites;
mod tree;
pub mod typed;
mod unread;
pub mod v1;
pub mod view;

pub use new_bundle::{NewBundle, NotAdded};
pub use tree::{Tree, TreeFile};
pub use unread::unread_part;
