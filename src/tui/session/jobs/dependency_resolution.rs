//! Classic's upgrades of the selected package with dependencies, resolved in the background while
//! the Upgrades screen is visible.

use std::{collections::BTreeMap, sync::Arc};

use crate::tui::{
    keys::Screen,
    session::{Session, context::Context, jobs::StoredQuestion},
    work::{Job, JobEnvironment, Question, cluster::DependencyQuery},
};
use olm_catalog::BundleName;
use olm_check::review::Snapshot;
use olm_upgrade::resolve::SinglePackageAnswer;

/// Upgrades that change with dependencies, by installed bundle.
pub type ChangedUpgrades = BTreeMap<BundleName, SinglePackageAnswer>;

/// State of dependency resolution.
pub(in crate::tui) type DependencyResolution = Job<DependencyQuery>;

impl Question for DependencyQuery {
    type Answer = Arc<ChangedUpgrades>;

    fn compute(&self, _environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(Arc::new(self.resolve_upgrades()));
    }
}

impl StoredQuestion for DependencyQuery {
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>) {
        cx.session.jobs.dependency_resolution.store(question, answer);
    }
}

impl Session {
    /// Returns the upgrades that change with dependencies. `None` while they are not resolved.
    pub fn resolved_upgrades(&self) -> Option<&Arc<ChangedUpgrades>> {
        let (asked, solved) = self.jobs.dependency_resolution.last_answer()?;
        let is_shown = self.derived.upgrade_table().is_some_and(|table| Arc::ptr_eq(table, &asked.table));
        is_shown.then_some(solved)
    }

    fn dependency_query(&self) -> Option<DependencyQuery> {
        let open = self.current_catalog()?;
        let (table, package) = (self.derived.upgrade_table()?, self.selected_package()?);
        // Without dependencies nothing changes.
        if package.resolution().channels.is_empty() || open.visible_state().catalog.template().is_some() {
            return None;
        }
        let catalogs = self.cluster_catalogs();
        Some(DependencyQuery { table: Arc::clone(table), package: Arc::clone(package), catalogs })
    }

    /// Returns the current catalog and those that can be on a cluster with it, each with its
    /// display name.
    pub(in crate::tui) fn cluster_catalogs(&self) -> Vec<(String, Arc<Snapshot>)> {
        let own = self
            .current_catalog()
            .map(|open| (self.short_source_name(&open.source), Arc::clone(open.visible_state())));
        own.into_iter().chain(self.other_cluster_catalogs()).collect()
    }

    /// Returns the other catalogs that can be on a cluster with the current one, with display names
    /// and visible states.
    pub(in crate::tui) fn other_cluster_catalogs(&self) -> Vec<(String, Arc<Snapshot>)> {
        let Some(own) = self.current_catalog() else { return Vec::new() };
        let others = self.open_catalogs.iter().filter(|other| {
            other.source != own.source
                && other.visible_state().catalog.template().is_none()
                && other.visible_state().first_rejection().is_none()
                && self.can_share_cluster(&other.source, &own.source)
        });
        others.map(|open| (self.short_source_name(&open.source), Arc::clone(open.visible_state()))).collect()
    }
}

/// Requests dependency resolution if the Upgrades screen is visible and the result is not cached.
pub(in crate::tui) fn request_resolved_upgrades(cx: &mut Context<'_>) {
    if cx.session.screen != Screen::Upgrades
        || cx.session.busy.is_some()
        || cx.session.jobs.dependency_resolution.is_waiting()
    {
        return;
    }
    let Some(everyone) = cx.session.dependency_query() else { return };
    if let Some(everyone) = cx.session.jobs.dependency_resolution.request_if_changed(everyone) {
        cx.run_job(everyone);
    }
}
