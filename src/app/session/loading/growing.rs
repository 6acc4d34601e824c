//! Catalogs that are visible while they are read.

use std::sync::Arc;

use crate::{
    app::{
        keys::ActionId,
        session::{
            Session,
            cx::{Cx, See},
            open::{Busy, Open, Stage},
        },
        work::{Effect, Source},
    },
    catalog::Unread,
    review::Snapshot,
};

/// Shows the part of a catalog that is already read.
pub(in crate::app) fn grown(session: &mut Session, source: Source, snapshot: Arc<Snapshot>) {
    let known = session.open.iter_mut().find(|open| open.source == source);
    match known {
        Some(open) => open.show(snapshot),
        None => session.open.push(Open::new(source, snapshot)),
    }
    session.stage = Stage::Ready;
    session.busy = Some(Busy::Loading);
    session.settle_all();
    session.come_back();
}

/// Requests to read the selected package first, if it is not read yet.
pub(in crate::app) fn want(cx: &mut Cx<'_>) {
    let session = &*cx.session;
    let selected = &session.selection().package;
    if session.busy != Some(Busy::Loading) || !session.package_is_unread() || *selected == session.wanted {
        return;
    }
    if let Some(package) = selected.clone() {
        cx.session.wanted = Some(package.clone());
        cx.ask(Effect::Want { package });
    }
}

/// Returns the notice after reading stopped in the middle of a catalog.
pub(in crate::app) fn stopped(see: &See<'_>, catalog: usize) -> String {
    let there = see.session.open.get(catalog).map(|open| &open.baseline.catalog);
    let Some((catalog, unread)) = there.and_then(|catalog| Some((catalog, catalog.unread()?))) else {
        return "reading was stopped".to_owned();
    };
    let known = catalog.packages().len();
    let read = known.saturating_sub(unread.packages.len());
    let of = if unread.is_listed { format!(" of {known}") } else { String::new() };
    format!("stopped at {read}{of} packages: {} reads all", see.key(ActionId::Reload))
}

impl Session {
    /// Returns the unread part of the current catalog.
    pub fn unread(&self) -> Option<&Unread> {
        self.snapshot()?.catalog.unread()
    }

    /// Returns true if the selected package is not completely read.
    pub fn package_is_unread(&self) -> bool {
        let selected = self.selection().package.as_ref();
        selected.zip(self.unread()).is_some_and(|(package, unread)| unread.packages.contains(package))
    }

    /// Returns true while visible catalogs are being read.
    pub fn is_growing(&self) -> bool {
        self.busy == Some(Busy::Loading)
    }
}
