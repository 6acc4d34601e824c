//! `olmap template`: renders templates as opm does, derives templates from catalogs, and compares both.

mod check;
mod convert;
pub(in crate::cli) mod faults;
mod render;
mod template_rows;

use super::{out::Out, outcome::Outcome};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the catalog that opm generates from a template, with bundles of other catalogs instead
    /// of pulled images.
    Render(render::Args),
    /// Print the template that generates a catalog.
    Convert(convert::Args),
    /// Check that catalogs match their templates.
    Check(check::Args),
}

pub fn run_template(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Render(args) => render::run_template_render(args, out),
        Command::Convert(args) => convert::run_template_convert(args, out),
        Command::Check(args) => check::run_template_check(args, out),
    }
}
