//! Request for the overview of the open catalogs.

use std::sync::Arc;

use super::Source;
use olm_check::review::Snapshot;
use olm_plan::{overview::Overview, series::Release};
use olmap_report::overview::{Column, SortedOverview};

/// Catalogs of an overview, in upgrade order.
#[derive(Clone, PartialEq, Debug)]
pub struct OverviewRequest {
    /// The catalogs.
    pub catalogs: Vec<Release<(Source, Arc<Snapshot>)>>,
}

impl OverviewRequest {
    /// Computes the overview with the packages sorted by name. This may take seconds.
    pub fn compute_overview(&self) -> SortedOverview {
        let catalogs: Vec<_> =
            self.catalogs.iter().map(|release| (release.openshift, &*release.catalog.1)).collect();
        SortedOverview {
            columns: Column::for_releases(&self.catalogs),
            overview: Overview::new(&catalogs, |_| true),
        }
    }
}
