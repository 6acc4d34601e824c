//! Loaded and saved catalogs: updates of the session, and notices.

use std::sync::Arc;

use crate::tui::{
    dialogs::{
        changed_on_disk::ChangedOnDisk,
        edit_conflicts::ConflictList,
        edit_recovery::EditRecovery,
        save_refusal::{SaveBlocker, SaveRefusal, SaveTarget},
    },
    keys::ActionId,
    parts::notice::NoticeTopic,
    session::{
        Session,
        jobs::load,
        navigation::Selection,
        open_catalog::OpenCatalog,
        recovery,
        wait_state::{BlockingWork, FailedCatalog, Stage},
    },
    shell::{dialog_stack, model::Model},
    work::{
        Effect, Source, UserError,
        outcome::{LoadOutcome, SaveDestination, SaveFailure},
    },
};
use olm_catalog::{ImageNote, Origin, problem::ProblemKind};
use olm_check::review::Snapshot;

pub(super) fn store_loaded_catalogs(model: &mut Model, mut outcomes: Vec<LoadOutcome>) {
    let mut failed = Vec::new();
    // The first load, and the one after saving a copy, do not need a notice.
    let busy = model.session.waiting.busy.take();
    model.session.jobs.clear_read_first();
    let is_reload = busy == Some(BlockingWork::Reading);
    let mut left_overs = Vec::new();
    model.session.catalogs.resolve_loaded(&mut outcomes);
    for LoadOutcome { source, result, recoverable_edits: left_over } in outcomes {
        let known = model.session.catalogs.position(&source);
        model.session.catalogs.set_failure_reason(&source, None);
        match (result, known) {
            (Ok(snapshot), None) => {
                if let Some(left_over) = left_over.filter(|_| model.read_only().is_none()) {
                    left_overs.push((model.session.catalogs.all().len(), left_over));
                }
                model.session.catalogs.push(OpenCatalog::new(source, snapshot));
            }
            (Ok(snapshot), Some(known)) if busy == Some(BlockingWork::Loading) => {
                if let Some(left_over) = left_over.filter(|_| model.read_only().is_none()) {
                    left_overs.push((known, left_over));
                }
                if let Some(open) = model.session.catalogs.get_mut(known) {
                    open.replace_state(snapshot);
                    // By default the package with the most stuck versions is selected. It is
                    // known only now.
                    if std::mem::take(&mut open.is_selected_by_default) {
                        open.selection = Selection::default();
                    }
                }
            }
            (Ok(snapshot), Some(known)) => {
                if let Some(conflicts) = recovery::rebase_edits(&mut model.session.catalogs, known, snapshot)
                {
                    model.open_dialog(Box::new(ConflictList::from_conflicts(conflicts)));
                }
            }
            (Err(_), Some(known)) if busy == Some(BlockingWork::Loading) => {
                model.notices.report_refusal(load::stopped_notice(&model.view(), known));
            }
            // A failed reload keeps everything.
            (Err(UserError { message, hint }), _) => {
                if busy == Some(BlockingWork::Opening) {
                    model.session.catalogs.forget_source(&source);
                }
                model.session.catalogs.set_failure_reason(&source, Some(message.clone()));
                failed.push(FailedCatalog { label: source.label(), message, hint });
            }
        }
    }
    if busy == Some(BlockingWork::Opening) && failed.is_empty() {
        let last = model.session.catalogs.all().len();
        let key = |id| model.key_label(id);
        // The template would overwrite the last edit, so stay on the edited catalog: the edit can
        // be repeated in the template from there.
        let stays = model.session.current_catalog().and_then(load::overwriting_template).is_some();
        let words = if stays {
            let (there, open) = (key(ActionId::EditElsewhere), key(ActionId::OpenTemplate));
            format!("open as [{last}/{last}]: {there} repeats the last edit there, {open} switches to it")
        } else {
            format!("open as [{last}/{last}]; {} goes back", key(ActionId::PlaceBack))
        };
        model.notices.report_done(words);
        if !stays {
            model.session.jump_with(|session| session.catalogs.set_current(last.saturating_sub(1)));
        }
    }
    if is_reload && failed.is_empty() {
        model.notices.clear_topic(NoticeTopic::Load);
        model.notices.clear_topic(NoticeTopic::Disk);
        model.notices.report_done("reloaded from disk");
    }
    if model.session.catalogs.all().is_empty() {
        model.session.waiting.stage = Stage::Failed(failed);
        return;
    }
    model.session.waiting.stage = Stage::Ready;
    // A notice, because the finding is hard to see among opm's duplicate errors.
    let problems = model.session.catalogs.all().iter().map(|open| open.baseline.catalog.problems());
    let left: usize =
        problems.map(|problems| problems.count_kinds(|kind| *kind == ProblemKind::LeftOver)).sum();
    if left > 0 {
        let files = if left == 1 { "a file".to_owned() } else { format!("{left} files") };
        model.notices.report_failure(
            NoticeTopic::Load,
            format!("{files} left over from an interrupted save: see left-over-save in Problems"),
        );
    }
    if !is_reload
        && model.session.catalogs.all().iter().any(|open| open.baseline.catalog.is_rendered_from_bundles())
    {
        model.notices.report_done("bundle directories: their channels are proposed, not published");
    }
    if !is_reload {
        show_image_notices(model);
    }
    for FailedCatalog { label, message, hint } in failed {
        let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        // Most messages name the path.
        let label = if message.contains(&label) { String::new() } else { format!("{label}: ") };
        model.notices.report_failure(NoticeTopic::Load, format!("{label}{message}{hint}"));
    }
    model.session.correct_all_selections();
    model.session.restore_loaded_places();
    if let Some(package) = model.session.navigation.take_restored_package()
        && model.notices.transient.is_none()
    {
        model.notices.report_done(format!("back at {package}, where the last session ended"));
    }
    if !left_overs.is_empty() {
        model.open_dialog(Box::new(EditRecovery { recoverable_edits: left_overs }));
    }
}

/// Shows notices about images, for example that they come from the cache or that a tag moved.
fn show_image_notices(model: &mut Model) {
    let told = |open: &OpenCatalog| match &open.baseline.catalog.origin {
        Origin::Image(at) => at.notes.iter().map(|note| format_image_note(&at.label, note)).collect(),
        _ => Vec::new(),
    };
    let notes: Vec<String> = model.session.catalogs.all().iter().flat_map(told).collect();
    for note in notes {
        model.notices.report_warning(NoticeTopic::Load, note);
    }
}

fn format_image_note(label: &str, note: &ImageNote) -> String {
    let hint = note.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("{label}: {}{hint}", note.message())
}

/// Describes what was saved: the path of the only changed file, otherwise the numbers of files and
/// catalogs.
fn describe_saved(session: &Session, written: &[(usize, Arc<Snapshot>)]) -> String {
    let paths: Vec<String> = written
        .iter()
        .filter_map(|(catalog, written)| {
            let baseline = &session.catalogs.all().get(*catalog)?.baseline;
            let changed = written.catalog.files_changed_since(&baseline.catalog).into_iter();
            Some(changed.filter_map(|file| file.after.or(file.before)).map(|file| &file.display_path))
        })
        .flatten()
        .map(|path| path.display().to_string())
        .collect();
    match (paths.as_slice(), written.len()) {
        ([], _) => "saved".to_owned(),
        ([path], _) => format!("saved {path}"),
        (paths, 0 | 1) => format!("saved {} files", paths.len()),
        (paths, catalogs) => format!("saved {} files in {catalogs} catalogs", paths.len()),
    }
}

pub(super) fn store_save_result(
    model: &mut Model,
    written: &[(usize, Arc<Snapshot>)],
    outcome: Result<SaveDestination, SaveFailure>,
) -> Vec<Effect> {
    if outcome.is_ok() {
        model.notices.clear_topic(NoticeTopic::Save);
    }
    match outcome {
        Ok(SaveDestination::InPlace) => {
            let done = describe_saved(&model.session, written);
            for (catalog, written) in written {
                if let Some(open) = model.session.catalogs.get_mut(*catalog) {
                    open.baseline = written.clone();
                }
            }
            model.session.correct_all_selections();
            model.session.waiting.busy = None;
            model.notices.report_done(done);
        }
        Ok(SaveDestination::Elsewhere(path)) => {
            dialog_stack::deliver_copy_result(model, None);
            model.notices.report_done(format!("saved as {}", path.display()));
            // From now on the user sees and edits the copy.
            let source = Source::Path(path);
            if let Some((catalog, written)) = written.first()
                && let Some(open) = model.session.catalogs.get_mut(*catalog)
            {
                // The what-if is part of the copy, so it becomes an edit.
                open.apply_written_what_if(written);
                open.baseline = written.clone();
                model.session.catalogs.replace_source(*catalog, &source);
            }
            return vec![model.session.jobs.request_load(vec![source], false)];
        }
        Err(SaveFailure::ChangedOnDisk(message)) => {
            model.session.waiting.busy = None;
            model.open_dialog(Box::new(ChangedOnDisk { message }));
        }
        Err(SaveFailure::MetadataLoss(costs)) => {
            model.session.waiting.busy = None;
            model.open_dialog(Box::new(SaveRefusal {
                objection: SaveBlocker::MetadataLoss(costs),
                writing: SaveTarget::InPlace,
            }));
        }
        Err(SaveFailure::Failed(refusal)) => {
            model.session.waiting.busy = None;
            let reason = refusal.to_string();
            if !dialog_stack::deliver_copy_result(model, Some(&reason)) {
                model.notices.report_failure(NoticeTopic::Save, format!("not saved: {reason}"));
            }
        }
    }
    Vec::new()
}
