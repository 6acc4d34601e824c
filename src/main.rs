//! The `olmap` program: parse arguments, call the library, turn an error into text and an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    olmap::main()
}
