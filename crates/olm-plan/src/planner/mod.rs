//! The planner: computes the steps from an OpenShift version to a later one for installed operators.
//!
//! A cluster updates from one minor version to the next, and each minor version has its own catalog. A plan
//! lists the upgrades by OLM, channel changes and cluster updates. It contains only upgrades that OLM really
//! makes in the catalog of that version.

mod all_versions;
mod block;
mod leg;
mod note;
mod paths;
mod search;
mod state_graph;
#[cfg(test)]
mod tests;

pub use all_versions::{AllPlans, PackagePlans, list_starts};
pub use block::{Block, BlockKind};
pub use leg::{Leg, Legs, PlanCatalogs, find_missing_versions};
pub use note::{DeadEnd, PlanNote, VersionInformation, find_dead_end, plan_notes};
pub use paths::{OperatorState, SharedPlans, VersionPart, VersionPlan};

use std::{collections::BTreeMap, sync::Arc};

use rayon::prelude::*;

use leg::LegResolver;
use olm_catalog::{BundleName, ChannelName, PackageName, package::Package};
use olm_upgrade::{
    EdgeKind, Engine, Installed, PackageGraph,
    openshift::{OpenShift, OpenShiftLimit},
    path::{PathFix, PathReport, UpgradeContext},
    safety::{Step, StepReason},
    v1::Query,
};
use olm_version::VersionRelease;

/// Plans the updates of an installed operator.
pub fn plan_operator(legs: &Legs, start: &PlanStart, question: &PlanSettings) -> Plan {
    plan_operators(legs, std::slice::from_ref(start), question)
        .pop()
        .unwrap_or_else(|| Plan::empty(start, *question))
}

/// Plans the updates of several installed versions of a package, in input order. Common parts are computed
/// once. [`SharedPlans`] also stores them once.
pub fn plan_operators(legs: &Legs, starts: &[PlanStart], question: &PlanSettings) -> Vec<Plan> {
    SharedPlans::from_starts(legs, starts, question).iter().map(VersionPlan::to_plan).collect()
}

/// Returns true if OLM also makes an upgrade of a plan on another leg. The upgrade leads from the stop `before`
/// to `stop`.
pub fn is_made_on_leg(plan: &Plan, leg: &Leg, before: &Stop, stop: &Stop) -> bool {
    let resolver = LegResolver::new(&plan.package, leg, plan.engine, stop.channel.as_ref());
    let installed = Installed { name: before.bundle.clone(), version: before.version.clone() };
    let next = resolver.next_bundles(plan.approval, &installed);
    next.is_ok_and(|next| next.iter().any(|(name, _)| *name == stop.bundle))
}

/// Returns the `minKubeVersion` of a bundle if it is higher than the Kubernetes version of the leg.
fn required_kubernetes(leg: &Leg, bundle: &BundleName) -> Option<String> {
    let csv = leg.graph.as_ref()?.package.bundle(bundle.as_str())?.csv.as_ref()?;
    let wanted = csv.min_kube_version.as_ref()?;
    leg.openshift.too_old_kubernetes(wanted).map(|_| wanted.clone())
}

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

impl Stop {
    /// Returns the state of the operator.
    pub fn operator_state(&self) -> OperatorState<'_> {
        OperatorState {
            openshift: self.openshift,
            channel: self.channel.as_ref(),
            bundle: &self.bundle,
            version: self.version.as_ref(),
        }
    }
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
    fn empty(start: &PlanStart, question: PlanSettings) -> Self {
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

    /// Returns the state at the first stop, with the installed bundle.
    pub fn first_state(&self) -> Option<OperatorState<'_>> {
        self.stops.first().map(Stop::operator_state)
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

/// Edit with the catalog to edit.
#[derive(Clone, PartialEq, Debug)]
pub struct CatalogFix {
    /// The OpenShift version of the catalog.
    pub openshift: OpenShift,
    /// The edit.
    pub fix: PathFix,
}

impl CatalogFix {
    /// Finds the smallest edit of one catalog that makes a blocked plan arrive: an additional edge to an entry.
    ///
    /// Returns `None` if the plan arrives or if no edge helps. For example, the package is missing or no
    /// version supports the next OpenShift version.
    pub fn find_catalog_fix(
        legs: &Legs,
        start: &PlanStart,
        question: &PlanSettings,
        plan: &Plan,
    ) -> Option<Self> {
        let end = plan.stops.last()?.operator_state();
        Self::find_fix_at(legs, start, *question, end, plan.blocked.as_ref()?)
    }

    /// Finds the edit for the end of a blocked plan. See [`CatalogFix::find_catalog_fix`].
    fn find_fix_at(
        legs: &Legs,
        start: &PlanStart,
        question: PlanSettings,
        end: OperatorState<'_>,
        block: &Block,
    ) -> Option<Self> {
        if !block.kind.is_about_edges() {
            return None;
        }
        let at = legs.legs.iter().position(|leg| leg.openshift == block.openshift)?;
        let leg = legs.legs.get(at)?;
        let graph = leg.graph.as_ref()?;
        let from = Installed { name: end.bundle.clone(), version: end.version.cloned() };
        let next = legs.legs.get(at + 1).map(|leg| leg.openshift);
        upgrade_contexts(graph, question, end.channel).iter().find_map(|traveller| {
            find_goals(graph, traveller, next).into_iter().find_map(|goal| {
                let opening = PathReport::find_fix_without_channel_change(graph, traveller, &from, &goal)?;
                arrives_after(legs, at, start, question, &opening)
                    .then_some(Self { openshift: leg.openshift, fix: opening })
            })
        })
    }
}

/// Returns the upgrade contexts to fix: first the followed channel. If the plan can change the
/// channel, the default channel and the other channels follow.
fn upgrade_contexts(
    graph: &PackageGraph,
    question: PlanSettings,
    channel: Option<&ChannelName>,
) -> Vec<UpgradeContext> {
    let of = |channel: Option<&ChannelName>| match (question.engine, channel) {
        (Engine::Classic, channel) => Some(UpgradeContext::Classic(channel?.clone())),
        (Engine::V1, channel) => Some(UpgradeContext::V1(Query {
            channels: channel.into_iter().cloned().collect(),
            ..Query::default()
        })),
    };
    let Some(own) = channel else { return of(None).into_iter().collect() };
    let mut channels: Vec<&ChannelName> =
        graph.channels().iter().map(|channel| channel.graph.name()).collect();
    let default = graph.package.default_channel();
    channels.retain(|channel| *channel == own || question.may_change_channel);
    channels.sort_by_key(|channel| (*channel != own, Some(*channel) != default));
    channels.into_iter().filter_map(|channel| of(Some(channel))).collect()
}

/// Returns the possible targets, best first: bundles that do not block the next OpenShift version.
fn find_goals(graph: &PackageGraph, traveller: &UpgradeContext, next: Option<OpenShift>) -> Vec<BundleName> {
    /// The limit, because a target can take many edits to test.
    const MAX_GOALS: usize = 4;
    let is_free = |name: &BundleName| {
        let bundle = graph.package.bundle(name.as_str());
        bundle.is_some_and(|bundle| next.is_none_or(|next| !OpenShiftLimit::from_bundle(bundle).blocks(next)))
    };
    let preference: Vec<BundleName> = match traveller {
        UpgradeContext::Classic(channel) => {
            let channel = graph.channel(channel.as_str());
            let chain = channel.and_then(|channel| Some((channel, channel.chain.as_ref().ok()?)));
            let names = chain.map(|(channel, chain)| {
                chain
                    .order
                    .iter()
                    .filter_map(|&at| channel.graph.node(at))
                    .map(|node| node.name.clone())
                    .collect()
            });
            names.unwrap_or_default()
        }
        UpgradeContext::V1(query) => graph
            .v1_resolver(query)
            .map(|resolver| resolver.preferred_names().cloned().collect())
            .unwrap_or_default(),
    };
    preference.into_iter().filter(is_free).take(MAX_GOALS).collect()
}

/// Returns true if the plan arrives with an additional edge in the catalog of one leg.
fn arrives_after(
    legs: &Legs,
    at: usize,
    start: &PlanStart,
    question: PlanSettings,
    opening: &PathFix,
) -> bool {
    let supposed = || {
        let graph = legs.legs.get(at)?.graph.as_ref()?;
        let package = graph.package.with_entry(&opening.channel, &opening.entry, &opening.spec)?;
        let mut supposed = legs.clone();
        supposed.legs.get_mut(at)?.graph = Some(PackageGraph::new(&Arc::new(package)));
        Some(plan_operator(&supposed, start, &question).arrives())
    };
    supposed().unwrap_or(false)
}

/// The plan for an operator, with remarks.
#[derive(Clone, PartialEq, Debug)]
pub struct OperatorPlan {
    /// The plan.
    pub plan: Plan,
    /// The remarks about the plan.
    pub remarks: Vec<PlanNote>,
    /// The single edit that makes a blocked plan arrive, if there is one.
    pub fix: Option<CatalogFix>,
}

/// The plans for all operators of a cluster.
///
/// The operators are independent, but they share the OpenShift version of the cluster.
#[derive(Clone, PartialEq, Debug)]
pub struct ClusterPlan {
    /// The OpenShift versions with a catalog, in order.
    pub versions: Vec<OpenShift>,
    /// The minor versions without catalog between them. The plans assume no change there.
    pub missing: Vec<OpenShift>,
    /// The operators in input order.
    pub operators: Vec<OperatorPlan>,
}

impl ClusterPlan {
    /// Computes the plans for the installed operators.
    pub fn new(world: &PlanCatalogs, asked: &[(PlanStart, PlanSettings)]) -> Self {
        let of = |(start, question): &(PlanStart, PlanSettings)| {
            let legs = world.find_package(start.package.as_str())?;
            let plan = plan_operator(legs, start, question);
            let remarks = plan_notes(legs, &plan, |_| None);
            let opens = CatalogFix::find_catalog_fix(legs, start, question, &plan);
            Some(OperatorPlan { plan, remarks, fix: opens })
        };
        Self {
            versions: world.versions().to_vec(),
            missing: world.missing_versions(),
            operators: asked.par_iter().filter_map(of).collect(),
        }
    }

    /// Recomputes the remarks with additional information about each catalog.
    #[must_use]
    pub fn with_information<'a>(
        mut self,
        world: &PlanCatalogs,
        known: impl Fn(OpenShift, &PackageName) -> Option<VersionInformation<'a>>,
    ) -> Self {
        for OperatorPlan { plan, remarks: told, .. } in &mut self.operators {
            if let Some(legs) = world.find_package(plan.package.as_str()) {
                *told = plan_notes(legs, plan, |openshift| known(openshift, &plan.package));
            }
        }
        self
    }

    /// Returns the upgrades on an OpenShift version by package, without duplicates.
    pub fn upgrade_steps(&self, openshift: OpenShift) -> BTreeMap<PackageName, Vec<Step>> {
        let mut steps: BTreeMap<PackageName, Vec<Step>> = BTreeMap::new();
        for OperatorPlan { plan, .. } in &self.operators {
            for pair in plan.stops.windows(2) {
                let [before, stop] = pair else { continue };
                if stop.openshift != openshift || !matches!(stop.cause, StopCause::Pick(_)) {
                    continue;
                }
                let way = match plan.engine {
                    Engine::Classic => StepReason::Classic(stop.channel.clone().unwrap_or_default()),
                    Engine::V1 => StepReason::V1(stop.channel.clone()),
                };
                let known = steps.entry(plan.package.clone()).or_default();
                match known.iter_mut().find(|step| step.from == before.bundle && step.to == stop.bundle) {
                    Some(step) => drop(step.reasons.insert(way)),
                    None => known.push(Step {
                        from: before.bundle.clone(),
                        to: stop.bundle.clone(),
                        reasons: [way].into(),
                    }),
                }
            }
        }
        steps
    }

    /// Returns true if all plans arrive.
    pub fn arrives(&self) -> bool {
        self.operators.iter().all(|operator| operator.plan.arrives())
    }

    /// Returns the operators in the order of their actions on an OpenShift version: operators with a channel
    /// change come first.
    ///
    /// OLM Classic resolves nothing in a namespace while a Subscription follows a missing channel.
    pub fn operators_in_order(&self, openshift: OpenShift) -> impl Iterator<Item = &OperatorPlan> {
        let changes = move |planned: &&OperatorPlan| {
            planned
                .plan
                .stops
                .iter()
                .any(|stop| stop.openshift == openshift && stop.cause == StopCause::Channel)
        };
        let (first, then): (Vec<&OperatorPlan>, Vec<&OperatorPlan>) =
            self.operators.iter().partition(changes);
        first.into_iter().chain(then)
    }

    /// Returns the highest OpenShift version that all plans reach.
    pub fn reached_version(&self) -> Option<OpenShift> {
        self.operators.iter().filter_map(|operator| operator.plan.reached_version()).min()
    }
}
