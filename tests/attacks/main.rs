//! Attacks on saving, with the program as a black box: concurrent saves, and errors and kills at
//! its system calls.
//!
//! `OLMAP_ATTACK=large` (docs/trust.md) runs six hundred rounds of two writers, and every error at
//! every system call.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[cfg(target_arch = "x86_64")]
mod calls;
#[cfg(target_arch = "x86_64")]
mod disk;
#[path = "../support/large.rs"]
mod large;
#[cfg(target_arch = "x86_64")]
mod memory_limit;
#[cfg(target_arch = "x86_64")]
mod power;
#[path = "../cli/run.rs"]
#[allow(dead_code, reason = "shared with the tests of the commands")]
mod run;
mod ship;
#[cfg(target_arch = "x86_64")]
mod strace;
#[cfg(target_arch = "x86_64")]
mod system_calls;
#[cfg(target_arch = "x86_64")]
mod trace;
mod two_writers;
