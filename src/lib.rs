//! The program olmap: explore, check and edit catalogs of Kubernetes operators from the terminal.
//!
//! This crate is the explorer and the command line. What a catalog means is in library crates, which
//! other programs can use too:
//!
//! | crate | contents |
//! |---|---|
//! | [`olm_version`] | versions and both range dialects |
//! | [`olm_catalog`] | reading of catalogs, the model, positions in files, git revisions |
//! | [`olm_bundle`] | bundles, CSVs, CRDs, suites of checks, templates |
//! | [`olm_edit`] | edits as data, splices, crash-safe saves |
//! | [`olm_source`] | catalogs and bundles from images, registries, SQLite indexes and directories |
//! | [`olm_upgrade`] | upgrade graphs, the picks of both OLM versions, paths, stuck versions, dependencies |
//! | [`olm_check`] | rules, findings, comparison of catalogs, expectations, deprecations |
//! | [`olm_plan`] | upgrade plans over OpenShift versions, clusters, mirrored catalogs |
//! | [`olmap_report`] | layout of graphs and all output formats |
//! | [`olmap_lsp`] | answers of the language server |
//!
//! Cargo enforces the dependencies between these crates. This crate has no stable API: its modules are
//! public for the tests of the program.
//!
//! # The layer rule
//!
//! Each module of this crate is a layer. A layer imports only from layers before it, which
//! `tests/architecture.rs` enforces:
//!
//! `config < tui < runtime < cli`
//!
//! Only `runtime`, `cli`, [`olm_source`], [`olm_catalog::load`] and [`olm_edit::save`] have side effects.
//! [`tui::update()`] is a pure function from state and message to state and effects. [`tui::view()`] is a pure
//! function from state to cells.

mod cli;
pub mod config;
pub mod demo;
mod runtime;
pub mod tui;

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub use cli::fuzzing;
pub use cli::main;
/// For tests of the terminal after a panic of the program.
#[doc(hidden)]
pub use runtime::TerminalGuard;
/// For tests that the explorer and `olmap validate` report the same findings.
#[doc(hidden)]
pub use runtime::{check_catalog, run_deferred_checks};
