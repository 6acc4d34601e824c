//! Catalogs that are visible while they are read.

use std::sync::Arc;

use crate::tui::{
    keys::ActionId,
    session::{
        Session,
        context::{Context, ViewContext},
        open_catalog::{BlockingWork, OpenCatalog, Stage},
    },
    work::{Effect, Source},
};
use olm_catalog::MissingPart;
use olm_check::review::Snapshot;

/// Shows the part of a catalog that is already read.
pub(in crate::tui) fn show_partial_catalog(session: &mut Session, source: Source, snapshot: Arc<Snapshot>) {
    let known = session.open_catalogs.iter_mut().find(|open| open.source == source);
    match known {
        Some(open) => open.replace_state(snapshot),
        None => session.open_catalogs.push(OpenCatalog::new(source, snapshot)),
    }
    session.stage = Stage::Ready;
    session.busy = Some(BlockingWork::Loading);
    session.correct_all_selections();
    session.restore_loaded_places();
}

/// Requests to read the selected package first, if it is not read yet.
pub(in crate::tui) fn request_selected_package(cx: &mut Context<'_>) {
    let session = &*cx.session;
    let selected = &session.selection().package;
    if session.busy != Some(BlockingWork::Loading)
        || !session.package_is_unread()
        || *selected == session.read_first
    {
        return;
    }
    if let Some(package) = selected.clone() {
        cx.session.read_first = Some(package.clone());
        cx.request(Effect::ReadFirst { package });
    }
}

/// Returns the notice after reading stopped in the middle of a catalog.
pub(in crate::tui) fn stopped_notice(view_cx: &ViewContext<'_>, catalog: usize) -> String {
    let there = view_cx.session.open_catalogs.get(catalog).map(|open| &open.baseline.catalog);
    let Some((catalog, unread)) = there.and_then(|catalog| Some((catalog, catalog.missing_part()?))) else {
        return "reading was stopped".to_owned();
    };
    let known = catalog.packages().len();
    let read = known.saturating_sub(unread.packages.len());
    let of = if unread.is_listed { format!(" of {known}") } else { String::new() };
    format!("stopped at {read}{of} packages: {} reads all", view_cx.key_label(ActionId::Reload))
}

impl Session {
    /// Returns the unread part of the current catalog.
    pub fn unread(&self) -> Option<&MissingPart> {
        self.snapshot()?.catalog.missing_part()
    }

    /// Returns true if the selected package is not completely read.
    pub fn package_is_unread(&self) -> bool {
        let selected = self.selection().package.as_ref();
        selected.zip(self.unread()).is_some_and(|(package, unread)| unread.packages.contains(package))
    }

    /// Returns true while visible catalogs are being read.
    pub fn is_loading_visibly(&self) -> bool {
        self.busy == Some(BlockingWork::Loading)
    }
}
