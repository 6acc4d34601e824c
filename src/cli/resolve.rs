//! `olmap resolve`: result of OLM Classic in a namespace, including dependencies.

use std::path::{Path, PathBuf};
use std::{cell::Cell, collections::BTreeMap, sync::Arc};

use clap::ValueEnum;
use serde::{Deserialize, de::IgnoredAny};

use super::{Failure, Out, Outcome, cluster::ClusterArgs, image, join_names, out, output, query, source};
use olm_catalog::{PackageName, blob::BundleBlob, package::Package, similar_names};
use olm_check::review::Snapshot;
use olm_plan::{cluster as plan, cluster::Cluster};
use olm_upgrade::resolve::{InstalledCsv, Limits, Question, Source, SourceKey, Subscription, resolve};
use olm_upgrade::{resolve::index::PackageIndex, resolve::question::GLOBAL_NAMESPACE};
use olm_version::Version;
use olmap_report::{json, resolution as export, resolution::Row};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
The output lists what OLM Classic installs, also for dependencies, or why it installs nothing.

Examples:
  olmap resolve catalog --subscribe tide        with its dependencies
  olmap resolve own=mine community=theirs --subscribe tide:stable@own
  olmap resolve catalog --subscribe tide --installed tide.v1.2.0
  olmap resolve catalog --cluster cluster.yaml  the next upgrades on a cluster
  olmap resolve catalog --queries questions.jsonl

Exit code: 0 resolved (also if OLM installs nothing), 2 failed, or the result is not known.";

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
    /// YAML with the fields of JSON.
    Yaml,
    /// JSON Lines: an answer per line.
    Jsonl,
}

pub fn run_resolve(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let taken = args.queries.iter().chain(&args.cluster.files).any(source::is_stdin);
    let catalogs = open_named_catalogs(&args.catalogs, &args.images, taken, out)?;
    if let Some(file) = &args.queries {
        if !matches!(args.format, None | Some(Format::Jsonl)) {
            return Err(Failure::new("--queries needs -o jsonl").into());
        }
        return run_resolve_queries(file, &catalogs, out);
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
        Some(format @ (Format::Json | Format::Yaml)) => {
            output::encode_json(format, json::to_pretty_json(&row))
        }
        Some(Format::Jsonl) => json::to_json_line(&row),
        Some(Format::Text) | None => export::render_resolution(&answer, &out.style),
    })?;
    out::report_files(answer.undecided_part(), out);
    Ok(Outcome::Fine)
}

fn build_question(
    args: &Args,
    catalogs: &[Source],
    cluster: Option<&Cluster>,
    out: &Out,
) -> Result<Question, Failure> {
    let sources = catalogs.to_vec();
    let mut question = match cluster {
        Some(cluster) => question_from_cluster(cluster, args.namespace.as_deref(), &sources, out)?,
        None => Question::new(sources),
    };
    for name in &args.installed {
        question.installed.push(parse_installed_csv(catalogs, name)?);
    }
    for text in &args.subscribe {
        let mut subscription = parse_subscription(catalogs, text, &question.installed)?;
        let place = catalogs.iter().position(|catalog| catalog.key == subscription.catalog);
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
        let names = join_names(&others);
        out.print_warning(&format!("the cluster also has {names}, which OLM looks into too"), None);
    }
    Ok(question)
}

/// Opens catalogs. `stdin_taken` is set if standard input is used otherwise.
fn open_named_catalogs(
    words: &[String],
    images: &image::Args,
    stdin_taken: bool,
    out: &Out,
) -> anyhow::Result<Vec<Source>> {
    let named: Vec<(Option<&str>, PathBuf)> = words.iter().map(|word| split_name(word)).collect();
    let paths: Vec<PathBuf> = named.iter().map(|(_, path)| path.clone()).collect();
    if stdin_taken && paths.iter().any(source::is_stdin) {
        return Err(Failure::new("standard input can be read only once").into());
    }
    let catalogs = source::open_catalogs(&paths, images)?;
    let mut all: Vec<Source> = Vec::with_capacity(catalogs.len());
    for (at, catalog) in catalogs.into_iter().enumerate() {
        source::warn_of_problems(&catalog, out);
        let name = match named.get(at) {
            Some((Some(name), _)) => (*name).to_owned(),
            Some((None, path)) => derive_name(path),
            None => "catalog".to_owned(),
        };
        if all.iter().any(|other| other.key.name == name) {
            return Err(Failure::new(format!("two catalogs are called {name}"))
                .with_hint(format!("give one of them a name: NAME={}", catalog.origin.label()))
                .into());
        }
        // With the reason if opm rejects the catalog.
        all.push(Snapshot::new(catalog).to_source(&name));
    }
    Ok(all)
}

/// Splits `NAME=PATH`. A word that is an existing path is not split.
fn split_name(word: &str) -> (Option<&str>, PathBuf) {
    match word.split_once('=') {
        Some((name, path)) if !name.is_empty() && !name.contains('/') && !Path::new(word).exists() => {
            (Some(name), path.into())
        }
        _ => (None, word.into()),
    }
}

/// Derives the catalog name from a path: `operators` from `catalogs/operators.yaml`, and `v4.20` from `catalogs/v4.20`. For
/// the usual file of a catalog, returns the folder.
pub fn derive_name(path: &Path) -> String {
    let stem = |path: &Path| {
        let is_version =
            path.extension().is_some_and(|ext| ext.as_encoded_bytes().iter().all(u8::is_ascii_digit));
        let name = if is_version { path.file_name() } else { path.file_stem() };
        name.map(|name| name.to_string_lossy().into_owned())
    };
    let name = stem(path).filter(|name| name != source::STDIN);
    let name = match name.as_deref() {
        Some("catalog" | "index") if path.extension().is_some() => path.parent().and_then(stem).or(name),
        _ => name,
    };
    name.unwrap_or_else(|| "catalog".to_owned())
}

/// Parses an installed bundle: its name in a catalog, `PACKAGE@VERSION`, or `NAME@VERSION` for a bundle that
/// left the catalogs. The name of such a bundle begins with its package, and nothing else is known about it.
fn parse_installed_csv(catalogs: &[Source], text: &str) -> Result<InstalledCsv, Failure> {
    let named = |name: &str| {
        catalogs.iter().find_map(|catalog| {
            let index = &catalog.index;
            InstalledCsv::from_bundle(index, index.find_bundle(name)?)
        })
    };
    if let Some(known) = named(text) {
        return Ok(known);
    }
    let Some((name, given)) = text.rsplit_once('@') else {
        let names = all_packages(catalogs)
            .flat_map(|index| index.package.bundles.iter().map(|bundle| bundle.name.value.as_str()));
        return Err(Failure::new(format!("no catalog has a bundle {text}")).with_hint(
            similar_names::suggest_closest(text, names).map_or_else(
                || "a bundle that is in no catalog any more needs its version: NAME@1.2.3".to_owned(),
                |meant| format!("did you mean {meant}?"),
            ),
        ));
    };
    let version = Version::parse(given)
        .map_err(|error| Failure::new(format!("{text}: not a version after the @: {error}")))?;
    let known = named(name).or_else(|| {
        let mut packages = all_packages(catalogs).filter(|index| index.package.name == *name);
        let has_it = |bundle: &&Arc<BundleBlob>| {
            bundle.version.as_ref().is_some_and(|v| v.to_string() == given || v.version == version)
        };
        named(packages.find_map(|index| index.package.bundles.iter().find(has_it))?.name.value.as_str())
    });
    if let Some(known) = known {
        return Ok(known);
    }
    if all_packages(catalogs).any(|index| index.package.name == *name) {
        return Err(Failure::new(format!("package {name} has no bundle of version {given}")).with_hint(
            format!("one that is in no catalog any more needs its name: {name}.v{given}@{given}"),
        ));
    }
    // Uses the longest package name that is a prefix.
    let begins = |package: &&PackageName| {
        name.strip_prefix(package.as_str()).is_some_and(|rest| rest.starts_with(['.', '-']))
    };
    let packages = all_packages(catalogs).map(|index| &index.package.name).filter(begins);
    let package = packages.max_by_key(|package| package.as_str().len()).ok_or_else(|| {
        Failure::new(format!("no catalog has a bundle {name}, or a package that its name begins with"))
    })?;
    Ok(InstalledCsv::from_package(name.into(), Some(version), package))
}

fn all_packages(catalogs: &[Source]) -> impl Iterator<Item = &Arc<PackageIndex>> {
    catalogs.iter().flat_map(|catalog| catalog.index.packages())
}

/// Parses `PACKAGE[:CHANNEL][@CATALOG]`.
fn parse_subscription(
    catalogs: &[Source],
    text: &str,
    installed: &[InstalledCsv],
) -> Result<Subscription, Failure> {
    let (rest, catalog) = match text.rsplit_once('@') {
        Some((rest, catalog)) => (rest, Some(catalog)),
        None => (text, None),
    };
    let (package, channel) = match rest.split_once(':') {
        Some((package, channel)) => (package, Some(channel)),
        None => (rest, None),
    };
    let (source, known) = locate_package(catalogs, package, catalog)?;
    let channel = match channel {
        Some(name) if known.channel(name).is_none() => {
            return Err(source::no_channel_failure(known, name));
        }
        Some(name) => Some(name.into()),
        None => known.default_channel().cloned(),
    };
    let own = installed.iter().find(|csv| csv.facts.package() == package);
    Ok(Subscription {
        name: package.to_owned(),
        package: package.into(),
        channel,
        catalog: source.key.clone(),
        starting_csv: None,
        installed: own.map(|csv| csv.name.clone()),
    })
}

/// Returns the named catalog, or the first one that contains the package.
fn locate_package<'a>(
    catalogs: &'a [Source],
    package: &str,
    catalog: Option<&str>,
) -> Result<(&'a Source, &'a Package), Failure> {
    let of = |named: &'a Source| {
        let index = &named.index;
        Some((named, index.packages().get(index.package_position(package)?)?.package.as_ref()))
    };
    let Some(name) = catalog else {
        return catalogs.iter().find_map(of).ok_or_else(|| {
            let names = all_packages(catalogs).map(|index| index.package.name.as_str());
            let meant = similar_names::suggest_closest(package, names);
            Failure::new(format!("no package {package} in the catalogs"))
                .with_optional_hint(meant.map(|meant| format!("did you mean {meant}?")))
        });
    };
    let named = catalogs.iter().find(|named| named.key.name == name).ok_or_else(|| {
        let names = join_names(catalogs.iter().map(|catalog| &catalog.key.name));
        Failure::new(format!("no catalog is called {name}")).with_hint(format!("catalogs: {names}"))
    })?;
    of(named).ok_or_else(|| Failure::new(format!("no package {package} in {name}")))
}

/// Line of `--queries`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Query {
    #[serde(default)]
    subscriptions: Vec<WantedSubscription>,
    #[serde(default)]
    installed: Vec<Installed>,
    /// Visible catalogs; all open ones if omitted.
    catalogs: Option<Vec<VisibleCatalog>>,
    #[serde(default)]
    exclude_global: bool,
    upgrade_strategy: Option<String>,
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

/// Additional fields that are ignored: labels, and answers of other programs.
const IGNORED_FIELDS: [&str; 9] = [
    "answers",
    "case",
    "core",
    "error",
    "error_texts",
    "new_subscriptions",
    "nondeterministic",
    "result",
    "settled_without_rewinding",
];

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WantedSubscription {
    name: Option<String>,
    package: String,
    channel: Option<String>,
    catalog: String,
    catalog_namespace: Option<String>,
    #[serde(rename = "startingCSV")]
    starting_csv: Option<String>,
    installed: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Installed {
    name: String,
    catalog: Option<String>,
    version: Option<String>,
    properties: Option<Vec<Property>>,
    phase: Option<String>,
    replaces: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Property {
    #[serde(rename = "type")]
    kind: String,
    value: serde_json::Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct VisibleCatalog {
    name: String,
    namespace: Option<String>,
    #[serde(default)]
    priority: i64,
    /// Ignored, because the command line names the file.
    #[serde(default, rename = "path")]
    _path: IgnoredAny,
}

/// Answers queries from a file.
fn run_resolve_queries(file: &Path, catalogs: &[Source], out: &mut Out) -> anyhow::Result<Outcome> {
    let undecided = Cell::new(0);
    let outcome = query::run_batch(file, out, |query: Query| match convert_query(query, catalogs) {
        Ok(question) => {
            let answer = resolve(&question, Limits::default());
            undecided.set(undecided.get() + usize::from(answer.undecided_part().is_some()));
            json::to_json_line(&Row::from_resolution(&answer))
        }
        Err(error) => json::to_json_line(&Row::from_error(error)),
    });
    out::report_count(undecided.get(), out);
    outcome
}

/// Converts a query. Refuses unknown fields and catalogs, because ignoring them would change the query.
fn convert_query(query: Query, catalogs: &[Source]) -> Result<Question, String> {
    if let Some(unknown) = query.rest.keys().find(|key| !IGNORED_FIELDS.contains(&key.as_str())) {
        return Err(format!("unknown field {unknown:?}"));
    }
    for placed in query.catalogs.iter().flatten() {
        if !catalogs.iter().any(|catalog| catalog.key.name == placed.name) {
            let names = join_names(catalogs.iter().map(|catalog| &catalog.key.name));
            return Err(format!("no catalog is called {}; catalogs: {names}", placed.name));
        }
    }
    for csv in &query.installed {
        if let Some(name) = csv.catalog.as_ref().filter(|name| !catalogs.iter().any(|c| c.key.name == **name))
        {
            let names = join_names(catalogs.iter().map(|catalog| &catalog.key.name));
            return Err(format!(
                "no catalog is called {name}, from which {} is installed; catalogs: {names}",
                csv.name
            ));
        }
        let version = csv.version.as_deref().filter(|version| !version.is_empty());
        if let Some(version) = version.filter(|version| Version::parse_tolerant(version).is_err()) {
            return Err(format!("the version {version} of the installed {} cannot be read", csv.name));
        }
    }
    let open = |name: &str| catalogs.iter().find(|catalog| catalog.key.name == name);
    let sources = match query.catalogs {
        None => catalogs.to_vec(),
        Some(placed) => placed
            .into_iter()
            .filter_map(|placed| {
                let open = open(&placed.name)?;
                Some(Source {
                    key: SourceKey {
                        name: placed.name,
                        namespace: placed.namespace.unwrap_or_else(|| GLOBAL_NAMESPACE.to_owned()),
                    },
                    priority: placed.priority,
                    ..open.clone()
                })
            })
            .collect(),
    };
    let mut question = Question::new(sources);
    question.excludes_global = query.exclude_global;
    question.fails_forward = query.upgrade_strategy.as_deref() == Some("TechPreviewUnsafeFailForward");
    let package = |name: &str| {
        let naming = query.subscriptions.iter().find(|wanted| wanted.installed.as_deref() == Some(name));
        naming.map(|wanted| wanted.package.clone())
    };
    let installed = query
        .installed
        .into_iter()
        .map(|csv| convert_installed(package(&csv.name).as_deref(), csv, &question.sources));
    question.installed = installed.collect();
    let subscriptions =
        query.subscriptions.into_iter().map(|wanted| wanted.into_subscription(&question.sources));
    question.subscriptions = subscriptions.collect();
    Ok(question)
}

impl WantedSubscription {
    fn into_subscription(self, sources: &[Source]) -> Subscription {
        let namespace = self.catalog_namespace.or_else(|| {
            let source = sources.iter().find(|source| source.key.name == self.catalog)?;
            Some(source.key.namespace.clone())
        });
        let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
        Subscription {
            name: self.name.unwrap_or_else(|| self.package.clone()),
            package: self.package.into(),
            channel: filled(self.channel).map(Into::into),
            catalog: SourceKey {
                name: self.catalog,
                namespace: namespace.unwrap_or_else(|| GLOBAL_NAMESPACE.to_owned()),
            },
            starting_csv: filled(self.starting_csv).map(Into::into),
            installed: filled(self.installed).map(Into::into),
        }
    }
}

/// Converts an installed bundle. Uses its own properties, or those of the first bundle with its name. For a
/// bundle that left the catalogs, uses the package of its subscription.
fn convert_installed(package: Option<&str>, csv: Installed, sources: &[Source]) -> InstalledCsv {
    let version = csv.version.as_deref().and_then(|version| Version::parse_tolerant(version).ok());
    let mut made = if let Some(properties) = csv.properties {
        let properties: Vec<(String, String)> =
            properties.into_iter().map(|p| (p.kind, p.value.to_string())).collect();
        InstalledCsv::with_properties(csv.name.into(), version, &properties)
    } else {
        let is_meant = |source: &&Source| csv.catalog.as_ref().is_none_or(|name| *name == source.key.name);
        let found = sources.iter().filter(is_meant).find_map(|source| {
            InstalledCsv::from_bundle(&source.index, source.index.find_bundle(&csv.name)?)
        });
        let name = csv.name.as_str();
        let mut found = found.unwrap_or_else(|| match package {
            Some(package) => InstalledCsv::from_package(name.into(), None, &package.into()),
            None => InstalledCsv::with_properties(name.into(), None, &[]),
        });
        if let (Some(version), Some(facts)) = (version, Arc::get_mut(&mut found.facts)) {
            facts.version = Some(version);
        }
        found
    };
    made.phase = csv.phase.unwrap_or_default();
    made.replaces = csv.replaces.map(Into::into);
    made
}
