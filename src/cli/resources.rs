//! `olmap resources`: custom resources that install a version.

use std::path::PathBuf;

use clap::ValueEnum;

use super::{
    failure::{self, Failure},
    image,
    out::Out,
    outcome::Outcome,
    query, source,
};
use crate::{
    catalog::{Catalog, details::BundleDetails, package::Package},
    export::resources as export,
    plan::{
        cluster::Approval,
        resources::{Choices, Known, Refused, Stop, resources},
    },
    resolve::SourceKey,
    upgrade::{Engine, Installed, PackageGraph},
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle that is to be installed: its name, or its version if only one bundle has it.
    bundle: String,
    /// The catalog: a directory, a file, or - for standard input.
    path: Option<PathBuf>,
    /// The package; optional if the catalog has only one, or the bundle is named.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// Who installs it.
    #[arg(long, value_name = "ENGINE", default_value = "classic")]
    engine: Which,
    /// The channel. Default: for Classic the default channel, or the first that has the bundle; for v1 none, for the
    /// version is pinned.
    #[arg(long, short = 'c', value_name = "NAME")]
    channel: Option<String>,
    /// What the Subscription or ClusterExtension is called [default: like the package].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The namespace it is installed in [default: like the package].
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    /// Classic: a namespace that the operator watches; default: all where it supports that, else its own. May be given
    /// several times.
    #[arg(long, value_name = "NAMESPACE")]
    watch: Vec<String>,
    /// Classic: print neither Namespace nor OperatorGroup: both are there.
    #[arg(long)]
    without_group: bool,
    /// Classic: the CatalogSource.
    #[arg(long, value_name = "NAMESPACE/NAME")]
    source: Option<String>,
    /// Classic: whether somebody approves each upgrade. Default: Manual.
    #[arg(long, value_name = "APPROVAL", ignore_case = true)]
    approval: Option<HowApproved>,
    /// v1: the ServiceAccount that installs it.
    #[arg(long, value_name = "NAME")]
    service_account: Option<String>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "yaml")]
    format: Format,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Which {
    /// OLM Classic: Namespace, OperatorGroup, Subscription.
    Classic,
    /// OLM v1: Namespace, ServiceAccount, ClusterExtension.
    V1,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum HowApproved {
    /// Nobody has to.
    #[value(name = "Automatic")]
    Automatic,
    /// Each upgrade waits for a person, or the next one is installed at once.
    #[value(name = "Manual")]
    Manual,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// Documents for kubectl apply -f.
    Yaml,
    /// A List for kubectl apply -f.
    Json,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    check_engine(args)?;
    let catalog = source::one(args.path.as_deref(), &args.images)?;
    source::warn_of_problems(&catalog, out);
    let package = package(&catalog, args)?;
    let meant =
        Installed::parse(package, &args.bundle).map_err(|unknown| query::nobody(&unknown, package, ""))?;
    let Some(bundle) = package.bundle(meant.name.as_str()) else {
        return Err(Failure::new(format!("{} is not in the catalog", meant.name)).into());
    };
    if let Some(channel) = args.channel.as_deref().filter(|name| package.channel(name).is_none()) {
        let names = failure::some_of(package.channels.iter().map(|c| c.name.value.as_str()));
        let reason = format!("no channel {channel} in {}", package.name);
        return Err(Failure::new(reason).hint(format!("channels: {names}")).into());
    }
    let details = catalog.tree(bundle.doc).and_then(Result::ok).map(|tree| BundleDetails::of(&tree));
    let install_modes = details.map(|details| details.install_modes).unwrap_or_default();
    let graph = PackageGraph::new(package);
    let stop = Stop {
        engine: match args.engine {
            Which::Classic => Engine::Classic,
            Which::V1 => Engine::V1,
        },
        package: package.name.clone(),
        channel: args.channel.as_deref().map(Into::into),
        bundle: meant.name.clone(),
        version: bundle.version.clone(),
    };
    let known = Known { graph: &graph, install_modes: &install_modes };
    let made = resources(&stop, Some(known), &choices(args)?)
        .map_err(|refused: Refused| Failure::new(refused.to_string()).maybe_hint(refused.hint()))?;
    for remark in &made.remarks {
        if remark.refuses {
            source::warn(&remark.text, None, out);
        } else {
            source::note(&remark.text, out);
        }
    }
    out.print_exact(&match args.format {
        Format::Yaml => export::yaml(&made.objects),
        Format::Json => export::json(&made.objects),
    })?;
    Ok(made.remarks.iter().any(|remark| remark.refuses).into())
}

/// Refuses options of the other OLM, so that they are not ignored silently.
fn check_engine(args: &Args) -> Result<(), Failure> {
    let of_classic = [
        (!args.watch.is_empty(), "--watch"),
        (args.without_group, "--without-group"),
        (args.source.is_some(), "--source"),
        (args.approval.is_some(), "--approval"),
    ];
    let of_v1 = [(args.service_account.is_some(), "--service-account")];
    let (others, engine) = match args.engine {
        Which::Classic => (&of_v1[..], "v1"),
        Which::V1 => (&of_classic[..], "classic"),
    };
    match others.iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(Failure::new(format!("{option} is only for --engine {engine}"))),
        None => Ok(()),
    }
}

/// Returns the package: the given one, the one with the bundle, or the only one.
fn package<'a>(catalog: &'a Catalog, args: &Args) -> Result<&'a std::sync::Arc<Package>, Failure> {
    if args.package.is_none() {
        let mut having = source::packages(catalog).filter(|package| package.bundle(&args.bundle).is_some());
        if let (Some(only), None) = (having.next(), having.next()) {
            return Ok(only);
        }
    }
    source::package(catalog, args.package.as_deref())
}

fn choices(args: &Args) -> Result<Choices, Failure> {
    let source = args.source.as_ref().map(|text| match text.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() => {
            Ok(SourceKey { name: name.to_owned(), namespace: namespace.to_owned() })
        }
        _ => Err(Failure::new(format!("--source {text}: it is NAMESPACE/NAME"))
            .hint("kubectl get catalogsources -A lists them")),
    });
    Ok(Choices {
        name: args.name.clone(),
        namespace: args.namespace.clone(),
        watch: args.watch.clone(),
        has_group: args.without_group,
        source: source.transpose()?,
        approval: Some(match args.approval {
            Some(HowApproved::Automatic) => Approval::Automatic,
            Some(HowApproved::Manual) | None => Approval::Manual,
        }),
        service_account: args.service_account.clone(),
    })
}
