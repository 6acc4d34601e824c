//! Plans for everything that is installed on one cluster.

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

/// The plan for one operator with all that is to be said of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// What somebody should know besides.
    pub remarks: Vec<Remark>,
    /// The edit that opens the way, where there is none and one edit does.
    pub opens: Option<Opens>,
}

/// See the module. The operators are independent but for the cluster's version, which is the same for all.
#[derive(Clone, PartialEq, Debug)]
pub struct Whole {
    /// The OpenShift versions that have a catalog, in order.
    pub versions: Vec<OpenShift>,
    /// The minor versions between them: what is installed is assumed to stay as it is there.
    pub missing: Vec<OpenShift>,
    /// The operators, in the order in which they were asked about.
    pub operators: Vec<Planned>,
}

impl Whole {
    /// Plans for what is installed.
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

    /// The same, with what follows from the rest of the catalogs.
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

    /// The upgrades on a version, package by package, each once.
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

    /// Whether all of them arrive.
    pub fn arrives(&self) -> bool {
        self.operators.iter().all(|operator| operator.plan.arrives())
    }

    /// The operators in the order in which something is done about them on a version: those first whose channel is changed, for
    /// OLM Classic resolves nothing of a namespace in which somebody follows a channel that is gone.
    pub fn in_order(&self, openshift: OpenShift) -> impl Iterator<Item = &Planned> {
        let changes = move |planned: &&Planned| {
            planned.plan.stops.iter().any(|stop| stop.openshift == openshift && stop.by == By::Channel)
        };
        let (first, then): (Vec<&Planned>, Vec<&Planned>) = self.operators.iter().partition(changes);
        first.into_iter().chain(then)
    }

    /// The version that the cluster gets to with all of them.
    pub fn reaches(&self) -> Option<OpenShift> {
        self.operators.iter().filter_map(|operator| operator.plan.reaches()).min()
    }
}
