//! `olmap readiness`: packages that OLM v1 can take over, and what blocks the others.

use std::path::PathBuf;

use super::safety::{BundlesArgs, with_manifests};
use super::{Out, Outcome, ReportFormat, image, out, source};
use olm_check::review::{Snapshot, readiness};
use olmap_report::{json, readiness as export};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
For each other package the output shows what blocks OLM v1, and what to do.

Examples:
  olmap readiness catalog                       a table, and the blockers of each package
  olmap readiness catalog -p tide --bundles operators/tide
  olmap readiness catalog -o markdown           for an issue or a pull request

Exit code: 0 all packages are ready, 1 some are not ready, 2 failed, or manifests could not be read.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalog directory, file or image, or - for standard input.
    path: Option<PathBuf>,
    /// Only this package.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    #[command(flatten)]
    bundles: BundlesArgs,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    images: image::Args,
}

pub fn run_readiness(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let catalog = source::open_catalog(args.path.as_deref(), &args.images)?;
    source::warn_of_problems(&catalog, out);
    if let Some(name) = &args.package {
        source::select_package(&catalog, Some(name))?;
    }
    let snapshot = Snapshot::new(catalog);
    let sight = args.bundles.search_path(&args.images.access());
    let all = with_manifests(&snapshot.catalog, &sight, |shelves| {
        readiness::check_packages(&snapshot, args.package.as_deref(), shelves)
    })?;
    match args.format {
        ReportFormat::Text => out.print(&export::render_readiness(&all, &out.style))?,
        ReportFormat::Json => {
            out.print(&json::to_pretty_json(
                &all.iter().map(export::Row::from_readiness).collect::<Vec<_>>(),
            ))?;
        }
        ReportFormat::Markdown => out.print(&export::render_readiness_comment(&all))?,
    }
    out::report_readiness(&all, out);
    Ok((!all.iter().all(readiness::Readiness::is_ready)).into())
}
