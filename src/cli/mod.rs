//! One file a subcommand; each is load, ask, export.

use std::process::ExitCode;

/// Runs the program on the process arguments.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
