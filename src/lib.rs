//! olmap: explore, check and edit catalogs of Kubernetes operators from the terminal.
//!
//! Operator Lifecycle Manager (OLM) installs and upgrades operators from *file-based catalogs*: YAML or JSON
//! with packages, channels and bundles. This library reads such catalogs without losing a byte, builds their
//! upgrade graphs, answers what OLM Classic and OLM v1 would pick as successor and why, judges catalogs as
//! `opm validate` does and beyond, and edits them in place. The program is a thin skin over it.
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

#[cfg(feature = "tui")]
pub mod app;
pub mod bundle;
pub mod catalog;
#[cfg(feature = "tui")]
mod cli;
pub mod config;
#[cfg(test)]
mod conformance;
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

#[cfg(feature = "tui")]
pub use cli::main;
/// For the tests that see what becomes of a terminal when the program panics.
#[doc(hidden)]
#[cfg(feature = "tui")]
pub use runtime::Guard;
