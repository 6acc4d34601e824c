//! Common interface to both resolvers for the computation of upgrade paths.

use std::sync::Arc;

use petgraph::graph::NodeIndex;

use super::UpgradeContext;
use crate::{
    answer::{Admission, Answer, Engine, ResolveError},
    classic::{self, Chain},
    graph::ChannelGraph,
    installed::Installed,
    package::PackageGraph,
    v1::{Query, Resolver},
};
use olm_catalog::{BundleName, ChannelName};

/// Computes the upgrade steps of a package under one upgrade context.
pub(super) struct Walker<'a> {
    pub(super) package: &'a PackageGraph,
    pub(super) resolver: PathResolver<'a>,
}

/// Resolver of an upgrade context, or the error that prevents any upgrade.
pub(super) enum PathResolver<'a> {
    Classic(Result<(&'a ChannelGraph, &'a Chain), ResolveError>),
    V1(&'a Query, Result<Arc<Resolver>, ResolveError>),
}

impl<'a> Walker<'a> {
    pub(super) fn new(package: &'a PackageGraph, context: &'a UpgradeContext) -> Self {
        let resolver = match context {
            UpgradeContext::Classic(name) => PathResolver::Classic(match package.channel(name.as_str()) {
                None => Err(ResolveError::NoChannel(name.to_string())),
                Some(channel) => match &channel.chain {
                    Ok(chain) => Ok((&channel.graph, chain)),
                    Err(error) => Err(error.clone()),
                },
            }),
            UpgradeContext::V1(query) => PathResolver::V1(query, package.v1_resolver(query)),
        };
        Self { package, resolver }
    }

    pub(super) fn engine(&self) -> Engine {
        match self.resolver {
            PathResolver::Classic(_) => Engine::Classic,
            PathResolver::V1(..) => Engine::V1,
        }
    }

    /// Returns a bundle of the package as an installed bundle.
    pub(super) fn to_installed(&self, name: &BundleName) -> Installed {
        Installed::from_package(&self.package.package, name)
    }

    /// Returns the next bundle and the rule that admits it; `None` if the bundle stays.
    pub(super) fn step(
        &self,
        installed: &Installed,
    ) -> Result<Option<(BundleName, Admission)>, ResolveError> {
        let next = match &self.resolver {
            PathResolver::Classic(Err(error)) | PathResolver::V1(_, Err(error)) => return Err(error.clone()),
            PathResolver::Classic(Ok((graph, chain))) => {
                let rule = |at: NodeIndex| classic::find_edge(graph, graph.entry(at)?, installed);
                let pick = classic::pick_successor(graph, chain, installed);
                pick.and_then(|at| Some((graph.node(at)?.name.clone(), rule(at)?)))
            }
            PathResolver::V1(_, Ok(resolver)) => {
                let (name, rule) = resolver.pick_with_rule(Some(installed))?;
                Some((name.clone(), rule))
            }
        };
        Ok(next.filter(|(name, _)| *name != installed.name))
    }

    /// Returns the next bundle; `None` if the bundle stays or the resolver fails.
    pub(super) fn next_bundle(&self, installed: &Installed) -> Option<BundleName> {
        let next = match &self.resolver {
            PathResolver::Classic(Err(_)) | PathResolver::V1(_, Err(_)) => None,
            PathResolver::Classic(Ok((graph, chain))) => classic::pick_successor(graph, chain, installed)
                .and_then(|at| graph.node(at))
                .map(|node| &node.name),
            PathResolver::V1(_, Ok(resolver)) => resolver.pick(Some(installed)).ok(),
        };
        next.filter(|name| **name != installed.name).cloned()
    }

    /// Returns the complete answer, for explanations.
    pub(super) fn complete_answer(&self, installed: &Installed) -> Answer {
        match &self.resolver {
            PathResolver::Classic(Ok((graph, _))) => {
                self.package.resolve_classic(graph.name().as_str(), Some(installed))
            }
            PathResolver::V1(_, Ok(resolver)) => resolver.complete_answer(Some(installed)),
            PathResolver::Classic(Err(error)) | PathResolver::V1(_, Err(error)) => {
                Answer::failed(self.engine(), Some(installed), error.clone())
            }
        }
    }

    /// Returns the possible picks in order of preference.
    pub(super) fn preferred_names(&self) -> Vec<BundleName> {
        match &self.resolver {
            PathResolver::Classic(Ok((graph, chain))) => {
                chain.order.iter().filter_map(|&at| graph.node(at)).map(|node| node.name.clone()).collect()
            }
            PathResolver::V1(_, Ok(resolver)) => resolver.preferred_names().cloned().collect(),
            PathResolver::Classic(Err(_)) | PathResolver::V1(_, Err(_)) => Vec::new(),
        }
    }

    /// Returns the rank of a bundle, 0 for the best; `None` if the resolver never picks it.
    pub(super) fn rank(&self, name: &BundleName) -> Option<usize> {
        match &self.resolver {
            PathResolver::Classic(Ok((graph, chain))) => chain.rank(graph.find_node(name.as_str())?),
            PathResolver::V1(_, Ok(resolver)) => resolver.rank(name),
            PathResolver::Classic(Err(_)) | PathResolver::V1(_, Err(_)) => None,
        }
    }

    /// Returns the channels whose edges count.
    pub(super) fn used_channels(&self) -> impl Iterator<Item = &'a ChannelGraph> + '_ {
        let counts = |name: &ChannelName| match &self.resolver {
            PathResolver::Classic(Ok((graph, _))) => name == graph.name(),
            PathResolver::Classic(Err(_)) => false,
            PathResolver::V1(query, _) => query.channels.is_empty() || query.channels.contains(name),
        };
        let package: &'a PackageGraph = self.package;
        package.channels().iter().map(|channel| &channel.graph).filter(move |graph| counts(graph.name()))
    }
}
