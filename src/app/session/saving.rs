//! The way to disk: what is written, what is asked before, and where to.

use std::sync::Arc;

use crate::{
    app::{
        keys::{ActionId, Screen, spec::Enabled},
        session::{
            Session,
            cx::{Cx, See},
            open::{Busy, Open},
        },
        work::{
            Effect, Opening, Source,
            effect::ToSave,
            opening::{Because, PromptPurpose, Writing},
        },
    },
    review::Consequences,
    validate::Severity,
};

/// Whether there is something to write, and it is what one sees.
pub(in crate::app) fn has_changes(see: &See<'_>) -> Enabled {
    if see.session.screen == Screen::Changes && see.session.shows_comparison() {
        return Err(format!("a comparison is active: {} shows unsaved edits", see.key(ActionId::NextPane)));
    }
    if see.session.unsaved() > 0 { Ok(()) } else { Err("no unsaved edits".to_owned()) }
}

/// Writes all that is unsaved, once what speaks against it was answered.
pub(in crate::app) fn write(cx: &mut Cx<'_>) {
    let Some(open) = cx.session.catalog() else { return };
    if !has_own_files(open) {
        return save_as(cx);
    }
    if to_save(cx.session).is_empty() {
        cx.notices.refused("the files do not change: nothing to save");
        return;
    }
    if !asks_first(cx, Writing::InPlace) {
        write_in_place(cx, false);
    }
}

/// Asks before a catalog is written that its edits make opm refuse.
fn asks_first(cx: &mut Cx<'_>, writing: Writing) -> bool {
    let written: Vec<&Open> = match writing {
        Writing::InPlace => to_save(cx.session).into_iter().map(|(_, open)| open).collect(),
        Writing::Elsewhere => cx.session.catalog().into_iter().collect(),
    };
    let findings = written.iter().flat_map(|open| match &open.what_if {
        // What is written is what one sees, of which that is known.
        Some(what_if) if Arc::ptr_eq(&open.baseline, open.history.now()) => {
            what_if.consequences.new_findings.clone()
        }
        _ => Consequences::between(&open.baseline, open.now()).new_findings,
    });
    let errors = findings.filter(|finding| finding.severity() == Severity::Error).count();
    if errors > 0 {
        cx.open(Opening::Refused { because: Because::Errors(errors), writing });
    }
    errors > 0
}

/// Whether a catalog has files that can be written: it came from a path, and neither an image nor an older format is meant by
/// that.
fn has_own_files(open: &Open) -> bool {
    matches!(open.source, Source::Path(_)) && !open.baseline.catalog.origin.has_no_files()
}

/// The catalogs of which files differ from what is on disk, by their numbers.
fn to_save(session: &Session) -> Vec<(usize, &Open)> {
    let differs = |open: &Open| {
        let (before, after) = (&open.baseline.catalog, &open.history.now().catalog);
        has_own_files(open) && !after.files_changed_since(before).is_empty()
    };
    session.open.iter().enumerate().filter(|(_, open)| differs(open)).collect()
}

/// Writes to the catalogs' own files. `knowing` says that one was told what they lose.
pub(in crate::app) fn write_in_place(cx: &mut Cx<'_>, knowing: bool) {
    let saves = to_save(cx.session).into_iter().map(|(catalog, open)| ToSave {
        catalog,
        baseline: open.baseline.clone(),
        state: open.history.now().clone(),
    });
    let saves = saves.collect();
    cx.session.busy = Some(Busy::Saving);
    cx.ask(Effect::Save { saves, knowing });
}

/// Has the whole catalog written somewhere else.
pub(in crate::app) fn save_as(cx: &mut Cx<'_>) {
    if cx.session.catalog().is_none() {
        return;
    }
    // Saving is done on the Changes screen, so that what is written was seen.
    if cx.session.screen != Screen::Changes && cx.session.unsaved() > 0 {
        cx.session.shows_bytes = true;
        cx.session.jump(|session| session.screen = Screen::Changes);
    }
    if !asks_first(cx, Writing::Elsewhere) {
        ask_where(cx);
    }
}

/// Asks for the path of a copy.
pub(in crate::app) fn ask_where(cx: &mut Cx<'_>) {
    let Some(open) = cx.session.catalog() else { return };
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
    let text = open.beside(&name);
    cx.open(Opening::Prompt { title: "Save as", purpose: PromptPurpose::SaveAs, text });
}
