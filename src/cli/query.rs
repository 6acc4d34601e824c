//! Arguments of a resolver query, shared by all commands that need one.

use clap::ValueEnum;
use serde::Deserialize;

use super::failure::{self, Failure};
use olm_catalog::{ChannelName, package::Package};
use olm_upgrade::{
    Engine,
    installed::InstalledError,
    v1::{self, Query},
};
use olm_version::masterminds::Constraint;

/// Engine and channels of a query.
#[derive(Debug, clap::Args)]
pub struct QueryArgs {
    /// Classic: subscribed channel (default: the default channel). v1: channels to choose from
    /// (default: all). Can be repeated.
    #[arg(long = "channel", short = 'c', value_name = "NAME")]
    pub channels: Vec<String>,
    /// OLM generation.
    #[arg(long, value_name = "ENGINE", default_value = "both")]
    pub engine: Engines,
    /// v1: version constraint, as in spec.source.catalog.version.
    #[arg(long, value_name = "RANGE", default_value = "", hide_default_value = true)]
    pub version: String,
    /// v1: upgrade constraint policy.
    #[arg(long, value_name = "POLICY", default_value = "CatalogProvided", ignore_case = true)]
    pub policy: Policy,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engines {
    /// OLM Classic.
    Classic,
    /// OLM v1.
    V1,
    /// Both.
    Both,
}

impl Engines {
    /// Returns the selected resolvers.
    pub const fn engines(self) -> &'static [Engine] {
        match self {
            Self::Classic => &[Engine::Classic],
            Self::V1 => &[Engine::V1],
            Self::Both => Engine::BOTH,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum, Deserialize)]
pub enum Policy {
    /// Only along the edges of the catalog.
    #[default]
    #[value(name = "CatalogProvided")]
    CatalogProvided,
    /// Any bundle, as an upgrade or a downgrade.
    #[value(name = "SelfCertified")]
    SelfCertified,
}

impl From<Policy> for v1::Policy {
    fn from(policy: Policy) -> Self {
        match policy {
            Policy::CatalogProvided => Self::CatalogProvided,
            Policy::SelfCertified => Self::SelfCertified,
        }
    }
}

/// Query about one package, before it is split into resolvers and channels.
pub struct QueryRequest {
    pub channels: Vec<ChannelName>,
    pub query: Query,
    pub engines: &'static [Engine],
}

impl QueryArgs {
    /// Returns the query. Refuses unknown channels and invalid versions.
    pub fn build_request(&self, package: &Package) -> Result<QueryRequest, Failure> {
        let names = || failure::join_names(package.channels.iter().map(|c| c.name.value.as_str()));
        if let Some(unknown) = self.channels.iter().find(|name| package.channel(name).is_none()) {
            let reason = format!("no channel {unknown} in {}", package.name);
            return Err(Failure::new(reason).with_hint(format!("channels: {}", names())));
        }
        if !self.version.is_empty()
            && let Err(error) = Constraint::parse(&self.version)
        {
            return Err(Failure::new(format!("--version: {error}")).with_optional_hint(error.hint));
        }
        let listed: Vec<ChannelName> = self.channels.iter().map(|name| name.as_str().into()).collect();
        let query =
            Query { channels: listed.clone(), version: self.version.clone(), policy: self.policy.into() };
        let mut channels = listed;
        if channels.is_empty() {
            match package.default_channel() {
                Some(channel) => channels.push(channel.clone()),
                None if self.engine == Engines::V1 => {}
                None => {
                    return Err(Failure::new(format!("{} has no default channel", package.name))
                        .with_hint(format!("choose one with --channel: {}", names())));
                }
            }
        }
        Ok(QueryRequest { channels, query, engines: self.engine.engines() })
    }
}

/// Returns the error for an unknown bundle, with suggestions. `how` explains how to name a bundle that left
/// the catalog.
pub fn unknown_bundle_failure(unknown: &InstalledError, package: &Package, how: &str) -> Failure {
    Failure::new(unknown.to_string()).with_optional_hint(unknown.correction_hint(package, how))
}
