//! `olmap successors`: picks of OLM Classic and OLM v1 for an upgrade, with reasons.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::cluster_catalogs::{self, ClusterCatalogArgs};
use super::cluster_successors::{self, ClusterRequest};
use super::query::{self, AnsweredQuery, Engines, Policy, QueryArgs, QueryRequest, QueryRunner};
use super::safety::{SafetyArgs, ShownSteps};
use super::{Failure, Out, Outcome, image, out, output, source};
use olm_catalog::{Catalog, ChannelName, PackageName, package::Package};
use olm_upgrade::cluster::ClusterQuery;
use olm_upgrade::openshift::{ClusterUpdate, OpenShift};
use olm_upgrade::safety::{PackageSafety, Safety, find_steps};
use olm_upgrade::{Answer, Engine, Installed, UpgradeTable, v1::Query};
use olmap_report::answer::{self, ResolverQuery, Row};
use olmap_report::{Ink, json, safety};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap successors -p tide catalog              all installed versions, both OLMs
  olmap successors --installed 1.2.0 --explain catalog
  olmap successors --engine v1 --version '>=1.2.0 <2' catalog
  olmap successors --openshift 4.18 catalog     what blocks the update to 4.19
  olmap successors -f extension.yaml catalog    what a Subscription or ClusterExtension installs
  olmap successors -p tide --catalog redhat=a,priority=-100 --catalog own=b
                                                OLM v1 with both catalogs on the cluster

Exit code: 0 ok, 1 a resolver would report an error, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalog directory, file or image, or - for standard input. Several only with --one-cluster.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    cluster: ClusterCatalogArgs,
    /// Package; optional if the catalog has only one.
    #[arg(long, short = 'p', value_name = "NAME")]
    package: Option<String>,
    /// Installed bundle: its name, or its version if only one bundle has it. A bundle that is no
    /// longer in the catalog needs both. Default: a table of all versions.
    #[arg(long, value_name = "NAME[@VERSION]")]
    installed: Option<String>,
    #[command(flatten)]
    query: QueryArgs,
    /// Show every candidate, and why OLM picks it or not.
    #[arg(long)]
    explain: bool,
    /// OpenShift version of the cluster, such as 4.18. Show what blocks the update to the next
    /// minor version (olm.maxOpenShiftVersion), and the nearest bundle that does not.
    #[arg(long, value_name = "VERSION", value_parser = OpenShift::parse)]
    openshift: Option<OpenShift>,
    /// Classic: also resolve dependencies, with this catalog as the only source. Show the bundle
    /// that OLM then installs, and why if it is another.
    #[arg(long)]
    with_dependencies: bool,
    #[command(flatten)]
    safety: SafetyArgs,
    /// Answer for the Subscriptions and ClusterExtensions in a file (- for standard input). Bundles
    /// in their status are installed.
    #[arg(long, short = 'f', value_name = "FILE", conflicts_with_all = ["package", "channels", "installed", "version", "policy", "engine", "openshift", "queries", "selector"])]
    file: Option<PathBuf>,
    /// Answer queries from a file (- for standard input), one JSON object per line:
    /// {package, channel or channels, version, policy, installed, engine}; with catalogs of a cluster
    /// also selector.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["package", "channels", "installed", "version", "policy", "openshift", "selector"])]
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
    /// JSON: an array of rows.
    Json,
    /// YAML with the fields of JSON.
    Yaml,
    /// JSON Lines: a row per line.
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

pub fn run_successors(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.cluster.is_cluster() {
        return answer_over_catalogs(args, out);
    }
    let path = args.cluster.single_path(&args.paths, false)?;
    source::check_stdin(args.queries.iter().chain(&args.file).chain(&args.paths))?;
    let catalog = open_requested_catalog(path, args)?;
    source::warn_of_problems(&catalog, out);
    if let Some(file) = &args.queries {
        return run_successor_queries(&catalog, file, args, out);
    }
    warn_of_refusal(&catalog, args, out);
    match &args.file {
        Some(file) => answer_custom_resources(&catalog, file, args, out),
        None => answer_package(&catalog, args, out),
    }
}

/// Opens the catalog. Only questions to OLM v1 about one package do not need all of it: Classic serves a catalog only as a
/// whole, and other packages provide dependencies.
fn open_requested_catalog(path: Option<&Path>, args: &Args) -> anyhow::Result<Catalog> {
    let is_partial = args.query.engine == Engines::V1 && args.file.is_none() && args.queries.is_none();
    if is_partial && !args.with_dependencies {
        return args.safety.open_catalog(path, args.package.as_deref(), &args.images);
    }
    source::open_catalog(path, &args.images)
}

/// Answers for OLM v1 over the catalogs of one cluster.
fn answer_over_catalogs(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let options = [
        (args.openshift.is_some(), "--openshift"),
        (args.with_dependencies, "--with-dependencies"),
        (args.safety.search_path(&args.images).is_some(), "--safety"),
    ];
    cluster_catalogs::refuse_single_catalog_options(args.query.engine == Engines::Classic, &options)?;
    let inputs: Vec<&Path> = args.queries.iter().chain(&args.file).map(PathBuf::as_path).collect();
    let asked = args.file.as_ref().map(|file| query::read_operators(file, out)).transpose()?;
    let known = asked.as_ref().map(|asked| asked.catalogs.as_slice()).unwrap_or_default();
    let catalogs = args.cluster.open_members(&args.paths, &inputs, known, &args.images, out)?;
    let format = args.format.unwrap_or(Format::Text);
    if let Some(asked) = asked {
        let answers =
            cluster_successors::answer_resources(&catalogs, &asked.operators, args.explain, &out.style)?;
        out.print(&format_rows(format, &answers.rows, &answers.text))?;
        return Ok(answers.has_errors.into());
    }
    if let Some(file) = &args.queries {
        if !matches!(args.format, None | Some(Format::Jsonl)) {
            return Err(Failure::new("--queries needs -o jsonl").into());
        }
        return cluster_successors::run_cluster_queries(&catalogs, file, args.explain, out);
    }
    let request = ClusterRequest {
        package: args.package.as_deref(),
        query: ClusterQuery { query: args.query.to_v1_query(), selector: args.cluster.selector() },
        installed: args.installed.as_deref(),
        explain: args.explain,
    };
    let answers = cluster_successors::answer_cluster_package(&catalogs, &request, &out.style)?;
    out.print(&format_rows(format, &answers.rows, &answers.text))?;
    Ok(answers.has_errors.into())
}

/// Returns rows as JSON, or the text.
fn format_rows<T: Serialize>(format: Format, rows: &[T], text: &str) -> String {
    match format {
        Format::Json | Format::Yaml => output::encode_json(format, json::to_pretty_json(&rows)),
        Format::Jsonl => rows.iter().map(json::to_json_line).collect(),
        Format::Text => text.to_owned(),
    }
}

/// Answers the queries of custom resources.
fn answer_custom_resources(
    catalog: &Catalog,
    file: &Path,
    args: &Args,
    out: &mut Out,
) -> anyhow::Result<Outcome> {
    if args.safety.search_path(&args.images).is_some() {
        return Err(Failure::new("-f judges no steps")
            .with_hint("ask with --package and --installed")
            .into());
    }
    let mut asker = QueryRunner::new(catalog).with_dependencies(args.with_dependencies);
    let all = query::answer_custom_resources(catalog, file, &mut asker, out)?;
    let row = |one: &AnsweredQuery| {
        Row::from_answer(&one.asked, &one.answer, args.explain).with_object(&one.object)
    };
    let text = |one: &AnsweredQuery| {
        let title = out.style.paint(Ink::Bold, &one.object);
        format!("{title}\n{}", answer::render_answer(&one.asked, &one.answer, None, args.explain, &out.style))
    };
    let format = args.format.unwrap_or(Format::Text);
    let text = match format {
        Format::Json | Format::Yaml => {
            output::encode_json(format, json::to_pretty_json(&all.iter().map(row).collect::<Vec<_>>()))
        }
        Format::Jsonl => all.iter().map(|one| json::to_json_line(&row(one))).collect(),
        Format::Text => all.iter().map(text).collect::<Vec<_>>().join("\n"),
    };
    out.print(&text)?;
    Ok(all.iter().any(|one| one.answer.error.is_some()).into())
}

/// Warns if opm rejects the catalog. OLM Classic cannot serve such a catalog, whatever its channels
/// contain.
fn warn_of_refusal(catalog: &Catalog, args: &Args, out: &Out) {
    if args.query.engine == Engines::V1 {
        return;
    }
    let errors = olm_check::rejecting_findings(catalog).len();
    if errors > 0 {
        let s = if errors == 1 { "" } else { "s" };
        let words = format!(
            "opm rejects this catalog ({errors} error{s}), so OLM Classic cannot serve it; answers are per channel"
        );
        out.print_warning(&words, None);
    }
}

/// Answers the queries of `--queries`.
fn run_successor_queries(
    catalog: &Catalog,
    file: &Path,
    args: &Args,
    out: &mut Out,
) -> anyhow::Result<Outcome> {
    if !matches!(args.format, None | Some(Format::Jsonl)) {
        return Err(Failure::new("--queries needs -o jsonl").into());
    }
    let mut asker = QueryRunner::new(catalog).with_dependencies(args.with_dependencies);
    query::run_batch(file, out, |question: Question| {
        answer_successor_query(catalog, &mut asker, question, args.query.engine, args.explain)
    })
}

/// Returns the answers to a query, one per line.
pub(super) fn answer_successor_query(
    catalog: &Catalog,
    asker: &mut QueryRunner<'_>,
    question: Question,
    default: Engines,
    explain: bool,
) -> String {
    let answers = answer_question(catalog, asker, question, default);
    answers
        .iter()
        .map(|(asked, answer)| json::to_json_line(&Row::from_answer(asked, answer, explain)))
        .collect()
}

/// Answers a query with each requested engine and channel.
fn answer_question(
    catalog: &Catalog,
    asker: &mut QueryRunner<'_>,
    question: Question,
    default: Engines,
) -> Vec<(ResolverQuery, Answer)> {
    let engines = question.engine.unwrap_or(default).engines();
    let name = match (question.package, source::select_package(catalog, None)) {
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
    let questions = split_by_engine(&name.into(), &QueryRequest { channels, query, engines });
    let installed = question.installed.as_deref().map(|text| match package {
        Some(package) => Installed::parse(package, text),
        // Any name is accepted here; the resolver reports unknown ones.
        None => Ok(Installed { name: text.into(), version: None }),
    });
    let answer = |asked: ResolverQuery| {
        let answer = match &installed {
            Some(Err(unknown)) => match query::installed_without_version(&asked, &unknown.text) {
                Some(installed) => asker.answer_query(&asked, Some(&installed)),
                None => query::unknown_installed_answer(asked.engine(), unknown),
            },
            Some(Ok(installed)) => asker.answer_query(&asked, Some(installed)),
            None => asker.answer_query(&asked, None),
        };
        (asked, answer)
    };
    questions.into_iter().map(answer).collect()
}

/// Splits a request into a Classic query for each channel, and one v1 query.
fn split_by_engine(package: &PackageName, wish: &QueryRequest) -> Vec<ResolverQuery> {
    let mut asked = Vec::new();
    for engine in wish.engines {
        match engine {
            Engine::Classic => asked.extend(wish.channels.iter().map(|channel| ResolverQuery::Classic {
                package: package.clone(),
                channel: channel.clone(),
            })),
            Engine::V1 => {
                asked.push(ResolverQuery::V1 { package: package.clone(), query: wish.query.clone() });
            }
        }
    }
    asked
}

/// Answers for one installed bundle, a new installation, or all versions of a package.
fn answer_package(catalog: &Catalog, args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let package = source::select_package(catalog, args.package.as_deref())?;
    let wish = args.query.build_request(package)?;
    let installed = match &args.installed {
        None => None,
        Some(text) => Some(
            Installed::parse(package, text)
                .map_err(|unknown| query::unknown_bundle_failure(&unknown, package, " with --installed"))?,
        ),
    };
    let format = args.format.unwrap_or(Format::Text);
    let mut asker = QueryRunner::new(catalog).with_dependencies(args.with_dependencies);
    let shown = args.safety.shown_steps(&args.images, catalog, package);
    let judged = shown.as_ref().zip(asker.graph(&package.name)).map(|(shown, graph)| {
        shown.judge_steps(catalog, |grounds| match &installed {
            Some(from) => {
                let steps = find_steps(graph).into_iter().filter(|step| step.from == from.name).collect();
                PackageSafety::judge_steps(graph, steps, grounds)
            }
            None => PackageSafety::judge_package(graph, grounds),
        })
    });
    let judged = judged.transpose()?;
    let safety = judged.as_ref().zip(shown.as_ref());
    if let Some((safety, _)) = safety.filter(|(_, shown)| shown.is_requested()) {
        out::report_steps(safety, out);
    }
    if format == Format::Text && installed.is_none() && !args.explain && !wish.channels.is_empty() {
        let outcome = print_upgrade_tables(&mut asker, package, &wish, args.openshift, safety, out)?;
        if args.with_dependencies {
            out.print(&describe_dependency_changes(&mut asker, package, &wish, out))?;
        }
        return Ok(outcome);
    }
    let mut answers: Vec<(ResolverQuery, Answer)> = Vec::new();
    for asked in split_by_engine(&package.name, &wish) {
        if let Some(installed) = &installed {
            let answer = asker.answer_query(&asked, Some(installed));
            answers.push((asked, answer));
        } else {
            answers.push((asked.clone(), asker.answer_query(&asked, None)));
            for installed in query::installable_bundles(package, &asked) {
                answers.push((asked.clone(), asker.answer_query(&asked, Some(&installed))));
            }
        }
    }
    let updates = match args.openshift {
        Some(from) => cluster_updates(&mut asker, package, &wish, from),
        None => Vec::new(),
    };
    let update = |asked: &ResolverQuery| {
        updates.iter().find(|(channel, _)| match asked {
            ResolverQuery::Classic { channel: asked, .. } => asked == channel,
            ResolverQuery::V1 { .. } => true,
        })
    };
    let row = |(asked, answer): &(ResolverQuery, Answer)| {
        let row = Row::from_answer(asked, answer, args.explain).with_safety(shown_safety(safety, answer));
        match update(asked) {
            Some((_, update)) => row.with_update(answer, update),
            None => row,
        }
    };
    let rows = || answers.iter().map(row);
    match format {
        Format::Json | Format::Yaml => {
            out.print(&output::encode_json(format, json::to_pretty_json(&rows().collect::<Vec<_>>())))?;
        }
        Format::Jsonl => out.print(&rows().map(|row| json::to_json_line(&row)).collect::<String>())?,
        Format::Text => {
            let texts = answers.iter().map(|(asked, a)| {
                let update =
                    update(asked).map(|(_, update)| answer::render_update_effect(a, update, &out.style));
                let text = answer::render_answer(asked, a, update.as_deref(), args.explain, &out.style);
                text + &safety::render_step_safety(shown_safety(safety, a), a.engine, &out.style)
            });
            let text = texts.collect::<Vec<_>>().join("\n");
            out.print(&text)?;
        }
    }
    Ok(answers.iter().any(|(_, answer)| answer.error.is_some()).into())
}

/// Returns the safety of the step of an answer. `None` unless the user requested it or OLM refuses
/// the step.
fn shown_safety<'s>(safety: Option<(&'s PackageSafety, &ShownSteps)>, answer: &Answer) -> Option<&'s Safety> {
    let (safety, shown) = safety?;
    let of_step = safety.find_step(&answer.installed.as_ref()?.name, answer.upgrade_target()?)?;
    (shown.is_requested() || of_step.verdict_for(answer.engine).is_refused()).then_some(of_step)
}

/// Prints, for each channel, a table of the upgrades of all versions.
fn print_upgrade_tables(
    asker: &mut QueryRunner<'_>,
    package: &Package,
    wish: &QueryRequest,
    openshift: Option<OpenShift>,
    safety: Option<(&PackageSafety, &ShownSteps)>,
    out: &mut Out,
) -> anyhow::Result<Outcome> {
    let mut texts = Vec::new();
    let mut failed = false;
    for channel in &wish.channels {
        let Some(graph) = asker.graph(&package.name) else { continue };
        let table = UpgradeTable::new(graph, channel, &wish.query);
        failed |= answer::has_errors(&table, wish.engines);
        let update = openshift.map(|from| ClusterUpdate::new(package, &table, from));
        let words =
            update.as_ref().map(|update| format!("{}\n", update.format_summary(&table))).unwrap_or_default();
        texts.push(format!(
            "{}\n{}\n{}{words}{}",
            answer::render_upgrade_heading(&package.name, &table, wish.engines, &out.style),
            answer::render_upgrade_table(package, &table, wish.engines, update.as_ref(), &out.style),
            answer::summarize_upgrade_table(&table, wish.engines),
            safety
                .map(|(safety, shown)| {
                    safety::render_table_safety(
                        safety,
                        &table,
                        wish.engines,
                        shown.is_requested(),
                        &out.style,
                    )
                })
                .unwrap_or_default(),
        ));
    }
    out.print(&texts.join("\n"))?;
    Ok(failed.into())
}

/// Lists versions whose pick changes with dependencies, for each Classic channel.
fn describe_dependency_changes(
    asker: &mut QueryRunner<'_>,
    package: &Package,
    wish: &QueryRequest,
    out: &Out,
) -> String {
    let mut text = String::new();
    let all =
        split_by_engine(&package.name, wish).into_iter().filter(|asked| asked.engine() == Engine::Classic);
    let all: Vec<ResolverQuery> = all.collect();
    if all.is_empty() {
        return "with dependencies: only OLM Classic resolves them\n".to_owned();
    }
    for asked in all {
        let first = asker.answer_query(&asked, None);
        if first.error.is_some() {
            text.push_str("with dependencies: not resolved, see the error above\n");
            continue;
        }
        let mut answers = vec![first];
        answers.extend(
            query::installable_bundles(package, &asked)
                .iter()
                .map(|own| asker.answer_query(&asked, Some(own))),
        );
        text.push_str(&answer::render_dependency_differences(&answers, &out.style));
    }
    if text.is_empty() { "with dependencies: the same\n".to_owned() } else { format!("\n{text}") }
}

/// Returns the obstacles to the next minor version of the cluster, for each Classic channel.
fn cluster_updates(
    asker: &mut QueryRunner<'_>,
    package: &Package,
    wish: &QueryRequest,
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
