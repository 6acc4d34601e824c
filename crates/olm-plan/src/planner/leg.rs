//! The package in each catalog that a cluster passes through.

use std::sync::Arc;

use rayon::prelude::*;

use super::Approval;
use crate::series::Release;
use olm_catalog::{BundleName, Catalog, ChannelName, PackageName, blob::Entry};
use olm_check::review::Snapshot;
use olm_upgrade::{
    ChannelGraph, EdgeKind, Engine, Installed, PackageGraph, ResolveError,
    classic::{self, Chain},
    openshift::OpenShift,
    v1::{Query, Resolver},
};

/// A package in the catalog of one OpenShift version.
#[derive(Clone, Debug)]
pub struct Leg {
    /// The OpenShift version.
    pub openshift: OpenShift,
    /// The upgrade graph of the package. `None` if the catalog does not have it.
    pub graph: Option<PackageGraph>,
}

/// A package in the catalogs of all OpenShift versions of a plan, in order.
#[derive(Clone, Debug)]
pub struct Legs {
    /// The name of the package.
    pub package: PackageName,
    /// The legs in version order. A plan needs at least one.
    pub legs: Vec<Leg>,
}

impl Legs {
    /// Returns the upgrade graph for an OpenShift version.
    pub fn graph(&self, openshift: OpenShift) -> Option<&PackageGraph> {
        self.legs.iter().find(|leg| leg.openshift == openshift)?.graph.as_ref()
    }
}

/// Possible next bundle, with the kind of the edge to it.
pub(super) type NextBundle = (BundleName, Option<EdgeKind>);

impl Leg {
    /// Returns true if a channel of the catalog has the bundle.
    pub fn has_bundle(&self, bundle: &BundleName) -> bool {
        self.graph.as_ref().is_some_and(|graph| graph.channels_with(bundle).next().is_some())
    }

    /// Returns true if the catalog has the channel, or if `channel` is `None` and it has the package.
    pub fn has_channel(&self, channel: Option<&ChannelName>) -> bool {
        let Some(graph) = &self.graph else { return false };
        channel.is_none_or(|channel| graph.channel(channel.as_str()).is_some())
    }
}

/// The resolver of an OLM engine for a leg and a channel.
#[derive(Debug)]
pub(super) enum LegResolver {
    /// Classic, subscribed to a channel.
    Classic(Result<SubscribedChannel, ResolveError>),
    /// v1.
    V1(Result<Arc<Resolver>, ResolveError>),
}

/// Channel of a package, by its index in the shared package graph.
#[derive(Debug)]
pub(super) struct SubscribedChannel {
    graph: PackageGraph,
    channel: usize,
}

impl SubscribedChannel {
    fn new(graph: &PackageGraph, name: &str) -> Result<Self, ResolveError> {
        let place = graph.package.channel_position(name);
        let channel = place.ok_or_else(|| ResolveError::NoChannel(name.to_owned()))?;
        Ok(Self { graph: graph.clone(), channel })
    }

    /// Returns the channel graph and the chain that OLM Classic follows.
    fn chain(&self) -> Result<(&ChannelGraph, &Chain), ResolveError> {
        let upgrades = self.graph.channels().get(self.channel);
        let upgrades = upgrades.ok_or_else(|| ResolveError::NoChannel(String::new()))?;
        Ok((&upgrades.graph, upgrades.chain.as_ref().map_err(Clone::clone)?))
    }
}

impl LegResolver {
    /// Creates the resolver for a leg and a channel. The OLM v1 resolver is shared.
    pub fn new(package: &PackageName, leg: &Leg, engine: Engine, channel: Option<&ChannelName>) -> Self {
        let graph = leg.graph.as_ref().ok_or_else(|| ResolveError::NoPackage(package.to_string()));
        match engine {
            Engine::V1 => {
                let query = Query { channels: channel.into_iter().cloned().collect(), ..Query::default() };
                Self::V1(graph.and_then(|graph| graph.v1_resolver(&query)))
            }
            Engine::Classic => {
                let name = channel.map(ChannelName::as_str).unwrap_or_default();
                Self::Classic(graph.and_then(|graph| SubscribedChannel::new(graph, name)))
            }
        }
    }

    /// Returns the possible next bundles, best first.
    ///
    /// With automatic approval this is the pick of OLM. With manual approval in OLM Classic it is
    /// the pick that waits for approval. With manual approval in OLM v1 it is the pick for each
    /// version that a user can pin.
    ///
    /// # Errors
    ///
    /// Fails with the error of the resolver.
    pub fn next_bundles(
        &self,
        approval: Approval,
        installed: &Installed,
    ) -> Result<Vec<NextBundle>, ResolveError> {
        let mut next: Vec<NextBundle> = match (self, approval) {
            (Self::Classic(Err(error)) | Self::V1(Err(error)), _) => return Err(error.clone()),
            (Self::Classic(Ok(subscribed)), _) => {
                let (graph, chain) = subscribed.chain()?;
                let pick = classic::pick_successor(graph, chain, installed).and_then(|at| graph.entry(at));
                let kind = |entry: &Entry| classic::edge_kind(entry, installed);
                pick.map(|entry| (entry.name.value.clone(), kind(entry))).into_iter().collect()
            }
            (Self::V1(Ok(resolver)), Approval::Manual) => {
                let pinned = resolver.successors(installed)?.into_iter();
                pinned.map(|(name, kind)| (name.clone(), kind)).collect()
            }
            (Self::V1(Ok(resolver)), Approval::Automatic) => {
                let (name, admission) = resolver.pick_with_rule(Some(installed))?;
                vec![(name.clone(), admission.edge())]
            }
        };
        next.retain(|(name, _)| *name != installed.name);
        Ok(next)
    }

    /// Returns the rank of a bundle as the end of a plan. 0 is best. Bundles without a rank in the
    /// resolver get [`WORST_RANK`].
    pub fn rank(&self, bundle: &BundleName) -> usize {
        let rank = match self {
            Self::V1(resolver) => resolver.as_ref().ok().and_then(|resolver| resolver.rank(bundle)),
            Self::Classic(subscribed) => subscribed.as_ref().ok().and_then(|subscribed| {
                let (graph, chain) = subscribed.chain().ok()?;
                chain.rank(graph.find_node(bundle.as_str())?)
            }),
        };
        rank.unwrap_or(WORST_RANK)
    }
}

/// The rank for unreachable ends. It is small enough that adding costs does not overflow.
pub(super) const WORST_RANK: usize = usize::MAX >> 8;

/// The packages of all catalogs of a plan, with their upgrade graphs.
#[derive(Clone, Debug)]
pub struct PlanCatalogs {
    versions: Vec<OpenShift>,
    packages: Vec<Legs>,
}

impl PlanCatalogs {
    /// Collects the wanted packages of all catalogs. Catalogs without an OpenShift version are
    /// omitted.
    pub fn new(releases: &[Release<Catalog>], is_wanted: impl Fn(&PackageName) -> bool) -> Self {
        let with_version: Vec<(OpenShift, &Catalog)> =
            releases.iter().filter_map(|release| Some((release.openshift?, &release.catalog))).collect();
        let names =
            with_version.iter().flat_map(|(_, catalog)| catalog.packages().map(|package| &package.name));
        let names = names.filter(|name| is_wanted(name)).cloned().collect();
        let graph =
            |catalog: &&Catalog, name: &PackageName| catalog.package(name.as_str()).map(PackageGraph::new);
        Self::from_graphs(&with_version, names, graph)
    }

    /// Collects the wanted packages of analyzed catalogs, whose graphs already exist.
    pub fn from_snapshots(
        catalogs: &[(OpenShift, &Snapshot)],
        is_wanted: impl Fn(&PackageName) -> bool,
    ) -> Self {
        let names = catalogs.iter().flat_map(|(_, catalog)| catalog.packages().map(|(name, _)| name));
        let names = names.filter(|name| is_wanted(name)).cloned().collect();
        let graph = |catalog: &&Snapshot, name: &PackageName| {
            catalog.package(name.as_str()).map(|judged| (*judged.graph).clone())
        };
        Self::from_graphs(catalogs, names, graph)
    }

    /// Collects packages from catalogs of any type. `graph` returns the upgrade graph of a package.
    pub fn from_graphs<C: Sync>(
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

    /// Returns the OpenShift versions with a catalog, in order.
    pub fn versions(&self) -> &[OpenShift] {
        &self.versions
    }

    /// Returns the minor versions between the versions that do not have a catalog. A cluster also
    /// updates to them, but their catalogs are unknown.
    pub fn missing_versions(&self) -> Vec<OpenShift> {
        find_missing_versions(&self.versions)
    }

    /// Returns all packages, sorted by name.
    pub fn packages(&self) -> &[Legs] {
        &self.packages
    }

    /// Finds a package by name.
    pub fn find_package(&self, name: &str) -> Option<&Legs> {
        let at = self.packages.binary_search_by(|legs| legs.package.as_str().cmp(name)).ok()?;
        self.packages.get(at)
    }
}

/// Returns the minor versions that are missing between sorted versions.
pub fn find_missing_versions(versions: &[OpenShift]) -> Vec<OpenShift> {
    /// The limit for one gap. A wider gap, for example from `4.1` to `4.9999999`, is a typo.
    const MAX_GAP: usize = 64;
    let between = |pair: &[OpenShift]| {
        let [from, to] = pair else { return Vec::new() };
        let next =
            |version: &OpenShift| Some(version.next_minor()).filter(|next| next < to && !next.is_same(*to));
        std::iter::successors(next(from), next).take(MAX_GAP).collect()
    };
    versions.windows(2).flat_map(between).collect()
}
