//! `olmap successors`: picks of OLM Classic and OLM v1 for an upgrade, with reasons.

use std::path::PathBuf;

use clap::ValueEnum;
use serde::Deserialize;

use super::{
    ask::{self, Asker},
    batch,
    failure::Failure,
    image, not_checked,
    out::Out,
    outcome::Outcome,
    query::{self, Engines, Policy, QueryArgs, Wish},
    safety::{SafetyArgs, StepsShown},
    source,
    wanted::{self, Answered},
};
use crate::{
    catalog::{Catalog, ChannelName, package::Package},
    export::{
        Ink,
        answer::{self, Asked, Row},
        json, safety,
    },
    review::Snapshot,
    upgrade::{
        Answer, Engine, Installed, UpgradeTable,
        openshift::{ClusterUpdate, OpenShift},
        safety::{PackageSafety, Safety, steps},
        v1::Query,
    },
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The catalog: a directory, a file, or - for standard input.
    path: Option<PathBuf>,
    /// The package; optional if the catalog has only one.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// The installed bundle: its name, or its version if only one bundle has it. A bundle that is no longer in the
    /// catalog needs both. Without it: a table of all versions.
    #[arg(long, value_name = "NAME[@VERSION]")]
    installed: Option<String>,
    #[command(flatten)]
    query: QueryArgs,
    /// Show every candidate, and why it was picked or not.
    #[arg(long)]
    explain: bool,
    /// The cluster's OpenShift version, such as 4.18: show what blocks the update to the next minor version
    /// (olm.maxOpenShiftVersion), and the nearest bundle that does not.
    #[arg(long, value_name = "VERSION", value_parser = OpenShift::parse)]
    openshift: Option<OpenShift>,
    /// Classic: resolve dependencies too, with the catalog as all that is in sight: what is picked then, and why where it
    /// is something else.
    #[arg(long)]
    with_dependencies: bool,
    #[command(flatten)]
    safety: SafetyArgs,
    /// Answer what a custom resource asks for: a file with Subscriptions and ClusterExtensions (- for standard input). What
    /// their status says is installed counts.
    #[arg(long, short = 'f', value_name = "FILE", conflicts_with_all = ["package", "channels", "installed", "version", "policy", "engine", "openshift", "queries"])]
    file: Option<PathBuf>,
    /// Answer queries from a file (- for standard input), one JSON object per line:
    /// {package, channel or channels, version, policy, installed, engine}.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["package", "channels", "installed", "version", "policy", "openshift"])]
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
    /// An array of rows.
    Json,
    /// One row per line.
    Jsonl,
}

/// Line of `--queries`.
#[derive(Debug, Deserialize)]
pub(super) struct Question {
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

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.queries.as_ref().is_some_and(|f| f.as_os_str() == "-")
        && args.path.as_ref().is_some_and(|p| p.as_os_str() == "-")
    {
        return Err(Failure::new("standard input can be read only once").into());
    }
    if let Some(file) = &args.file {
        wanted::check(file, args.path.as_ref())?;
    }
    let catalog = source::one(args.path.as_deref(), &args.images)?;
    source::warn_of_problems(&catalog, out);
    if let Some(file) = &args.queries {
        return queries(&catalog, file, args, out);
    }
    let snapshot = Snapshot::new(catalog);
    warn_of_refusal(&snapshot, args, out);
    match &args.file {
        Some(file) => of_objects(&snapshot.catalog, file, args, out),
        None => single(&snapshot.catalog, args, out),
    }
}

/// Answers the queries of custom resources.
fn of_objects(
    catalog: &Catalog,
    file: &std::path::Path,
    args: &Args,
    out: &mut Out,
) -> anyhow::Result<Outcome> {
    if args.safety.sight(&args.images).is_some() {
        return Err(Failure::new("-f judges no steps").hint("ask with --package and --installed").into());
    }
    let mut asker = Asker::new(catalog).with_dependencies(args.with_dependencies);
    let all = wanted::answers(catalog, file, &mut asker, out)?;
    let row = |one: &Answered| Row::of(&one.asked, &one.answer, args.explain).of_object(&one.object);
    let text = |one: &Answered| {
        let title = out.style.paint(Ink::Bold, &one.object);
        format!("{title}\n{}", answer::text(&one.asked, &one.answer, None, args.explain, &out.style))
    };
    let text = match args.format.unwrap_or(Format::Text) {
        Format::Json => json::pretty(&all.iter().map(row).collect::<Vec<_>>()),
        Format::Jsonl => all.iter().map(|one| json::line(&row(one))).collect(),
        Format::Text => all.iter().map(text).collect::<Vec<_>>().join("\n"),
    };
    out.print(&text)?;
    Ok(all.iter().any(|one| one.answer.error.is_some()).into())
}

/// Warns if opm rejects the catalog. OLM Classic cannot serve such a catalog, whatever its channels
/// contain.
fn warn_of_refusal(snapshot: &Snapshot, args: &Args, out: &Out) {
    let errors = snapshot.findings().filter(|finding| finding.rule.parity).count();
    if errors > 0 && args.query.engine != Engines::V1 {
        let label = out.error_style().paint(Ink::Warning, "warning");
        let s = if errors == 1 { "" } else { "s" };
        out.error(&format!(
            "{label}: opm rejects this catalog ({errors} error{s}), so OLM Classic cannot serve it; \
             answers are per channel\n"
        ));
    }
}

fn queries(catalog: &Catalog, file: &std::path::Path, args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if !matches!(args.format, None | Some(Format::Jsonl)) {
        return Err(Failure::new("--queries needs -o jsonl").into());
    }
    let mut asker = Asker::new(catalog).with_dependencies(args.with_dependencies);
    batch::run(file, out, |question: Question| {
        lines(catalog, &mut asker, question, args.query.engine, args.explain)
    })
}

/// Returns the answers to a query, one per line.
pub(super) fn lines(
    catalog: &Catalog,
    asker: &mut Asker<'_>,
    question: Question,
    default: Engines,
    explain: bool,
) -> String {
    let answers = answer_question(catalog, asker, question, default);
    answers.iter().map(|(asked, answer)| json::line(&Row::of(asked, answer, explain))).collect()
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
        // Without a default channel, Classic gets an empty channel name, so that each query has an
        // answer.
        channels.push(package.and_then(|p| p.default_channel()).cloned().unwrap_or_default());
    }
    let questions = asks(&name.into(), &Wish { channels, query, engines });
    let installed = question.installed.as_deref().map(|text| match package {
        Some(package) => Installed::parse(package, text),
        // Any name is accepted here; the resolver reports unknown ones.
        None => Ok(Installed { name: text.into(), version: None }),
    });
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

/// Returns a query for each channel of Classic, and one query for v1.
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
    let wish = args.query.wish(package)?;
    let installed = match &args.installed {
        None => None,
        Some(text) => Some(
            Installed::parse(package, text)
                .map_err(|unknown| query::nobody(&unknown, package, " with --installed"))?,
        ),
    };
    let format = args.format.unwrap_or(Format::Text);
    let mut asker = Asker::new(catalog).with_dependencies(args.with_dependencies);
    let shown = args.safety.steps_shown(&args.images, catalog, package);
    let judged = shown.as_ref().zip(asker.graph(&package.name)).map(|(shown, graph)| {
        shown.judge(catalog, |grounds| match &installed {
            Some(from) => {
                let steps = steps(graph).into_iter().filter(|step| step.from == from.name).collect();
                PackageSafety::of_steps(graph, steps, grounds)
            }
            None => PackageSafety::judge(graph, grounds),
        })
    });
    let judged = judged.transpose()?;
    let safety = judged.as_ref().zip(shown.as_ref());
    if let Some((safety, _)) = safety.filter(|(_, shown)| shown.is_asked()) {
        not_checked::report_steps(safety, out);
    }
    if format == Format::Text && installed.is_none() && !args.explain && !wish.channels.is_empty() {
        let outcome = everyone(&mut asker, package, &wish, args.openshift, safety, out)?;
        if args.with_dependencies {
            out.print(&dependents(&mut asker, package, &wish, out))?;
        }
        return Ok(outcome);
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
    let updates = match args.openshift {
        Some(from) => updates(&mut asker, package, &wish, from),
        None => Vec::new(),
    };
    let update = |asked: &Asked| {
        updates.iter().find(|(channel, _)| match asked {
            Asked::Classic { channel: asked, .. } => asked == channel,
            Asked::V1 { .. } => true,
        })
    };
    let row = |(asked, answer): &(Asked, Answer)| {
        let row = Row::of(asked, answer, args.explain).with_safety(of_answer(safety, answer));
        match update(asked) {
            Some((_, update)) => row.with_update(answer, update),
            None => row,
        }
    };
    let rows = || answers.iter().map(row);
    match format {
        Format::Json => out.print(&json::pretty(&rows().collect::<Vec<_>>()))?,
        Format::Jsonl => out.print(&rows().map(|row| json::line(&row)).collect::<String>())?,
        Format::Text => {
            let texts = answers.iter().map(|(asked, a)| {
                let update = update(asked).map(|(_, update)| answer::update_text(a, update, &out.style));
                let text = answer::text(asked, a, update.as_deref(), args.explain, &out.style);
                text + &safety::lines(of_answer(safety, a), a.engine, &out.style)
            });
            let text = texts.collect::<Vec<_>>().join("\n");
            out.print(&text)?;
        }
    }
    Ok(answers.iter().any(|(_, answer)| answer.error.is_some()).into())
}

/// Returns the verdict on the step of an answer, if it is shown.
fn of_answer<'s>(safety: Option<(&'s PackageSafety, &StepsShown)>, answer: &Answer) -> Option<&'s Safety> {
    let (safety, shown) = safety?;
    let of_step = safety.of(&answer.installed.as_ref()?.name, answer.moves_to()?)?;
    (shown.is_asked() || of_step.verdict_for(answer.engine).is_refused()).then_some(of_step)
}

/// Prints a table of the upgrades of all versions for each channel.
fn everyone(
    asker: &mut Asker<'_>,
    package: &Package,
    wish: &Wish,
    openshift: Option<OpenShift>,
    safety: Option<(&PackageSafety, &StepsShown)>,
    out: &mut Out,
) -> anyhow::Result<Outcome> {
    let mut texts = Vec::new();
    let mut failed = false;
    for channel in &wish.channels {
        let Some(graph) = asker.graph(&package.name) else { continue };
        let table = UpgradeTable::new(graph, channel, &wish.query);
        failed |= answer::has_errors(&table, wish.engines);
        let update = openshift.map(|from| ClusterUpdate::new(package, &table, from));
        let words = update.as_ref().map(|update| format!("{}\n", update.words(&table))).unwrap_or_default();
        texts.push(format!(
            "{}\n{}\n{}{words}{}",
            answer::heading(&package.name, &table, wish.engines, &out.style),
            answer::table(package, &table, wish.engines, update.as_ref(), &out.style),
            answer::summary(&table, wish.engines),
            safety
                .map(|(safety, shown)| {
                    safety::of_table(safety, &table, wish.engines, shown.is_asked(), &out.style)
                })
                .unwrap_or_default(),
        ));
    }
    out.print(&texts.join("\n"))?;
    Ok(failed.into())
}

/// Lists versions whose pick changes with dependencies, for each Classic channel.
fn dependents(asker: &mut Asker<'_>, package: &Package, wish: &Wish, out: &Out) -> String {
    let mut text = String::new();
    let all = asks(&package.name, wish).into_iter().filter(|asked| asked.engine() == Engine::Classic);
    let all: Vec<Asked> = all.collect();
    if all.is_empty() {
        return "with dependencies: only OLM Classic resolves them\n".to_owned();
    }
    for asked in all {
        let first = asker.answer(&asked, None);
        if first.error.is_some() {
            text.push_str("with dependencies: not resolved, see the error above\n");
            continue;
        }
        let mut answers = vec![first];
        answers.extend(ask::installable(package, &asked).iter().map(|own| asker.answer(&asked, Some(own))));
        text.push_str(&answer::differing(&answers, &out.style));
    }
    if text.is_empty() { "with dependencies: the same\n".to_owned() } else { format!("\n{text}") }
}

/// Returns the obstacles to the next minor version of the cluster, for each Classic channel.
fn updates(
    asker: &mut Asker<'_>,
    package: &Package,
    wish: &Wish,
    from: OpenShift,
) -> Vec<(ChannelName, ClusterUpdate)> {
    let Some(graph) = asker.graph(&package.name) else { return Vec::new() };
    // v1 does not need a channel, but a table has one.
    let channels =
        if wish.channels.is_empty() { vec![ChannelName::default()] } else { wish.channels.clone() };
    let update = |channel: ChannelName| {
        let table = UpgradeTable::new(graph, &channel, &wish.query);
        let update = ClusterUpdate::new(package, &table, from);
        (channel, update)
    };
    channels.into_iter().map(update).collect()
}
