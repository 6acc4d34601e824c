//! The planner: computes the steps from an OpenShift version to a later one for installed operators.
//!
//! A cluster updates from one minor version to the next, and each minor version has its own catalog. A plan
//! lists the upgrades by OLM, channel changes and cluster updates. It contains only upgrades that OLM really
//! makes in the catalog of that version.

mod all_versions;
mod block;
mod cluster_plan;
mod fix;
mod graph;
mod held_bundle;
mod leg;
mod min_kube;
mod note;
mod search;
mod settings;
mod stop;
#[cfg(test)]
mod tests;

pub use all_versions::{AllPlans, PackagePlans, list_starts};
pub use block::{Block, BlockKind};
pub use cluster_plan::{ClusterPlan, OperatorPlan};
pub use fix::CatalogFix;
pub use leg::{Leg, Legs, PlanCatalogs, find_missing_versions};
pub use note::{PlanNote, VersionInformation, plan_notes};
pub use settings::{Approval, PlanSettings, PlanStart, Preference, UpdateTiming};
pub use stop::{Plan, Stop, StopCause};

use graph::StateGraph;
use leg::LegResolver;

use olm_upgrade::Installed;

/// Plans the updates of an installed operator.
pub fn plan_operator(legs: &Legs, start: &PlanStart, question: &PlanSettings) -> Plan {
    plan_operators(legs, std::slice::from_ref(start), question)
        .pop()
        .unwrap_or_else(|| Plan::empty(start, *question))
}

/// Plans the updates of several installed versions of a package, in input order. Common parts are computed
/// once.
pub fn plan_operators(legs: &Legs, starts: &[PlanStart], question: &PlanSettings) -> Vec<Plan> {
    // Change a channel only if nothing else helps. So first find the plans without channel change.
    let kept = StateGraph::new(legs, question, false, starts);
    let mut plans: Vec<Option<Plan>> = search::arriving_plans(&kept, starts).collect();
    let left: Vec<usize> = (0..starts.len()).filter(|at| matches!(plans.get(*at), Some(None))).collect();
    let others: Vec<PlanStart> = left.iter().filter_map(|at| starts.get(*at)).cloned().collect();
    if !others.is_empty() {
        let changing = StateGraph::new(legs, question, question.may_change_channel, &others);
        let arriving: Vec<Option<Plan>> = search::arriving_plans(&changing, &others).collect();
        for ((at, start), (found, node)) in
            left.iter().zip(&others).zip(arriving.into_iter().zip(&changing.starts))
        {
            let kept_node = kept.starts.get(*at).copied().flatten();
            let blocked = || search::blocked_plan(start, (&kept, kept_node), (&changing, *node));
            if let Some(plan) = plans.get_mut(*at) {
                *plan = Some(found.unwrap_or_else(blocked));
            }
        }
    }
    let nothing =
        |(plan, start): (Option<Plan>, &PlanStart)| plan.unwrap_or_else(|| Plan::empty(start, *question));
    plans.into_iter().zip(starts).map(nothing).collect()
}

/// Returns true if OLM also makes an upgrade of a plan on another leg. The upgrade leads from the stop `before`
/// to `stop`.
pub fn is_made_on_leg(plan: &Plan, leg: &Leg, before: &Stop, stop: &Stop) -> bool {
    let resolver = LegResolver::new(&plan.package, leg, plan.engine, stop.channel.as_ref());
    let installed = Installed { name: before.bundle.clone(), version: before.version.clone() };
    let next = resolver.next_bundles(plan.approval, &installed);
    next.is_ok_and(|next| next.iter().any(|(name, _)| *name == stop.bundle))
}
