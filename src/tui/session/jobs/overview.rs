//! Overview of the open catalogs for the table of the Packages screen, computed in the background
//! while that screen is visible.

use std::{collections::BTreeSet, sync::Arc};

use crate::tui::{
    keys::Screen,
    session::{
        Session, catalogs::Catalogs, context::Context, jobs::StoredQuestion, navigation::Pane,
        open_catalog::OpenCatalog,
    },
    work::{Job, JobEnvironment, Question, Source},
};
use olm_catalog::PackageName;
use olm_check::review::Snapshot;
use olm_plan::{
    overview::Overview,
    series::{self, Release},
};
use olmap_report::overview::{Column, SortedOverview};

/// Catalogs of an overview, in upgrade order.
#[derive(Clone, PartialEq, Debug)]
pub struct OverviewRequest {
    /// The catalogs.
    pub catalogs: Vec<Release<(Source, Arc<Snapshot>)>>,
    /// Packages that a catalog lacks and the base of its comparison has.
    pub removed: BTreeSet<PackageName>,
}

impl OverviewRequest {
    /// Creates the request for the open catalogs.
    fn from_catalogs(catalogs: &Catalogs) -> Self {
        let releases = |open: &OpenCatalog| {
            let (source, now) = (open.source.clone(), Arc::clone(open.visible_state()));
            Release::for_versions(&source.label(), open.visible_state().catalog.openshift(), (source, now))
        };
        let open = || catalogs.all().iter().filter(|open| open.is_published());
        let compared = open().filter_map(|open| open.base_comparison.comparison());
        let removed = compared.flat_map(|comparison| comparison.removed_packages().cloned()).collect();
        let mut catalogs: Vec<_> = open().flat_map(releases).collect();
        series::sort_releases(&mut catalogs);
        Self { catalogs, removed }
    }

    /// Computes the overview with the packages sorted by name. This may take seconds.
    pub fn compute_overview(&self) -> SortedOverview {
        let catalogs: Vec<_> =
            self.catalogs.iter().map(|release| (release.openshift, &*release.catalog.1)).collect();
        let overview = Overview::with_further_packages(&catalogs, &self.removed);
        SortedOverview { columns: Column::for_releases(&self.catalogs), overview }
    }
}

impl Question for OverviewRequest {
    type Answer = Arc<SortedOverview>;

    fn compute(&self, _environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(Arc::new(self.compute_overview()));
    }
}

impl StoredQuestion for OverviewRequest {
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>) {
        cx.session.jobs.overview.job.store(question, answer);
    }
}

/// State of the overview.
#[derive(Debug, Default)]
pub struct OverviewState {
    job: Job<OverviewRequest>,
}

impl OverviewState {
    /// Returns the last overview with its request.
    pub fn overview(&self) -> Option<(&Arc<OverviewRequest>, &Arc<SortedOverview>)> {
        self.job.last_answer()
    }

    /// Returns the source of a catalog of the overview.
    pub fn source_of(&self, nth: usize) -> Option<&Source> {
        let (asked, _) = self.overview()?;
        Some(&asked.catalogs.get(nth)?.catalog.0)
    }

    /// Returns true if the overview is being computed.
    pub fn is_waiting(&self) -> bool {
        self.job.is_waiting()
    }
}

impl Session {
    /// Returns the indexes of the open catalogs in the order of the columns of Packages. Before the columns are known, in the
    /// order in which the catalogs were opened.
    pub fn catalog_order(&self) -> Vec<usize> {
        let all = self.catalogs.all().len();
        let columns = (0..all).map(|nth| self.catalogs.position(self.jobs.overview.source_of(nth)?));
        columns.collect::<Option<Vec<usize>>>().unwrap_or_else(|| (0..all).collect())
    }
}

/// Requests the overview if several catalogs are open, its table is visible and the result is stale.
/// Waits for loading, because unread catalogs have no findings.
pub(in crate::tui) fn request_overview(cx: &mut Context<'_>) {
    if cx.session.navigation.screen != Screen::Packages
        || cx.session.navigation.pane != Pane::Packages
        || cx.session.catalogs.all().len() < 2
        || cx.session.waiting.busy.is_some()
        || cx.session.jobs.overview.is_waiting()
    {
        return;
    }
    let asked = OverviewRequest::from_catalogs(&cx.session.catalogs);
    if let Some(asked) = cx.session.jobs.overview.job.request_if_changed(asked) {
        cx.run_job(asked);
    }
}
