//! The `olmap` program: parses arguments, calls the crates, and converts an error to text and an exit code.

use std::process::ExitCode;

/// The allocator of musl has one lock for all threads. `docs/performance.md` has measurements.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    olmap::main()
}
