//! What is asked of a plan.

use crate::{
    catalog::{ChannelName, PackageName, package::Package},
    upgrade::{Engine, Installed, openshift::Limit},
};

/// Who decides when an operator is updated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Approval {
    /// A person, update by update: Classic with `installPlanApproval: Manual`, v1 with one pinned version after another.
    #[default]
    Manual,
    /// OLM, at once: Classic with `Automatic`, v1 without a version.
    Automatic,
}

impl Approval {
    /// The name for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Automatic => "automatic",
        }
    }
}

/// Which of several plans that arrive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Prefer {
    /// The one that ends as far as the channel leads.
    #[default]
    Furthest,
    /// The one with the fewest updates of the operator.
    Fewest,
}

/// When operators are updated, where there is a choice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Updates {
    /// As late as possible.
    #[default]
    Latest,
    /// As early as possible.
    Earliest,
}

/// What a plan is made for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Question {
    /// Who upgrades.
    pub engine: Engine,
    /// Who decides when.
    pub approval: Approval,
    /// Which plan of several.
    pub prefer: Prefer,
    /// When, where there is a choice.
    pub updates: Updates,
    /// Whether a change of channel may be planned where nothing else helps.
    pub may_change_channel: bool,
}

impl Question {
    /// The usual question of one of the OLMs.
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            approval: Approval::default(),
            prefer: Prefer::default(),
            updates: Updates::default(),
            may_change_channel: true,
        }
    }
}

/// What is installed when the plan begins.
#[derive(Clone, PartialEq, Debug)]
pub struct Start {
    /// The package.
    pub package: PackageName,
    /// The bundle.
    pub installed: Installed,
    /// The channel that is followed; v1: `None` for any.
    pub channel: Option<ChannelName>,
    /// The newest OpenShift it runs on, as the cluster has it; `None`: as the first catalog that knows it does.
    pub limit: Option<Limit>,
}

impl Start {
    /// An installed bundle that follows a channel, or, where that is not said: under v1 none, under Classic the default channel
    /// if that has it, otherwise the first that does. `None` where no channel has it.
    pub fn following(
        name: &PackageName,
        installed: Installed,
        channel: Option<ChannelName>,
        engine: Engine,
        package: &Package,
    ) -> Option<Self> {
        let usual = || {
            let with_it: Vec<&ChannelName> =
                package.channels_with(&installed.name).map(|channel| &channel.name.value).collect();
            let default = package.default_channel().filter(|default| with_it.contains(default));
            default.or_else(|| with_it.first().copied()).cloned()
        };
        let channel = match (channel, engine) {
            (Some(channel), _) => Some(channel),
            (None, Engine::V1) => None,
            (None, Engine::Classic) => Some(usual()?),
        };
        Some(Self { package: name.clone(), installed, channel, limit: None })
    }
}
