//! Plans for all operators of a cluster.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{
    CatalogFix, Plan, PlanCatalogs, PlanNote, PlanSettings, PlanStart, StopCause, VersionInformation,
    plan_notes, plan_operator,
};
use olm_catalog::PackageName;
use olm_upgrade::{
    Engine,
    openshift::OpenShift,
    safety::{Step, StepReason},
};

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
