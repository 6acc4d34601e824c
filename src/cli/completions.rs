//! Shell completions.

use clap_complete::Shell;

use super::{out::Out, outcome::Outcome};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap completions bash                        source <(olmap completions bash)
  olmap completions fish                        into ~/.config/fish/completions/olmap.fish

Exit code: 0 ok, 2 the shell is not supported.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints a script that completes commands, options and their values.
pub fn run_completions(args: &Args, mut command: clap::Command, out: &mut Out) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "olmap", &mut script);
    out.print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Fine)
}
