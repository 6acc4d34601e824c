//! Request for the overview of the open catalogs.

use std::sync::Arc;

use super::Source;
use crate::{
    export::overview::{Column, Sorted},
    plan::{overview::Overview, series::Release},
    review::Snapshot,
};

/// Catalogs of an overview, in upgrade order.
#[derive(Clone, PartialEq, Debug)]
pub struct ToOverview {
    /// The catalogs.
    pub catalogs: Vec<Release<(Source, Arc<Snapshot>)>>,
}

impl ToOverview {
    /// Computes the overview with the packages sorted by name. This may take seconds.
    pub fn overview(&self) -> Sorted {
        let catalogs: Vec<_> =
            self.catalogs.iter().map(|release| (release.openshift, &*release.catalog.1)).collect();
        Sorted { columns: Column::all(&self.catalogs), overview: Overview::new(&catalogs, |_| true) }
    }
}
