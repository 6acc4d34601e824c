//! Plans over the open catalogs as data: what is asked, and what comes back.

use std::sync::Arc;

use super::Source;
use crate::{
    catalog::PackageName,
    plan::planner::{self, Everyone, Known, Opens, PackagePlans, Planned, Question, World},
    review::Snapshot,
    upgrade::openshift::OpenShift,
};

/// The catalogs of a plan, one for each version in order, and the question.
#[derive(Clone, PartialEq, Debug)]
pub struct ToPlan {
    /// The catalogs.
    pub catalogs: Vec<(OpenShift, Source, Arc<Snapshot>)>,
    /// What is asked.
    pub question: Question,
}

/// The plans of everybody who may have a package of the first catalog.
#[derive(Debug)]
pub struct Plans {
    /// The catalogs as they were looked at.
    pub world: World,
    /// What was asked.
    pub question: Question,
    /// The plans.
    pub everyone: Everyone,
}

impl ToPlan {
    /// Works it out; takes as long as it takes.
    pub fn plan(&self) -> Plans {
        let catalogs: Vec<(OpenShift, &Snapshot)> =
            self.catalogs.iter().map(|(version, _, snapshot)| (*version, &**snapshot)).collect();
        let world = World::of_judged(&catalogs, |_| true);
        let everyone = Everyone::new(&world, &[self.question]);
        Plans { world, question: self.question, everyone }
    }

    /// What is known of a package's surroundings on a version.
    fn known(&self, version: OpenShift, package: &PackageName) -> Option<Known<'_>> {
        let (.., snapshot) = self.catalogs.iter().find(|(own, ..)| *own == version)?;
        let safety = snapshot.package(package.as_str()).and_then(|judged| judged.safety());
        Some(Known { catalog: &snapshot.catalog, safety: safety.map(|safety| &**safety) })
    }
}

impl Plans {
    /// The plans of a package.
    pub fn package(&self, name: &PackageName) -> Option<&PackagePlans> {
        self.everyone.packages.iter().find(|package| package.package == *name)
    }

    /// A plan with all that is to be said of it.
    pub fn planned(&self, asked: &ToPlan, package: &PackagePlans, nth: usize) -> Option<Planned> {
        let plan = package.plans.get(nth)?.clone();
        let legs = self.world.package(package.package.as_str())?;
        let start = planner::starts(legs).into_iter().nth(nth)?;
        let remarks = planner::remarks(legs, &plan, |version| asked.known(version, &package.package));
        let opens = Opens::of(legs, &start, &self.question, &plan);
        Some(Planned { plan, remarks, opens })
    }
}
