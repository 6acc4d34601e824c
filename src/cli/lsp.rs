//! `olmap lsp`: language server for catalogs.

use super::{failure::Failure, out::Out, outcome::Outcome};
use crate::runtime;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Editors start this command. It implements the language server protocol on standard input and output:
findings, hovers, completions and renames as you type. docs/editors.md shows how to configure an editor.

Examples:
  olmap lsp                                     in the configuration of an editor

Exit code: 0 ok, 1 the editor ended it without a shutdown request, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Use standard input and output. This is the default; some editors pass the option.
    #[arg(long, hide = true)]
    stdio: bool,
}

#[allow(clippy::unnecessary_wraps, reason = "as all commands are called")]
pub fn run_lsp(args: &Args, _: &mut Out) -> anyhow::Result<Outcome> {
    let Args { stdio: _ } = args;
    let is_in_order =
        runtime::speak().map_err(|error| Failure::new(format!("the language server cannot run: {error}")))?;
    // The protocol requires exit code 1 if the client exits without a shutdown request.
    Ok(if is_in_order { Outcome::Fine } else { Outcome::Findings })
}
