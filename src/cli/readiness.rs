//! `olmap readiness`: packages that OLM v1 can take over, and what blocks the others.

use std::{mem::ManuallyDrop, path::PathBuf};

use super::cluster_catalogs::ClusterCatalogArgs;
use super::safety::{BundlesArgs, with_manifests};
use super::{Failure, Out, Outcome, ReportFormat, image, out, output, source};
use olm_check::review::{
    Snapshot,
    cluster_readiness::{ChosenPackage, choose_catalogs},
    readiness::{self, Readiness},
};
use olm_source::ManifestSearchPath;
use olm_upgrade::openshift::OpenShift;
use olm_upgrade::v1_capabilities::V1Capabilities;
use olmap_report::{json, readiness as export};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
For each other package the output shows what blocks OLM v1, and what to do.

Examples:
  olmap readiness catalog                       a table, and the blockers of each package
  olmap readiness catalog -p tide --bundles operators/tide
  olmap readiness catalog --openshift 4.19      with the features of OLM v1 on OpenShift 4.19
  olmap readiness --catalog redhat=a,priority=-100 --catalog own=b
                                                with both catalogs on the cluster
  olmap readiness catalog -o markdown           for an issue or a pull request

Exit code: 0 all packages are ready, 1 some are not ready, 2 failed, or manifests could not be read.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalog directory, file or image, or - for standard input. Several only with --one-cluster.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    cluster: ClusterCatalogArgs,
    /// Only this package.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// OpenShift version of the cluster, such as 4.19. OLM v1 does not support the same bundles on all
    /// versions: webhooks, install modes.
    #[arg(long, value_name = "VERSION", value_parser = OpenShift::parse)]
    openshift: Option<OpenShift>,
    #[command(flatten)]
    bundles: BundlesArgs,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    #[command(flatten)]
    images: image::Args,
}

pub fn run_readiness(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let capabilities = args.openshift.map(find_capabilities).transpose()?;
    let sight = args.bundles.search_path(&args.images.access());
    let all = if args.cluster.is_cluster() {
        check_cluster(args, capabilities, &sight, out)?
    } else {
        let path = args.cluster.single_path(&args.paths, false)?;
        let catalog = source::open_catalog(path, &args.images)?;
        source::warn_of_problems(&catalog, out);
        if let Some(name) = &args.package {
            source::select_package(&catalog, Some(name))?;
        }
        // The process ends after the command, which frees the memory faster.
        let snapshot = ManuallyDrop::new(Snapshot::with_rejecting_rules(catalog));
        with_manifests(&snapshot.catalog, &sight, |shelves| {
            let is_meant = |name: &_| args.package.as_ref().is_none_or(|wanted| *name == **wanted);
            readiness::check_packages(&snapshot, is_meant, capabilities, shelves)
        })?
    };
    match args.format {
        ReportFormat::Text => out.print(&export::render_readiness(&all, capabilities, &out.style))?,
        ReportFormat::Json | ReportFormat::Yaml => {
            let rows: Vec<_> =
                all.iter().map(|ready| export::Row::from_readiness(ready, capabilities)).collect();
            out.print(&output::encode_json(args.format, json::to_pretty_json(&rows)))?;
        }
        ReportFormat::Markdown => out.print(&export::render_readiness_comment(&all, capabilities))?,
    }
    out::report_readiness(&all, out);
    Ok((!all.iter().all(Readiness::is_ready)).into())
}

/// Returns the features of OLM v1 on an OpenShift version. Refuses versions that olmap does not know.
fn find_capabilities(version: OpenShift) -> Result<V1Capabilities, Failure> {
    V1Capabilities::find_for_openshift(version).ok_or_else(|| {
        let mut known = V1Capabilities::known_versions();
        let range = known.next().zip(known.next_back());
        let range = range.map(|(first, last)| format!("it knows {first} to {last}; "));
        Failure::new(format!("olmap does not know the features of OLM v1 on OpenShift {version}"))
            .with_hint(format!("{}leave out --openshift", range.unwrap_or_default()))
    })
}

/// Checks the packages over the catalogs of one cluster: each with the catalog that OLM v1 chooses.
fn check_cluster(
    args: &Args,
    capabilities: Option<V1Capabilities>,
    sight: &ManifestSearchPath,
    out: &Out,
) -> anyhow::Result<Vec<Readiness>> {
    let catalogs = args.cluster.open_members(&args.paths, &[], &[], &args.images, out)?;
    let chosen = choose_catalogs(&catalogs, &args.cluster.selector(), args.package.as_deref());
    let mut all: Vec<Readiness> = chosen
        .iter()
        .filter(|chosen| chosen.catalog().is_none())
        .map(|chosen| chosen.readiness_without_pick(&catalogs))
        .collect();
    for member in catalogs.members() {
        let name = member.properties.name.as_str();
        let is_own = |chosen: &&ChosenPackage| chosen.catalog() == Some(name);
        let Some(content) = member.content.as_ref().filter(|_| chosen.iter().any(|one| is_own(&one))) else {
            continue;
        };
        let snapshot = Snapshot::with_rejecting_rules(content.catalog.clone());
        let checked = with_manifests(&snapshot.catalog, sight, |shelves| {
            let is_meant = |package: &_| chosen.iter().filter(is_own).any(|one| one.package == *package);
            readiness::check_packages(&snapshot, is_meant, capabilities, shelves)
        })?;
        all.extend(checked.into_iter().map(|ready| Readiness { catalog: Some(name.to_owned()), ..ready }));
    }
    all.sort_by(|a, b| a.package.cmp(&b.package));
    Ok(all)
}
