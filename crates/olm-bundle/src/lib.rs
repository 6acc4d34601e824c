//! Operator bundles for Operator Lifecycle Manager (OLM), read as opm, OLM Classic and OLM v1 read them.
//!
//! A bundle is one version of an operator. Its directory has `manifests/` (one ClusterServiceVersion, CRDs, other
//! objects) and `metadata/`. This crate parses a bundle, renders it for a catalog, checks it, and compares it with
//! another bundle. It also renders catalog templates. Callers read the directory and pass a [`Tree`]. Start with
//! [`registry::Bundle::from_tree`].
//!
//! | to | use |
//! |---|---|
//! | read a bundle as opm does | [`registry::Bundle::from_tree`] |
//! | read as much as possible of an invalid bundle | [`registry::DirectoryContents::from_tree`] |
//! | get the `olm.bundle` that `opm render` prints | [`render::render_olm_bundle`] |
//! | run the suites of opm and operator-sdk | [`suites::run_suites`] |
//! | check the requirements of OLM Classic and of OLM v1 | [`classic::check_contents`], [`v1::check_tree`] |
//! | describe the contents | [`outline::Outline`] |
//! | compare two bundles | [`compare::Comparison`] |
//! | compare two CRDs | [`crd::compare_crds`], [`crd::compare_sets`] |
//! | judge the upgrade from one bundle to another | [`step::judge_step`] |
//! | prepare a bundle for a catalog | [`NewBundle`] |
//! | validate an object by the schema of its CRD | [`schema::version_schema`] |
//! | render a catalog template | [`template::render_template`] |
//!
//! ```
//! use olm_bundle::{Tree, TreeFile, registry::Bundle, render};
//!
//! let file = |path: &str, text: &str| TreeFile { path: path.to_owned(), content: Ok(text.into()) };
//! let csv = "\
//! apiVersion: operators.coreos.com/v1alpha1
//! kind: ClusterServiceVersion
//! metadata:
//!   name: ship.v1.0.0
//! spec:
//!   version: 1.0.0
//! ";
//! let annotations = "\
//! annotations:
//!   operators.operatorframework.io.bundle.package.v1: ship
//!   operators.operatorframework.io.bundle.channels.v1: stable
//! ";
//! let files = vec![file("manifests/csv.yaml", csv), file("metadata/annotations.yaml", annotations)];
//! let tree = Tree::new(files, vec!["manifests".to_owned(), "metadata".to_owned()]);
//!
//! let bundle = Bundle::from_tree(&tree)?;
//! let rendered = render::render_olm_bundle(&bundle, &render::Options::default())?;
//! assert_eq!((rendered.package.as_str(), rendered.name.as_str()), ("ship", "ship.v1.0.0"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! - **Verdicts are those of the real programs.** A suite passes or fails as in opm and operator-sdk. The wording
//!   of messages is different.
//! - **Rendered bytes are those of opm**, for bundles and for templates.
//! - **A step is safe only if every object was compared.** An object without a rule counts as not checked.
//! - **Verdicts name the file and the bytes** ([`registry::BundleLocation`]), if they are about a file.
//! - No input causes a panic. There is no unsafe code and no I/O.

pub mod classic;
pub mod compare;
pub mod console_annotations;
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
pub mod typed;
pub mod v1;
pub mod view;

pub use manifests::{FileBytes, FilePool, Tree, TreeFile, describe_unread_part};
pub use new_bundle::{AddBundleError, NewBundle};
