//! `olmap path`: upgrade path from an installed version to another, or the reason why there is
//! none.

use std::{collections::BTreeSet, path::PathBuf};

use super::cluster_catalogs::{self, ClusterCatalogArgs};
use super::cluster_successors::ClusterQueryRunner;
use super::query::{self, Engines, QueryArgs, QueryRequest};
use super::{Failure, Out, Outcome, TextOrJson, image, out, output, safety::SafetyArgs, source};
use olm_catalog::{BundleName, ChannelName};
use olm_upgrade::cluster::{ClusterPackage, ClusterQuery, ClusterResolver, InstalledMetadata, OfferContent};
use olm_upgrade::path::{PathReport, UpgradeContext};
use olm_upgrade::safety::{PackageSafety, PathHistory, Step, StepReason};
use olm_upgrade::{Engine, Installed, PackageGraph, v1::Query};
use olmap_report::cluster_path::{ClusterPathRow, render_cluster_path};
use olmap_report::{Ink, json, path};

/// Name that means the head of the channel.
const HEAD: &str = "head";

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap path 1.2.0 2.0.0 catalog                step by step, with both OLMs
  olmap path 1.2.0 2.0.0 --engine classic -c stable catalog
  olmap path 1.2.0 2.0.0 -p tide --catalog redhat=a,priority=-100 --catalog own=b
                                                OLM v1 with both catalogs on the cluster

Exit code: 0 there is an upgrade path, 1 there is none, 2 failed, or manifests could not be read.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Installed bundle: its name, or its version if only one bundle has it. A bundle that is no
    /// longer in the catalog needs both.
    #[arg(value_name = "FROM[@VERSION]")]
    from: String,
    /// Target: bundle name, version, or head.
    to: String,
    /// Catalog directory, file or image, or - for standard input. Several only with --one-cluster.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    cluster: ClusterCatalogArgs,
    /// Package; optional if the catalog has only one.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    #[command(flatten)]
    query: QueryArgs,
    #[command(flatten)]
    safety: SafetyArgs,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
    #[command(flatten)]
    images: image::Args,
}

pub fn run_path(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.cluster.is_cluster() {
        return follow_cluster_path(args, out);
    }
    let path = args.cluster.single_path(&args.paths, false)?;
    let catalog = args.safety.open_catalog(path, args.package.as_deref(), &args.images)?;
    let package = source::select_package(&catalog, args.package.as_deref())?;
    out::report_unread(&catalog, |name| *name == package.name, out);
    let graph = PackageGraph::new(package).with_served_parts(&catalog);
    let wish = args.query.build_request(package)?;
    let from = Installed::parse(package, &args.from)
        .map_err(|unknown| query::unknown_bundle_failure(&unknown, package, ""))?;
    let mut routes = Vec::new();
    for traveller in upgrade_contexts(wish) {
        let to = resolve_goal(&graph, &traveller, &args.to)?;
        routes.push(PathReport::new(&graph, &traveller, &from, &to));
    }
    let shown = args.safety.shown_steps(&args.images, &catalog, package);
    let safety = shown.as_ref().map(|shown| {
        shown.judge_steps(&catalog, |grounds| {
            PackageSafety::judge_path(&graph, unique_steps(&routes), &installed_before(&routes), grounds)
        })
    });
    let safety = safety.transpose()?;
    let safety = safety.as_ref();
    let arrived = routes.iter().all(|route| route.path.arrives());
    match args.format {
        TextOrJson::Json | TextOrJson::Yaml => {
            let rows: Vec<path::Row> =
                routes.iter().map(|route| path::Row::from_route(&package.name, route, safety)).collect();
            out.print(&output::encode_json(args.format, json::to_pretty_json(&rows)))?;
        }
        TextOrJson::Text => {
            let texts: Vec<String> =
                routes.iter().map(|route| path::render_route(route, safety, &out.style)).collect();
            let name = out.style.paint(Ink::Bold, package.name.as_str());
            out.print(&format!("{name}\n\n{}", texts.join("\n")))?;
        }
    }
    if let Some(safety) = safety.filter(|_| shown.is_some_and(|shown| shown.is_requested())) {
        out::report_steps(safety, out);
    }
    Ok((!arrived).into())
}

/// Follows the upgrades of OLM v1 over the catalogs of one cluster.
fn follow_cluster_path(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let options = [(args.safety.search_path(&args.images).is_some(), "--safety")];
    cluster_catalogs::refuse_single_catalog_options(args.query.engine == Engines::Classic, &options)?;
    let catalogs = args.cluster.open_members(&args.paths, &[], &[], &args.images, out)?;
    let mut runner = ClusterQueryRunner::from_catalogs(&catalogs);
    let name = runner.select_package(args.package.as_deref())?;
    let query = ClusterQuery { query: args.query.to_v1_query(), selector: args.cluster.selector() };
    let from = runner.find_installed(&name, &args.from).map_err(|reason| {
        Failure::new(reason).with_hint("a bundle that is in no catalog needs its version: NAME@1.2.3")
    })?;
    let package = runner.load_package(&name);
    let to = match runner.find_installed(&name, &args.to) {
        Ok(to) => to,
        Err(_) if args.to == HEAD => cluster_head(&package, &query.query)?,
        Err(reason) => return Err(Failure::new(reason).with_hint("give a bundle or its version").into()),
    };
    let path = ClusterResolver::from_query(&package, &query).follow_path(&from, &to);
    match args.format {
        TextOrJson::Json | TextOrJson::Yaml => {
            let row = ClusterPathRow::from_path(&catalogs, &name, &query, &path);
            out.print(&output::encode_json(args.format, json::to_pretty_json(&[row])))?;
        }
        TextOrJson::Text => {
            let text = render_cluster_path(&catalogs, &query, &path, &out.style);
            out.print(&format!("{}\n\n{text}", out.style.paint(Ink::Bold, name.as_str())))?;
        }
    }
    Ok((!path.arrives()).into())
}

/// Returns the head of the channel: the given one, or the default channel of each catalog. It must be the same in all
/// catalogs that have the channel.
fn cluster_head(package: &ClusterPackage, query: &Query) -> Result<InstalledMetadata, Failure> {
    let head = |graph: &PackageGraph| {
        let channel = match query.channels.as_slice() {
            [only] => only,
            [] => graph.package.default_channel()?,
            _ => return None,
        };
        let head = graph.channel(channel.as_str())?.graph.head()?;
        let bundle = graph.package.bundle(head.name.as_str())?;
        let version = bundle.first_package_property().map(|property| property.version.value.clone());
        Some(InstalledMetadata { name: head.name.clone(), version: version.unwrap_or_default() })
    };
    let mut heads: Vec<(&str, InstalledMetadata)> = Vec::new();
    for offer in &*package.offers {
        let OfferContent::Package(graph) = &offer.content else { continue };
        heads.extend(head(graph).map(|head| (offer.catalog.name.as_str(), head)));
    }
    match heads.as_slice() {
        [] => Err(Failure::new("which head? No catalog has a channel with exactly one head")
            .with_hint("give a bundle or its version")),
        [(_, first), rest @ ..] if rest.iter().all(|(_, other)| other == first) => Ok(first.clone()),
        _ => {
            let heads = heads.iter().map(|(catalog, head)| format!("{} in {catalog}", head.name));
            Err(Failure::new(format!(
                "which head? The catalogs differ: {}",
                heads.collect::<Vec<_>>().join(", ")
            ))
            .with_hint("give a bundle or its version"))
        }
    }
}

/// Returns the steps of all routes without duplicates.
fn unique_steps(routes: &[PathReport]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for hop in routes.iter().flat_map(|route| &route.path.hops) {
        let way = match (hop.engine, hop.channel()) {
            (Engine::Classic, channel) => StepReason::Classic(channel.cloned().unwrap_or_default()),
            (Engine::V1, channel) => StepReason::V1(channel.cloned()),
        };
        match steps.iter_mut().find(|step| step.from == hop.from && step.to == hop.to) {
            Some(step) => drop(step.reasons.insert(way)),
            None => steps.push(Step { from: hop.from.clone(), to: hop.to.clone(), reasons: [way].into() }),
        }
    }
    steps
}

/// Returns the bundles that were installed before each step, on every route that takes it.
fn installed_before(routes: &[PathReport]) -> PathHistory {
    let mut history = PathHistory::new();
    for route in routes {
        let mut before: BTreeSet<BundleName> = BTreeSet::new();
        for hop in &route.path.hops {
            let known = history.entry((hop.from.clone(), hop.to.clone())).or_insert_with(|| before.clone());
            known.retain(|name| before.contains(name));
            before.insert(hop.from.clone());
        }
    }
    history
}

/// Returns an upgrade context for each Classic channel, and one for v1.
fn upgrade_contexts(wish: QueryRequest) -> Vec<UpgradeContext> {
    let QueryRequest { channels, query, engines } = wish;
    let mut travellers = Vec::new();
    for engine in engines {
        match engine {
            Engine::Classic => travellers.extend(channels.iter().cloned().map(UpgradeContext::Classic)),
            Engine::V1 => travellers.push(UpgradeContext::V1(query.clone())),
        }
    }
    travellers
}

/// Resolves the target: a bundle name, a version, or the head of the channel.
fn resolve_goal(graph: &PackageGraph, traveller: &UpgradeContext, text: &str) -> Result<BundleName, Failure> {
    let package = &graph.package;
    let is_named =
        |name: &str| graph.channels().iter().any(|channel| channel.graph.find_node(name).is_some());
    if package.bundle(text).is_some() || is_named(text) {
        return Ok(text.into());
    }
    if text == HEAD {
        return channel_head(graph, traveller);
    }
    match Installed::parse(package, text) {
        Ok(known) if package.bundle(known.name.as_str()).is_some() => Ok(known.name),
        Ok(gone) => Err(Failure::new(format!("{} is not in the catalog", gone.name))),
        Err(unknown) => {
            let meant = unknown.suggest_bundles(package);
            let meant = meant.iter().map(BundleName::as_str).collect::<Vec<_>>().join(" or ");
            let hint =
                (!meant.is_empty()).then(|| format!("did you mean {meant}? {HEAD} is the channel's head"));
            Err(Failure::new(unknown.to_string()).with_optional_hint(hint))
        }
    }
}

/// Returns the head of the channel: the subscribed one for Classic; for v1 the given one, or the
/// default channel.
fn channel_head(graph: &PackageGraph, traveller: &UpgradeContext) -> Result<BundleName, Failure> {
    let channel: &ChannelName = match traveller {
        UpgradeContext::Classic(channel) => channel,
        UpgradeContext::V1(query) => match query.channels.as_slice() {
            [only] => only,
            [] => graph.package.default_channel().ok_or_else(|| {
                Failure::new(format!("which head? {} has no default channel", graph.package.name))
                    .with_hint("choose a channel with --channel")
            })?,
            _ => {
                return Err(Failure::new("which head? There are several channels, and v1 uses all of them")
                    .with_hint("give a bundle, one --channel, or --engine classic"));
            }
        },
    };
    let upgrades = graph.channel(channel.as_str());
    let head = upgrades.and_then(|channel| channel.graph.head());
    head.map(|node| node.name.clone()).ok_or_else(|| {
        Failure::new(format!("channel {channel} does not have exactly one head")).with_hint("give a bundle")
    })
}
