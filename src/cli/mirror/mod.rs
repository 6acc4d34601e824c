//! `olmap mirror`: what oc-mirror v2 keeps of a catalog.

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
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Filter(args) => filter::run(args, out),
    }
}
