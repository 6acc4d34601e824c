//! olmap: explore, check and edit catalogs of Kubernetes operators from the terminal.
//!
//! Operator Lifecycle Manager (OLM) installs and upgrades operators from *file-based catalogs*: YAML or JSON
//! with packages, channels and bundles. This library reads such catalogs without losing a byte, builds their
//! upgrade graphs, answers what OLM Classic and OLM v1 would pick as successor and why, judges catalogs as
//! `opm validate` does and beyond, and edits them in place. The program is a thin skin over it.
//!
//! # Where to begin
//!
//! | to | ask |
//! |---|---|
//! | read a catalog from disk or from text | [`catalog::load::open`], [`catalog::load::from_texts`] |
//! | read one from an image, a registry or a bundle directory | [`source::open()`] |
//! | know its packages | [`catalog::Catalog::packages`], [`catalog::package::Package`] |
//! | know who can upgrade to what | [`upgrade::PackageGraph`]: graphs, heads, both resolvers |
//! | know what is wrong | [`review::Snapshot`]: a catalog and everything that follows from it, findings too |
//! | know what an edit changes for users | [`edit::apply()`], then [`review::Consequences`] |
//! | write it | [`edit::save::catalogs`] |
//! | compare two catalogs by meaning | [`review::Difference`] |
//! | print an answer | [`export`] |
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
//! assert!(graph.classic("stable", Some(&installed)).stays());
//! let answer = graph.v1(&Query::default(), Some(&installed));
//! assert_eq!(answer.moves_to().unwrap().as_str(), "granary-operator.v3.0.1");
//! assert_eq!(answer.reason(), "skips granary-operator.v2.6.4 in stable");
//! ```
//!
//! Programs that do each of these stand in `examples/`. A program that needs no terminal takes the library without its
//! default features; `images` (registries) and `sqlite` (old indexes) can be had by themselves.
//!
//! # What always holds
//!
//! - **Reading stops at no mistake.** [`catalog::load::open`] fails only where there is nothing to read. What is wrong with a
//!   file is a [`catalog::problem::Problem`] with its place, and the rest of the catalog is there. Whoever reports about a
//!   catalog says what was left out ([`export::left_out::LeftOut`]).
//! - **A catalog is a value.** It never changes; an edit makes another one that shares what is the same. So before and after
//!   can be compared, and any thread may hold one.
//! - **Files are kept as they were read.** What is decoded knows its bytes ([`catalog::Span`]), and an edit replaces the
//!   bytes it must: comments, order and quotes of all else stay.
//! - **Answers are those of the real programs**, mistakes of theirs included: a verdict is what `opm validate` says, a pick
//!   what OLM does, not what it should do. Where olmap warns beyond that, the rule says so ([`validate::rule::Rule::parity`]).
//! - **Everything derived from a package is derived once** ([`upgrade::PackageGraph`], [`review::Snapshot`]); screens,
//!   commands and rules ask the same, so their answers cannot differ.
//! - **Nothing is written but by [`edit::save`]**, which compares with what was read, and leaves each file whole, old or new,
//!   whenever the power fails.
//! - **Text of a catalog is data.** It may hold escape sequences and characters that hide; [`export::plain`] makes it fit
//!   for a terminal, and what is printed for people has gone through it.
//! - **No input makes it panic.** There is no unsafe code.
//!
//! # The layer rule
//!
//! Each module is a room; a room imports only from rooms before it, which `tests/architecture.rs` enforces:
//!
//! `version < catalog < bundle < template < source < edit < upgrade < resolve < validate < review < plan < layout < export < config < language < app < ui < runtime < cli`
//!
//! Side effects live in `runtime`, `cli`, [`source`], [`catalog::load`] and [`edit::save`] only; the first two are the
//! program's own, and of them only [`main`] is seen from outside. [`app::update()`] is a pure function from state and message to state
//! and effects; [`ui::view()`] is a pure function from state to cells. Without the feature `tui` the rooms from `language` on
//! are not there, nor is what only they need.
//!
//! # Words
//!
//! OLM's own: *package*, *channel*, *entry* (a bundle's line in a channel), *bundle*, *head* (the entry nothing in
//! the channel replaces or skips), *tail*, *successor*. Ours, where OLM has none: *dead edge* (its source entry is
//! skipped, so Classic ignores it), *dead end* (an installed version with no way out though newer ones exist),
//! *dangling* (a target that is not in the channel), *escape* (v1 leaves the default channel), *place* (file, line,
//! column), *finding* (what a rule reports), *splice* (bytes replaced in a document).
//!
//! # What a version promises
//!
//! `docs/library.md` says what may change from one version to the next, of the program and of this library. In short: before
//! 1.0 a minor version may change the library, and a patch version does not; answers that follow the real programs more
//! closely are corrections.

#[cfg(feature = "tui")]
pub mod app;
pub mod bundle;
pub mod catalog;
#[cfg(feature = "tui")]
mod cli;
pub mod config;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod conformance_tried;
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
pub mod ui;
pub mod upgrade;
pub mod validate;
pub mod version;

#[cfg(all(fuzzing, feature = "tui"))]
#[doc(hidden)]
pub use cli::fuzzing;
#[cfg(feature = "tui")]
pub use cli::main;
/// For the tests that see what becomes of a terminal when the program panics.
#[doc(hidden)]
#[cfg(feature = "tui")]
pub use runtime::Guard;
/// For the test that the explorer and `olmap validate` report the same findings.
#[doc(hidden)]
#[cfg(feature = "tui")]
pub use runtime::{judged, learned_of};
