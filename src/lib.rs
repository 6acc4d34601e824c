//! olmap: explore, check and edit catalogs of Kubernetes operators from the terminal.
//!
//! Operator Lifecycle Manager (OLM) installs and upgrades operators from *file-based catalogs*: YAML or JSON
//! with packages, channels and bundles. This library reads such catalogs without loss and builds their
//! upgrade graphs. It answers which successor OLM Classic and OLM v1 would pick and why, and checks catalogs
//! as `opm validate` does and beyond. It edits catalogs in place. The program is a thin layer on top.
//!
//! # Getting started
//!
//! | to | use |
//! |---|---|
//! | read a catalog from disk or from text | [`catalog::load::open_catalog`], [`catalog::load::from_texts`] |
//! | read one from an image, a registry or a bundle directory | [`source::open_path`] |
//! | list its packages | [`catalog::Catalog::packages`], [`catalog::package::Package`] |
//! | find the upgrades of a version | [`upgrade::PackageGraph`]: graphs, heads, both resolvers |
//! | find its mistakes | [`review::Snapshot`]: a catalog with all derived data, including findings |
//! | find the impact of an edit on users | [`edit::apply_edit`], then [`review::Consequences`] |
//! | write it | [`edit::save::save_catalogs`] |
//! | compare two catalogs semantically | [`review::Difference`] |
//! | render a result | [`export`] |
//!
//! ```
//! use olmap::{
//!     catalog::demo::demo,
//!     upgrade::{Installed, PackageGraph, v1::Query},
//! };
//!
//! let catalog = demo();
//! let package = catalog.package("granary-operator").unwrap();
//! let graph = PackageGraph::new(package);
//! let installed = Installed::parse(package, "2.6.4").unwrap();
//!
//! // The only entry that would upgrade it is itself skipped: Classic never lands there, v1 does.
//! assert!(graph.resolve_classic("stable", Some(&installed)).stays());
//! let answer = graph.resolve_v1(&Query::default(), Some(&installed));
//! assert_eq!(answer.upgrade_target().unwrap().as_str(), "granary-operator.v3.0.1");
//! assert_eq!(answer.reason(), "skips granary-operator.v2.6.4 in stable");
//! ```
//!
//! `examples/` has a program for each of these. A program without a terminal can disable the default features
//! of the library. The features `images` (registries) and `sqlite` (old indexes) can be enabled separately.
//!
//! # Guarantees
//!
//! - **Reading does not stop at mistakes.** [`catalog::load::open_catalog`] fails only if there is nothing to read.
//!   Each mistake in a file is a [`catalog::problem::Problem`] with its location, and the rest of the catalog
//!   is available. A report about a catalog names the parts that were left out
//!   ([`export::omissions::OmittedPart`]).
//! - **A catalog is an immutable value.** An edit returns a new catalog that shares unchanged parts with the
//!   old one. So both can be compared, and any thread may hold one.
//! - **Files keep their bytes.** Decoded values know their position ([`catalog::Span`]), and an edit replaces
//!   only the bytes it must. Comments, order and quotes elsewhere are not changed.
//! - **Answers match the real programs**, including their mistakes: a verdict is that of `opm validate`, and
//!   a pick is that of OLM. If olmap warns of more, the rule says so ([`validate::rule::Rule::parity`]).
//! - **Data derived from a package is computed once** ([`upgrade::PackageGraph`], [`review::Snapshot`]).
//!   Screens, commands and rules share it, so their answers cannot differ.
//! - **Only [`edit::save`] writes files.** It compares them with the content that was read. After a power
//!   failure, each file is complete, either old or new.
//! - **Catalog text is data.** It may contain escape sequences and hidden characters. [`export::escape`] makes
//!   it safe for a terminal, and all output for people passes through it.
//! - **No input causes a panic.** There is no unsafe code.
//!
//! # The layer rule
//!
//! Each module is a layer. A layer imports only from layers before it, which `tests/architecture.rs` enforces:
//!
//! `version < catalog < bundle < template < source < edit < upgrade < resolve < validate < review < plan < layout < export < config < language < tui < ui < runtime < cli`
//!
//! Only `runtime`, `cli`, [`source`], [`catalog::load`] and [`edit::save`] have side effects. The first two
//! are private, except for [`main`]. [`tui::update()`] is a pure function from state and message to state and
//! effects. [`ui::view()`] is a pure function from state to cells. Without the feature `tui`, the layers from
//! `language` on and their dependencies are not built.
//!
//! # Terms
//!
//! Terms of OLM: *package*, *channel*, *entry* (item of a channel that names a bundle), *bundle*, *head*
//! (entry that no other entry of the channel replaces or skips), *tail*, *successor*. Terms of olmap: *dead
//! edge* (its source entry is skipped, so Classic ignores it), *dead end* (installed version without an
//! upgrade path although newer versions exist), *dangling* (target that is not in the channel), *escape* (v1
//! leaves the default channel), *location* (file, line, column), *finding* (result of a rule), *splice*
//! (replaced bytes of a document).
//!
//! # Stability
//!
//! `docs/library.md` says what may change between versions of the program and of this library. In short:
//! before 1.0, a minor version may change the library, and a patch version does not. An answer that matches
//! the real programs more closely is a correction.

pub mod bundle;
pub mod catalog;
#[cfg(feature = "tui")]
mod cli;
pub mod config;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod conformance_mutations;
pub mod edit;
pub mod export;
#[cfg(feature = "tui")]
pub mod language;
pub mod layout;
pub mod plan;
pub mod resolve;
pub mod review;
#[cfg(feature = "tui")]
mod runtime;
pub mod source;
pub mod template;
#[cfg(feature = "tui")]
pub mod tui;
#[cfg(feature = "tui")]
pub mod ui;
pub mod upgrade;
pub mod validate;
pub mod version;

#[cfg(all(fuzzing, feature = "tui"))]
#[doc(hidden)]
pub use cli::fuzzing;
#[cfg(feature = "tui")]
pub use cli::main;
/// For tests of the terminal after a panic of the program.
#[doc(hidden)]
#[cfg(feature = "tui")]
pub use runtime::TerminalGuard;
/// For tests that the explorer and `olmap validate` report the same findings.
#[doc(hidden)]
#[cfg(feature = "tui")]
pub use runtime::{check_catalog, run_deferred_checks};
