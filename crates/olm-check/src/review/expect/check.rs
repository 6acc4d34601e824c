//! Check of expectations against a catalog.

use std::{collections::HashMap, sync::Arc};

use super::{Expectation, Expectations, ExpectedResult, Mistake};
use crate::review::{PackageState, Snapshot};
use olm_catalog::{
    BundleName, ChannelName, PackageName, Spanned, package::Package, paths::glob::Glob, similar_names,
};
use olm_upgrade::{
    Answer, Engine, Installed, PackageGraph, ResolveError,
    path::{self, PickedPath, UpgradeContext},
    table::{self, NextUpgrade},
    v1::{Query, Resolver},
};

/// Results of all rows.
#[derive(Clone, Debug, Default)]
pub struct ExpectationReport {
    /// All cases in the order of the rows. A row has a case per resolver, installed bundle and, for
    /// Classic, channel.
    pub cases: Vec<Case>,
    /// Mistakes in rows that refer to missing parts of the catalog.
    pub mistakes: Vec<Mistake>,
}

/// Case of a row, with its result.
#[derive(Clone, Debug)]
pub struct Case {
    /// Index of the row in [`Expectations::rows`].
    pub row: usize,
    /// Name of the package.
    pub package: PackageName,
    /// Resolver and its channels.
    pub context: UpgradeContext,
    /// Installed bundle; `None` for a new installation.
    pub installed: Option<Installed>,
    /// Bundle that the row names, if any.
    pub goal: Option<BundleName>,
    /// True if the package does not have a bundle or entry with the name in `goal`.
    pub is_absent: bool,
    /// True if the expectation is met.
    pub met: bool,
    /// Actual result.
    pub got: ActualResult,
}

/// Actual result of a case.
#[derive(Clone, Debug)]
pub enum ActualResult {
    /// Next upgrade.
    Next {
        /// Next bundle; for a new installation the first bundle.
        next: NextUpgrade,
        /// Complete answer if the expectation is not met.
        answer: Option<Box<Answer>>,
    },
    /// Upgrade path.
    Way {
        /// Complete path.
        path: PickedPath,
        /// Number of upgrades to the first bundle that must, or must not, be reached. 0 if it is
        /// installed already; `None` if the path does not reach it.
        lands: Option<usize>,
        /// Path that ends before the named bundle, with the reason. `None` unless the path should
        /// reach it.
        missed: Option<Box<PickedPath>>,
    },
}

impl ExpectationReport {
    /// Checks every row.
    pub fn new(expectations: &Expectations, snapshot: &Snapshot) -> Self {
        let mut runner = CaseRunner { snapshot, resolvers: HashMap::new() };
        let mut report = Self::default();
        for (number, row) in expectations.rows.iter().enumerate() {
            match runner.resolve_cases(row) {
                Ok(asks) => {
                    report.cases.extend(asks.into_iter().map(|ask| runner.run_case(number, row, ask)));
                }
                Err(mistakes) => {
                    report.mistakes.extend(mistakes.into_iter().map(|m| Mistake { row: Some(number), ..m }));
                }
            }
        }
        report
    }

    /// Returns the cases whose expectation is not met.
    pub fn unmet_cases(&self) -> impl Iterator<Item = &Case> {
        self.cases.iter().filter(|case| !case.met)
    }

    /// Returns the rows that refer to missing parts of the catalog, in order.
    pub fn mistaken_rows(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = self.mistakes.iter().filter_map(|mistake| mistake.row).collect();
        rows.dedup();
        rows
    }

    /// Returns the failing rows in order: their expectation is not met, or they refer to missing
    /// parts of the catalog.
    pub fn failing_rows(&self) -> Vec<usize> {
        let unmet = self.unmet_cases().map(|case| case.row);
        let mut rows: Vec<usize> = unmet.chain(self.mistaken_rows()).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}

/// Case of a row, with all names resolved.
struct ResolvedCase<'a> {
    judged: &'a Arc<PackageState>,
    context: UpgradeContext,
    installed: Option<Installed>,
    goal: Option<BundleName>,
}

/// Key of a cached v1 resolver.
type ResolverKey = (PackageName, Query);

/// Resolves and runs the cases of rows.
struct CaseRunner<'a> {
    snapshot: &'a Snapshot,
    /// Cache of v1 resolvers.
    resolvers: HashMap<ResolverKey, Result<Arc<Resolver>, ResolveError>>,
}

impl<'a> CaseRunner<'a> {
    /// Returns the cases of a row, or the names that the catalog does not have.
    fn resolve_cases(&self, row: &Expectation) -> Result<Vec<ResolvedCase<'a>>, Vec<Mistake>> {
        let judged = self.find_package(row).map_err(|mistake| vec![mistake])?;
        let package = judged.package();
        let mut mistakes = Vec::new();
        for channel in row.channels.iter().filter(|channel| package.channel(channel.value.as_str()).is_none())
        {
            let message = format!("no channel {} in {}", channel.value, package.name);
            mistakes.push(new_mistake(channel, message, Some(channel_hint(package, channel.value.as_str()))));
        }
        let mut installed = Vec::new();
        for text in &row.installed {
            match Installed::parse(package, &text.value) {
                Ok(known) => installed.push(Some(known)),
                Err(unknown) => mistakes.push(new_mistake(
                    text,
                    unknown.to_string(),
                    unknown.correction_hint(package, ""),
                )),
            }
        }
        if row.installed.is_empty() {
            installed.push(None);
        }
        let goal = match &row.expect.value {
            ExpectedResult::Pick(name) | ExpectedResult::Reaches { to: name, .. } => {
                resolve_goal(&judged.graph, name)
                    .map_err(|(message, hint)| new_mistake(&row.expect, message, hint))
            }
            ExpectedResult::NeverLands(pattern)
                if !package.channels.iter().any(|c| matches_channel(pattern, &c.name.value)) =>
            {
                let message = format!("no channel {pattern} in {}", package.name);
                Err(new_mistake(&row.expect, message, Some(channel_hint(package, pattern))))
            }
            _ => Ok(None),
        };
        let goal = goal.unwrap_or_else(|mistake| {
            mistakes.push(mistake);
            None
        });
        let travellers = upgrade_contexts(row, package).unwrap_or_else(|(message, hint)| {
            mistakes.push(new_mistake(&row.expect, message, Some(hint)));
            Vec::new()
        });
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let asks = travellers.into_iter().flat_map(|traveller| {
            let (goal, judged) = (goal.clone(), judged);
            installed.iter().map(move |installed| ResolvedCase {
                judged,
                context: traveller.clone(),
                installed: installed.clone(),
                goal: goal.clone(),
            })
        });
        Ok(asks.collect())
    }

    /// Returns the package that a row names. A row without a package means the only one.
    fn find_package(&self, row: &Expectation) -> Result<&'a Arc<PackageState>, Mistake> {
        let named = || self.snapshot.packages().filter(|(name, _)| !name.as_str().is_empty());
        let names = || named().map(|(name, _)| name.as_str());
        let Some(name) = &row.package else {
            let mut all = named();
            return match (all.next(), all.next()) {
                (Some((_, only)), None) => Ok(only),
                (first, _) => {
                    let message =
                        if first.is_some() { "which package?" } else { "the catalog has no packages" };
                    let hint =
                        first.is_some().then(|| format!("set one with package: {}", join_some(names())));
                    Err(Mistake { span: row.span, row: None, message: message.to_owned(), hint })
                }
            };
        };
        self.snapshot.package(name.value.as_str()).ok_or_else(|| {
            let hint = similar_names::suggest_closest(name.value.as_str(), names()).map_or_else(
                || format!("packages: {}", join_some(names())),
                |meant| format!("did you mean {meant}?"),
            );
            new_mistake(name, format!("no package {} in the catalog", name.value), Some(hint))
        })
    }

    fn cached_resolver(
        &mut self,
        graph: &PackageGraph,
        query: &Query,
    ) -> Result<Arc<Resolver>, ResolveError> {
        let key = (graph.package.name.clone(), query.clone());
        self.resolvers.entry(key).or_insert_with(|| graph.v1_resolver(query)).clone()
    }

    fn run_case(&mut self, number: usize, row: &Expectation, case: ResolvedCase<'_>) -> Case {
        let ResolvedCase { judged, context: traveller, installed, goal } = case;
        let graph = &judged.graph;
        let (met, got) = match (&row.expect.value, &installed) {
            (ExpectedResult::Reaches { within, .. }, Some(from)) => {
                check_reaches(graph, &traveller, from, goal.as_ref(), *within)
            }
            (ExpectedResult::NeverLands(pattern), Some(from)) => {
                check_never_lands(graph, &traveller, from, pattern)
            }
            (expect, _) => {
                let next = self.next_upgrade(graph, &traveller, installed.as_ref());
                let met = match expect {
                    ExpectedResult::Pick(_) => next.target() == goal.as_ref() && goal.is_some(),
                    ExpectedResult::Stays => next == NextUpgrade::Stays,
                    ExpectedResult::Error => matches!(next, NextUpgrade::Error(_)),
                    // Without an installed bundle there is no path; such rows are rejected earlier.
                    ExpectedResult::Reaches { .. } | ExpectedResult::NeverLands(_) => false,
                };
                let answer = || match &traveller {
                    UpgradeContext::Classic(channel) => {
                        graph.resolve_classic(channel.as_str(), installed.as_ref())
                    }
                    UpgradeContext::V1(query) => graph.resolve_v1(query, installed.as_ref()),
                };
                let answer = (!met).then(|| Box::new(answer()));
                (met, ActualResult::Next { next, answer })
            }
        };
        let is_absent = goal.as_ref().is_some_and(|goal| !is_known_name(graph, goal.as_str()));
        Case {
            row: number,
            package: graph.package.name.clone(),
            context: traveller,
            installed,
            goal,
            is_absent,
            met,
            got,
        }
    }

    fn next_upgrade(
        &mut self,
        graph: &PackageGraph,
        context: &UpgradeContext,
        installed: Option<&Installed>,
    ) -> NextUpgrade {
        match (context, installed) {
            (UpgradeContext::Classic(name), Some(installed)) => match graph.channel(name.as_str()) {
                Some(channel) => table::classic_next(channel, installed),
                None => NextUpgrade::Error(ResolveError::NoChannel(name.to_string())),
            },
            (UpgradeContext::Classic(name), None) => {
                let answer = graph.resolve_classic(name.as_str(), None);
                match (answer.error, answer.pick) {
                    (Some(error), _) => NextUpgrade::Error(error),
                    (None, Some(pick)) => NextUpgrade::To(pick),
                    (None, None) => NextUpgrade::Stays,
                }
            }
            (UpgradeContext::V1(query), Some(installed)) => {
                table::v1_next(&self.cached_resolver(graph, query), installed)
            }
            (UpgradeContext::V1(query), None) => {
                let resolver = self.cached_resolver(graph, query);
                let pick = resolver.and_then(|resolver| resolver.pick(None).cloned());
                pick.map_or_else(NextUpgrade::Error, NextUpgrade::To)
            }
        }
    }
}

/// Returns the upgrade contexts of a row: one per channel for Classic, and one for v1.
fn upgrade_contexts(row: &Expectation, package: &Package) -> Result<Vec<UpgradeContext>, (String, String)> {
    let channels: Vec<ChannelName> = row.channels.iter().map(|channel| channel.value.clone()).collect();
    let mut contexts = Vec::new();
    for engine in row.engines {
        match engine {
            Engine::Classic if channels.is_empty() => {
                let default = package.default_channel().ok_or_else(|| {
                    let names = join_some(package.channels.iter().map(|c| c.name.value.as_str()));
                    let hint = format!("set one with channel: {names}");
                    (format!("{} has no default channel", package.name), hint)
                })?;
                contexts.push(UpgradeContext::Classic(default.clone()));
            }
            Engine::Classic => contexts.extend(channels.iter().cloned().map(UpgradeContext::Classic)),
            Engine::V1 => contexts.push(UpgradeContext::V1(Query {
                channels: channels.clone(),
                version: row.version.clone(),
                policy: row.policy,
            })),
        }
    }
    Ok(contexts)
}

/// Resolves the bundle that a row names. A missing bundle is valid, since a change may have removed
/// it. It is a mistake if another bundle has a similar name.
fn resolve_goal(graph: &PackageGraph, text: &str) -> Result<Option<BundleName>, (String, Option<String>)> {
    if is_known_name(graph, text) {
        return Ok(Some(text.into()));
    }
    let package = &graph.package;
    match Installed::parse(package, text) {
        Ok(known) => Ok(Some(known.name)),
        Err(unknown) if unknown.is_ambiguous() => {
            Err((unknown.to_string(), Some("set one of them".to_owned())))
        }
        Err(_) => {
            match similar_names::suggest_closest(text, package.bundles.iter().map(|b| b.name.value.as_str()))
            {
                Some(meant) => Err((
                    format!("no bundle {text} in {}", package.name),
                    Some(format!("did you mean {meant}?")),
                )),
                None => Ok(Some(text.into())),
            }
        }
    }
}

/// Returns true if the package has a bundle or an entry with a name.
pub(super) fn is_known_name(graph: &PackageGraph, name: &str) -> bool {
    graph.package.bundle(name).is_some()
        || graph.channels().iter().any(|channel| channel.graph.entry_named(name).is_some())
}

/// Returns true if a channel matches the name in a row.
fn matches_channel(pattern: &str, channel: &ChannelName) -> bool {
    *channel == pattern || Glob::parse(pattern).is_some_and(|glob| glob.matches(channel.as_str()))
}

/// Checks [`ExpectedResult::Reaches`]. Returns true if it is met, and the actual path.
fn check_reaches(
    graph: &PackageGraph,
    traveller: &UpgradeContext,
    from: &Installed,
    to: Option<&BundleName>,
    within: Option<usize>,
) -> (bool, ActualResult) {
    let path = path::follow_path(graph, traveller, from, None);
    let lands = if to == Some(&from.name) {
        Some(0)
    } else {
        path.hops.iter().position(|hop| Some(&hop.to) == to).map(|index| index + 1)
    };
    let met = lands.is_some_and(|hops| within.is_none_or(|most| hops <= most));
    let missed = (lands.is_none()).then(|| Box::new(path::follow_path(graph, traveller, from, to)));
    (met, ActualResult::Way { path, lands, missed })
}

/// Checks [`ExpectedResult::NeverLands`]. Returns true if it is met, and the actual path.
fn check_never_lands(
    graph: &PackageGraph,
    traveller: &UpgradeContext,
    from: &Installed,
    pattern: &str,
) -> (bool, ActualResult) {
    let path = path::follow_path(graph, traveller, from, None);
    let is_theirs = |name: &BundleName| {
        let mut having = graph.package.channels_with(name).peekable();
        having.peek().is_some() && having.all(|channel| matches_channel(pattern, &channel.name.value))
    };
    let lands = path.hops.iter().position(|hop| is_theirs(&hop.to)).map(|index| index + 1);
    (lands.is_none(), ActualResult::Way { path, lands, missed: None })
}

fn new_mistake<T>(about: &Spanned<T>, message: String, hint: Option<String>) -> Mistake {
    Mistake { span: about.span, row: None, message, hint }
}

/// Returns a suggestion for a missing channel.
fn channel_hint(package: &Package, name: &str) -> String {
    let names = || package.channels.iter().map(|channel| channel.name.value.as_str());
    similar_names::suggest_closest(name, names())
        .map_or_else(|| format!("channels: {}", join_some(names())), |meant| format!("did you mean {meant}?"))
}

/// Lists the first names and the number of the others.
fn join_some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 12;
    let names: Vec<&str> = names.collect();
    let shown = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
