//! `olmap image`: builds and pushes images of catalogs without a container engine.

mod build;
mod push;

use super::{out::Out, outcome::Outcome};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap image build catalog -t quay.io/ns/catalog:v1 --to oci-archive:catalog.tar
  olmap image build catalog -t quay.io/ns/catalog:v1 --to oci:layout --from-layout oci:opm:latest
  olmap image push oci-archive:catalog.tar docker://quay.io/ns/catalog:v1

Exit code: 0 ok, 2 failed, for example because opm rejects the catalog.";

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
