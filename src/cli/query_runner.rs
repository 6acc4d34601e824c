//! Queries to the resolvers about one catalog, with cached intermediate results.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use olm_catalog::{BundleName, Catalog, ChannelName, PackageName, package::Package};
use olm_upgrade::{
    Answer, DependencyResult, Engine, Installed, PackageGraph, ResolveError,
    install_blockers::{self, InstallBlocker, InstallBlockerKind},
    installed::InstalledError,
    resolve::{CatalogIndex, Limits, Source, resolve_single_package},
    v1::{Query, Resolver},
};
use olmap_report::answer::ResolverQuery;

/// Resolver queries about one catalog. Caches the graph of each package and the obstacles of each bundle. The
/// v1 resolver is reused while the query stays the same.
pub struct QueryRunner<'a> {
    catalog: &'a Catalog,
    graphs: HashMap<PackageName, PackageGraph>,
    resolver: Option<(PackageName, Query, Result<Resolver, ResolveError>)>,
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
            Entry::Vacant(free) => free.insert(PackageGraph::new(self.catalog.package(package.as_str())?)),
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
            ResolverQuery::V1 { query, .. } => match self.resolver(package, query) {
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
    fn resolver(&mut self, package: &Package, query: &Query) -> &Result<Resolver, ResolveError> {
        let known = self.resolver.take().filter(|(name, asked, _)| *name == package.name && asked == query);
        let known =
            known.unwrap_or_else(|| (package.name.clone(), query.clone(), Resolver::new(package, query)));
        &self.resolver.insert(known).2
    }

    /// Returns what keeps OLM from installing the bundle of an answer.
    fn obstacles(
        &mut self,
        package: &Package,
        asked: &ResolverQuery,
        answer: &Answer,
    ) -> Vec<InstallBlocker> {
        let Some(bundle) = answer.upgrade_target().and_then(|name| package.bundle(name.as_str())) else {
            return Vec::new();
        };
        match asked {
            // Cached, because it searches the whole catalog for providers of dependencies.
            ResolverQuery::Classic { .. } => {
                let key = (package.name.clone(), bundle.name.value.clone());
                let look = || install_blockers::find_blockers(self.catalog, bundle, Engine::Classic, &[]);
                self.blocked.entry(key).or_insert_with(look).clone()
            }
            ResolverQuery::V1 { query, .. } => {
                install_blockers::find_blockers(self.catalog, bundle, Engine::V1, &query.channels)
            }
        }
    }
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
