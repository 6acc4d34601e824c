//! `olmap image`: builds and pushes images of catalogs without a container engine.

mod build;
mod push;

use super::{out::Out, outcome::Outcome};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Build the image of a catalog directory as an OCI archive or layout. The same directory gives
    /// the same digest.
    Build(build::Args),
    /// Push an OCI archive or layout to a registry.
    Push(push::Args),
}

pub fn run_image(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Build(args) => build::run_image_build(args, out),
        Command::Push(args) => push::run_image_push(args, out),
    }
}
