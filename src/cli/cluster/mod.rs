//! `olmap cluster`: installed operators of a cluster, and the option of other commands that reads them.

mod read;

use std::path::PathBuf;

use super::{format::ReportFormat, image, out::Out, outcome::Outcome, releases, source};
use crate::{
    export::{cluster as export, json},
    plan::cluster::report,
};

pub use read::{ClusterArgs, read};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// What kubectl get ... -o yaml or -o json wrote, directories of such files, a must-gather, or - for standard input. No
    /// cluster is contacted.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// A catalog that the cluster has: what olmap expects stands beside what the cluster says. 4.18= before the path is the
    /// OpenShift version it is for. May be given several times.
    #[arg(long = "catalog", value_name = "[4.NN=]CATALOG")]
    catalogs: Vec<String>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    images: image::Args,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let paths = args.catalogs.iter().map(PathBuf::from).chain(args.files.iter().cloned());
    source::check_stdin(&paths.collect::<Vec<_>>())?;
    // Without this, an empty list would open the catalog of the current directory, which may belong to
    // another cluster.
    let catalogs = match args.catalogs.as_slice() {
        [] => Vec::new(),
        words => releases::open(words, &args.images, out)?,
    };
    let cluster = read(&args.files)?;
    let report = report(&cluster, &catalogs);
    out.print(&match args.format {
        ReportFormat::Text => export::text(&report, &out.style),
        ReportFormat::Json => json::pretty(&export::Row::of(&report)),
        ReportFormat::Markdown => export::comment(&report),
    })?;
    Ok(report.has_findings().into())
}
