//! An overview over the open catalogs as data: what is looked at, and what comes back.

use std::sync::Arc;

use super::Source;
use crate::{
    export::overview::{Column, Sorted},
    plan::{overview::Overview, series::Release},
    review::Snapshot,
};

/// The catalogs of an overview, in the order in which a cluster meets them.
#[derive(Clone, PartialEq, Debug)]
pub struct ToOverview {
    /// The catalogs.
    pub catalogs: Vec<Release<(Source, Arc<Snapshot>)>>,
}

impl ToOverview {
    /// Works it out, packages by name; takes as long as it takes.
    pub fn overview(&self) -> Sorted {
        let catalogs: Vec<_> =
            self.catalogs.iter().map(|release| (release.openshift, &*release.catalog.1)).collect();
        Sorted { columns: Column::all(&self.catalogs), overview: Overview::new(&catalogs, |_| true) }
    }
}
