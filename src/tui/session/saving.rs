//! Saving: conditions, questions, and destinations.

use std::sync::Arc;

use crate::tui::{
    keys::{ActionId, Screen, spec::Enabled},
    session::{
        Session,
        context::{Context, ViewContext},
        open_catalog::OpenCatalog,
        wait_state::BlockingWork,
    },
    work::{
        DialogRequest, Effect, Source,
        dialog_request::{PromptPurpose, SaveBlocker, SaveTarget},
        effect::SaveRequest,
    },
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

/// Saves all unsaved edits, after a confirmation if necessary.
pub(in crate::tui) fn save_all(cx: &mut Context<'_>) {
    let Some(open) = cx.session.current_catalog() else { return };
    if !has_own_files(open) {
        return save_as(cx);
    }
    if changed_catalogs(cx.session).is_empty() {
        cx.notices.report_refusal("the files do not change: nothing to save");
        return;
    }
    if !needs_confirmation(cx, SaveTarget::InPlace) {
        write_in_place(cx, false);
    }
}

/// Opens a confirmation if the edits add errors that opm rejects. Returns true if it does.
fn needs_confirmation(cx: &mut Context<'_>, writing: SaveTarget) -> bool {
    let written: Vec<&OpenCatalog> = match writing {
        SaveTarget::InPlace => changed_catalogs(cx.session).into_iter().map(|(_, open)| open).collect(),
        SaveTarget::Elsewhere => cx.session.current_catalog().into_iter().collect(),
    };
    let findings = written.iter().flat_map(|open| match &open.what_if {
        // A written what-if already has its consequences.
        Some(what_if) if Arc::ptr_eq(&open.baseline, open.history.now()) => {
            what_if.consequences.new_findings.clone()
        }
        _ => Consequences::compare_snapshots(&open.baseline, open.visible_state()).new_findings,
    });
    let errors = findings.filter(|finding| finding.severity() == Severity::Error).count();
    if errors > 0 {
        cx.open_dialog(DialogRequest::SaveRefusal { blocker: SaveBlocker::Errors(errors), target: writing });
    }
    errors > 0
}

/// Returns true if a catalog has files to write: it was opened from a path, and is not an image or
/// an older format.
fn has_own_files(open: &OpenCatalog) -> bool {
    matches!(open.source, Source::Path(_)) && !open.baseline.catalog.origin.has_no_files()
}

/// Returns the catalogs whose files change, with their indexes.
fn changed_catalogs(session: &Session) -> Vec<(usize, &OpenCatalog)> {
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

/// Starts saving the whole catalog to another path.
pub(in crate::tui) fn save_as(cx: &mut Context<'_>) {
    if cx.session.current_catalog().is_none() {
        return;
    }
    // Show the Changes screen first, so that the user sees what is written.
    if cx.session.navigation.screen != Screen::Changes && cx.session.catalogs.unsaved_count() > 0 {
        cx.session.navigation.shows_unsaved_edits = true;
        cx.session.jump_with(|session| session.navigation.screen = Screen::Changes);
    }
    if !needs_confirmation(cx, SaveTarget::Elsewhere) {
        ask_for_path(cx);
    }
}

/// Asks for the path of a copy.
pub(in crate::tui) fn ask_for_path(cx: &mut Context<'_>) {
    let Some(open) = cx.session.current_catalog() else { return };
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
    let text = open.propose_companion_path(&name);
    cx.open_dialog(DialogRequest::Prompt { title: "Save as", purpose: PromptPurpose::SaveAs, text });
}
