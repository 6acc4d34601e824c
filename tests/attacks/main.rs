//! Attacks on saving, with the program as a black box: two at once, errors and kills at its system calls.
//!
//! They run in small numbers with all other tests. `OLMAP_ATTACK=large cargo test --release --test attacks` runs them in large
//! ones: six hundred rounds of two writers, and every error at every system call.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "../cli/run.rs"]
#[allow(dead_code, reason = "shared with the tests of the commands")]
mod run;
mod ship;
#[cfg(target_arch = "x86_64")]
mod system_calls;
#[cfg(target_arch = "x86_64")]
mod trace;
mod two_writers;

/// Whether large numbers are asked for.
fn is_large() -> bool {
    std::env::var_os("OLMAP_ATTACK").is_some_and(|value| value == "large")
}
