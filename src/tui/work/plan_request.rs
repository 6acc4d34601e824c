//! Request for upgrade plans over the open catalogs, and its result.

use std::sync::Arc;

use super::Source;
use olm_catalog::PackageName;
use olm_check::review::Snapshot;
use olm_plan::planner::{
    self, AllPlans, CatalogFix, OperatorPlan, PackagePlans, PlanCatalogs, PlanSettings, VersionInformation,
};
use olm_upgrade::openshift::OpenShift;

/// Catalogs of a plan, one for each OpenShift version in order, with the question.
#[derive(Clone, PartialEq, Debug)]
pub struct PlanRequest {
    /// The catalogs.
    pub catalogs: Vec<(OpenShift, Source, Arc<Snapshot>)>,
    /// The question.
    pub question: PlanSettings,
}

/// Upgrade plans for all packages of the first catalog.
#[derive(Debug)]
pub struct Plans {
    /// The catalogs that the plans are based on.
    pub world: PlanCatalogs,
    /// The question.
    pub question: PlanSettings,
    /// The plans.
    pub everyone: AllPlans,
}

impl PlanRequest {
    /// Computes the plans. This may take seconds.
    pub fn compute_plans(&self) -> Plans {
        let catalogs: Vec<(OpenShift, &Snapshot)> =
            self.catalogs.iter().map(|(version, _, snapshot)| (*version, &**snapshot)).collect();
        let world = PlanCatalogs::from_snapshots(&catalogs, |_| true);
        let everyone = AllPlans::new(&world, &[self.question]);
        Plans { world, question: self.question, everyone }
    }

    /// Returns the catalog and the step safety of a package on an OpenShift version.
    fn package_context(&self, version: OpenShift, package: &PackageName) -> Option<VersionInformation<'_>> {
        let (.., snapshot) = self.catalogs.iter().find(|(own, ..)| *own == version)?;
        let safety = snapshot.package(package.as_str()).and_then(|package_state| package_state.safety());
        Some(VersionInformation { catalog: &snapshot.catalog, safety: safety.map(|safety| &**safety) })
    }
}

impl Plans {
    /// Returns the plans of a package.
    pub fn package_plans(&self, name: &PackageName) -> Option<&PackagePlans> {
        self.everyone.packages.iter().find(|package| package.package == *name)
    }

    /// Returns a plan with its remarks and its further options.
    pub fn plan_with_remarks(
        &self,
        asked: &PlanRequest,
        package: &PackagePlans,
        nth: usize,
    ) -> Option<OperatorPlan> {
        let plan = package.plans.get(nth)?.clone();
        let legs = self.world.find_package(package.package.as_str())?;
        let start = planner::list_starts(legs).into_iter().nth(nth)?;
        let remarks =
            planner::plan_notes(legs, &plan, |version| asked.package_context(version, &package.package));
        let opens = CatalogFix::find_catalog_fix(legs, &start, &self.question, &plan);
        Some(OperatorPlan { plan, remarks, fix: opens })
    }
}
