//! `olmap generate`: files that opm generates.

mod bundle;

use super::{out::Out, outcome::Outcome};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Write the metadata of a bundle and the Dockerfile of its image, as opm alpha bundle generate does.
    Bundle(bundle::Args),
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Bundle(args) => bundle::run(args, out),
    }
}
