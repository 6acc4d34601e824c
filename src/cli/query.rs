//! Queries: as JSON lines, answered in order (`--batch`, `--queries`, `--pairs`), and to the resolvers: arguments
//! that several commands share, answers about one catalog with cached intermediate results, and queries from
//! custom resources (`successors -f`).

use std::io::{self, BufRead as _, BufReader, Read as _};
use std::{collections::HashMap, collections::hash_map::Entry, fs::File, path::Path, sync::Arc};

use anyhow::Context as _;
use clap::ValueEnum;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Failure, Out, Outcome, hidden_content_message, source};
use olm_catalog::{BundleName, Catalog, ChannelName, PackageName, package::Package};
use olm_plan::cluster::{Operator, OperatorList, OperatorListError, OperatorRequest, parse_operator_list};
use olm_upgrade::install_blockers::{self, InstallBlocker, InstallBlockerKind};
use olm_upgrade::resolve::{CatalogIndex, Limits, Source, resolve_single_package};
use olm_upgrade::v1::{self, Query, Resolver};
use olm_upgrade::{
    Answer, DependencyResult, Engine, Installed, PackageGraph, ResolveError, installed::InstalledError,
};
use olm_version::masterminds::Constraint;
use olmap_report::{answer::ResolverQuery, json};

/// Engine and channels of a query.
#[derive(Debug, clap::Args)]
pub struct QueryArgs {
    /// Classic: subscribed channel (default: the default channel). v1: channels to choose from
    /// (default: all). Can be repeated.
    #[arg(long = "channel", short = 'c', value_name = "NAME")]
    pub channels: Vec<String>,
    /// OLM generation.
    #[arg(long, value_name = "ENGINE", default_value = "both")]
    pub engine: Engines,
    /// v1: version constraint, as in spec.source.catalog.version.
    #[arg(long, value_name = "RANGE", default_value = "", hide_default_value = true)]
    pub version: String,
    /// v1: upgrade constraint policy.
    #[arg(long, value_name = "POLICY", default_value = "CatalogProvided", ignore_case = true)]
    pub policy: Policy,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engines {
    /// OLM Classic.
    Classic,
    /// OLM v1.
    V1,
    /// Both.
    Both,
}

impl Engines {
    /// Returns the selected resolvers.
    pub const fn engines(self) -> &'static [Engine] {
        match self {
            Self::Classic => &[Engine::Classic],
            Self::V1 => &[Engine::V1],
            Self::Both => Engine::BOTH,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum, Deserialize)]
pub enum Policy {
    /// Only along the edges of the catalog.
    #[default]
    #[value(name = "CatalogProvided")]
    CatalogProvided,
    /// Any bundle, as an upgrade or a downgrade.
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

/// Query about one package, before it is split into resolvers and channels.
pub struct QueryRequest {
    pub channels: Vec<ChannelName>,
    pub query: Query,
    pub engines: &'static [Engine],
}

impl QueryArgs {
    /// Returns the query for OLM v1, which may name channels that do not exist.
    pub fn to_v1_query(&self) -> Query {
        Query {
            channels: self.channels.iter().map(|name| name.as_str().into()).collect(),
            version: self.version.clone(),
            policy: self.policy.into(),
        }
    }

    /// Returns the query. Refuses unknown channels and invalid versions.
    pub fn build_request(&self, package: &Package) -> Result<QueryRequest, Failure> {
        if let Some(unknown) = self.channels.iter().find(|name| package.channel(name).is_none()) {
            return Err(source::no_channel_failure(package, unknown));
        }
        if !self.version.is_empty()
            && let Err(error) = Constraint::parse(&self.version)
        {
            return Err(Failure::new(format!("--version: {error}")).with_optional_hint(error.hint));
        }
        let listed: Vec<ChannelName> = self.channels.iter().map(|name| name.as_str().into()).collect();
        let query =
            Query { channels: listed.clone(), version: self.version.clone(), policy: self.policy.into() };
        let mut channels = listed;
        if channels.is_empty() {
            match package.default_channel() {
                Some(channel) => channels.push(channel.clone()),
                None if self.engine == Engines::V1 => {}
                None => {
                    return Err(Failure::new(format!("{} has no default channel", package.name)).with_hint(
                        format!("choose one with --channel: {}", source::channel_names(package)),
                    ));
                }
            }
        }
        Ok(QueryRequest { channels, query, engines: self.engine.engines() })
    }
}

/// Resolver queries about one catalog. Caches the graph of each package and the obstacles of each bundle. The
/// v1 resolver is reused while the query stays the same.
pub struct QueryRunner<'a> {
    catalog: &'a Catalog,
    graphs: HashMap<PackageName, PackageGraph>,
    resolver: Option<(PackageName, Query, Result<Arc<Resolver>, ResolveError>)>,
    blocked: HashMap<(PackageName, BundleName), Vec<InstallBlocker>>,
    /// Catalog as the only source of the namespace, if dependencies are resolved.
    source: Option<Source>,
}

impl<'a> QueryRunner<'a> {
    /// Creates a runner with empty caches.
    pub fn new(catalog: &'a Catalog) -> Self {
        Self { catalog, graphs: HashMap::new(), resolver: None, blocked: HashMap::new(), source: None }
    }

    /// Enables dependency resolution for Classic.
    pub fn with_dependencies(mut self, wanted: bool) -> Self {
        self.source = wanted.then(|| Source::new("catalog", &Arc::new(CatalogIndex::new(self.catalog))));
        self
    }

    /// Returns the graph of a package.
    pub fn graph(&mut self, package: &PackageName) -> Option<&PackageGraph> {
        Some(match self.graphs.entry(package.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => {
                let graph = PackageGraph::new(self.catalog.package(package.as_str())?);
                free.insert(graph.with_served_parts(self.catalog))
            }
        })
    }

    /// Returns the answer to a query, with the obstacles of the picked bundle.
    pub fn answer_query(&mut self, asked: &ResolverQuery, installed: Option<&Installed>) -> Answer {
        let Some(package) = self.catalog.package(asked.package().as_str()) else {
            return failed_answer(
                asked.engine(),
                installed,
                ResolveError::NoPackage(asked.package().to_string()),
            );
        };
        let mut answer = match asked {
            ResolverQuery::Classic { channel, .. } if channel.as_str().is_empty() => {
                failed_answer(Engine::Classic, installed, ResolveError::NoChannel("(default)".to_owned()))
            }
            ResolverQuery::Classic { package, channel } => match self.graph(package) {
                Some(graph) => graph.resolve_classic(channel.as_str(), installed),
                None => {
                    failed_answer(Engine::Classic, installed, ResolveError::NoPackage(package.to_string()))
                }
            },
            ResolverQuery::V1 { query, .. } => match self.resolver(&package.name, query) {
                Ok(resolver) => resolver.complete_answer(installed),
                Err(error) => failed_answer(Engine::V1, installed, error.clone()),
            },
        };
        match (&self.source, asked) {
            (Some(source), ResolverQuery::Classic { channel, .. }) if answer.error.is_none() => {
                add_resolution(source, package, channel, &mut answer);
            }
            _ => answer.blocked = self.obstacles(package, asked, &answer),
        }
        answer
    }

    /// Returns the v1 resolver for a query, from the cache if the last query was the same.
    fn resolver(&mut self, package: &PackageName, query: &Query) -> &Result<Arc<Resolver>, ResolveError> {
        let known = self.resolver.take().filter(|(name, asked, _)| name == package && asked == query);
        let known = known.unwrap_or_else(|| {
            let resolver = match self.graph(package) {
                Some(graph) => graph.v1_resolver(query),
                None => Err(ResolveError::NoPackage(package.to_string())),
            };
            (package.clone(), query.clone(), resolver)
        });
        &self.resolver.insert(known).2
    }

    /// Returns what keeps OLM from installing the bundle of an answer.
    fn obstacles(
        &mut self,
        package: &Package,
        asked: &ResolverQuery,
        answer: &Answer,
    ) -> Vec<InstallBlocker> {
        match asked {
            // Cached, because it searches the whole catalog for providers of dependencies.
            ResolverQuery::Classic { .. } => {
                let target = answer.upgrade_target().and_then(|name| package.bundle(name.as_str()));
                let Some(bundle) = target else { return Vec::new() };
                let key = (package.name.clone(), bundle.name.value.clone());
                let look = || install_blockers::find_blockers(self.catalog, bundle, Engine::Classic, &[]);
                self.blocked.entry(key).or_insert_with(look).clone()
            }
            ResolverQuery::V1 { query, .. } => answer.pick.as_ref().map_or_else(Vec::new, |pick| {
                let installed = answer.installed.as_ref();
                install_blockers::v1_pick_blockers(package, pick, installed, &query.channels)
            }),
        }
    }
}

/// `Subscription` or `ClusterExtension`, with its query and the answer.
pub struct AnsweredQuery {
    pub object: String,
    pub asked: ResolverQuery,
    pub answer: Answer,
}

/// Buffer size for answers. Answers are flushed earlier if the client waits for them.
const BUFFER_SIZE: usize = 1 << 16;

/// Maximum length of a line in bytes: a query with the properties of a large bundle, with reserve.
const MAX_LINE: usize = 16 << 20;

/// Answer to an invalid line.
#[derive(Serialize)]
struct InvalidLine {
    error: String,
    line: usize,
}

/// Returns the error for an unknown bundle, with suggestions. `how` explains how to name a bundle that left
/// the catalog.
pub fn unknown_bundle_failure(unknown: &InstalledError, package: &Package, how: &str) -> Failure {
    Failure::new(unknown.to_string()).with_optional_hint(unknown.correction_hint(package, how))
}

/// Resolves a package with dependencies, in an otherwise empty namespace, and adds the result to
/// the answer. Adds the reasons too if it differs from the pick without dependencies.
fn add_resolution(source: &Source, package: &Package, channel: &ChannelName, answer: &mut Answer) {
    let sources = std::slice::from_ref(source);
    let limits = Limits::default();
    let Some(alone) =
        resolve_single_package(sources, &package.name, channel, answer.installed.as_ref(), limits)
    else {
        return;
    };
    let bare = answer.upgrade_target().cloned().map_or(DependencyResult::Stays, DependencyResult::Bundle);
    if alone.solved.as_ref() != Some(&bare) {
        let block = |text: String| InstallBlocker { kind: InstallBlockerKind::Dependency, text };
        answer.blocked = alone.why.into_iter().map(block).collect();
    }
    answer.solved = alone.solved;
}

/// Returns an answer with an error.
fn failed_answer(engine: Engine, installed: Option<&Installed>, error: ResolveError) -> Answer {
    Answer {
        engine,
        installed: installed.cloned(),
        pick: None,
        error: Some(error),
        chain: Vec::new(),
        candidates: Vec::new(),
        blocked: Vec::new(),
        solved: None,
    }
}

/// Returns the installed bundle of `NAME@TEXT` whose version cannot be read, if the query ignores the installed
/// version: OLM v1 with `SelfCertified`.
pub fn installed_without_version(asked: &ResolverQuery, text: &str) -> Option<Installed> {
    let (name, _) = text.rsplit_once('@')?;
    let ignores_it =
        matches!(asked, ResolverQuery::V1 { query, .. } if query.policy == v1::Policy::SelfCertified);
    ignores_it.then(|| Installed { name: name.into(), version: None })
}

/// Returns the answer for an installed bundle that is not in the catalog and has no version.
pub fn unknown_installed_answer(engine: Engine, unknown: &InstalledError) -> Answer {
    let name: BundleName = unknown.text.as_str().into();
    let installed = Installed { name: name.clone(), version: None };
    failed_answer(engine, Some(&installed), ResolveError::NoInstalledVersion(name))
}

/// Returns the bundles that may be installed: those of the queried channels, highest version first.
pub fn installable_bundles(package: &Package, asked: &ResolverQuery) -> Vec<Installed> {
    let listed = |name: &olm_catalog::ChannelName| match asked {
        ResolverQuery::Classic { channel, .. } => name == channel,
        ResolverQuery::V1 { query, .. } => query.channels.is_empty() || query.channels.contains(name),
    };
    let channels = package.channels.iter().filter(|c| listed(&c.name.value));
    let entries: std::collections::HashSet<&BundleName> =
        channels.flat_map(|c| c.entries.iter().map(|e| &e.name.value)).collect();
    let bundles = package.bundles.iter().filter(|b| entries.contains(&b.name.value));
    let mut installed: Vec<Installed> =
        bundles.map(|b| Installed::from_package(package, &b.name.value)).collect();
    installed.sort_by(|a, b| match (&a.version, &b.version) {
        (Some(a), Some(b)) => b.cmp_precedence(a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    installed
}

/// Answers the queries of the objects in a file, in the order of their packages.
pub fn answer_custom_resources(
    catalog: &Catalog,
    file: &Path,
    asker: &mut QueryRunner<'_>,
    out: &Out,
) -> anyhow::Result<Vec<AnsweredQuery>> {
    let operators = read_operators(file, out)?.operators;
    operators.iter().map(|operator| Ok(answer_operator(catalog, operator, asker)?)).collect()
}

/// Reads the custom resources of a file, and warns of its mistakes.
pub fn read_operators(file: &Path, out: &Out) -> anyhow::Result<OperatorList> {
    let (label, bytes) = (source::input_label(file), source::read_input(file)?);
    let operators = parse_operator_list(&label, &bytes).map_err(|error| {
        let place = match &error {
            OperatorListError::Note(note) => Some((note.place.line, None)),
            OperatorListError::Nothing(_) | OperatorListError::NoRequests(_) => None,
        };
        Failure::in_file(file, place, Failure::new(error.to_string()).with_optional_hint(error.hint()))
    })?;
    let unquoted = hidden_content_message(file);
    for note in &operators.notes {
        let words = unquoted.as_ref().map(|words| format!("{label}:{}: {words}", note.place.line));
        out.print_warning(&words.unwrap_or_else(|| note.to_string()), None);
    }
    Ok(operators)
}

/// Answers the query of a custom resource about one catalog.
pub fn answer_operator(
    catalog: &Catalog,
    operator: &Operator,
    asker: &mut QueryRunner<'_>,
) -> Result<AnsweredQuery, Failure> {
    let object = operator.request_label();
    let name = operator.package.clone().unwrap_or_default();
    let package = catalog
        .package(name.as_str())
        .ok_or_else(|| source::no_package_failure(catalog, name.as_str()).with_label(&object))?;
    let installed = operator.installed.as_ref().map(|known| {
        let own = known.version.clone().or_else(|| package.bundle_version(known.name.as_str()).cloned());
        Installed { name: known.name.clone(), version: own }
    });
    let asked = match &operator.request {
        OperatorRequest::Extension { query, .. } => {
            ResolverQuery::V1 { package: name.clone(), query: query.clone() }
        }
        OperatorRequest::Subscription(_) | OperatorRequest::Nothing => {
            let channel: Option<&ChannelName> =
                operator.requested_channels().first().or(package.default_channel());
            ResolverQuery::Classic { package: name.clone(), channel: channel.cloned().unwrap_or_default() }
        }
    };
    let mut answer = asker.answer_query(&asked, installed.as_ref());
    let starting = operator.subscription().and_then(|asks| asks.starting_csv.as_ref());
    if let (None, Some(starting), ResolverQuery::Classic { channel, .. }) = (&installed, starting, &asked)
        && let Some(graph) = asker.graph(&name)
    {
        // Nothing is installed yet, and `startingCSV` names the first bundle.
        answer = graph.resolve_classic_start(channel.as_str(), starting);
    }
    Ok(AnsweredQuery { object, asked, answer })
}

/// Reads queries from a file (`-` for standard input) and prints the result of `answer` for each. A client
/// may send a query, wait for its answer and send the next. Blank lines are skipped, and an invalid line is
/// answered with an error.
pub fn run_batch<Q: DeserializeOwned>(
    file: &Path,
    out: &mut Out,
    mut answer: impl FnMut(Q) -> String,
) -> anyhow::Result<Outcome> {
    let mut lines = open_queries(file)?;
    let unquoted = hidden_content_message(file);
    let (mut line, mut number) = (Vec::new(), 0);
    let mut ready = String::new();
    let mut first_bad: Option<(usize, String)> = None;
    loop {
        line.clear();
        let mut rest = lines.by_ref().take(MAX_LINE as u64 + 1);
        if rest.read_until(b'\n', &mut line).with_context(|| format!("cannot read {}", file.display()))? == 0
        {
            break;
        }
        number += 1;
        if line.len() > MAX_LINE {
            out.print(&ready)?;
            let reason =
                format!("{}:{number}: the line is longer than {} MB", file.display(), MAX_LINE >> 20);
            return Err(Failure::new(reason).with_hint("a query is one JSON object on a line").into());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice::<Q>(&line) {
            Ok(question) => ready.push_str(&answer(question)),
            Err(error) => {
                let why = match &unquoted {
                    None => error.to_string(),
                    Some(words) => format!("column {}: {words}", error.column()),
                };
                let error = format!("not a valid query: {why}");
                ready.push_str(&json::to_json_line(&InvalidLine { error: error.clone(), line: number }));
                first_bad.get_or_insert((number, error));
            }
        }
        if ready.len() > BUFFER_SIZE || lines.buffer().is_empty() {
            out.print(&ready)?;
            ready.clear();
            if out.is_closed() {
                return Ok(Outcome::Fine);
            }
        }
    }
    out.print(&ready)?;
    match first_bad {
        None => Ok(Outcome::Fine),
        Some((line, error)) => Err(Failure::new(format!("{}:{line}: {error}", file.display())).into()),
    }
}

fn open_queries(file: &Path) -> anyhow::Result<BufReader<Box<dyn io::Read>>> {
    let reader: Box<dyn io::Read> = if file.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(file).with_context(|| format!("cannot open {}", file.display()))?)
    };
    Ok(BufReader::with_capacity(BUFFER_SIZE, reader))
}
