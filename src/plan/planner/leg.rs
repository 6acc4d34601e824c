//! The catalogs a cluster comes through, as one package sees them.

use std::sync::Arc;

use rayon::prelude::*;

use crate::{
    catalog::{BundleName, Catalog, ChannelName, PackageName},
    plan::series::Release,
    upgrade::{
        EdgeKind, Engine, Installed, PackageGraph, ResolveError, classic,
        openshift::OpenShift,
        v1::{Query, Resolver},
    },
};

/// A package on one OpenShift version.
#[derive(Clone, Debug)]
pub struct Leg {
    /// The version.
    pub openshift: OpenShift,
    /// The package there; `None` where the catalog has none.
    pub graph: Option<PackageGraph>,
}

/// A package on all OpenShift versions of a plan, in order.
#[derive(Clone, Debug)]
pub struct Legs {
    /// The package.
    pub package: PackageName,
    /// The versions, lowest first; one at least where a plan is wanted.
    pub legs: Vec<Leg>,
}

impl Legs {
    /// The package on a version.
    pub fn graph(&self, openshift: OpenShift) -> Option<&PackageGraph> {
        self.legs.iter().find(|leg| leg.openshift == openshift)?.graph.as_ref()
    }
}

/// What may come next: a bundle and the kind of edge to it.
pub(super) type Next = (BundleName, Option<EdgeKind>);

impl Leg {
    /// What OLM upgrades an installed bundle to. Classic: its pick, if any. v1: what it picks for each version that may be
    /// pinned, best first.
    ///
    /// # Errors
    ///
    /// What the resolver would report.
    pub(super) fn next(
        &self,
        engine: Engine,
        channel: Option<&ChannelName>,
        installed: &Installed,
        asker: &Asker,
    ) -> Result<Vec<Next>, ResolveError> {
        match (engine, &self.graph) {
            (Engine::Classic, None) => Err(asker.no_package.clone()),
            (Engine::Classic, Some(graph)) => {
                let name = channel.map(ChannelName::as_str).unwrap_or_default();
                let channel = graph.channel(name).ok_or_else(|| ResolveError::NoChannel(name.to_owned()))?;
                let chain = channel.chain.as_ref().map_err(Clone::clone)?;
                let pick = classic::pick(&channel.graph, chain, installed);
                let next = pick.and_then(|at| {
                    let entry = channel.graph.entry(at)?;
                    Some((entry.name.value.clone(), classic::edge_kind(entry, installed)))
                });
                Ok(next.into_iter().filter(|(name, _)| *name != installed.name).collect())
            }
            (Engine::V1, _) => {
                let resolver = asker.resolver.as_ref().map_err(Clone::clone)?;
                let successors = resolver.successors(installed)?;
                Ok(successors.into_iter().map(|(name, kind)| (name.clone(), kind)).collect())
            }
        }
    }

    /// What OLM upgrades an installed bundle to where nobody chooses.
    pub(super) fn pick(
        &self,
        engine: Engine,
        channel: Option<&ChannelName>,
        installed: &Installed,
        asker: &Asker,
    ) -> Result<Vec<Next>, ResolveError> {
        if engine == Engine::Classic {
            return self.next(engine, channel, installed, asker);
        }
        let resolver = asker.resolver.as_ref().map_err(Clone::clone)?;
        let (name, admission) = resolver.step(Some(installed))?;
        Ok(Some((name.clone(), admission.edge()))
            .filter(|(name, _)| *name != installed.name)
            .into_iter()
            .collect())
    }

    /// Whether the catalog has a bundle of this name in a channel.
    pub fn has(&self, bundle: &BundleName) -> bool {
        self.graph.as_ref().is_some_and(|graph| graph.channels_with(bundle).next().is_some())
    }

    /// Whether a channel is there; any is for who follows none.
    pub fn has_channel(&self, channel: Option<&ChannelName>) -> bool {
        let Some(graph) = &self.graph else { return false };
        channel.is_none_or(|channel| graph.channel(channel.as_str()).is_some())
    }
}

/// Who is asked on a leg for a channel: v1's resolver is made once.
#[derive(Debug)]
pub(super) struct Asker {
    resolver: Result<Arc<Resolver>, ResolveError>,
    no_package: ResolveError,
}

impl Asker {
    /// For a leg and a channel.
    pub fn new(package: &PackageName, leg: &Leg, engine: Engine, channel: Option<&ChannelName>) -> Self {
        let no_package = ResolveError::NoPackage(package.to_string());
        let query = Query { channels: channel.into_iter().cloned().collect(), ..Query::default() };
        let resolver = match (&leg.graph, engine) {
            (Some(graph), Engine::V1) => graph.resolver(&query),
            _ => Err(no_package.clone()),
        };
        Self { resolver, no_package }
    }

    /// How good it is to end on a bundle, 0 for the best; whatever is worse than all it prefers comes last.
    pub fn rank(
        &self,
        leg: &Leg,
        engine: Engine,
        channel: Option<&ChannelName>,
        bundle: &BundleName,
    ) -> usize {
        let rank = match engine {
            Engine::V1 => self.resolver.as_ref().ok().and_then(|resolver| resolver.rank(bundle)),
            Engine::Classic => channel.and_then(|channel| {
                let channel = leg.graph.as_ref()?.channel(channel.as_str())?;
                channel.chain.as_ref().ok()?.rank(channel.graph.find(bundle.as_str())?)
            }),
        };
        rank.unwrap_or(usize::MAX >> 8)
    }
}

/// The catalogs of a plan, each package of them looked at once.
#[derive(Clone, Debug)]
pub struct World {
    versions: Vec<OpenShift>,
    packages: Vec<Legs>,
}

impl World {
    /// The packages of all catalogs that are wanted. Catalogs without a version are left out.
    pub fn new(releases: &[Release<Catalog>], is_wanted: impl Fn(&PackageName) -> bool) -> Self {
        let with_version: Vec<(OpenShift, &Catalog)> =
            releases.iter().filter_map(|release| Some((release.openshift?, &release.catalog))).collect();
        let names =
            with_version.iter().flat_map(|(_, catalog)| catalog.packages().map(|package| &package.name));
        let names = names.filter(|name| is_wanted(name)).cloned().collect();
        let graph =
            |catalog: &&Catalog, name: &PackageName| catalog.package(name.as_str()).map(PackageGraph::new);
        Self::of(&with_version, names, graph)
    }

    /// Some packages of catalogs in whichever form; `graph` tells a package of one.
    pub fn of<C: Sync>(
        catalogs: &[(OpenShift, C)],
        mut names: Vec<PackageName>,
        graph: impl Fn(&C, &PackageName) -> Option<PackageGraph> + Sync,
    ) -> Self {
        names.sort_unstable();
        names.dedup();
        names.retain(|name| !name.as_str().is_empty());
        let legs = |name: &PackageName| {
            let leg = |(openshift, catalog): &(OpenShift, C)| Leg {
                openshift: *openshift,
                graph: graph(catalog, name),
            };
            Legs { package: name.clone(), legs: catalogs.iter().map(leg).collect() }
        };
        let versions = catalogs.iter().map(|(version, _)| *version).collect();
        Self { versions, packages: names.par_iter().map(legs).collect() }
    }

    /// The OpenShift versions that have a catalog, in order.
    pub fn versions(&self) -> &[OpenShift] {
        &self.versions
    }

    /// The minor versions between those: the cluster comes through them too, and what their catalogs hold is not known.
    pub fn missing(&self) -> Vec<OpenShift> {
        missing(&self.versions)
    }

    /// The packages.
    pub fn packages(&self) -> &[Legs] {
        &self.packages
    }

    /// A package.
    pub fn package(&self, name: &str) -> Option<&Legs> {
        let at = self.packages.binary_search_by(|legs| legs.package.as_str().cmp(name)).ok()?;
        self.packages.get(at)
    }
}

/// The minor versions between some that are in order: the cluster comes through them too.
pub fn missing(versions: &[OpenShift]) -> Vec<OpenShift> {
    /// Nobody has catalogs that lie further apart; `4.1` and `4.9999999` are a mistake.
    const MOST: usize = 64;
    let between = |pair: &[OpenShift]| {
        let [from, to] = pair else { return Vec::new() };
        let next = |version: &OpenShift| Some(version.next()).filter(|next| next < to);
        std::iter::successors(next(from), next).take(MOST).collect()
    };
    versions.windows(2).flat_map(between).collect()
}
