//! `olmap crds`: compatibility of CRD upgrades.

mod crd_source;
mod diff;
mod graph;

use super::{out::Out, outcome::Outcome};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show what OLM refuses when new CRDs replace old ones, what breaks, and what to do instead.
    Diff(diff::Args),
    /// Show for each step of the upgrade graph whether OLM refuses it, and what to check before it.
    Graph(graph::Args),
}

pub fn run_crds(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Diff(args) => diff::run_crds_diff(args, out),
        Command::Graph(args) => graph::run_crds_graph(args, out),
    }
}
