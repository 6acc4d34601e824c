//! What Classic's picks become with dependencies, for everybody who has a version of the selected package: worked out in the
//! background while the Upgrades screen is looked at.

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

/// Where a pick becomes another one, by what is installed.
pub type Solved = BTreeMap<BundleName, Alone>;

/// What was asked and what came back.
#[derive(Debug, Default)]
pub(in crate::app) struct Solving {
    awaited: Awaited<Everyone, Solved>,
}

impl Session {
    /// What Classic's picks become with dependencies, where that is not what they are; `None` while it is not known.
    pub fn solved(&self) -> Option<&Arc<Solved>> {
        let (asked, solved) = self.solving.awaited.answer()?;
        let is_shown = self.answers.table().is_some_and(|table| Arc::ptr_eq(table, &asked.table));
        is_shown.then_some(solved)
    }

    fn everyone(&self) -> Option<Everyone> {
        let open = self.catalog()?;
        let (table, package) = (self.answers.table()?, self.package()?);
        // Nobody who needs nothing gets anything else.
        if package.standings().channels.is_empty() || open.now().catalog.template().is_some() {
            return None;
        }
        let catalogs = self.around();
        Some(Everyone { table: Arc::clone(table), package: Arc::clone(package), catalogs })
    }

    /// The catalog that is looked at and those that may be on a cluster with it, each with what it is called.
    pub(in crate::app) fn around(&self) -> Vec<(String, Arc<Snapshot>)> {
        let own = self.catalog().map(|open| (self.short_source(&open.source), Arc::clone(open.now())));
        own.into_iter().chain(self.others_around()).collect()
    }

    /// Those that may be on a cluster with the catalog that is looked at, each with what it is called, as they are now.
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

/// Has it worked out where the Upgrades screen shows it and it is not known.
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

/// It was worked out.
pub(in crate::app) fn found(session: &mut Session, asked: Arc<Everyone>, solved: Arc<Solved>) {
    session.solving.awaited.found(asked, solved);
}
