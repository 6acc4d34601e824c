//! The `olmap` program: parse arguments, call the library, turn an error into text and an exit code.

use std::process::ExitCode;

/// musl's own has one lock for all threads. What was measured is in `docs/performance.md`.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    olmap::main()
}
