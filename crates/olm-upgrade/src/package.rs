//! Data derived from one package: graphs, chains and resolvers.

use std::sync::{Arc, OnceLock};

use super::{
    answer::{Answer, Engine, ResolveError},
    classic::{self, Chain},
    cluster::ServingState,
    graph::ChannelGraph,
    installed::Installed,
    stuck::StuckReport,
    v1,
};
use olm_catalog::{BundleName, Catalog, package::Package};

/// Package with the graphs of its channels and Classic's chain in each. Clones share the data.
#[derive(Clone, Debug)]
pub struct PackageGraph {
    /// Source package.
    pub package: Arc<Package>,
    channels: Arc<[ChannelUpgrades]>,
    /// Reason why v1 cannot use the package, because a cluster does not serve it.
    v1_failure: Option<ResolveError>,
    /// v1's resolver for the default query, created on first use.
    default_v1: Arc<OnceLock<Arc<v1::Resolver>>>,
    /// Stuck versions, computed on first use.
    stuck: Arc<OnceLock<StuckReport>>,
}

/// Graph of a channel with Classic's chain.
#[derive(Clone, Debug)]
pub struct ChannelUpgrades {
    /// Graph of the channel.
    pub graph: ChannelGraph,
    /// Chain of the channel, or the reason why it does not have one.
    pub chain: Result<Chain, ResolveError>,
}

impl PackageGraph {
    /// Derives the graphs of all channels.
    pub fn new(package: &Arc<Package>) -> Self {
        let channels = package.channels.iter().map(|channel| {
            let graph = ChannelGraph::new(package, channel);
            let chain = classic::build_chain(&graph);
            ChannelUpgrades { graph, chain }
        });
        Self {
            channels: channels.collect(),
            package: Arc::clone(package),
            v1_failure: None,
            default_v1: Arc::default(),
            stuck: Arc::default(),
        }
    }

    /// Makes v1's answers those of a cluster, which serves a package only if it can read all of it. Without this,
    /// v1 answers from the readable part.
    #[must_use]
    pub fn with_served_parts(self, catalog: &Catalog) -> Self {
        let serving = ServingState::from_catalog(catalog);
        let failure = serving.failure(self.package.name.as_str());
        let v1_failure = failure.map(|failure| ResolveError::NotServed(failure.describe_problem(catalog)));
        Self { v1_failure, ..self }
    }

    /// Returns the stuck versions of the package; computes them on first use.
    pub fn stuck(&self) -> &StuckReport {
        self.stuck.get_or_init(|| StuckReport::find_stuck(self))
    }

    /// Returns the stuck versions if they are already computed. Screens use this, because they must
    /// not block.
    pub fn stuck_if_computed(&self) -> Option<&StuckReport> {
        self.stuck.get()
    }

    /// Returns the channels in source order.
    pub fn channels(&self) -> &[ChannelUpgrades] {
        &self.channels
    }

    /// Returns the channels with an entry for a bundle, in source order.
    pub fn channels_with(&self, bundle: &BundleName) -> impl Iterator<Item = &ChannelUpgrades> {
        self.package.channel_positions_with(bundle).iter().filter_map(|&at| self.channels.get(at))
    }

    /// Returns a channel by name; the first one if there are several.
    pub fn channel(&self, name: &str) -> Option<&ChannelUpgrades> {
        self.channels.get(self.package.channel_position(name)?)
    }

    /// Returns Classic's answer in a channel. Without an installed bundle, the answer is for a new
    /// installation.
    pub fn resolve_classic(&self, channel: &str, installed: Option<&Installed>) -> Answer {
        match (self.channel(channel), installed) {
            (None, _) => {
                Answer::failed(Engine::Classic, installed, ResolveError::NoChannel(channel.to_owned()))
            }
            (Some(channel), Some(installed)) => {
                classic::answer_upgrade(&channel.graph, &channel.chain, installed)
            }
            (Some(channel), None) => classic::answer_fresh_install(&channel.graph, &channel.chain, None),
        }
    }

    /// Returns the reason of Classic's answer in a channel, without an explanation for each candidate.
    pub fn classic_reason(&self, channel: &str, installed: &Installed) -> String {
        match self.channel(channel) {
            None => ResolveError::NoChannel(channel.to_owned()).to_string(),
            Some(channel) => classic::upgrade_reason(&channel.graph, &channel.chain, installed),
        }
    }

    /// Returns the reason of v1's answer, without an explanation for each candidate.
    pub fn v1_reason(&self, query: &v1::Query, installed: &Installed) -> String {
        let resolver = self.v1_resolver(query);
        let rule = resolver
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|resolver| Ok(resolver.pick_with_rule(Some(installed))?.1));
        rule.map_or_else(|error| error.to_string(), |rule| rule.to_string())
    }

    /// Returns Classic's answer for a new installation with `startingCSV`.
    pub fn resolve_classic_start(&self, channel: &str, starting_csv: &BundleName) -> Answer {
        match self.channel(channel) {
            None => self.resolve_classic(channel, None),
            Some(channel) => {
                classic::answer_fresh_install(&channel.graph, &channel.chain, Some(starting_csv))
            }
        }
    }

    /// Returns v1's answer. Without an installed bundle, the answer is for a new installation.
    pub fn resolve_v1(&self, query: &v1::Query, installed: Option<&Installed>) -> Answer {
        match self.v1_resolver(query) {
            Ok(resolver) => resolver.complete_answer(installed),
            Err(error) => Answer::failed(Engine::V1, installed, error),
        }
    }

    /// Returns v1's resolver for a query. The resolver for the default query is created once.
    ///
    /// # Errors
    ///
    /// Fails if the version constraint is invalid, or if a cluster does not serve the package
    /// ([`PackageGraph::with_served_parts`]).
    pub fn v1_resolver(&self, query: &v1::Query) -> Result<Arc<v1::Resolver>, ResolveError> {
        if let Some(failure) = &self.v1_failure {
            return Err(failure.clone());
        }
        let made = || v1::Resolver::new(&self.package, query).map(Arc::new);
        if *query != v1::Query::default() {
            return made();
        }
        match self.default_v1.get() {
            Some(known) => Ok(Arc::clone(known)),
            None => made().map(|made| Arc::clone(self.default_v1.get_or_init(|| made))),
        }
    }
}
