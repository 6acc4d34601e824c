//! Edits that are applied again: after another program changed the files, and after a crash.

use std::sync::Arc;

use crate::{
    app::{
        keys::ActionId,
        parts::notice::About,
        session::{
            Session,
            cx::Cx,
            history::History,
            loading::{others, templates},
            open::Open,
        },
        work::{
            Effect, Opening, Refusal, Source,
            outcome::{LeftOver, LoadOutcome},
        },
    },
    edit::{Batch, Recorded},
    review::Snapshot,
    validate::Severity,
};

/// State of a catalog and state on disk, as last written to the journal.
pub(in crate::app) type Journaled = (Arc<Snapshot>, Arc<Snapshot>);

/// Applies the unsaved edits of a catalog to newly loaded files.
pub(in crate::app) fn rebase(cx: &mut Cx<'_>, catalog: usize, loaded: Arc<Snapshot>) {
    let Some(open) = cx.session.open.get_mut(catalog) else { return };
    let edits = open.history.edits_since(&open.baseline).unwrap_or_default();
    open.history = History::new(loaded.clone());
    open.baseline = loaded;
    open.what_if = None;
    let edits: Vec<_> = edits.iter().map(|(edit, batch)| (edit, batch.as_ref())).collect();
    replay(cx, catalog, &edits);
}

/// Marks a catalog for a disk check.
pub(in crate::app) fn touched(session: &mut Session, source: &Source) {
    if let Some(open) = session.open.iter_mut().find(|open| open.source == *source) {
        open.touched = true;
    }
}

/// Checks all catalogs when the terminal gets the focus, because some file systems do not report
/// changes.
pub(in crate::app) fn focus_gained(cx: &mut Cx<'_>) {
    if !cx.settings.no_watch {
        look_at_all(cx.session);
    }
}

/// Marks all catalogs on disk for a disk check.
pub(in crate::app) fn look_at_all(session: &mut Session) {
    for open in &mut session.open {
        open.touched |= matches!(open.source, Source::Path(_));
    }
}

/// Requests disk checks of marked catalogs once the session is idle. `in_dialog` is true while a
/// dialog is open.
pub(in crate::app) fn look_again(cx: &mut Cx<'_>, in_dialog: bool) {
    forget_mended(cx);
    if is_occupied(cx.session, in_dialog) {
        return;
    }
    let touched = cx.session.open.iter_mut().filter_map(|open| {
        let look = || Effect::LookAgain { source: open.source.clone(), baseline: open.baseline.clone() };
        std::mem::take(&mut open.touched).then(look)
    });
    let touched: Vec<Effect> = touched.collect();
    for effect in touched {
        cx.ask(effect);
    }
}

/// Clears the warning about new errors once they are fixed.
fn forget_mended(cx: &mut Cx<'_>) {
    for open in &mut cx.session.open {
        let mended = open.errors_before.is_some_and(|before| open.now().count(Severity::Error) <= before);
        if mended {
            open.errors_before = None;
            cx.notices.succeeded(About::Disk);
        }
    }
}

/// Returns true if the state must not be replaced, because files are read or written or a dialog is
/// open.
fn is_occupied(session: &Session, in_dialog: bool) -> bool {
    session.busy.is_some() || in_dialog
}

/// Loads the changes of another program and applies unsaved edits again.
pub(in crate::app) fn looked_again(
    cx: &mut Cx<'_>,
    source: &Source,
    baseline: &Arc<Snapshot>,
    news: Option<LoadOutcome>,
    in_dialog: bool,
) {
    let Some(at) = cx.session.open.iter().position(|open| open.source == *source) else { return };
    let told = |news| others::told(cx.session, templates::told(cx.session, vec![news])).pop();
    let news = news.and_then(told);
    let occupied = is_occupied(cx.session, in_dialog);
    let Some((open, news)) = cx.session.open.get_mut(at).zip(news) else { return };
    // The compared state was replaced meanwhile, or it is in use.
    if occupied || !Arc::ptr_eq(&open.baseline, baseline) {
        open.touched = true;
        return;
    }
    let label = source.label();
    let in_the_way = open.what_if.is_some() || !can_rebase(open);
    match news.result {
        Err(Refusal { message, .. }) => {
            cx.notices.warned(About::Disk, format!("{label} changed on disk and cannot be read: {message}"));
        }
        Ok(_) if in_the_way => {
            let reload = cx.key(ActionId::Reload);
            let words = format!("{label} changed on disk; {reload} reloads it");
            cx.notices.warned(About::Disk, words);
        }
        Ok(loaded) => {
            cx.notices.succeeded(About::Reading);
            cx.notices.succeeded(About::Disk);
            open.errors_before = None;
            let before = (open.baseline.count(Severity::Error), open.baseline.packages().len());
            let unsaved = open.history.unsaved(&open.baseline);
            rebase(cx, at, loaded);
            let looked_at = std::mem::replace(&mut cx.session.current, at);
            cx.session.settle();
            tell_of_reading(cx, &label, unsaved, before);
            cx.session.current = looked_at;
        }
    }
}

/// Reports the result of a reload, including new errors and lost edits.
fn tell_of_reading(cx: &mut Cx<'_>, label: &str, unsaved: usize, (errors, packages): (usize, usize)) {
    let Some(open) = cx.session.catalog() else { return };
    let kept = open.history.unsaved(&open.baseline);
    let new_errors = open.baseline.count(Severity::Error).saturating_sub(errors);
    if packages > 0 && open.baseline.packages().len() == 0 {
        let words = format!("{label} changed on disk: it has no packages now");
        return cx.notices.warned(About::Disk, words);
    }
    if new_errors > 0 {
        if let Some(open) = cx.session.open.get_mut(cx.session.current) {
            open.errors_before = Some(errors);
        }
        let are = if new_errors == 1 { "1 new error".to_owned() } else { format!("{new_errors} new errors") };
        let words = format!("{label} changed on disk: {are}, see {}", cx.key(ActionId::ShowProblems));
        return cx.notices.warned(About::Disk, words);
    }
    match (unsaved, kept) {
        (0, _) => cx.notices.done(format!("{label} changed on disk: reloaded")),
        (_, 0) => {
            cx.notices.refused(format!("{label} changed on disk: reloaded; all your edits are obsolete"));
        }
        (unsaved, kept) if kept < unsaved => {
            let words = format!("{label} changed on disk: reloaded, {kept} of your {unsaved} edits kept");
            cx.notices.refused(words);
        }
        _ => cx.notices.done(format!("{label} changed on disk: reloaded, your edits are kept")),
    }
}

/// Applies edits again and opens a dialog with those that failed.
fn replay(cx: &mut Cx<'_>, catalog: usize, edits: &[(&Arc<Recorded>, Option<&Batch>)]) {
    let Some(open) = cx.session.open.get_mut(catalog) else { return };
    let refused = open.history.replay(edits.iter().copied());
    if refused.is_empty() {
        return;
    }
    let made = edits.len() - refused.len();
    let refused = refused.into_iter().map(|(edit, why)| (edit.edit.title(), why.to_string())).collect();
    cx.open(Opening::Conflicts { made, refused });
}

/// Restores the edits of journals, and removes the journals once the edits are in this session's
/// own. Edits of a batch are one undo step again.
pub(in crate::app) fn restore(cx: &mut Cx<'_>, left_overs: &[(usize, LeftOver)]) {
    for (catalog, left_over) in left_overs {
        let edits: Vec<_> = left_over.edits.iter().map(|edit| (edit, edit.batch.as_ref())).collect();
        replay(cx, *catalog, &edits);
    }
    let open = &cx.session.open;
    let counts = left_overs.iter().filter_map(|(catalog, _)| open.get(*catalog));
    let counts: Vec<usize> =
        counts.map(|open| open.history.unsaved(&open.baseline)).filter(|unsaved| *unsaved > 0).collect();
    let of = if counts.len() > 1 { format!(" in {} catalogs", counts.len()) } else { String::new() };
    let (undo, save) = (cx.key(ActionId::Undo), cx.key(ActionId::Review));
    match counts.iter().sum() {
        0_usize => cx.notices.refused("no edit could be restored"),
        1 => cx.notices.done(format!("1 edit restored   ({undo} undo, {save} save)")),
        unsaved => cx.notices.done(format!("{unsaved} edits{of} restored   ({undo} undo, {save} save)")),
    }
    cx.session.settle_all();
    for (_, left_over) in left_overs {
        cx.ask(Effect::Forget { journal: left_over.journal.clone() });
    }
}

/// Returns the effects that write changed journals.
pub(in crate::app) fn journal(session: &mut Session) -> Vec<Effect> {
    let mut effects = Vec::new();
    for open in &mut session.open {
        let Source::Path(path) = &open.source else { continue };
        let known = open.journaled.as_ref().is_some_and(|(now, disk)| {
            Arc::ptr_eq(now, open.history.now()) && Arc::ptr_eq(disk, &open.baseline)
        });
        if known {
            continue;
        }
        let edits = open.history.edits_not_in(&open.baseline);
        let is_first = open.journaled.is_none();
        open.journaled = Some((open.history.now().clone(), open.baseline.clone()));
        // A catalog that was just opened has no journal yet.
        if !(is_first && edits.is_empty()) {
            effects.push(Effect::Journal { catalog: path.clone(), edits });
        }
    }
    effects
}

/// Returns true if the unsaved edits of a catalog can be applied to other files.
pub(in crate::app) fn can_rebase(open: &Open) -> bool {
    open.history.edits_since(&open.baseline).is_some()
}
