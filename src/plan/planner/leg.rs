//! The catalogs a cluster comes through, as one package sees them.

use std::sync::Arc;

use rayon::prelude::*;

use super::Approval;
use crate::{
    catalog::{BundleName, Catalog, ChannelName, PackageName, blob::Entry},
    plan::series::Release,
    review::Snapshot,
    upgrade::{
        ChannelGraph, EdgeKind, Engine, Installed, PackageGraph, ResolveError,
        classic::{self, Chain},
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

/// One of the OLMs as it is asked on a leg, for a channel or for any.
#[derive(Debug)]
pub(super) enum Asker {
    /// Classic, subscribed to a channel.
    Classic(Result<Subscribed, ResolveError>),
    /// v1.
    V1(Result<Arc<Resolver>, ResolveError>),
}

/// A channel of a package, by its place there: a clone of the package's graph shares it.
#[derive(Debug)]
pub(super) struct Subscribed {
    graph: PackageGraph,
    channel: usize,
}

impl Subscribed {
    fn new(graph: &PackageGraph, name: &str) -> Result<Self, ResolveError> {
        let place = graph.package.channel_place(name);
        let channel = place.ok_or_else(|| ResolveError::NoChannel(name.to_owned()))?;
        Ok(Self { graph: graph.clone(), channel })
    }

    /// Its graph, and the chain that Classic walks in it.
    fn walk(&self) -> Result<(&ChannelGraph, &Chain), ResolveError> {
        let upgrades = self.graph.channels().get(self.channel);
        let upgrades = upgrades.ok_or_else(|| ResolveError::NoChannel(String::new()))?;
        Ok((&upgrades.graph, upgrades.chain.as_ref().map_err(Clone::clone)?))
    }
}

impl Asker {
    /// For a leg and a channel. v1's resolver is made once for both.
    pub fn new(package: &PackageName, leg: &Leg, engine: Engine, channel: Option<&ChannelName>) -> Self {
        let graph = leg.graph.as_ref().ok_or_else(|| ResolveError::NoPackage(package.to_string()));
        match engine {
            Engine::V1 => {
                let query = Query { channels: channel.into_iter().cloned().collect(), ..Query::default() };
                Self::V1(graph.and_then(|graph| graph.resolver(&query)))
            }
            Engine::Classic => {
                let name = channel.map(ChannelName::as_str).unwrap_or_default();
                Self::Classic(graph.and_then(|graph| Subscribed::new(graph, name)))
            }
        }
    }

    /// What OLM may upgrade an installed bundle to, best first. Where OLM decides: its pick. Where a person does: Classic's pick,
    /// which waits for approval; what v1 picks for each version that may be pinned.
    ///
    /// # Errors
    ///
    /// What the resolver would report.
    pub fn next(&self, approval: Approval, installed: &Installed) -> Result<Vec<Next>, ResolveError> {
        let mut next: Vec<Next> = match (self, approval) {
            (Self::Classic(Err(error)) | Self::V1(Err(error)), _) => return Err(error.clone()),
            (Self::Classic(Ok(subscribed)), _) => {
                let (graph, chain) = subscribed.walk()?;
                let pick = classic::pick(graph, chain, installed).and_then(|at| graph.entry(at));
                let kind = |entry: &Entry| classic::edge_kind(entry, installed);
                pick.map(|entry| (entry.name.value.clone(), kind(entry))).into_iter().collect()
            }
            (Self::V1(Ok(resolver)), Approval::Manual) => {
                let pinned = resolver.successors(installed)?.into_iter();
                pinned.map(|(name, kind)| (name.clone(), kind)).collect()
            }
            (Self::V1(Ok(resolver)), Approval::Automatic) => {
                let (name, admission) = resolver.step(Some(installed))?;
                vec![(name.clone(), admission.edge())]
            }
        };
        next.retain(|(name, _)| *name != installed.name);
        Ok(next)
    }

    /// How good it is to end on a bundle, 0 for the best; whatever it would not land on is worse than all others.
    pub fn rank(&self, bundle: &BundleName) -> usize {
        let rank = match self {
            Self::V1(resolver) => resolver.as_ref().ok().and_then(|resolver| resolver.rank(bundle)),
            Self::Classic(subscribed) => subscribed.as_ref().ok().and_then(|subscribed| {
                let (graph, chain) = subscribed.walk().ok()?;
                chain.rank(graph.find(bundle.as_str())?)
            }),
        };
        rank.unwrap_or(WORST)
    }
}

/// Worse than any rank, and far enough from the largest number that costs can be added.
pub(super) const WORST: usize = usize::MAX >> 8;

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

    /// The same of catalogs that are judged already, of which the graphs are known.
    pub fn of_judged(catalogs: &[(OpenShift, &Snapshot)], is_wanted: impl Fn(&PackageName) -> bool) -> Self {
        let names = catalogs.iter().flat_map(|(_, catalog)| catalog.packages().map(|(name, _)| name));
        let names = names.filter(|name| is_wanted(name)).cloned().collect();
        let graph = |catalog: &&Snapshot, name: &PackageName| {
            catalog.package(name.as_str()).map(|judged| (*judged.graph).clone())
        };
        Self::of(catalogs, names, graph)
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
        let next = |version: &OpenShift| Some(version.next()).filter(|next| next < to && !next.is_same(*to));
        std::iter::successors(next(from), next).take(MOST).collect()
    };
    versions.windows(2).flat_map(between).collect()
}
