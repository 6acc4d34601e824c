//! `olmap cluster`: installed operators of a cluster, and the option of other commands that reads them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Failure, Out, Outcome, ReportFormat, image, output, releases, resolve, source};
use olm_catalog::Catalog;
use olm_plan::cluster::{Cluster, Reader, report_cluster};
use olm_plan::series::Release;
use olm_source::read_cluster_files;
use olm_upgrade::cluster::{ClusterCatalogs, ClusterMember, MemberContent};
use olmap_report::{cluster as export, json};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
This command writes the file; omit the kinds that your cluster does not have:
  kubectl get clusterversions,subscriptions.operators.coreos.com,clusterserviceversions,operatorgroups,catalogsources,\
installplans,clusterextensions,clustercatalogs -A -l '!olm.copiedFrom' -o yaml > cluster.yaml

Examples:
  olmap cluster cluster.yaml                    installed operators and their problems
  olmap cluster cluster.yaml --catalog catalogs/v4.18
  olmap cluster cluster.yaml --catalog redhat=a --catalog own=b
  olmap cluster must-gather -o json             JSON of a must-gather

Exit code: 0 ok, 1 an operator has problems or is not as expected, or something could not be read, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Output of kubectl get with -o yaml or -o json, directories of such files, a must-gather,
    /// or - for standard input. olmap does not contact the cluster.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Catalog of the cluster. The output compares the state of the cluster with what olmap
    /// expects. 4.18= before the path sets its OpenShift version; NAME= is the name of the catalog on
    /// the cluster, unless the path has it. Can be repeated.
    #[arg(long = "catalog", value_name = "[4.NN=|NAME=]CATALOG")]
    catalogs: Vec<String>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    images: image::Args,
}

pub fn run_cluster(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    source::check_stdin(args.catalogs.iter().map(Path::new).chain(args.files.iter().map(PathBuf::as_path)))?;
    let cluster = read_cluster(&args.files)?;
    let words: Vec<(Option<&str>, &str)> =
        args.catalogs.iter().map(|word| split_catalog_name(&cluster, word)).collect();
    let paths: Vec<String> = words.iter().map(|(_, path)| (*path).to_owned()).collect();
    // Without this, an empty list would open the catalog of the current directory, which may belong to
    // another cluster.
    let catalogs = match paths.as_slice() {
        [] => Vec::new(),
        paths => releases::open_releases(paths, &args.images, out)?,
    };
    let members = collect_members(&cluster, &words, &catalogs)?;
    let report = report_cluster(&cluster, &catalogs, members.as_ref());
    out.print(&match args.format {
        ReportFormat::Text => export::render_cluster_report(&report, &out.style),
        ReportFormat::Json | ReportFormat::Yaml => {
            output::encode_json(args.format, json::to_pretty_json(&export::Row::from_cluster_report(&report)))
        }
        ReportFormat::Markdown => export::render_cluster_comment(&report),
    })?;
    Ok(report.has_findings().into())
}

/// Splits `NAME=CATALOG` if NAME is a `ClusterCatalog` of the cluster.
fn split_catalog_name<'a>(cluster: &Cluster, word: &'a str) -> (Option<&'a str>, &'a str) {
    let is_known = |name: &str| cluster.extension_catalogs.iter().any(|catalog| catalog.name == name);
    match word.split_once('=').filter(|(name, _)| is_known(name)) {
        Some((name, path)) => (Some(name), path),
        None => (None, word),
    }
}

/// Returns the `ClusterCatalog`s of the cluster with their content: that of the catalog with this name, or the only
/// given one if there is only one `ClusterCatalog`. `None` if no content is known.
fn collect_members(
    cluster: &Cluster,
    words: &[(Option<&str>, &str)],
    catalogs: &[Release<Catalog>],
) -> Result<Option<ClusterCatalogs>, Failure> {
    let is_only = cluster.extension_catalogs.len() == 1 && words.len() == 1;
    let content = |name: &str| {
        let is_it = |(given, path): &&(Option<&str>, &str)| match given {
            Some(given) => *given == name,
            None => is_only || resolve::derive_name(Path::new(path)) == name,
        };
        let (_, path) = words.iter().find(is_it)?;
        let release = match catalogs {
            [only] if words.len() == 1 => only,
            all => all.iter().find(|release| release.label == *path)?,
        };
        Some(MemberContent::from_catalog(release.catalog.clone()))
    };
    let members = cluster.extension_catalogs.iter().map(|known| ClusterMember {
        properties: Arc::new(known.to_properties()),
        content: content(&known.name),
    });
    let members: Vec<ClusterMember> = members.collect();
    if members.iter().all(|member| member.content.is_none()) {
        return Ok(None);
    }
    let catalogs = ClusterCatalogs::from_members(members);
    catalogs.map(Some).map_err(|error| Failure::new(error.to_string()))
}

/// Maximum number of notes that are printed.
const MAX_SHOWN: usize = 10;

/// Option for the installed operators of a cluster.
#[derive(Debug, Default, clap::Args)]
pub struct ClusterArgs {
    /// Installed operators: output of kubectl get with -o yaml or -o json, a directory of such
    /// files, or a must-gather (- for standard input). olmap does not contact the cluster. Can be
    /// repeated.
    #[arg(long = "cluster", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

impl ClusterArgs {
    /// Reads the cluster if files are given. Prints the parts that could not be read on standard error.
    pub fn load_cluster(&self, out: &Out) -> anyhow::Result<Option<Cluster>> {
        if self.files.is_empty() {
            return Ok(None);
        }
        let cluster = read_cluster(&self.files)?;
        for note in cluster.notes.iter().take(MAX_SHOWN) {
            out.print_warning(&note.to_string(), None);
        }
        match cluster.notes.len().saturating_sub(MAX_SHOWN) {
            0 => {}
            more => out.print_warning(&format!("and {more} more; olmap cluster shows all"), None),
        }
        Ok(Some(cluster))
    }
}

/// Reads files and folders; `-` is standard input.
fn read_cluster(files: &[PathBuf]) -> anyhow::Result<Cluster> {
    source::check_stdin(files)?;
    let mut reader = Reader::default();
    for path in files {
        if source::is_stdin(path) {
            reader.add_file("standard input", &source::read_stdin()?);
            continue;
        }
        read_cluster_files(path, |file| reader.add_file(&file.label, &file.bytes))
            .map_err(|error| Failure::new(error.to_string()).with_optional_hint(error.hint()))?;
    }
    reader
        .finish_cluster()
        .map_err(|nothing| Failure::new(nothing.to_string()).with_hint(nothing.hint()).into())
}
