//! `olmap cluster`: installed operators of a cluster, and the option of other commands that reads them.

mod input;

use std::path::PathBuf;

use super::{format::ReportFormat, image, out::Out, outcome::Outcome, releases, source};
use olm_plan::cluster::report_cluster;
use olmap_report::{cluster as export, json};

pub use input::{ClusterArgs, read_cluster};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Output of kubectl get with -o yaml or -o json, directories of such files, a must-gather,
    /// or - for standard input. olmap does not contact the cluster.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Catalog of the cluster. The output compares the state of the cluster with what olmap
    /// expects. 4.18= before the path sets its OpenShift version. Can be repeated.
    #[arg(long = "catalog", value_name = "[4.NN=]CATALOG")]
    catalogs: Vec<String>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    images: image::Args,
}

pub fn run_cluster(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let paths = args.catalogs.iter().map(PathBuf::from).chain(args.files.iter().cloned());
    source::check_stdin(&paths.collect::<Vec<_>>())?;
    // Without this, an empty list would open the catalog of the current directory, which may belong to
    // another cluster.
    let catalogs = match args.catalogs.as_slice() {
        [] => Vec::new(),
        words => releases::open_releases(words, &args.images, out)?,
    };
    let cluster = read_cluster(&args.files)?;
    let report = report_cluster(&cluster, &catalogs);
    out.print(&match args.format {
        ReportFormat::Text => export::render_cluster_report(&report, &out.style),
        ReportFormat::Json => json::to_pretty_json(&export::Row::from_cluster_report(&report)),
        ReportFormat::Markdown => export::render_cluster_comment(&report),
    })?;
    Ok(report.has_findings().into())
}
