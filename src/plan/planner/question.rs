//! What is asked of a plan.

use crate::{
    catalog::{ChannelName, PackageName},
    upgrade::{Engine, Installed},
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
}
