//! `olmap bundle`: contents of a bundle directory, and checks of it.

mod diff;
mod fix;
mod show;
mod validate;

use super::{out::Out, outcome::Outcome};

pub(super) use show::find;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show what is inside: APIs, deployments, permissions, webhooks, images.
    Show(show::Args),
    /// Show what differs between two bundles, what matters first.
    Diff(diff::Args),
    /// Check it: the suites of opm and operator-sdk, or what a cluster rejects.
    Validate(validate::Args),
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Show(args) => show::run(args, out),
        Command::Diff(args) => diff::run(args, out),
        Command::Validate(args) => validate::run(args, out),
    }
}
