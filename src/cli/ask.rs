//! Asking the resolvers many times without deriving anything twice.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use crate::{
    catalog::{BundleName, Catalog, ChannelName, PackageName, package::Package},
    export::answer::Asked,
    resolve::{CatalogIndex, Limits, Source, alone},
    upgrade::{
        Answer, Engine, Installed, PackageGraph, ResolveError, Solved,
        blocked::{self, Blocked, BlockedKind},
        installed::Unknown,
        v1::{Query, Resolver},
    },
};

/// Asks about one catalog. Graphs are made once a package, and so is what would block a bundle; a v1 resolver serves
/// as long as the query stays the same.
pub struct Asker<'a> {
    catalog: &'a Catalog,
    graphs: HashMap<PackageName, PackageGraph>,
    resolver: Option<(PackageName, Query, Result<Resolver, ResolveError>)>,
    blocked: HashMap<(PackageName, BundleName), Vec<Blocked>>,
    /// The catalog as all that is in sight, where dependencies are resolved too.
    source: Option<Source>,
}

impl<'a> Asker<'a> {
    /// Nothing is derived yet.
    pub fn new(catalog: &'a Catalog) -> Self {
        Self { catalog, graphs: HashMap::new(), resolver: None, blocked: HashMap::new(), source: None }
    }

    /// The same, with the dependencies of what Classic picks.
    pub fn with_dependencies(mut self, wanted: bool) -> Self {
        self.source = wanted.then(|| Source::new("catalog", &Arc::new(CatalogIndex::new(self.catalog))));
        self
    }

    /// The graphs of a package.
    pub fn graph(&mut self, package: &PackageName) -> Option<&PackageGraph> {
        Some(match self.graphs.entry(package.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(PackageGraph::new(self.catalog.package(package.as_str())?)),
        })
    }

    /// The whole answer, with what would block the pick.
    pub fn answer(&mut self, asked: &Asked, installed: Option<&Installed>) -> Answer {
        let Some(package) = self.catalog.package(asked.package().as_str()) else {
            return failed(asked.engine(), installed, ResolveError::NoPackage(asked.package().to_string()));
        };
        let mut answer = match asked {
            Asked::Classic { channel, .. } if channel.as_str().is_empty() => {
                failed(Engine::Classic, installed, ResolveError::NoChannel("(default)".to_owned()))
            }
            Asked::Classic { package, channel } => match self.graph(package) {
                Some(graph) => graph.classic(channel.as_str(), installed),
                None => failed(Engine::Classic, installed, ResolveError::NoPackage(package.to_string())),
            },
            Asked::V1 { query, .. } => match self.resolver(package, query) {
                Ok(resolver) => resolver.answer(installed),
                Err(error) => failed(Engine::V1, installed, error.clone()),
            },
        };
        match (&self.source, asked) {
            (Some(source), Asked::Classic { channel, .. }) if answer.error.is_none() => {
                solve(source, package, channel, &mut answer);
            }
            _ => answer.blocked = self.blocked(package, asked, &answer),
        }
        answer
    }

    fn resolver(&mut self, package: &Package, query: &Query) -> &Result<Resolver, ResolveError> {
        let known = self.resolver.take().filter(|(name, asked, _)| *name == package.name && asked == query);
        let known =
            known.unwrap_or_else(|| (package.name.clone(), query.clone(), Resolver::new(package, query)));
        &self.resolver.insert(known).2
    }

    fn blocked(&mut self, package: &Package, asked: &Asked, answer: &Answer) -> Vec<Blocked> {
        let Some(bundle) = answer.moves_to().and_then(|name| package.bundle(name.as_str())) else {
            return Vec::new();
        };
        match asked {
            // Looks through the whole catalog for what would satisfy the bundle.
            Asked::Classic { .. } => {
                let key = (package.name.clone(), bundle.name.value.clone());
                let look = || blocked::reasons(self.catalog, bundle, Engine::Classic, &[]);
                self.blocked.entry(key).or_insert_with(look).clone()
            }
            Asked::V1 { query, .. } => blocked::reasons(self.catalog, bundle, Engine::V1, &query.channels),
        }
    }
}

/// Resolves a package alone in its namespace, and says why where that gives something else than the bare pick.
fn solve(source: &Source, package: &Package, channel: &ChannelName, answer: &mut Answer) {
    let sources = std::slice::from_ref(source);
    let limits = Limits::default();
    let Some(alone) = alone(sources, &package.name, channel, answer.installed.as_ref(), limits) else {
        return;
    };
    let bare = answer.moves_to().cloned().map_or(Solved::Stays, Solved::Bundle);
    if alone.solved.as_ref() != Some(&bare) {
        let block = |text: String| Blocked { kind: BlockedKind::Dependency, text };
        answer.blocked = alone.why.into_iter().map(block).collect();
    }
    answer.solved = alone.solved;
}

/// An answer that is an error.
fn failed(engine: Engine, installed: Option<&Installed>, error: ResolveError) -> Answer {
    Answer {
        engine,
        installed: installed.cloned(),
        pick: None,
        error: Some(error),
        order: Vec::new(),
        candidates: Vec::new(),
        blocked: Vec::new(),
        solved: None,
    }
}

/// The answer where it is not known what is installed.
pub fn unknown(engine: Engine, unknown: &Unknown) -> Answer {
    let name: BundleName = unknown.text.as_str().into();
    let installed = Installed { name: name.clone(), version: None };
    failed(engine, Some(&installed), ResolveError::NoInstalledVersion(name))
}

/// What may be installed when such a question is asked: the bundles of the channels that count, highest version first.
pub fn installable(package: &Package, asked: &Asked) -> Vec<Installed> {
    let listed = |name: &crate::catalog::ChannelName| match asked {
        Asked::Classic { channel, .. } => name == channel,
        Asked::V1 { query, .. } => query.channels.is_empty() || query.channels.contains(name),
    };
    let channels = package.channels.iter().filter(|c| listed(&c.name.value));
    let entries: std::collections::HashSet<&BundleName> =
        channels.flat_map(|c| c.entries.iter().map(|e| &e.name.value)).collect();
    let bundles = package.bundles.iter().filter(|b| entries.contains(&b.name.value));
    let mut installed: Vec<Installed> = bundles.map(|b| Installed::of(package, &b.name.value)).collect();
    installed.sort_by(|a, b| match (&a.version, &b.version) {
        (Some(a), Some(b)) => b.cmp_precedence(a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    installed
}
