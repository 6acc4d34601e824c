//! Everything derived from one package for questions about upgrades.

use std::sync::{Arc, OnceLock};

use super::{
    answer::{Answer, Engine, ResolveError},
    classic::{self, Chain},
    graph::ChannelGraph,
    installed::Installed,
    stuck::PackageStuck,
    v1,
};
use crate::catalog::{BundleName, package::Package};

/// A package with the graphs of its channels and Classic's chain through each. A clone shares them.
#[derive(Clone, Debug)]
pub struct PackageGraph {
    /// The package it was made from.
    pub package: Arc<Package>,
    channels: Arc<[ChannelUpgrades]>,
    /// v1 as it answers who asks for nothing in particular, made when somebody first does.
    plain_v1: Arc<OnceLock<Arc<v1::Resolver>>>,
    /// Stuck versions, found when somebody first asks.
    stuck: Arc<OnceLock<PackageStuck>>,
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
        Self {
            channels: channels.collect(),
            package: Arc::clone(package),
            plain_v1: Arc::default(),
            stuck: Arc::default(),
        }
    }

    /// Returns the stuck versions of the package. They are found once.
    pub fn stuck(&self) -> &PackageStuck {
        self.stuck.get_or_init(|| PackageStuck::find(self))
    }

    /// Returns the stuck versions if they are found already. Screens use this, because they must not wait.
    pub fn known_stuck(&self) -> Option<&PackageStuck> {
        self.stuck.get()
    }

    /// The channels in source order.
    pub fn channels(&self) -> &[ChannelUpgrades] {
        &self.channels
    }

    /// The channels that have an entry for a bundle, in source order.
    pub fn channels_with(&self, bundle: &BundleName) -> impl Iterator<Item = &ChannelUpgrades> {
        self.package.places_with(bundle).iter().filter_map(|&at| self.channels.get(at))
    }

    /// A channel by name; the first where there are several.
    pub fn channel(&self, name: &str) -> Option<&ChannelUpgrades> {
        self.channels.get(self.package.channel_place(name)?)
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
        match self.resolver(query) {
            Ok(resolver) => resolver.answer(installed),
            Err(error) => Answer::failed(Engine::V1, installed, error),
        }
    }

    /// The resolver of OLM v1 for a query. That of the plain one is made once.
    ///
    /// # Errors
    ///
    /// When the version constraint cannot be read.
    pub fn resolver(&self, query: &v1::Query) -> Result<Arc<v1::Resolver>, ResolveError> {
        let made = || v1::Resolver::new(&self.package, query).map(Arc::new);
        if *query != v1::Query::default() {
            return made();
        }
        match self.plain_v1.get() {
            Some(known) => Ok(Arc::clone(known)),
            None => made().map(|made| Arc::clone(self.plain_v1.get_or_init(|| made))),
        }
    }
}
