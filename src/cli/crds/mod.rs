//! `olmap crds`: compatibility of CRD upgrades.

mod diff;
mod graph;
mod side;

use super::{out::Out, outcome::Outcome};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show what OLM v1 refuses when new CRDs take the place of old ones, what it breaks, and what to do instead.
    Diff(diff::Args),
    /// Show for every step of the upgrade graph whether OLM refuses it, and what to look at before it.
    Graph(graph::Args),
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Diff(args) => diff::run(args, out),
        Command::Graph(args) => graph::run(args, out),
    }
}
