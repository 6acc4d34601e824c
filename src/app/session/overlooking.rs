//! Overview of the open catalogs, computed in the background while the Overview screen is visible.

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

/// State of the overview.
#[derive(Debug, Default)]
pub struct Overlooking {
    awaited: Awaited<ToOverview, Sorted>,
}

impl Overlooking {
    /// Returns the last overview with its request.
    pub fn overview(&self) -> Option<(&Arc<ToOverview>, &Arc<Sorted>)> {
        self.awaited.answer()
    }

    /// Returns true if the overview is being computed.
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

    /// Returns the index among the open catalogs of a catalog of the overview.
    pub(in crate::app) fn overlooked(&self, nth: usize) -> Option<usize> {
        let (asked, _) = self.overlooking.overview()?;
        let (source, _) = &asked.catalogs.get(nth)?.catalog;
        self.open.iter().position(|open| open.source == *source)
    }
}

/// Requests the overview if its screen is visible and the result is stale. Waits for loading,
/// because unread catalogs have no findings.
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

/// Stores the overview. The next check requests later changes.
pub(in crate::app) fn found(session: &mut Session, asked: Arc<ToOverview>, overview: Arc<Sorted>) {
    session.overlooking.awaited.found(asked, overview);
}
