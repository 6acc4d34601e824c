//! Upgrade plans over the open catalogs of several OpenShift versions, computed in the background
//! while the Plan screen is visible.

use std::sync::Arc;

use crate::tui::{
    keys::Screen,
    parts::background_query::BackgroundQuery,
    session::{Session, context::Context, open_catalog::OpenCatalog},
    work::{
        Effect,
        plan_request::{PlanRequest, Plans},
    },
};
use olm_plan::planner::PlanSettings;
use olm_upgrade::{Engine, openshift::OpenShift};

/// State of the upgrade plans.
#[derive(Debug)]
pub struct PlanState {
    /// The question.
    pub question: PlanSettings,
    awaited: BackgroundQuery<PlanRequest, Plans>,
}

impl Default for PlanState {
    fn default() -> Self {
        Self { question: PlanSettings::new(Engine::Classic), awaited: BackgroundQuery::default() }
    }
}

impl PlanState {
    /// Returns the last plans with their request.
    pub fn plans(&self) -> Option<(&Arc<PlanRequest>, &Arc<Plans>)> {
        self.awaited.last_answer()
    }

    /// Returns true if the plans are being computed.
    pub fn is_waiting(&self) -> bool {
        self.awaited.is_waiting()
    }
}

impl Session {
    /// Returns the open catalogs of a cluster upgrade, sorted by OpenShift version. Of several
    /// catalogs of one version, the current one or else the first is used.
    fn catalogs_by_version(&self) -> Vec<(OpenShift, &OpenCatalog)> {
        let mut all: Vec<(OpenShift, usize, &OpenCatalog)> = Vec::new();
        for (at, open) in self.open_catalogs.iter().enumerate() {
            let catalog = &open.visible_state().catalog;
            if catalog.template().is_none() && !catalog.is_rendered_from_bundles() {
                all.extend(open.openshift_versions().into_iter().map(|version| (version, at, open)));
            }
        }
        all.sort_by_key(|(version, at, _)| (*version, *at != self.current, *at));
        all.dedup_by(|(later, ..), (earlier, ..)| later.is_same(*earlier));
        all.into_iter().map(|(version, _, open)| (version, open)).collect()
    }

    /// Returns the number of OpenShift versions of the open catalogs.
    pub fn openshift_version_count(&self) -> usize {
        self.catalogs_by_version().len()
    }

    fn plan_request(&self) -> PlanRequest {
        let catalogs = self.catalogs_by_version().into_iter();
        let catalogs =
            catalogs.map(|(version, open)| (version, open.source.clone(), Arc::clone(open.visible_state())));
        PlanRequest { catalogs: catalogs.collect(), question: self.upgrade_plans.question }
    }
}

/// Requests the plans if the Plan screen is visible and the result is stale.
pub(in crate::tui) fn request_plans(cx: &mut Context<'_>) {
    if cx.session.screen != Screen::Plan || cx.session.busy.is_some() || cx.session.upgrade_plans.is_waiting()
    {
        return;
    }
    let asked = cx.session.plan_request();
    let awaited = &mut cx.session.upgrade_plans.awaited;
    if asked.catalogs.len() < 2 {
        return awaited.clear_for_question(asked);
    }
    if let Some(asked) = awaited.request_if_changed(asked) {
        cx.request(Effect::ComputePlans(asked));
    }
}

/// Stores the plans. The next check requests later changes.
pub(in crate::tui) fn store_plans(session: &mut Session, asked: Arc<PlanRequest>, plans: Arc<Plans>) {
    session.upgrade_plans.awaited.store_answer(asked, plans);
}
