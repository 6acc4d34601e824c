//! `olmap lsp`: catalogs in editors.

use super::{failure::Failure, out::Out, outcome::Outcome};
use crate::runtime;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Speak on standard input and output, as is done anyway: some editors say so.
    #[arg(long, hide = true)]
    stdio: bool,
}

#[allow(clippy::unnecessary_wraps, reason = "as all commands are called")]
pub fn run(args: &Args, _: &mut Out) -> anyhow::Result<Outcome> {
    let Args { stdio: _ } = args;
    let is_in_order =
        runtime::speak().map_err(|error| Failure::new(format!("the language server cannot run: {error}")))?;
    // The protocol asks for exit code 1 where a client ends it without having shut it down.
    Ok(if is_in_order { Outcome::Fine } else { Outcome::Findings })
}
