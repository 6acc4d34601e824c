//! `olmap bundle`: contents of a bundle directory, and checks of it.

mod diff;
mod fix;
mod show;
mod validate;

use super::{out::Out, outcome::Outcome};

pub(super) use show::find_bundle;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show the contents: APIs, deployments, permissions, webhooks, images.
    Show(show::Args),
    /// Compare two bundles, most important differences first.
    Diff(diff::Args),
    /// Check bundles with the suites of opm and operator-sdk, or as a cluster does.
    Validate(validate::Args),
}

pub fn run_bundle(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Show(args) => show::run_bundle_show(args, out),
        Command::Diff(args) => diff::run_bundle_diff(args, out),
        Command::Validate(args) => validate::run_bundle_validate(args, out),
    }
}
