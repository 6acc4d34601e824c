//! Request for upgrade plans over the open catalogs, and its result.

use std::sync::Arc;

use super::Source;
use crate::{
    catalog::PackageName,
    plan::planner::{self, Everyone, Known, Opens, PackagePlans, Planned, Question, World},
    review::Snapshot,
    upgrade::openshift::OpenShift,
};

/// Catalogs of a plan, one for each OpenShift version in order, with the question.
#[derive(Clone, PartialEq, Debug)]
pub struct ToPlan {
    /// The catalogs.
    pub catalogs: Vec<(OpenShift, Source, Arc<Snapshot>)>,
    /// The question.
    pub question: Question,
}

/// Upgrade plans for all packages of the first catalog.
#[derive(Debug)]
pub struct Plans {
    /// The catalogs that the plans are based on.
    pub world: World,
    /// The question.
    pub question: Question,
    /// The plans.
    pub everyone: Everyone,
}

impl ToPlan {
    /// Computes the plans. This may take seconds.
    pub fn plan(&self) -> Plans {
        let catalogs: Vec<(OpenShift, &Snapshot)> =
            self.catalogs.iter().map(|(version, _, snapshot)| (*version, &**snapshot)).collect();
        let world = World::of_judged(&catalogs, |_| true);
        let everyone = Everyone::new(&world, &[self.question]);
        Plans { world, question: self.question, everyone }
    }

    /// Returns the catalog and the step safety of a package on an OpenShift version.
    fn known(&self, version: OpenShift, package: &PackageName) -> Option<Known<'_>> {
        let (.., snapshot) = self.catalogs.iter().find(|(own, ..)| *own == version)?;
        let safety = snapshot.package(package.as_str()).and_then(|judged| judged.safety());
        Some(Known { catalog: &snapshot.catalog, safety: safety.map(|safety| &**safety) })
    }
}

impl Plans {
    /// Returns the plans of a package.
    pub fn package(&self, name: &PackageName) -> Option<&PackagePlans> {
        self.everyone.packages.iter().find(|package| package.package == *name)
    }

    /// Returns a plan with its remarks and its further options.
    pub fn planned(&self, asked: &ToPlan, package: &PackagePlans, nth: usize) -> Option<Planned> {
        let plan = package.plans.get(nth)?.clone();
        let legs = self.world.package(package.package.as_str())?;
        let start = planner::starts(legs).into_iter().nth(nth)?;
        let remarks = planner::remarks(legs, &plan, |version| asked.known(version, &package.package));
        let opens = Opens::of(legs, &start, &self.question, &plan);
        Some(Planned { plan, remarks, opens })
    }
}
