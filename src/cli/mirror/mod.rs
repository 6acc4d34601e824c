//! `olmap mirror`: what oc-mirror v2 keeps of a catalog.

mod check;
mod configuration;
mod filter;

use super::{out::Out, outcome::Outcome};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the catalog that oc-mirror v2 would publish.
    Filter(filter::Args),
    /// Check which installed versions are no longer upgraded where only that is seen, and which line to change.
    Check(check::Args),
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Filter(args) => filter::run(args, out),
        Command::Check(args) => check::run(args, out),
    }
}
