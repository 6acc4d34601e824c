//! Upgrade plans over the open catalogs of several OpenShift versions, computed in the background
//! while the Plan screen is visible.

use std::sync::Arc;

use crate::{
    app::{
        keys::Screen,
        parts::awaited::Awaited,
        session::{Session, cx::Cx, open::Open},
        work::{
            Effect,
            planning::{Plans, ToPlan},
        },
    },
    plan::planner::Question,
    upgrade::{Engine, openshift::OpenShift},
};

/// State of the upgrade plans.
#[derive(Debug)]
pub struct Planning {
    /// The question.
    pub question: Question,
    awaited: Awaited<ToPlan, Plans>,
}

impl Default for Planning {
    fn default() -> Self {
        Self { question: Question::new(Engine::Classic), awaited: Awaited::default() }
    }
}

impl Planning {
    /// Returns the last plans with their request.
    pub fn plans(&self) -> Option<(&Arc<ToPlan>, &Arc<Plans>)> {
        self.awaited.answer()
    }

    /// Returns true if the plans are being computed.
    pub fn is_waiting(&self) -> bool {
        self.awaited.is_waiting()
    }
}

impl Session {
    /// Returns the open catalogs of a cluster upgrade, sorted by OpenShift version. Of several
    /// catalogs of one version, the current one or else the first is used.
    fn on_the_way(&self) -> Vec<(OpenShift, &Open)> {
        let mut all: Vec<(OpenShift, usize, &Open)> = Vec::new();
        for (at, open) in self.open.iter().enumerate() {
            let catalog = &open.now().catalog;
            if catalog.template().is_none() && !catalog.is_proposed() {
                all.extend(open.openshift().into_iter().map(|version| (version, at, open)));
            }
        }
        all.sort_by_key(|(version, at, _)| (*version, *at != self.current, *at));
        all.dedup_by(|(later, ..), (earlier, ..)| later.is_same(*earlier));
        all.into_iter().map(|(version, _, open)| (version, open)).collect()
    }

    /// Returns the number of OpenShift versions of the open catalogs.
    pub fn versions_open(&self) -> usize {
        self.on_the_way().len()
    }

    fn to_plan(&self) -> ToPlan {
        let catalogs = self.on_the_way().into_iter();
        let catalogs = catalogs.map(|(version, open)| (version, open.source.clone(), Arc::clone(open.now())));
        ToPlan { catalogs: catalogs.collect(), question: self.planning.question }
    }
}

/// Requests the plans if the Plan screen is visible and the result is stale.
pub(in crate::app) fn want(cx: &mut Cx<'_>) {
    if cx.session.screen != Screen::Plan || cx.session.busy.is_some() || cx.session.planning.is_waiting() {
        return;
    }
    let asked = cx.session.to_plan();
    let awaited = &mut cx.session.planning.awaited;
    if asked.catalogs.len() < 2 {
        return awaited.ask_nothing(asked);
    }
    if let Some(asked) = awaited.ask(asked) {
        cx.ask(Effect::Plan(asked));
    }
}

/// Stores the plans. The next check requests later changes.
pub(in crate::app) fn found(session: &mut Session, asked: Arc<ToPlan>, plans: Arc<Plans>) {
    session.planning.awaited.found(asked, plans);
}
