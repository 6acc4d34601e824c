//! The overview over the open catalogs: worked out in the background while the Overview screen is looked at.

use std::sync::Arc;

use crate::{
    app::{
        keys::Screen,
        parts::awaited::Awaited,
        session::{Session, cx::Cx},
        work::{Effect, overview::ToOverview},
    },
    export::overview::Sorted,
    plan::series::{self, Release},
};

/// See the module.
#[derive(Debug, Default)]
pub struct Overlooking {
    awaited: Awaited<ToOverview, Sorted>,
}

impl Overlooking {
    /// The overview as it was last worked out, and over what.
    pub fn overview(&self) -> Option<(&Arc<ToOverview>, &Arc<Sorted>)> {
        self.awaited.answer()
    }

    /// Whether what is shown is not what follows from the catalogs as they are now.
    pub fn is_waiting(&self) -> bool {
        self.awaited.is_waiting()
    }
}

impl Session {
    fn to_overview(&self) -> ToOverview {
        let open = self.open.iter().filter(|open| {
            let catalog = &open.now().catalog;
            catalog.template().is_none() && !catalog.is_proposed()
        });
        let releases = |open: &super::open::Open| {
            let (source, now) = (open.source.clone(), Arc::clone(open.now()));
            Release::of_versions(&source.label(), open.now().catalog.openshift(), (source, now))
        };
        let mut catalogs: Vec<_> = open.flat_map(releases).collect();
        series::sort(&mut catalogs);
        ToOverview { catalogs }
    }

    /// The place among the open catalogs of one in the overview.
    pub(in crate::app) fn overlooked(&self, nth: usize) -> Option<usize> {
        let (asked, _) = self.overlooking.overview()?;
        let (source, _) = &asked.catalogs.get(nth)?.catalog;
        self.open.iter().position(|open| open.source == *source)
    }
}

/// Has the overview worked out, where it is looked at and not known. What is still being read has no findings yet.
pub(in crate::app) fn want(cx: &mut Cx<'_>) {
    if cx.session.screen != Screen::Overview
        || cx.session.busy.is_some()
        || cx.session.overlooking.is_waiting()
    {
        return;
    }
    let asked = cx.session.to_overview();
    if let Some(asked) = cx.session.overlooking.awaited.ask(asked) {
        cx.ask(Effect::Overlook(asked));
    }
}

/// It was worked out. What changed meanwhile comes next.
pub(in crate::app) fn found(session: &mut Session, asked: Arc<ToOverview>, overview: Arc<Sorted>) {
    session.overlooking.awaited.found(asked, overview);
}
