//! Edits that are applied again: after another program changed the files, and after a crash.

use std::sync::Arc;

use crate::tui::{
    keys::ActionId,
    parts::notice::NoticeTopic,
    session::{catalogs::Catalogs, context::Context, editing::History, open_catalog::OpenCatalog},
    work::{
        Effect, JobEnvironment, Question, Source, UserError,
        outcome::{LoadOutcome, UnsavedEdits},
    },
};
use olm_check::{Severity, review::Snapshot};
use olm_edit::{Batch, RecordedEdit};

/// Catalog whose files are compared with the baseline, and read if they differ.
#[derive(PartialEq, Debug)]
pub struct DiskCheckRequest {
    /// The catalog.
    pub source: Source,
    /// State of the files when they were last read or written.
    pub baseline: Arc<Snapshot>,
}

impl Question for DiskCheckRequest {
    /// The new state of the files. `None` if nothing changed.
    type Answer = Option<LoadOutcome>;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        let changed = environment.services.reload_changed(&self.baseline);
        send(changed.map(|result| LoadOutcome {
            source: self.source.clone(),
            result,
            recoverable_edits: None,
        }));
    }
}

/// State of a catalog and state on disk, as last written to the journal.
pub(in crate::tui) type Journaled = (Arc<Snapshot>, Arc<Snapshot>);

/// Edits of a catalog that could not be applied again.
#[derive(Debug)]
pub struct EditConflicts {
    /// Number of edits that were applied.
    pub restored: usize,
    /// Titles of the other edits, each with the reason.
    pub rejected: Vec<(String, String)>,
}

/// Applies the unsaved edits of a catalog to newly loaded files. Returns the conflicts.
pub(in crate::tui) fn rebase_edits(
    catalogs: &mut Catalogs,
    catalog: usize,
    loaded: Arc<Snapshot>,
) -> Option<EditConflicts> {
    let open = catalogs.get_mut(catalog)?;
    let edits = open.history.edits_since(&open.baseline).unwrap_or_default();
    open.history = History::new(loaded.clone());
    open.baseline = loaded;
    open.what_if = None;
    let edits: Vec<_> = edits.iter().map(|(edit, batch)| (edit, batch.as_ref())).collect();
    replay_edits(open, &edits)
}

impl Catalogs {
    /// Marks a catalog for a disk check.
    pub(in crate::tui) fn mark_for_disk_check(&mut self, source: &Source) {
        if let Some(open) = self.find_mut(source) {
            open.needs_disk_check = true;
        }
    }

    /// Marks all catalogs on disk for a disk check.
    pub(in crate::tui) fn mark_all_for_disk_check(&mut self) {
        for open in self.all_mut() {
            open.needs_disk_check |= matches!(open.source, Source::Path(_));
        }
    }

    /// Returns the effects that write changed journals.
    pub(in crate::tui) fn journal_effects(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        for open in self.all_mut() {
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
                effects.push(Effect::WriteJournal { catalog: path.clone(), edits });
            }
        }
        effects
    }
}

/// Checks all catalogs when the terminal gets the focus, because some file systems do not report
/// changes.
pub(in crate::tui) fn check_disk_on_focus(cx: &mut Context<'_>) {
    if !cx.settings.no_watch {
        cx.session.catalogs.mark_all_for_disk_check();
    }
}

/// Requests disk checks of marked catalogs once the session is idle.
pub(in crate::tui) fn request_disk_checks(cx: &mut Context<'_>) {
    clear_fixed_errors(cx);
    if is_state_locked(cx) {
        return;
    }
    let touched = cx.session.catalogs.all_mut().iter_mut().filter_map(|open| {
        let look = || DiskCheckRequest { source: open.source.clone(), baseline: open.baseline.clone() };
        std::mem::take(&mut open.needs_disk_check).then(look)
    });
    let touched: Vec<DiskCheckRequest> = touched.collect();
    for asked in touched {
        cx.run_job(Arc::new(asked));
    }
}

/// Clears the warning about new errors once they are fixed.
fn clear_fixed_errors(cx: &mut Context<'_>) {
    for open in cx.session.catalogs.all_mut() {
        let mended = open
            .errors_before
            .is_some_and(|before| open.visible_state().count_by_severity(Severity::Error) <= before);
        if mended {
            open.errors_before = None;
            cx.notices.clear_topic(NoticeTopic::Disk);
        }
    }
}

/// Returns true if the state must not be replaced, because files are read or written or a dialog is
/// open.
fn is_state_locked(cx: &Context<'_>) -> bool {
    cx.session.waiting.busy.is_some() || cx.in_dialog
}

/// Loads the changes of another program and applies unsaved edits again. Returns the conflicts.
pub(in crate::tui) fn store_disk_check(
    cx: &mut Context<'_>,
    DiskCheckRequest { source, baseline }: &DiskCheckRequest,
    news: Option<LoadOutcome>,
) -> Option<EditConflicts> {
    let (at, mut news) = cx.session.catalogs.position(source).zip(news)?;
    cx.session.catalogs.resolve_loaded(std::slice::from_mut(&mut news));
    let occupied = is_state_locked(cx);
    let open = cx.session.catalogs.get_mut(at)?;
    // The compared state was replaced meanwhile, or it is in use.
    if occupied || !Arc::ptr_eq(&open.baseline, baseline) {
        open.needs_disk_check = true;
        return None;
    }
    let label = source.label();
    let in_the_way = open.what_if.is_some() || !can_rebase(open);
    match news.result {
        Err(UserError { message, .. }) => {
            cx.notices.report_warning(
                NoticeTopic::Disk,
                format!("{label} changed on disk and cannot be read: {message}"),
            );
            None
        }
        Ok(_) if in_the_way => {
            let reload = cx.key_label(ActionId::Reload);
            let words = format!("{label} changed on disk; {reload} reloads it");
            cx.notices.report_warning(NoticeTopic::Disk, words);
            None
        }
        Ok(loaded) => {
            cx.notices.clear_topic(NoticeTopic::Load);
            cx.notices.clear_topic(NoticeTopic::Disk);
            open.errors_before = None;
            let before = (open.baseline.count_by_severity(Severity::Error), open.baseline.packages().len());
            let unsaved = open.unsaved_count();
            let conflicts = rebase_edits(&mut cx.session.catalogs, at, loaded);
            let looked_at = cx.session.catalogs.current_index();
            cx.session.catalogs.set_current(at);
            cx.session.correct_selection();
            report_reload(cx, &label, unsaved, before);
            cx.session.catalogs.set_current(looked_at);
            conflicts
        }
    }
}

/// Reports the result of a reload, including new errors and lost edits.
fn report_reload(cx: &mut Context<'_>, label: &str, unsaved: usize, (errors, packages): (usize, usize)) {
    let Some(open) = cx.session.current_catalog() else { return };
    let kept = open.unsaved_count();
    let new_errors = open.baseline.count_by_severity(Severity::Error).saturating_sub(errors);
    if packages > 0 && open.baseline.packages().len() == 0 {
        let words = format!("{label} changed on disk: it has no packages now");
        return cx.notices.report_warning(NoticeTopic::Disk, words);
    }
    if new_errors > 0 {
        if let Some(open) = cx.session.catalogs.current_mut() {
            open.errors_before = Some(errors);
        }
        let are = if new_errors == 1 { "1 new error".to_owned() } else { format!("{new_errors} new errors") };
        let words = format!("{label} changed on disk: {are}, see {}", cx.key_label(ActionId::ShowProblems));
        return cx.notices.report_warning(NoticeTopic::Disk, words);
    }
    match (unsaved, kept) {
        (0, _) => cx.notices.report_done(format!("{label} changed on disk: reloaded")),
        (_, 0) => {
            cx.notices
                .report_refusal(format!("{label} changed on disk: reloaded; all your edits are obsolete"));
        }
        (unsaved, kept) if kept < unsaved => {
            let words = format!("{label} changed on disk: reloaded, {kept} of your {unsaved} edits kept");
            cx.notices.report_refusal(words);
        }
        _ => cx.notices.report_done(format!("{label} changed on disk: reloaded, your edits are kept")),
    }
}

/// Applies edits again. Returns the conflicts.
fn replay_edits(
    open: &mut OpenCatalog,
    edits: &[(&Arc<RecordedEdit>, Option<&Batch>)],
) -> Option<EditConflicts> {
    let refused = open.history.replay(edits.iter().copied());
    let restored = edits.len() - refused.len();
    let rejected: Vec<_> =
        refused.into_iter().map(|(edit, why)| (edit.edit.title(), why.to_string())).collect();
    (!rejected.is_empty()).then_some(EditConflicts { restored, rejected })
}

/// Restores the edits of journals, and removes the journals once the edits are in this session's
/// own. Edits of a batch are one undo step again. Returns the conflicts.
pub(in crate::tui) fn restore_edits(
    cx: &mut Context<'_>,
    left_overs: &[(usize, UnsavedEdits)],
) -> Vec<EditConflicts> {
    let mut conflicts = Vec::new();
    for (catalog, left_over) in left_overs {
        let edits: Vec<_> = left_over.edits.iter().map(|edit| (edit, edit.batch.as_ref())).collect();
        let open = cx.session.catalogs.get_mut(*catalog);
        conflicts.extend(open.and_then(|open| replay_edits(open, &edits)));
    }
    let open = cx.session.catalogs.all();
    let counts = left_overs.iter().filter_map(|(catalog, _)| open.get(*catalog));
    let counts: Vec<usize> = counts.map(OpenCatalog::unsaved_count).filter(|unsaved| *unsaved > 0).collect();
    let of = if counts.len() > 1 { format!(" in {} catalogs", counts.len()) } else { String::new() };
    let (undo, review) = (cx.key_label(ActionId::Undo), cx.key_label(ActionId::Review));
    match counts.iter().sum() {
        0_usize => cx.notices.report_refusal("no edit could be restored"),
        1 => cx.notices.report_done(format!("1 edit restored   ({undo} undo, {review} review)")),
        unsaved => {
            cx.notices.report_done(format!("{unsaved} edits{of} restored   ({undo} undo, {review} review)"));
        }
    }
    cx.session.correct_all_selections();
    for (_, left_over) in left_overs {
        cx.request(Effect::RemoveJournal { journal: left_over.journal.clone() });
    }
    conflicts
}

/// Returns true if the unsaved edits of a catalog can be applied to other files.
pub(in crate::tui) fn can_rebase(open: &OpenCatalog) -> bool {
    open.history.edits_since(&open.baseline).is_some()
}
