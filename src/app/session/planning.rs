//! Plans over the open catalogs of several OpenShift versions: worked out in the background while the Plan screen is looked at.

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

/// See the module.
#[derive(Debug)]
pub struct Planning {
    /// What is asked.
    pub question: Question,
    awaited: Awaited<ToPlan, Plans>,
}

impl Default for Planning {
    fn default() -> Self {
        Self { question: Question::new(Engine::Classic), awaited: Awaited::default() }
    }
}

impl Planning {
    /// The plans as they were last worked out, and over what.
    pub fn plans(&self) -> Option<(&Arc<ToPlan>, &Arc<Plans>)> {
        self.awaited.answer()
    }

    /// Whether what is shown is not the answer to what is asked now.
    pub fn is_waiting(&self) -> bool {
        self.awaited.is_waiting()
    }
}

impl Session {
    /// The open catalogs that a cluster may come through, sorted by version: of two of one version the one that is looked at, or
    /// else the first.
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

    /// How many OpenShift versions the open catalogs are for.
    pub fn versions_open(&self) -> usize {
        self.on_the_way().len()
    }

    fn to_plan(&self) -> ToPlan {
        let catalogs = self.on_the_way().into_iter();
        let catalogs = catalogs.map(|(version, open)| (version, open.source.clone(), Arc::clone(open.now())));
        ToPlan { catalogs: catalogs.collect(), question: self.planning.question }
    }
}

/// Has the plans worked out, where they are looked at and not known.
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

/// They were worked out. What was asked meanwhile comes next.
pub(in crate::app) fn found(session: &mut Session, asked: Arc<ToPlan>, plans: Arc<Plans>) {
    session.planning.awaited.found(asked, plans);
}
