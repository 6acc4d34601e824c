//! `olmap resolve`: what OLM Classic installs in a namespace, with dependencies.

mod catalogs;
mod queries;
mod wishes;

use std::path::PathBuf;

use clap::ValueEnum;

use super::{failure::Failure, image, out::Out, outcome::Outcome};
use crate::{
    export::{json, resolve as export},
    resolve::{Limits, Question, resolve},
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
    /// Answer queries from a file (- for standard input), one JSON object per line: {subscriptions, installed,
    /// catalogs, excludeGlobal, upgradeStrategy}.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["subscribe", "installed"])]
    queries: Option<PathBuf>,
    /// Output format [default: text, with --queries jsonl].
    #[arg(long, short = 'o', value_name = "FORMAT")]
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
    let catalogs = catalogs::open(&args.catalogs, &args.images, reads_queries, out)?;
    if let Some(file) = &args.queries {
        if !matches!(args.format, None | Some(Format::Jsonl)) {
            return Err(Failure::new("--queries needs --format jsonl").into());
        }
        return queries::run(file, &catalogs, out);
    }
    if args.subscribe.is_empty() && args.installed.is_empty() {
        return Err(Failure::new("nothing to resolve")
            .hint("--subscribe PACKAGE says what is wanted, --installed BUNDLE what is there")
            .into());
    }
    let question = question(args, &catalogs)?;
    let answer = resolve(&question, Limits::default());
    let row = export::Row::of(&answer);
    out.print(&match args.format {
        Some(Format::Json) => json::pretty(&row),
        Some(Format::Jsonl) => json::line(&row),
        Some(Format::Text) | None => export::text(&answer, &out.style),
    })?;
    Ok(Outcome::Fine)
}

fn question(args: &Args, catalogs: &[Named]) -> Result<Question, Failure> {
    let mut question = Question::new(catalogs.iter().map(|catalog| catalog.source.clone()).collect());
    for name in &args.installed {
        question.installed.push(wishes::installed(catalogs, name)?);
    }
    for text in &args.subscribe {
        let subscription = wishes::subscription(catalogs, text, &question.installed)?;
        question.subscriptions.push(subscription);
    }
    Ok(question)
}
