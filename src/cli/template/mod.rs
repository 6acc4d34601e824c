//! `olmap template`: renders templates as opm does, derives templates from catalogs, and compares both.

mod check;
mod convert;
pub(in crate::cli) mod faults;
mod found;
mod render;

use super::{out::Out, outcome::Outcome};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the catalog that opm makes of a template, with the bundles of other catalogs in place of images.
    Render(render::Args),
    /// Print the template that makes a catalog.
    Convert(convert::Args),
    /// Check that catalogs are what their templates make.
    Check(check::Args),
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Render(args) => render::run(args, out),
        Command::Convert(args) => convert::run(args, out),
        Command::Check(args) => check::run(args, out),
    }
}
