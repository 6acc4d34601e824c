//! Everything derived from one package for questions about upgrades.

use std::sync::Arc;

use super::{
    answer::{Answer, Engine, ResolveError},
    classic::{self, Chain},
    graph::ChannelGraph,
    installed::Installed,
    v1,
};
use crate::catalog::{BundleName, package::Package};

/// A package with the graphs of its channels and Classic's chain through each. A clone shares them.
#[derive(Clone, Debug)]
pub struct PackageGraph {
    /// The package it was made from.
    pub package: Arc<Package>,
    channels: Arc<[ChannelUpgrades]>,
}

/// A channel's graph and the chain Classic walks in it.
#[derive(Clone, Debug)]
pub struct ChannelUpgrades {
    /// The graph.
    pub graph: ChannelGraph,
    /// The chain, or why there is none.
    pub chain: Result<Chain, ResolveError>,
}

impl PackageGraph {
    /// Derives the graphs of all channels.
    pub fn new(package: &Arc<Package>) -> Self {
        let channels = package.channels.iter().map(|channel| {
            let graph = ChannelGraph::new(package, channel);
            let chain = classic::chain(&graph);
            ChannelUpgrades { graph, chain }
        });
        Self { channels: channels.collect(), package: Arc::clone(package) }
    }

    /// The channels in source order.
    pub fn channels(&self) -> &[ChannelUpgrades] {
        &self.channels
    }

    /// A channel by name; the first where there are several.
    pub fn channel(&self, name: &str) -> Option<&ChannelUpgrades> {
        self.channels.iter().find(|c| c.graph.name() == name)
    }

    /// What OLM Classic does in a channel. No installed bundle means a fresh install.
    pub fn classic(&self, channel: &str, installed: Option<&Installed>) -> Answer {
        match (self.channel(channel), installed) {
            (None, _) => {
                Answer::failed(Engine::Classic, installed, ResolveError::NoChannel(channel.to_owned()))
            }
            (Some(channel), Some(installed)) => classic::answer(&channel.graph, &channel.chain, installed),
            (Some(channel), None) => classic::fresh(&channel.graph, &channel.chain, None),
        }
    }

    /// What OLM Classic installs where `startingCSV` is given.
    pub fn classic_from(&self, channel: &str, starting_csv: &BundleName) -> Answer {
        match self.channel(channel) {
            None => self.classic(channel, None),
            Some(channel) => classic::fresh(&channel.graph, &channel.chain, Some(starting_csv)),
        }
    }

    /// What OLM v1 does. No installed bundle means a fresh install.
    pub fn v1(&self, query: &v1::Query, installed: Option<&Installed>) -> Answer {
        match v1::Resolver::new(&self.package, query) {
            Ok(resolver) => resolver.answer(installed),
            Err(error) => Answer::failed(Engine::V1, installed, error),
        }
    }
}
