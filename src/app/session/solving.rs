//! Classic's upgrades of the selected package with dependencies, resolved in the background while
//! the Upgrades screen is visible.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    app::{
        keys::Screen,
        parts::awaited::Awaited,
        session::{Session, cx::Cx},
        work::{Effect, cluster::Everyone},
    },
    catalog::BundleName,
    resolve::Alone,
    review::Snapshot,
};

/// Upgrades that change with dependencies, by installed bundle.
pub type Solved = BTreeMap<BundleName, Alone>;

/// State of dependency resolution.
#[derive(Debug, Default)]
pub(in crate::app) struct Solving {
    awaited: Awaited<Everyone, Solved>,
}

impl Session {
    /// Returns the upgrades that change with dependencies. `None` while they are not resolved.
    pub fn solved(&self) -> Option<&Arc<Solved>> {
        let (asked, solved) = self.solving.awaited.answer()?;
        let is_shown = self.answers.table().is_some_and(|table| Arc::ptr_eq(table, &asked.table));
        is_shown.then_some(solved)
    }

    fn everyone(&self) -> Option<Everyone> {
        let open = self.catalog()?;
        let (table, package) = (self.answers.table()?, self.package()?);
        // Without dependencies nothing changes.
        if package.standings().channels.is_empty() || open.now().catalog.template().is_some() {
            return None;
        }
        let catalogs = self.around();
        Some(Everyone { table: Arc::clone(table), package: Arc::clone(package), catalogs })
    }

    /// Returns the current catalog and those that can be on a cluster with it, each with its
    /// display name.
    pub(in crate::app) fn around(&self) -> Vec<(String, Arc<Snapshot>)> {
        let own = self.catalog().map(|open| (self.short_source(&open.source), Arc::clone(open.now())));
        own.into_iter().chain(self.others_around()).collect()
    }

    /// Returns the other catalogs that can be on a cluster with the current one, with display names
    /// and visible states.
    pub(in crate::app) fn others_around(&self) -> Vec<(String, Arc<Snapshot>)> {
        let Some(own) = self.catalog() else { return Vec::new() };
        let others = self.open.iter().filter(|other| {
            other.source != own.source
                && other.now().catalog.template().is_none()
                && other.now().rejected().is_none()
                && self.may_be_together(&other.source, &own.source)
        });
        others.map(|open| (self.short_source(&open.source), Arc::clone(open.now()))).collect()
    }
}

/// Requests dependency resolution if the Upgrades screen is visible and the result is not cached.
pub(in crate::app) fn want(cx: &mut Cx<'_>) {
    if cx.session.screen != Screen::Upgrades
        || cx.session.busy.is_some()
        || cx.session.solving.awaited.is_waiting()
    {
        return;
    }
    let Some(everyone) = cx.session.everyone() else { return };
    if let Some(everyone) = cx.session.solving.awaited.ask(everyone) {
        cx.ask(Effect::Solve(everyone));
    }
}

/// Stores the resolved upgrades.
pub(in crate::app) fn found(session: &mut Session, asked: Arc<Everyone>, solved: Arc<Solved>) {
    session.solving.awaited.found(asked, solved);
}
