//! `olmap resources`: custom resources that install a version.

use std::path::PathBuf;

use clap::ValueEnum;

use super::{
    Failure, Out, Outcome,
    cluster_catalogs::{self, ClusterCatalogArgs},
    cluster_successors::ClusterQueryRunner,
    image, query,
    safety::{BundlesArgs, with_manifests},
    source,
};
use olm_bundle::{manifests::Manifests as _, v1::LoadedBundle};
use olm_catalog::{Catalog, blob::BundleBlob, details::BundleDetails, package::Package};
use olm_plan::cluster::Approval;
use olm_plan::resources::{
    BundleInformation, ExtensionRequest, InstallTarget, ResourceError, ResourceOptions, Resources,
    create_resources, create_resources_over_catalogs,
};
use olm_upgrade::cluster::OfferContent;
use olm_upgrade::{Engine, Installed, PackageGraph, resolve::SourceKey};
use olmap_report::resources as export;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
The output is a ClusterExtension, or a Subscription with its OperatorGroup, for kubectl apply -f. olmap does not
contact a cluster. Notes go to standard error.

Examples:
  olmap resources 1.2.0 -p tide catalog         Namespace, OperatorGroup, Subscription
  olmap resources tide.v1.2.0 catalog -c stable --source olm/harbour
  olmap resources tide.v1.2.0 catalog --engine v1 --namespace tides
  olmap resources tide.v1.2.0 catalog --engine v1 -c stable --version '>=1.2, <2'
  olmap resources 1.2.0 catalog --engine v1 --bundles operators      with the roles of the installer
  olmap resources tide.v1.2.0 --engine v1 --catalog redhat=a,priority=-100 --catalog own=b
                                                with a selector if OLM v1 needs one

Exit code: 0 ok, 1 OLM would refuse the version, 2 failed, or such resources cannot exist.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundle to install: its name, or its version if only one bundle has it.
    bundle: String,
    /// Catalog directory, file or image, or - for standard input. Several only with --one-cluster.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    cluster: ClusterCatalogArgs,
    /// Package; optional if the catalog has only one, or BUNDLE is a name.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// OLM generation that installs the bundle.
    #[arg(long, value_name = "ENGINE", default_value = "classic")]
    engine: InstallEngine,
    /// Channel. Default for Classic: the default channel, or the first that has the bundle. Default
    /// for v1: none, because the version is pinned. Can be repeated for v1.
    #[arg(long, short = 'c', value_name = "NAME")]
    channel: Vec<String>,
    /// v1: version range instead of the version of the bundle.
    #[arg(long, value_name = "RANGE")]
    version: Option<String>,
    /// v1: policy for edges. Default: those of the catalog.
    #[arg(long, value_name = "POLICY", ignore_case = true)]
    policy: Option<query::Policy>,
    /// v1: label of the catalogs to install from, as --selector. Can be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    catalog_selector: Vec<String>,
    /// Name of the Subscription or ClusterExtension [default: name of the package].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Namespace of the installation [default: name of the package].
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    /// Classic: namespace that the operator watches. Default: all if the bundle supports that,
    /// otherwise its own. Can be repeated.
    #[arg(long, value_name = "NAMESPACE")]
    watch: Vec<String>,
    /// Classic: do not print Namespace and OperatorGroup, because they exist.
    #[arg(long)]
    without_group: bool,
    /// Classic: CatalogSource.
    #[arg(long, value_name = "NAMESPACE/NAME")]
    source: Option<String>,
    /// Classic: approval of upgrades. Default: Manual.
    #[arg(long, value_name = "APPROVAL", ignore_case = true)]
    approval: Option<ApprovalMode>,
    /// v1: ServiceAccount that installs it.
    #[arg(long, value_name = "NAME")]
    service_account: Option<String>,
    /// v1: also print the roles that the ServiceAccount needs, if the catalog has the manifests of the
    /// bundle. --bundles and --fetch-bundles imply it.
    #[arg(long)]
    installer_role: bool,
    #[command(flatten)]
    bundles: BundlesArgs,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "yaml")]
    format: Format,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum InstallEngine {
    /// OLM Classic: Namespace, OperatorGroup, Subscription.
    Classic,
    /// OLM v1: Namespace, ServiceAccount, ClusterExtension.
    V1,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ApprovalMode {
    /// OLM installs upgrades without approval.
    #[value(name = "Automatic")]
    Automatic,
    /// Each upgrade waits for approval. Otherwise OLM installs the next version at once.
    #[value(name = "Manual")]
    Manual,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// Documents for kubectl apply -f.
    Yaml,
    /// List for kubectl apply -f.
    Json,
}

pub fn run_resources(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    check_engine(args)?;
    if args.cluster.is_cluster() {
        return create_over_catalogs(args, out);
    }
    let path = args.cluster.single_path(&args.paths, args.engine == InstallEngine::V1)?;
    let catalog = source::open_catalog(path, &args.images)?;
    source::warn_of_problems(&catalog, out);
    let package = select_package_to_install(&catalog, args)?;
    let meant = Installed::parse(package, &args.bundle)
        .map_err(|unknown| query::unknown_bundle_failure(&unknown, package, ""))?;
    let Some(bundle) = package.bundle(meant.name.as_str()) else {
        return Err(Failure::new(format!("{} is not in the catalog", meant.name)).into());
    };
    if let Some(channel) = args.channel.iter().find(|name| package.channel(name).is_none()) {
        return Err(source::no_channel_failure(package, channel).into());
    }
    let details =
        catalog.parse_document(bundle.doc).and_then(Result::ok).map(|tree| BundleDetails::from_bundle(&tree));
    let install_modes = details.map(|details| details.install_modes).unwrap_or_default();
    let graph = PackageGraph::new(package).with_served_parts(&catalog);
    let stop = InstallTarget {
        engine: match args.engine {
            InstallEngine::Classic => Engine::Classic,
            InstallEngine::V1 => Engine::V1,
        },
        package: package.name.clone(),
        channel: args.channel.first().map(|name| name.as_str().into()),
        bundle: meant.name.clone(),
        version: bundle.version.clone(),
    };
    let known = BundleInformation { graph: &graph, install_modes: &install_modes };
    let choices = parse_choices(args)?;
    let refuse =
        |refused: ResourceError| Failure::new(refused.to_string()).with_optional_hint(refused.hint());
    let mut made = create_resources(&stop, Some(known), &choices).map_err(refuse)?;
    if args.needs_installer_role() {
        made = add_installer_role(made, &catalog, bundle, &stop, &choices, args)?;
    }
    print_resources(&made, args.format, out)
}

/// Creates a `ClusterExtension` over the catalogs of one cluster.
fn create_over_catalogs(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let options = [
        (args.installer_role, "--installer-role"),
        (args.bundles.has_source(), "--bundles or --fetch-bundles"),
    ];
    cluster_catalogs::refuse_single_catalog_options(args.engine == InstallEngine::Classic, &options)?;
    let catalogs = args.cluster.open_members(&args.paths, &[], &[], &args.images, out)?;
    let mut runner = ClusterQueryRunner::from_catalogs(&catalogs);
    let name = match (&args.package, runner.packages_with_bundle(&args.bundle).as_slice()) {
        (None, [only]) => only.clone(),
        (package, _) => runner.select_package(package.as_deref())?,
    };
    let meant = runner.find_installed(&name, &args.bundle).map_err(Failure::new)?;
    let package = runner.load_package(&name);
    let known: Vec<&PackageGraph> = package
        .offers
        .iter()
        .filter_map(|offer| match &offer.content {
            OfferContent::Package(graph) => Some(graph),
            _ => None,
        })
        .collect();
    if known.iter().all(|graph| graph.package.bundle(meant.name.as_str()).is_none()) {
        return Err(
            Failure::new(format!("no catalog of the cluster has a bundle {} of {name}", meant.name)).into()
        );
    }
    let is_unknown = |channel: &&String| known.iter().all(|graph| graph.package.channel(channel).is_none());
    if let Some(channel) = args.channel.iter().find(is_unknown) {
        return Err(
            Failure::new(format!("no catalog of the cluster has a channel {channel} of {name}")).into()
        );
    }
    let stop = InstallTarget {
        engine: Engine::V1,
        package: name,
        channel: args.channel.first().map(|name| name.as_str().into()),
        version: meant.to_installed().version,
        bundle: meant.name,
    };
    let made = create_resources_over_catalogs(&stop, &package, &parse_choices(args)?).map_err(
        |refused: ResourceError| Failure::new(refused.to_string()).with_optional_hint(refused.hint()),
    )?;
    print_resources(&made, args.format, out)
}

/// Prints the objects, and the remarks to standard error.
fn print_resources(made: &Resources, format: Format, out: &mut Out) -> anyhow::Result<Outcome> {
    for remark in &made.remarks {
        if remark.refuses {
            out.print_warning(&remark.text, None);
        } else {
            out.print_note(&remark.text);
        }
    }
    out.print_exact(&match format {
        Format::Yaml => export::render_object_documents(&made.objects),
        Format::Json => export::render_object_list(&made.objects),
    })?;
    Ok(made.remarks.iter().any(|remark| remark.refuses).into())
}

impl Args {
    /// Returns true if the user requests the roles of the installing account.
    fn needs_installer_role(&self) -> bool {
        self.installer_role || self.bundles.has_source()
    }
}

/// Adds the roles that install the bundle, computed from its manifests.
fn add_installer_role(
    made: Resources,
    catalog: &Catalog,
    bundle: &BundleBlob,
    stop: &InstallTarget,
    choices: &ResourceOptions,
    args: &Args,
) -> Result<Resources, Failure> {
    let sight = args.bundles.search_path(&args.images.access());
    let manifests = with_manifests(catalog, &sight, |store| store.manifests_of(&stop.package, bundle))?;
    let manifests = manifests.map_err(|error| {
        Failure::new(format!("the roles of the installer need the manifests of {}: {error}", stop.bundle))
            .with_hint("--bundles DIR names a folder with its bundle directory")
    })?;
    let loaded = match &manifests.shown {
        Some(_) => LoadedBundle::load_tree(&manifests.tree),
        // A catalog has the objects of a bundle without its metadata.
        None => LoadedBundle::load_objects(&manifests.tree),
    };
    let loaded = loaded.map_err(|(reason, _)| {
        Failure::new(format!("OLM v1 cannot read the manifests of {}: {reason}", stop.bundle))
    })?;
    made.with_installer_role(stop, choices, &loaded)
        .map_err(|refused| Failure::new(refused.to_string()).with_optional_hint(refused.hint()))
}

/// Refuses options of the other OLM, so that they are not ignored silently.
fn check_engine(args: &Args) -> Result<(), Failure> {
    let of_classic = [
        (!args.watch.is_empty(), "--watch"),
        (args.without_group, "--without-group"),
        (args.source.is_some(), "--source"),
        (args.approval.is_some(), "--approval"),
    ];
    let of_v1 = [
        (args.service_account.is_some(), "--service-account"),
        (args.version.is_some(), "--version"),
        (args.policy.is_some(), "--policy"),
        (!args.catalog_selector.is_empty(), "--catalog-selector"),
        (!args.cluster.selector().selects_all(), "--selector"),
        (args.channel.len() > 1, "a second --channel"),
        (args.installer_role, "--installer-role"),
        (args.bundles.has_source(), "--bundles or --fetch-bundles"),
    ];
    let (others, engine) = match args.engine {
        InstallEngine::Classic => (&of_v1[..], "v1"),
        InstallEngine::V1 => (&of_classic[..], "classic"),
    };
    match others.iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(Failure::new(format!("{option} is only for --engine {engine}"))),
        None => Ok(()),
    }
}

/// Returns the package: the given one, the one with the bundle, or the only one.
fn select_package_to_install<'a>(
    catalog: &'a Catalog,
    args: &Args,
) -> Result<&'a std::sync::Arc<Package>, Failure> {
    if args.package.is_none() {
        let mut having =
            source::named_packages(catalog).filter(|package| package.bundle(&args.bundle).is_some());
        if let (Some(only), None) = (having.next(), having.next()) {
            return Ok(only);
        }
    }
    source::select_package(catalog, args.package.as_deref())
}

fn parse_choices(args: &Args) -> Result<ResourceOptions, Failure> {
    let source = args.source.as_ref().map(|text| match text.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() => {
            Ok(SourceKey { name: name.to_owned(), namespace: namespace.to_owned() })
        }
        _ => Err(Failure::new(format!("--source {text}: it is NAMESPACE/NAME"))
            .with_hint("kubectl get catalogsources -A lists them")),
    });
    let mut selector = args.cluster.selector();
    for text in &args.catalog_selector {
        let Some((key, value)) = text.split_once('=') else {
            return Err(Failure::new(format!("--catalog-selector {text}: it is KEY=VALUE"))
                .with_hint("kubectl get clustercatalogs --show-labels lists them"));
        };
        selector.match_labels.insert(key.to_owned(), value.to_owned());
    }
    let request = ExtensionRequest {
        more_channels: args.channel.iter().skip(1).map(|name| name.as_str().into()).collect(),
        version_range: args.version.clone(),
        policy: args.policy.map(Into::into).unwrap_or_default(),
        selector,
    };
    Ok(ResourceOptions {
        name: args.name.clone(),
        namespace: args.namespace.clone(),
        watch: args.watch.clone(),
        has_group: args.without_group,
        source: source.transpose()?,
        approval: Some(match args.approval {
            Some(ApprovalMode::Automatic) => Approval::Automatic,
            Some(ApprovalMode::Manual) | None => Approval::Manual,
        }),
        service_account: args.service_account.clone(),
        request,
    })
}
