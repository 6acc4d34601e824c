//! The `olmap` program: parse arguments, call the library, turn an error into text and an exit code.

use std::process::ExitCode;

/// Chosen by numbers, which are in `docs/performance.md`. Elsewhere it was not measured, and the system's own is taken.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    olmap::main()
}
