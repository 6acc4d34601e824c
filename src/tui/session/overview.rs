//! Overview of the open catalogs, computed in the background while the Overview screen is visible.

use std::sync::Arc;

use crate::tui::{
    keys::Screen,
    parts::background_query::BackgroundQuery,
    session::{Session, context::Context},
    work::{Effect, overview::OverviewRequest},
};
use olm_plan::series::{self, Release};
use olmap_report::overview::SortedOverview;

/// State of the overview.
#[derive(Debug, Default)]
pub struct OverviewState {
    awaited: BackgroundQuery<OverviewRequest, SortedOverview>,
}

impl OverviewState {
    /// Returns the last overview with its request.
    pub fn overview(&self) -> Option<(&Arc<OverviewRequest>, &Arc<SortedOverview>)> {
        self.awaited.last_answer()
    }

    /// Returns true if the overview is being computed.
    pub fn is_waiting(&self) -> bool {
        self.awaited.is_waiting()
    }
}

impl Session {
    fn overview_request(&self) -> OverviewRequest {
        let open = self.open_catalogs.iter().filter(|open| {
            let catalog = &open.visible_state().catalog;
            catalog.template().is_none() && !catalog.is_rendered_from_bundles()
        });
        let releases = |open: &super::open_catalog::OpenCatalog| {
            let (source, now) = (open.source.clone(), Arc::clone(open.visible_state()));
            Release::for_versions(&source.label(), open.visible_state().catalog.openshift(), (source, now))
        };
        let mut catalogs: Vec<_> = open.flat_map(releases).collect();
        series::sort_releases(&mut catalogs);
        OverviewRequest { catalogs }
    }

    /// Returns the index among the open catalogs of a catalog of the overview.
    pub(in crate::tui) fn catalog_of_overview(&self, nth: usize) -> Option<usize> {
        let (asked, _) = self.overview.overview()?;
        let (source, _) = &asked.catalogs.get(nth)?.catalog;
        self.open_catalogs.iter().position(|open| open.source == *source)
    }
}

/// Requests the overview if its screen is visible and the result is stale. Waits for loading,
/// because unread catalogs have no findings.
pub(in crate::tui) fn request_overview(cx: &mut Context<'_>) {
    if cx.session.screen != Screen::Overview || cx.session.busy.is_some() || cx.session.overview.is_waiting()
    {
        return;
    }
    let asked = cx.session.overview_request();
    if let Some(asked) = cx.session.overview.awaited.request_if_changed(asked) {
        cx.request(Effect::ComputeOverview(asked));
    }
}

/// Stores the overview. The next check requests later changes.
pub(in crate::tui) fn store_overview(
    session: &mut Session,
    asked: Arc<OverviewRequest>,
    overview: Arc<SortedOverview>,
) {
    session.overview.awaited.store_answer(asked, overview);
}
