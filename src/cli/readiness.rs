//! `olmap readiness`: packages that can move to OLM v1.

use std::path::PathBuf;

use super::{
    format::ReportFormat,
    image, not_checked,
    out::Out,
    outcome::Outcome,
    safety::{BundlesArgs, with_manifests},
    source,
};
use crate::{
    export::{json, readiness as export},
    review::{Snapshot, readiness},
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The catalog: a directory, a file, or - for standard input.
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

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let catalog = source::one(args.path.as_deref(), &args.images)?;
    source::warn_of_problems(&catalog, out);
    if let Some(name) = &args.package {
        source::package(&catalog, Some(name))?;
    }
    let snapshot = Snapshot::new(catalog);
    let sight = args.bundles.sight(&args.images.access());
    let all = with_manifests(&snapshot.catalog, &sight, |shelves| {
        readiness::of(&snapshot, args.package.as_deref(), shelves)
    })?;
    match args.format {
        ReportFormat::Text => out.print(&export::text(&all, &out.style))?,
        ReportFormat::Json => {
            out.print(&json::pretty(&all.iter().map(export::Row::of).collect::<Vec<_>>()))?;
        }
        ReportFormat::Markdown => out.print(&export::comment(&all))?,
    }
    not_checked::report_readiness(&all, out);
    Ok(if all.iter().all(readiness::Readiness::is_ready) { Outcome::Fine } else { Outcome::Findings })
}
