//! Plans for all operators of a cluster.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{By, Known, Opens, Plan, Question, Remark, Start, World, plan, remarks};
use crate::{
    catalog::PackageName,
    upgrade::{
        Engine,
        openshift::OpenShift,
        safety::{Step, Way},
    },
};

/// The plan for an operator, with remarks.
#[derive(Clone, PartialEq, Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// The remarks about the plan.
    pub remarks: Vec<Remark>,
    /// The single edit that makes a blocked plan arrive, if there is one.
    pub opens: Option<Opens>,
}

/// The plans for all operators of a cluster.
///
/// The operators are independent, but they share the OpenShift version of the cluster.
#[derive(Clone, PartialEq, Debug)]
pub struct Whole {
    /// The OpenShift versions with a catalog, in order.
    pub versions: Vec<OpenShift>,
    /// The minor versions without catalog between them. The plans assume no change there.
    pub missing: Vec<OpenShift>,
    /// The operators in input order.
    pub operators: Vec<Planned>,
}

impl Whole {
    /// Computes the plans for the installed operators.
    pub fn new(world: &World, asked: &[(Start, Question)]) -> Self {
        let of = |(start, question): &(Start, Question)| {
            let legs = world.package(start.package.as_str())?;
            let plan = plan(legs, start, question);
            let remarks = remarks(legs, &plan, |_| None);
            let opens = Opens::of(legs, start, question, &plan);
            Some(Planned { plan, remarks, opens })
        };
        Self {
            versions: world.versions().to_vec(),
            missing: world.missing(),
            operators: asked.par_iter().filter_map(of).collect(),
        }
    }

    /// Recomputes the remarks with additional information about each catalog.
    #[must_use]
    pub fn knowing<'a>(
        mut self,
        world: &World,
        known: impl Fn(OpenShift, &PackageName) -> Option<Known<'a>>,
    ) -> Self {
        for Planned { plan, remarks: told, .. } in &mut self.operators {
            if let Some(legs) = world.package(plan.package.as_str()) {
                *told = remarks(legs, plan, |openshift| known(openshift, &plan.package));
            }
        }
        self
    }

    /// Returns the upgrades on an OpenShift version by package, without duplicates.
    pub fn steps(&self, openshift: OpenShift) -> BTreeMap<PackageName, Vec<Step>> {
        let mut steps: BTreeMap<PackageName, Vec<Step>> = BTreeMap::new();
        for Planned { plan, .. } in &self.operators {
            for pair in plan.stops.windows(2) {
                let [before, stop] = pair else { continue };
                if stop.openshift != openshift || !matches!(stop.by, By::Pick(_)) {
                    continue;
                }
                let way = match plan.engine {
                    Engine::Classic => Way::Classic(stop.channel.clone().unwrap_or_default()),
                    Engine::V1 => Way::V1(stop.channel.clone()),
                };
                let known = steps.entry(plan.package.clone()).or_default();
                match known.iter_mut().find(|step| step.from == before.bundle && step.to == stop.bundle) {
                    Some(step) => drop(step.ways.insert(way)),
                    None => known.push(Step {
                        from: before.bundle.clone(),
                        to: stop.bundle.clone(),
                        ways: [way].into(),
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
    pub fn in_order(&self, openshift: OpenShift) -> impl Iterator<Item = &Planned> {
        let changes = move |planned: &&Planned| {
            planned.plan.stops.iter().any(|stop| stop.openshift == openshift && stop.by == By::Channel)
        };
        let (first, then): (Vec<&Planned>, Vec<&Planned>) = self.operators.iter().partition(changes);
        first.into_iter().chain(then)
    }

    /// Returns the highest OpenShift version that all plans reach.
    pub fn reaches(&self) -> Option<OpenShift> {
        self.operators.iter().filter_map(|operator| operator.plan.reaches()).min()
    }
}
