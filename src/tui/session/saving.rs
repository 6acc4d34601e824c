//! Saving: conditions, effects and destinations.

use std::sync::Arc;

use crate::tui::{
    keys::{ActionId, Screen, spec::Enabled},
    session::{
        Session,
        context::{Context, ViewContext},
        open_catalog::OpenCatalog,
        wait_state::BlockingWork,
    },
    work::{Effect, Source, effect::SaveRequest},
};
use olm_check::{Severity, review::Consequences};

/// Returns an error if there are no unsaved edits, or the screen does not show them.
pub(in crate::tui) fn has_changes(view_cx: &ViewContext<'_>) -> Enabled {
    if view_cx.session.navigation.screen == Screen::Changes && view_cx.session.shows_comparison() {
        return Err(format!(
            "a comparison is active: {} shows unsaved edits",
            view_cx.key_label(ActionId::NextPane)
        ));
    }
    if view_cx.session.catalogs.unsaved_count() > 0 { Ok(()) } else { Err("no unsaved edits".to_owned()) }
}

/// Returns the number of errors that the edits of the catalogs add. opm rejects such catalogs.
pub(in crate::tui) fn count_new_errors<'a>(written: impl IntoIterator<Item = &'a OpenCatalog>) -> usize {
    let findings = written.into_iter().flat_map(|open| match &open.what_if {
        // A written what-if already has its consequences.
        Some(what_if) if Arc::ptr_eq(&open.baseline, open.history.now()) => {
            what_if.consequences.new_findings.clone()
        }
        _ => Consequences::compare_snapshots(&open.baseline, open.visible_state()).new_findings,
    });
    findings.filter(|finding| finding.severity() == Severity::Error).count()
}

/// Returns true if a catalog has files to write: it was opened from a path, and is not an image or
/// an older format.
pub(in crate::tui) fn has_own_files(open: &OpenCatalog) -> bool {
    matches!(open.source, Source::Path(_)) && !open.baseline.catalog.origin.has_no_files()
}

/// Returns the catalogs whose files change, with their indexes.
pub(in crate::tui) fn changed_catalogs(session: &Session) -> Vec<(usize, &OpenCatalog)> {
    let differs = |open: &OpenCatalog| {
        let (before, after) = (&open.baseline.catalog, &open.history.now().catalog);
        has_own_files(open) && !after.files_changed_since(before).is_empty()
    };
    session.catalogs.all().iter().enumerate().filter(|(_, open)| differs(open)).collect()
}

/// Writes to the catalogs' own files. `knowing` is true if the user confirmed the loss of file
/// metadata.
pub(in crate::tui) fn write_in_place(cx: &mut Context<'_>, knowing: bool) {
    let saves = changed_catalogs(cx.session).into_iter().map(|(catalog, open)| SaveRequest {
        catalog,
        baseline: open.baseline.clone(),
        state: open.history.now().clone(),
    });
    let saves = saves.collect();
    cx.session.waiting.busy = Some(BlockingWork::Saving);
    cx.request(Effect::Save { saves, confirmed: knowing });
}

/// Returns the proposed path of a copy of a catalog.
pub(in crate::tui) fn propose_copy_path(open: &OpenCatalog) -> String {
    let name = match &open.source {
        Source::Demo => "demo-catalog".to_owned(),
        Source::Stdin(_) => "catalog.yaml".to_owned(),
        Source::Revision(revision) => {
            let name = revision.path.as_deref().and_then(std::path::Path::file_name);
            name.map_or_else(|| "catalog".to_owned(), |name| name.to_string_lossy().into_owned())
        }
        Source::Path(path) => {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            format!("{}-copy", name.unwrap_or_else(|| "catalog".to_owned()))
        }
    };
    open.propose_companion_path(&name)
}
