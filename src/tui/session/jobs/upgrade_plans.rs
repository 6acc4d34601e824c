//! Upgrade plans over the open catalogs of several OpenShift versions, computed in the background
//! while the Plan screen is visible.

use std::sync::Arc;

use rayon::prelude::*;

use crate::tui::{
    keys::Screen,
    session::{catalogs::Catalogs, context::Context, jobs::StoredQuestion},
    work::{Job, JobEnvironment, Question, Source},
};
use olm_catalog::PackageName;
use olm_check::review::Snapshot;
use olm_plan::planner::{
    self, AllPlans, CatalogFix, OperatorPlan, PackagePlans, PlanCatalogs, PlanSettings, PlanStart,
    VersionInformation,
};
use olm_upgrade::{Engine, Installed, openshift::OpenShift};

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
    /// Numbers of plans of each package of `everyone`.
    pub counts: Vec<PlanCounts>,
}

/// Numbers of a package. It has a plan for each installed version in each of its channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlanCounts {
    /// Plans that do not arrive.
    pub blocked: usize,
    /// Installed versions that are stuck in the last catalog, and whose plans arrive there.
    pub stuck: usize,
    /// All plans.
    pub total: usize,
}

impl PlanRequest {
    /// Creates the request for the open catalogs of a cluster upgrade.
    fn from_catalogs(catalogs: &Catalogs, question: PlanSettings) -> Self {
        let catalogs = catalogs.sorted_by_openshift().into_iter();
        let catalogs =
            catalogs.map(|(version, open)| (version, open.source.clone(), Arc::clone(open.visible_state())));
        Self { catalogs: catalogs.collect(), question }
    }

    /// Computes the plans. This may take seconds.
    pub fn compute_plans(&self) -> Plans {
        let catalogs: Vec<(OpenShift, &Snapshot)> =
            self.catalogs.iter().map(|(version, _, snapshot)| (*version, &**snapshot)).collect();
        let world = PlanCatalogs::from_snapshots(&catalogs, |_| true);
        let everyone = AllPlans::new(&world, &[self.question]);
        let count = |plans: &PackagePlans| PlanCounts {
            blocked: plans.count_stranded(),
            stuck: world.find_package(plans.package.as_str()).map_or(0, |legs| plans.count_stuck(legs)),
            total: plans.plans.count_plans(),
        };
        let counts = everyone.packages.par_iter().map(count).collect();
        Plans { world, question: self.question, everyone, counts }
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
        let plan = package.plans.nth_plan(nth)?;
        let legs = self.world.find_package(package.package.as_str())?;
        let installed = plan.first_state()?;
        let start = PlanStart {
            package: package.package.clone(),
            installed: Installed { name: installed.bundle.clone(), version: installed.version.cloned() },
            channel: installed.channel.cloned(),
            limit: None,
        };
        let plan = plan.to_plan();
        let remarks =
            planner::plan_notes(legs, &plan, |version| asked.package_context(version, &package.package));
        let opens = CatalogFix::find_catalog_fix(legs, &start, &self.question, &plan);
        Some(OperatorPlan { plan, remarks, fix: opens })
    }
}

impl Question for PlanRequest {
    type Answer = Arc<Plans>;

    fn compute(&self, _environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(Arc::new(self.compute_plans()));
    }
}

impl StoredQuestion for PlanRequest {
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>) {
        cx.session.jobs.upgrade_plans.job.store(question, answer);
    }
}

/// State of the upgrade plans.
#[derive(Debug)]
pub struct PlanState {
    /// The question.
    pub question: PlanSettings,
    job: Job<PlanRequest>,
}

impl Default for PlanState {
    fn default() -> Self {
        Self { question: PlanSettings::new(Engine::Classic), job: Job::default() }
    }
}

impl PlanState {
    /// Returns the last plans with their request.
    pub fn plans(&self) -> Option<(&Arc<PlanRequest>, &Arc<Plans>)> {
        self.job.last_answer()
    }

    /// Returns true if the plans are being computed.
    pub fn is_waiting(&self) -> bool {
        self.job.is_waiting()
    }
}

/// Requests the plans if the Plan screen is visible and the result is stale.
pub(in crate::tui) fn request_plans(cx: &mut Context<'_>) {
    if cx.session.navigation.screen != Screen::Plan
        || cx.session.waiting.busy.is_some()
        || cx.session.jobs.upgrade_plans.is_waiting()
    {
        return;
    }
    let PlanState { question, job } = &mut cx.session.jobs.upgrade_plans;
    let asked = PlanRequest::from_catalogs(&cx.session.catalogs, *question);
    if asked.catalogs.len() < 2 {
        return job.clear_for_question(asked);
    }
    if let Some(asked) = job.request_if_changed(asked) {
        cx.run_job(asked);
    }
}
