//! `olmap resolve`: result of OLM Classic in a namespace, including dependencies.

mod arguments;
mod catalogs;
mod queries;

use std::path::PathBuf;

use clap::ValueEnum;

use super::{
    cluster::ClusterArgs,
    failure::{self, Failure},
    image, not_checked,
    out::Out,
    outcome::Outcome,
    source,
};
use catalogs::NamedCatalog;
use olm_plan::cluster::{self as plan, Cluster};
use olm_upgrade::resolve::{Limits, Question, Source, SourceKey, resolve};
use olmap_report::{json, resolution as export};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalogs that the namespace sees: directories, files, images, or - for standard input. NAME=
    /// before a path sets the name of the catalog. Default: its path.
    #[arg(value_name = "[NAME=]CATALOG")]
    catalogs: Vec<String>,
    /// Subscription: PACKAGE, PACKAGE:CHANNEL or PACKAGE:CHANNEL@CATALOG. Default: the default
    /// channel, and the first catalog that has the package. Can be repeated.
    #[arg(long = "subscribe", value_name = "PACKAGE[:CHANNEL[@CATALOG]]")]
    subscribe: Vec<String>,
    /// Installed bundle: name, PACKAGE@VERSION, or NAME@VERSION if no catalog has it any more. It
    /// belongs to the subscription to its package; without a subscription it must stay.
    #[arg(long, value_name = "BUNDLE", num_args = 1..)]
    installed: Vec<String>,
    #[command(flatten)]
    cluster: ClusterArgs,
    /// With --cluster: namespace to resolve; optional if Subscriptions are in only one namespace.
    #[arg(long, value_name = "NAME", requires = "files")]
    namespace: Option<String>,
    /// Answer queries from a file (- for standard input), one JSON object per line: {subscriptions, installed,
    /// catalogs, excludeGlobal, upgradeStrategy}.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["subscribe", "installed", "files"])]
    queries: Option<PathBuf>,
    /// Output format [default: text, with --queries jsonl].
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT")]
    format: Option<Format>,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// Human-readable text.
    Text,
    /// JSON; docs/cli.md describes the fields.
    Json,
    /// JSON Lines: an answer per line.
    Jsonl,
}

pub fn run_resolve(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let reads_queries = args.queries.as_ref().is_some_and(|file| file.as_os_str() == "-");
    let taken = reads_queries || args.cluster.files.iter().any(|file| file.as_os_str() == "-");
    let catalogs = catalogs::open_named_catalogs(&args.catalogs, &args.images, taken, out)?;
    if let Some(file) = &args.queries {
        if !matches!(args.format, None | Some(Format::Jsonl)) {
            return Err(Failure::new("--queries needs -o jsonl").into());
        }
        return queries::run_resolve_queries(file, &catalogs, out);
    }
    let cluster = args.cluster.load_cluster(out)?;
    if args.subscribe.is_empty() && args.installed.is_empty() && cluster.is_none() {
        return Err(Failure::new("nothing to resolve")
            .with_hint("--subscribe PACKAGE says what is wanted, --installed BUNDLE what is there, --cluster FILE both")
            .into());
    }
    let question = build_question(args, &catalogs, cluster.as_ref(), out)?;
    let answer = resolve(&question, Limits::default());
    let row = export::Row::from_resolution(&answer);
    out.print(&match args.format {
        Some(Format::Json) => json::to_pretty_json(&row),
        Some(Format::Jsonl) => json::to_json_line(&row),
        Some(Format::Text) | None => export::render_resolution(&answer, &out.style),
    })?;
    not_checked::report_answer(&answer, out);
    Ok(Outcome::Fine)
}

fn build_question(
    args: &Args,
    catalogs: &[NamedCatalog],
    cluster: Option<&Cluster>,
    out: &Out,
) -> Result<Question, Failure> {
    let sources: Vec<_> = catalogs.iter().map(|catalog| catalog.source.clone()).collect();
    let mut question = match cluster {
        Some(cluster) => question_from_cluster(cluster, args.namespace.as_deref(), &sources, out)?,
        None => Question::new(sources),
    };
    for name in &args.installed {
        question.installed.push(arguments::parse_installed_csv(catalogs, name)?);
    }
    for text in &args.subscribe {
        let mut subscription = arguments::parse_subscription(catalogs, text, &question.installed)?;
        let place = catalogs.iter().position(|catalog| catalog.source.key == subscription.catalog);
        // On the cluster, a catalog may have another name and namespace.
        if let Some(source) = place.and_then(|at| question.sources.get(at)) {
            subscription.catalog = source.key.clone();
        }
        question.subscriptions.push(subscription);
    }
    Ok(question)
}

/// Returns the state of a namespace on the cluster. Warns of catalogs that are not given.
fn question_from_cluster(
    cluster: &Cluster,
    namespace: Option<&str>,
    sources: &[Source],
    out: &Out,
) -> Result<Question, Failure> {
    let question = plan::build_question(cluster, namespace, sources)
        .map_err(|error| Failure::new(error.to_string()).with_optional_hint(error.hint()))?;
    let is_given = |key: &SourceKey| question.sources.iter().any(|source| source.key.name == key.name);
    let others: Vec<&str> =
        cluster.catalogs.iter().map(|c| &c.key).filter(|key| !is_given(key)).map(|key| &*key.name).collect();
    if !others.is_empty() {
        let names = failure::join_names(&others);
        source::print_warning(&format!("the cluster also has {names}, which OLM looks into too"), None, out);
    }
    Ok(question)
}
