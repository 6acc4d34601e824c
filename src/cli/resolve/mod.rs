//! `olmap resolve`: result of OLM Classic in a namespace, including dependencies.

mod catalogs;
mod queries;
mod wishes;

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
use crate::{
    export::{json, resolve as export},
    plan::cluster::{self as plan, Cluster},
    resolve::{Limits, Question, Source, SourceKey, resolve},
};
use catalogs::Named;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The catalogs that the namespace sees: directories, files, or - for standard input. NAME= before a path is what
    /// the catalog is called; otherwise it is called after its path.
    #[arg(value_name = "[NAME=]CATALOG")]
    catalogs: Vec<String>,
    /// A subscription: PACKAGE, PACKAGE:CHANNEL or PACKAGE:CHANNEL@CATALOG. Without a channel: the default channel;
    /// without a catalog: the first one that has the package. May be given several times.
    #[arg(long = "subscribe", value_name = "PACKAGE[:CHANNEL[@CATALOG]]")]
    subscribe: Vec<String>,
    /// A bundle that is installed: its name, PACKAGE@VERSION, or NAME@VERSION of one that is in no catalog any more. If there
    /// is a subscription to its package, it is what that has installed; otherwise it must stay.
    #[arg(long, value_name = "BUNDLE", num_args = 1..)]
    installed: Vec<String>,
    #[command(flatten)]
    cluster: ClusterArgs,
    /// With --cluster: the namespace that is resolved; optional if only one has Subscriptions.
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
    /// For people.
    Text,
    /// For programs; the format is in docs/cli.md.
    Json,
    /// One answer per line.
    Jsonl,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let reads_queries = args.queries.as_ref().is_some_and(|file| file.as_os_str() == "-");
    let taken = reads_queries || args.cluster.files.iter().any(|file| file.as_os_str() == "-");
    let catalogs = catalogs::open(&args.catalogs, &args.images, taken, out)?;
    if let Some(file) = &args.queries {
        if !matches!(args.format, None | Some(Format::Jsonl)) {
            return Err(Failure::new("--queries needs -o jsonl").into());
        }
        return queries::run(file, &catalogs, out);
    }
    let cluster = args.cluster.read(out)?;
    if args.subscribe.is_empty() && args.installed.is_empty() && cluster.is_none() {
        return Err(Failure::new("nothing to resolve")
            .hint("--subscribe PACKAGE says what is wanted, --installed BUNDLE what is there, --cluster FILE both")
            .into());
    }
    let question = question(args, &catalogs, cluster.as_ref(), out)?;
    let answer = resolve(&question, Limits::default());
    let row = export::Row::of(&answer);
    out.print(&match args.format {
        Some(Format::Json) => json::pretty(&row),
        Some(Format::Jsonl) => json::line(&row),
        Some(Format::Text) | None => export::text(&answer, &out.style),
    })?;
    not_checked::report_answer(&answer, out);
    Ok(Outcome::Fine)
}

fn question(
    args: &Args,
    catalogs: &[Named],
    cluster: Option<&Cluster>,
    out: &Out,
) -> Result<Question, Failure> {
    let sources: Vec<_> = catalogs.iter().map(|catalog| catalog.source.clone()).collect();
    let mut question = match cluster {
        Some(cluster) => of_cluster(cluster, args.namespace.as_deref(), &sources, out)?,
        None => Question::new(sources),
    };
    for name in &args.installed {
        question.installed.push(wishes::installed(catalogs, name)?);
    }
    for text in &args.subscribe {
        let mut subscription = wishes::subscription(catalogs, text, &question.installed)?;
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
fn of_cluster(
    cluster: &Cluster,
    namespace: Option<&str>,
    sources: &[Source],
    out: &Out,
) -> Result<Question, Failure> {
    let question = plan::question(cluster, namespace, sources)
        .map_err(|error| Failure::new(error.to_string()).maybe_hint(error.hint()))?;
    let is_given = |key: &SourceKey| question.sources.iter().any(|source| source.key.name == key.name);
    let others: Vec<&str> =
        cluster.catalogs.iter().map(|c| &c.key).filter(|key| !is_given(key)).map(|key| &*key.name).collect();
    if !others.is_empty() {
        let names = failure::some_of(&others);
        source::warn(&format!("the cluster also has {names}, which OLM looks into too"), None, out);
    }
    Ok(question)
}
