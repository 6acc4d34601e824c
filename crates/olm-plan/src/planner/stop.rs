//! The stops of a plan.

use super::{
    block::Block,
    settings::{Approval, PlanSettings, PlanStart},
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_upgrade::{EdgeKind, Engine, openshift::OpenShift};
use olm_version::VersionRelease;

/// The event that leads to a stop. It is the only difference to the previous stop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StopCause {
    /// The start of the plan.
    Installed,
    /// An upgrade by OLM, in OLM v1 also with a pinned version. The edge is `None` if both bundles have the
    /// same version.
    Pick(Option<EdgeKind>),
    /// A channel change.
    Channel,
    /// A cluster update.
    Cluster,
}

impl StopCause {
    /// Returns the name for machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::Pick(_) => "pick",
            Self::Channel => "channel",
            Self::Cluster => "cluster",
        }
    }
}

/// Stop of a plan: a state of the operator.
#[derive(Clone, PartialEq, Debug)]
pub struct Stop {
    /// The OpenShift version of the cluster.
    pub openshift: OpenShift,
    /// The followed channel. `None` for any channel in OLM v1.
    pub channel: Option<ChannelName>,
    /// The installed bundle.
    pub bundle: BundleName,
    /// The version of the bundle, if known.
    pub version: Option<VersionRelease>,
    /// The event that leads to this stop.
    pub cause: StopCause,
}

/// The plan for an operator through a series of OpenShift versions.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The name of the package.
    pub package: PackageName,
    /// The OLM engine.
    pub engine: Engine,
    /// The approval of upgrades.
    pub approval: Approval,
    /// The stops in order, starting with the installed bundle. If the plan does not arrive, these are the stops
    /// that it can reach.
    pub stops: Vec<Stop>,
    /// The reason why the plan does not arrive.
    ///
    /// It is `None` if the plan arrives: on the last OpenShift version, with a bundle from its catalog.
    pub blocked: Option<Block>,
}

impl Plan {
    /// Creates an empty plan, if there are no catalogs.
    pub(super) fn empty(start: &PlanStart, question: PlanSettings) -> Self {
        Self {
            package: start.package.clone(),
            engine: question.engine,
            approval: question.approval,
            stops: Vec::new(),
            blocked: None,
        }
    }

    /// Returns true if the plan arrives.
    pub fn arrives(&self) -> bool {
        self.blocked.is_none() && !self.stops.is_empty()
    }

    /// Returns the highest OpenShift version that the plan reaches.
    pub fn reached_version(&self) -> Option<OpenShift> {
        self.stops.last().map(|stop| stop.openshift)
    }

    /// Returns the number of operator upgrades.
    pub fn count_upgrades(&self) -> usize {
        self.stops.iter().filter(|stop| matches!(stop.cause, StopCause::Pick(_))).count()
    }

    /// Returns the number of channel changes.
    pub fn count_channel_changes(&self) -> usize {
        self.stops.iter().filter(|stop| stop.cause == StopCause::Channel).count()
    }
}
