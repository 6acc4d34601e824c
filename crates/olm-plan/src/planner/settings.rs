//! The settings of a plan.

use olm_catalog::{ChannelName, PackageName, package::Package};
use olm_upgrade::{Engine, Installed, openshift::OpenShiftLimit};

/// The approval of operator upgrades.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Approval {
    /// A user approves each upgrade: OLM Classic with `installPlanApproval: Manual`, OLM v1 with pinned
    /// versions.
    #[default]
    Manual,
    /// OLM upgrades immediately: OLM Classic with `Automatic`, OLM v1 without a version.
    Automatic,
}

impl Approval {
    /// Returns the name for machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Automatic => "automatic",
        }
    }
}

/// The preference among plans that arrive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Preference {
    /// The plan that ends closest to the channel head.
    #[default]
    Furthest,
    /// The plan with the fewest operator upgrades.
    Fewest,
}

/// The time of operator upgrades if there is a choice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum UpdateTiming {
    /// As late as possible.
    #[default]
    Latest,
    /// As early as possible.
    Earliest,
}

/// The settings of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PlanSettings {
    /// The OLM engine.
    pub engine: Engine,
    /// The approval of upgrades.
    pub approval: Approval,
    /// The preference among several plans.
    pub prefer: Preference,
    /// The time of upgrades if there is a choice.
    pub updates: UpdateTiming,
    /// True if the plan can change the channel when nothing else helps.
    pub may_change_channel: bool,
}

impl PlanSettings {
    /// Returns the default settings for an engine.
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            approval: Approval::default(),
            prefer: Preference::default(),
            updates: UpdateTiming::default(),
            may_change_channel: true,
        }
    }
}

/// The installed operator at the start of a plan.
#[derive(Clone, PartialEq, Debug)]
pub struct PlanStart {
    /// The name of the package.
    pub package: PackageName,
    /// The installed bundle.
    pub installed: Installed,
    /// The followed channel. `None` for any channel in OLM v1.
    pub channel: Option<ChannelName>,
    /// The highest supported OpenShift version, as reported by the cluster. `None` to take it from the first
    /// catalog that has the bundle.
    pub limit: Option<OpenShiftLimit>,
}

impl PlanStart {
    /// Creates a start for an installed bundle.
    ///
    /// Without `channel`, OLM v1 follows no channel. OLM Classic follows the default channel if that has the
    /// bundle, and otherwise the first channel that has it. Returns `None` if no channel has the bundle.
    pub fn for_installed(
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
