//! `olmap generate`: files that opm generates.

mod bundle;
mod dockerfile;

use super::{out::Out, outcome::Outcome};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap generate dockerfile catalog             catalog.Dockerfile beside the directory
  olmap generate dockerfile catalog -i scratch  only the files
  olmap generate dockerfile catalog -l quay.expires-after=1w
  olmap generate bundle -d tide/manifests -p tide -c stable,fast -e stable
  olmap generate bundle -d manifests -p tide -c stable -u out

Exit code: 0 ok, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Write the metadata of a bundle and the Dockerfile of its image, as opm alpha bundle generate
    /// does.
    Bundle(bundle::Args),
    /// Write DIR.Dockerfile beside the directory of a catalog, as opm does. olmap never overwrites
    /// a file.
    Dockerfile(dockerfile::Args),
}

pub fn run_generate(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Bundle(args) => bundle::run_generate_bundle(args, out),
        Command::Dockerfile(args) => dockerfile::run_generate_dockerfile(args, out),
    }
}
