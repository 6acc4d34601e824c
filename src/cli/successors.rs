//! `olmap successors`: what OLM Classic and OLM v1 would upgrade to, and why.

use std::path::PathBuf;

use clap::ValueEnum;
use serde::Deserialize;

use super::{
    Outcome,
    ask::{self, Asker},
    batch,
    failure::{self, Failure},
    out::Out,
    source,
};
use crate::{
    catalog::{Catalog, ChannelName, package::Package},
    export::{
        Ink,
        answer::{self, Asked, Row},
        json,
    },
    review::Snapshot,
    upgrade::{
        Answer, Engine, UpgradeTable,
        v1::{self, Query},
    },
    version::masterminds::Constraint,
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The catalog: a directory, a file, or - for standard input.
    path: Option<PathBuf>,
    /// The package; may be left out where the catalog has one.
    #[arg(long, value_name = "NAME")]
    package: Option<String>,
    /// Classic: the subscribed channel (the default channel where left out). v1: the channels to choose from (all
    /// where left out). May be given several times.
    #[arg(long = "channel", value_name = "NAME")]
    channels: Vec<String>,
    /// What is installed: a bundle's name, or its version where only one bundle has it. A bundle that is no longer in
    /// the catalog needs both. Left out: a table for everything that may be installed.
    #[arg(long, value_name = "NAME[@VERSION]")]
    installed: Option<String>,
    /// Who is asked.
    #[arg(long, value_name = "ENGINE", default_value = "both")]
    engine: Engines,
    /// v1: the version constraint, as in spec.source.catalog.version.
    #[arg(long, value_name = "RANGE", default_value = "", hide_default_value = true)]
    version: String,
    /// v1: whether the catalog's edges bind.
    #[arg(long, value_name = "POLICY", default_value = "CatalogProvided", ignore_case = true)]
    policy: Policy,
    /// Show every candidate, and why it was taken or not.
    #[arg(long)]
    explain: bool,
    /// Answer questions from a file (- for standard input), a JSON object a line:
    /// {package, channel or channels, version, policy, installed, engine}.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["package", "channels", "installed", "version", "policy"])]
    queries: Option<PathBuf>,
    /// How to print [default: text, with --queries jsonl].
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// An array of rows.
    Json,
    /// A row a line.
    Jsonl,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Engines {
    /// OLM Classic.
    Classic,
    /// OLM v1.
    V1,
    /// One after the other.
    Both,
}

impl Engines {
    const fn list(self) -> &'static [Engine] {
        match self {
            Self::Classic => &[Engine::Classic],
            Self::V1 => &[Engine::V1],
            Self::Both => &[Engine::Classic, Engine::V1],
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum, Deserialize)]
enum Policy {
    /// Only successors by the catalog's edges.
    #[default]
    #[value(name = "CatalogProvided")]
    CatalogProvided,
    /// Any bundle, up or down.
    #[value(name = "SelfCertified")]
    SelfCertified,
}

impl From<Policy> for v1::Policy {
    fn from(policy: Policy) -> Self {
        match policy {
            Policy::CatalogProvided => Self::CatalogProvided,
            Policy::SelfCertified => Self::SelfCertified,
        }
    }
}

/// A line of `--queries`.
#[derive(Debug, Deserialize)]
struct Question {
    package: Option<String>,
    channel: Option<String>,
    #[serde(default)]
    channels: Vec<String>,
    #[serde(default)]
    version: String,
    #[serde(default)]
    policy: Policy,
    installed: Option<String>,
    engine: Option<Engines>,
}

/// What is asked about one package, before it is split among engines and channels.
struct Wish {
    channels: Vec<ChannelName>,
    query: Query,
    engines: &'static [Engine],
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.queries.as_ref().is_some_and(|f| f.as_os_str() == "-")
        && args.path.as_ref().is_some_and(|p| p.as_os_str() == "-")
    {
        return Err(Failure::new("standard input can be read only once").into());
    }
    let catalog = source::one(args.path.as_deref())?;
    source::warn_of_problems(&catalog, out);
    if let Some(file) = &args.queries {
        return queries(&catalog, file, args, out);
    }
    let snapshot = Snapshot::new(catalog);
    warn_of_refusal(&snapshot, args, out);
    single(&snapshot.catalog, args, out)
}

/// Says that a catalog which opm refuses reaches no cluster with OLM Classic, whatever its channels would answer.
fn warn_of_refusal(snapshot: &Snapshot, args: &Args, out: &Out) {
    let errors = snapshot.findings().filter(|finding| finding.rule.parity).count();
    if errors > 0 && args.engine != Engines::V1 {
        let label = out.error_style().paint(Ink::Warning, "warning");
        let s = if errors == 1 { "" } else { "s" };
        Out::error(&format!(
            "{label}: opm refuses this catalog ({errors} error{s}), so no cluster gets it by OLM Classic; its answers are \
             channel by channel\n"
        ));
    }
}

fn queries(catalog: &Catalog, file: &std::path::Path, args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if !matches!(args.format, None | Some(Format::Jsonl)) {
        return Err(Failure::new("--queries answers with --format jsonl only").into());
    }
    let mut asker = Asker::new(catalog);
    batch::run(file, out, |question: Question| {
        let mut text = String::new();
        for (asked, answer) in answer_question(catalog, &mut asker, question, args.engine) {
            text.push_str(&json::line(&Row::of(&asked, &answer, args.explain)));
        }
        text
    })
}

fn answer_question(
    catalog: &Catalog,
    asker: &mut Asker<'_>,
    question: Question,
    default: Engines,
) -> Vec<(Asked, Answer)> {
    let engines = question.engine.unwrap_or(default).list();
    let name = match (question.package, source::package(catalog, None)) {
        (Some(name), _) => name,
        (None, Ok(only)) => only.name.to_string(),
        (None, Err(_)) => String::new(),
    };
    let mut channels: Vec<ChannelName> = question.channels.into_iter().map(Into::into).collect();
    channels.extend(question.channel.map(Into::into));
    let query =
        Query { channels: channels.clone(), version: question.version, policy: question.policy.into() };
    let package = catalog.package(&name);
    if channels.is_empty() {
        // Where there is none either, Classic is asked about a channel without a name: each question has an answer.
        channels.push(package.and_then(|p| p.default_channel()).cloned().unwrap_or_default());
    }
    let questions = asks(&name.into(), &Wish { channels, query, engines });
    let installed =
        question.installed.as_deref().map(|text| ask::installed(package.map(AsRef::as_ref), text));
    let answer = |asked: Asked| {
        let answer = match &installed {
            Some(Err(unknown)) => ask::unknown(asked.engine(), unknown),
            Some(Ok(installed)) => asker.answer(&asked, Some(installed)),
            None => asker.answer(&asked, None),
        };
        (asked, answer)
    };
    questions.into_iter().map(answer).collect()
}

/// One question an engine; Classic is asked channel by channel.
fn asks(package: &crate::catalog::PackageName, wish: &Wish) -> Vec<Asked> {
    let mut asked = Vec::new();
    for engine in wish.engines {
        match engine {
            Engine::Classic => asked.extend(
                wish.channels
                    .iter()
                    .map(|channel| Asked::Classic { package: package.clone(), channel: channel.clone() }),
            ),
            Engine::V1 => asked.push(Asked::V1 { package: package.clone(), query: wish.query.clone() }),
        }
    }
    asked
}

fn single(catalog: &Catalog, args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let package = source::package(catalog, args.package.as_deref())?;
    let wish = wish(package, args)?;
    let installed = match &args.installed {
        None => None,
        Some(text) => Some(
            ask::installed(Some(package), text)
                .map_err(|unknown| Failure::new(unknown.to_string()).maybe_hint(unknown.hint(package)))?,
        ),
    };
    let format = args.format.unwrap_or(Format::Text);
    let mut asker = Asker::new(catalog);
    if format == Format::Text && installed.is_none() && !args.explain && !wish.channels.is_empty() {
        return everyone(&mut asker, package, &wish, out);
    }
    let mut answers: Vec<(Asked, Answer)> = Vec::new();
    for asked in asks(&package.name, &wish) {
        if let Some(installed) = &installed {
            let answer = asker.answer(&asked, Some(installed));
            answers.push((asked, answer));
        } else {
            answers.push((asked.clone(), asker.answer(&asked, None)));
            for installed in ask::installable(package, &asked) {
                answers.push((asked.clone(), asker.answer(&asked, Some(&installed))));
            }
        }
    }
    let rows = || answers.iter().map(|(asked, answer)| Row::of(asked, answer, args.explain));
    match format {
        Format::Json => out.print(&json::pretty(&rows().collect::<Vec<_>>()))?,
        Format::Jsonl => out.print(&rows().map(|row| json::line(&row)).collect::<String>())?,
        Format::Text => {
            let texts = answers.iter().map(|(asked, a)| answer::text(asked, a, args.explain, &out.style));
            let text = texts.collect::<Vec<_>>().join("\n");
            out.print(&text)?;
        }
    }
    Ok(answers.iter().any(|(_, answer)| answer.error.is_some()).into())
}

/// The table of what happens to everyone, for each channel.
fn everyone(asker: &mut Asker<'_>, package: &Package, wish: &Wish, out: &mut Out) -> anyhow::Result<Outcome> {
    let mut texts = Vec::new();
    let mut failed = false;
    for channel in &wish.channels {
        let Some(graph) = asker.graph(&package.name) else { continue };
        let table = UpgradeTable::new(graph, channel, &wish.query);
        failed |= answer::has_errors(&table, wish.engines);
        texts.push(format!(
            "{}\n{}\n{}",
            answer::heading(&package.name, &table, wish.engines, &out.style),
            answer::table(&package.name, &table, wish.engines, &out.style),
            answer::summary(&table, wish.engines),
        ));
    }
    out.print(&texts.join("\n"))?;
    Ok(failed.into())
}

/// Channels, query and engines from the command line; slips are refused here, before an engine is asked.
fn wish(package: &Package, args: &Args) -> Result<Wish, Failure> {
    let names = || failure::some_of(package.channels.iter().map(|c| c.name.value.as_str()));
    if let Some(unknown) = args.channels.iter().find(|name| package.channel(name).is_none()) {
        let reason = format!("no channel {unknown} in {}", package.name);
        return Err(Failure::new(reason).hint(format!("channels: {}", names())));
    }
    if !args.version.is_empty()
        && let Err(error) = Constraint::parse(&args.version)
    {
        return Err(Failure::new(format!("--version: {error}")).maybe_hint(error.hint));
    }
    let listed: Vec<ChannelName> = args.channels.iter().map(|name| name.as_str().into()).collect();
    let query = Query { channels: listed.clone(), version: args.version.clone(), policy: args.policy.into() };
    let mut channels = listed;
    if channels.is_empty() {
        match package.default_channel() {
            Some(channel) => channels.push(channel.clone()),
            None if args.engine == Engines::V1 => {}
            None => {
                return Err(Failure::new(format!("{} has no default channel", package.name))
                    .hint(format!("name one with --channel: {}", names())));
            }
        }
    }
    Ok(Wish { channels, query, engines: args.engine.list() })
}
