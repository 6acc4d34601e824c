//! A plan, stop by stop.

use super::{
    block::Block,
    question::{Approval, Question, Start},
};
use crate::{
    catalog::{BundleName, ChannelName, PackageName},
    upgrade::{EdgeKind, Engine, openshift::OpenShift},
    version::VersionRelease,
};

/// What led to a stop. It differs from the one before by exactly that.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum By {
    /// Nothing: it is what was installed.
    Installed,
    /// An upgrade that OLM makes; v1 with a pinned version. `None` where no edge is asked for: it has the same version.
    Pick(Option<EdgeKind>),
    /// Another channel.
    Channel,
    /// The cluster was updated.
    Cluster,
}

impl By {
    /// The word for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::Pick(_) => "pick",
            Self::Channel => "channel",
            Self::Cluster => "cluster",
        }
    }
}

/// Where an operator is for a while.
#[derive(Clone, PartialEq, Debug)]
pub struct Stop {
    /// The cluster's version.
    pub openshift: OpenShift,
    /// The channel that is followed; v1: `None` for any.
    pub channel: Option<ChannelName>,
    /// What is installed.
    pub bundle: BundleName,
    /// Its version, where that is known.
    pub version: Option<VersionRelease>,
    /// What led here.
    pub by: By,
}

/// How one operator gets to the last of several OpenShift versions, or how far it gets.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The package.
    pub package: PackageName,
    /// Who upgrades.
    pub engine: Engine,
    /// Who decides when.
    pub approval: Approval,
    /// The stops in order, the first of them what is installed. Of a plan that does not arrive: as far as it gets.
    pub stops: Vec<Stop>,
    /// Why it does not arrive; `None` where it does: on the last OpenShift version, with a bundle that is in its catalog.
    pub blocked: Option<Block>,
}

impl Plan {
    /// No plan: there are no catalogs.
    pub(super) fn nothing(start: &Start, question: Question) -> Self {
        Self {
            package: start.package.clone(),
            engine: question.engine,
            approval: question.approval,
            stops: Vec::new(),
            blocked: None,
        }
    }

    /// Whether it arrives.
    pub fn arrives(&self) -> bool {
        self.blocked.is_none() && !self.stops.is_empty()
    }

    /// The OpenShift version that the cluster gets to with this operator.
    pub fn reaches(&self) -> Option<OpenShift> {
        self.stops.last().map(|stop| stop.openshift)
    }

    /// How many times the operator is upgraded.
    pub fn upgrades(&self) -> usize {
        self.stops.iter().filter(|stop| matches!(stop.by, By::Pick(_))).count()
    }

    /// How many times the channel is changed.
    pub fn channel_changes(&self) -> usize {
        self.stops.iter().filter(|stop| stop.by == By::Channel).count()
    }
}
