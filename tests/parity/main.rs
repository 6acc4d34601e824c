//! Comparison of olmap with an installed opm, and with recorded answers of other programs. See
//! `docs/conformance.md`.
//!
//! This test does not use the crates, so that it builds quickly.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod answers;
mod beside_opm;
#[path = "../../crates/olm-check/src/tests/changes.rs"]
mod changes;
use olmap_testing as conformance;
mod corpus;
mod images;
mod programs;
mod questions;
#[path = "../cli/registry"]
#[allow(dead_code, reason = "the tests of registries take more of it")]
mod registry {
    mod authority;
    pub mod image;
    pub mod server;
}
mod comparison;
#[path = "../cli/run.rs"]
#[allow(dead_code, reason = "the tests of commands take more of it")]
mod run;
mod session;
#[cfg(unix)]
mod stand_in;
