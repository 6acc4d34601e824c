//! Common interface to both resolvers: the next bundle, and the order of preference.

use std::sync::Arc;

use petgraph::graph::NodeIndex;

use super::Traveller;
use crate::{
    catalog::{BundleName, ChannelName},
    upgrade::{
        answer::{Admission, Answer, Engine, ResolveError},
        classic::{self, Chain},
        graph::ChannelGraph,
        installed::Installed,
        package::PackageGraph,
        v1::{Query, Resolver},
    },
};

/// Resolver of an upgrade context, as a walker of paths.
pub(super) struct Walker<'a> {
    pub(super) package: &'a PackageGraph,
    pub(super) asks: Asks<'a>,
}

/// Resolver to query.
pub(super) enum Asks<'a> {
    Classic(Result<(&'a ChannelGraph, &'a Chain), ResolveError>),
    V1(&'a Query, Result<Arc<Resolver>, ResolveError>),
}

impl<'a> Walker<'a> {
    pub(super) fn new(package: &'a PackageGraph, traveller: &'a Traveller) -> Self {
        let asks = match traveller {
            Traveller::Classic(name) => Asks::Classic(match package.channel(name.as_str()) {
                None => Err(ResolveError::NoChannel(name.to_string())),
                Some(channel) => match &channel.chain {
                    Ok(chain) => Ok((&channel.graph, chain)),
                    Err(error) => Err(error.clone()),
                },
            }),
            Traveller::V1(query) => Asks::V1(query, package.resolver(query)),
        };
        Self { package, asks }
    }

    pub(super) fn engine(&self) -> Engine {
        match self.asks {
            Asks::Classic(_) => Engine::Classic,
            Asks::V1(..) => Engine::V1,
        }
    }

    /// Returns a bundle of the package as an installed bundle.
    pub(super) fn installed(&self, name: &BundleName) -> Installed {
        Installed::of(&self.package.package, name)
    }

    /// Returns the next bundle and the rule that admits it; `None` if the bundle stays.
    pub(super) fn step(
        &self,
        installed: &Installed,
    ) -> Result<Option<(BundleName, Admission)>, ResolveError> {
        let next = match &self.asks {
            Asks::Classic(Err(error)) | Asks::V1(_, Err(error)) => return Err(error.clone()),
            Asks::Classic(Ok((graph, chain))) => {
                let rule = |at: NodeIndex| classic::edge(graph, graph.entry(at)?, installed);
                let pick = classic::pick(graph, chain, installed);
                pick.and_then(|at| Some((graph.node(at)?.name.clone(), rule(at)?)))
            }
            Asks::V1(_, Ok(resolver)) => {
                let (name, rule) = resolver.step(Some(installed))?;
                Some((name.clone(), rule))
            }
        };
        Ok(next.filter(|(name, _)| *name != installed.name))
    }

    /// Returns the next bundle; `None` if the bundle stays or the resolver fails.
    pub(super) fn next(&self, installed: &Installed) -> Option<BundleName> {
        let next = match &self.asks {
            Asks::Classic(Err(_)) | Asks::V1(_, Err(_)) => None,
            Asks::Classic(Ok((graph, chain))) => {
                classic::pick(graph, chain, installed).and_then(|at| graph.node(at)).map(|node| &node.name)
            }
            Asks::V1(_, Ok(resolver)) => resolver.pick(Some(installed)).ok(),
        };
        next.filter(|name| **name != installed.name).cloned()
    }

    /// Returns the complete answer, for explanations.
    pub(super) fn answer(&self, installed: &Installed) -> Answer {
        match &self.asks {
            Asks::Classic(Ok((graph, _))) => self.package.classic(graph.name().as_str(), Some(installed)),
            Asks::V1(_, Ok(resolver)) => resolver.answer(Some(installed)),
            Asks::Classic(Err(error)) | Asks::V1(_, Err(error)) => {
                Answer::failed(self.engine(), Some(installed), error.clone())
            }
        }
    }

    /// Returns the possible picks in order of preference.
    pub(super) fn preference(&self) -> Vec<BundleName> {
        match &self.asks {
            Asks::Classic(Ok((graph, chain))) => {
                chain.order.iter().filter_map(|&at| graph.node(at)).map(|node| node.name.clone()).collect()
            }
            Asks::V1(_, Ok(resolver)) => resolver.preference().cloned().collect(),
            Asks::Classic(Err(_)) | Asks::V1(_, Err(_)) => Vec::new(),
        }
    }

    /// Returns the rank of a bundle, 0 for the best; `None` if the resolver never picks it.
    pub(super) fn rank(&self, name: &BundleName) -> Option<usize> {
        match &self.asks {
            Asks::Classic(Ok((graph, chain))) => chain.rank(graph.find(name.as_str())?),
            Asks::V1(_, Ok(resolver)) => resolver.rank(name),
            Asks::Classic(Err(_)) | Asks::V1(_, Err(_)) => None,
        }
    }

    /// Returns the channels whose edges count.
    pub(super) fn channels(&self) -> impl Iterator<Item = &'a ChannelGraph> + '_ {
        let counts = |name: &ChannelName| match &self.asks {
            Asks::Classic(Ok((graph, _))) => name == graph.name(),
            Asks::Classic(Err(_)) => false,
            Asks::V1(query, _) => query.channels.is_empty() || query.channels.contains(name),
        };
        let package: &'a PackageGraph = self.package;
        package.channels().iter().map(|channel| &channel.graph).filter(move |graph| counts(graph.name()))
    }
}
