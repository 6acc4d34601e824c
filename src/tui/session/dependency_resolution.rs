//! Classic's upgrades of the selected package with dependencies, resolved in the background while
//! the Upgrades screen is visible.

use std::{collections::BTreeMap, sync::Arc};

use crate::tui::{
    keys::Screen,
    parts::background_query::BackgroundQuery,
    session::{Session, context::Context},
    work::{Effect, cluster::DependencyQuery},
};
use olm_catalog::BundleName;
use olm_check::review::Snapshot;
use olm_upgrade::resolve::SinglePackageAnswer;

/// Upgrades that change with dependencies, by installed bundle.
pub type ChangedUpgrades = BTreeMap<BundleName, SinglePackageAnswer>;

/// State of dependency resolution.
#[derive(Debug, Default)]
pub(in crate::tui) struct DependencyResolution {
    awaited: BackgroundQuery<DependencyQuery, ChangedUpgrades>,
}

impl Session {
    /// Returns the upgrades that change with dependencies. `None` while they are not resolved.
    pub fn resolved_upgrades(&self) -> Option<&Arc<ChangedUpgrades>> {
        let (asked, solved) = self.dependency_resolution.awaited.last_answer()?;
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
        || cx.session.dependency_resolution.awaited.is_waiting()
    {
        return;
    }
    let Some(everyone) = cx.session.dependency_query() else { return };
    if let Some(everyone) = cx.session.dependency_resolution.awaited.request_if_changed(everyone) {
        cx.request(Effect::ResolveDependencies(everyone));
    }
}

/// Stores the resolved upgrades.
pub(in crate::tui) fn store_resolved_upgrades(
    session: &mut Session,
    asked: Arc<DependencyQuery>,
    solved: Arc<ChangedUpgrades>,
) {
    session.dependency_resolution.awaited.store_answer(asked, solved);
}
