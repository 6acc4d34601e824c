//! `olmap mirror`: effect of oc-mirror v2 on a catalog.

mod check;
mod configuration;
mod filter;

use super::{failure::Failure, out::Out, outcome::Outcome, source};
use olm_catalog::Catalog;
use olm_plan::mirror::MirrorError;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the catalog that oc-mirror v2 would publish.
    Filter(filter::Args),
    /// Check which installed versions lose upgrades on the mirror, and which line to change.
    Check(check::Args),
}

/// Returns the error for a catalog that oc-mirror refuses, with the first unreadable part of the catalog.
fn mirror_failure(catalog: &Catalog, fault: &MirrorError) -> Failure {
    let label = catalog.origin.label();
    let reason = match source::first_unread(catalog) {
        Some(first) if *fault == MirrorError::Unreadable => format!("{fault}: {first}"),
        _ => fault.to_string(),
    };
    Failure::new(format!("oc-mirror refuses {label}: {reason}")).with_optional_hint(fault.hint())
}

pub fn run_mirror(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Filter(args) => filter::run_mirror_filter(args, out),
        Command::Check(args) => check::run_mirror_check(args, out),
    }
}
