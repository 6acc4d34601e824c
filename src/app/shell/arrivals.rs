//! Loaded and saved catalogs: updates of the session, and notices.

use std::sync::Arc;

use crate::{
    app::{
        keys::ActionId,
        parts::notice::About,
        session::{
            loading::{growing, others, templates},
            open::{Busy, Failed, Open, Stage},
            place::Selection,
            recovery, what_if,
        },
        shell::{dialogs, model::Model},
        work::{
            Effect, Opening, Refusal, Source,
            opening::{Because, Writing},
            outcome::{LoadOutcome, NotSaved, SavedTo},
        },
    },
    catalog::{ImageNote, Origin, problem::ProblemKind},
    review::Snapshot,
};

pub(super) fn loaded(model: &mut Model, outcomes: Vec<LoadOutcome>) {
    let mut failed = Vec::new();
    // The first load, and the one after saving a copy, do not need a notice.
    let busy = model.session.busy.take();
    model.session.want_nothing();
    let again = busy == Some(Busy::Reading);
    let mut left_overs = Vec::new();
    let outcomes = others::told(&model.session, templates::told(&model.session, outcomes));
    for LoadOutcome { source, result, left_over } in outcomes {
        let known = model.session.open.iter().position(|open| open.source == source);
        model.session.failed.retain(|(of, _)| *of != source);
        match (result, known) {
            (Ok(snapshot), None) => {
                if let Some(left_over) = left_over.filter(|_| model.read_only().is_none()) {
                    left_overs.push((model.session.open.len(), left_over));
                }
                model.session.open.push(Open::new(source, snapshot));
            }
            (Ok(snapshot), Some(known)) if busy == Some(Busy::Loading) => {
                if let Some(left_over) = left_over.filter(|_| model.read_only().is_none()) {
                    left_overs.push((known, left_over));
                }
                if let Some(open) = model.session.open.get_mut(known) {
                    open.show(snapshot);
                    // The package with the most stuck versions is known only now.
                    if std::mem::take(&mut open.is_selected_by_default) {
                        open.selection = Selection::default();
                    }
                }
            }
            (Ok(snapshot), Some(known)) => {
                drop(model.with(|cx| recovery::rebase(cx, known, snapshot)));
            }
            (Err(_), Some(known)) if busy == Some(Busy::Loading) => {
                model.notices.refused(growing::stopped(&model.see(), known));
            }
            // A failed reload keeps everything.
            (Err(Refusal { message, hint }), _) => {
                if busy == Some(Busy::Opening) {
                    model.session.forget_source(&source);
                }
                failed.push(Failed { label: source.label(), message: message.clone(), hint });
                model.session.failed.push((source, message));
            }
        }
    }
    if busy == Some(Busy::Opening) && failed.is_empty() {
        let last = model.session.open.len();
        let key = |id| model.key(id);
        // The template would overwrite the last edit, so stay on the edited catalog: the edit can
        // be repeated in the template from there.
        let stays = model.session.catalog().and_then(templates::lost_edits).is_some();
        let words = if stays {
            let (there, open) = (key(ActionId::EditElsewhere), key(ActionId::OpenTemplate));
            format!("open as [{last}/{last}]: {there} repeats the last edit there, {open} switches to it")
        } else {
            format!("open as [{last}/{last}]; {} goes back", key(ActionId::PlaceBack))
        };
        model.notices.done(words);
        if !stays {
            model.session.jump(|session| session.current = last.saturating_sub(1));
        }
    }
    if again && failed.is_empty() {
        model.notices.succeeded(About::Reading);
        model.notices.succeeded(About::Disk);
        model.notices.done("reloaded from disk");
    }
    if model.session.open.is_empty() {
        model.session.stage = Stage::Failed(failed);
        return;
    }
    model.session.stage = Stage::Ready;
    // A notice, because the finding is hard to see among opm's duplicate errors.
    let problems = model.session.open.iter().map(|open| open.baseline.catalog.problems());
    let left: usize = problems.map(|problems| problems.count(|kind| *kind == ProblemKind::LeftOver)).sum();
    if left > 0 {
        let files = if left == 1 { "a file".to_owned() } else { format!("{left} files") };
        model.notices.failed(
            About::Reading,
            format!("{files} left over from an interrupted save: see left-over-save in Problems"),
        );
    }
    if !again && model.session.open.iter().any(|open| open.baseline.catalog.is_proposed()) {
        model.notices.done("bundle directories: their channels are proposed, not published");
    }
    if !again {
        tell_of_images(model);
    }
    for Failed { label, message, hint } in failed {
        let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        model.notices.failed(About::Reading, format!("{label}: {message}{hint}"));
    }
    model.session.settle_all();
    model.session.come_back();
    if !left_overs.is_empty() {
        model.open(Opening::Restore { left_overs });
    }
}

/// Shows notices about images, for example that they come from the cache or that a tag moved.
fn tell_of_images(model: &mut Model) {
    let told = |open: &Open| match &open.baseline.catalog.origin {
        Origin::Image(at) => at.notes.iter().map(|note| told_of_image(&at.label, note)).collect(),
        _ => Vec::new(),
    };
    let notes: Vec<String> = model.session.open.iter().flat_map(told).collect();
    for note in notes {
        model.notices.warned(About::Reading, note);
    }
}

fn told_of_image(label: &str, note: &ImageNote) -> String {
    let hint = note.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("{label}: {}{hint}", note.words())
}

pub(super) fn saved(
    model: &mut Model,
    written: &[(usize, Arc<Snapshot>)],
    outcome: Result<SavedTo, NotSaved>,
) -> Vec<Effect> {
    if outcome.is_ok() {
        model.notices.succeeded(About::Writing);
    }
    match outcome {
        Ok(SavedTo::InPlace) => {
            for (catalog, written) in written {
                if let Some(open) = model.session.open.get_mut(*catalog) {
                    open.baseline = written.clone();
                }
            }
            model.session.settle_all();
            model.session.busy = None;
            model.notices.done(match written.len() {
                0 | 1 => "saved".to_owned(),
                several => format!("saved: {several} catalogs"),
            });
        }
        Ok(SavedTo::Elsewhere(path)) => {
            dialogs::copied(model, None);
            model.notices.done(format!("saved as {}", path.display()));
            // The what-if is part of the copy, so it becomes an edit.
            if let Some((catalog, written)) = written.first() {
                what_if::became_real(&mut model.session, *catalog, written);
            }
            // From now on the user sees and edits the copy.
            let source = Source::Path(path);
            if let Some((catalog, written)) = written.first()
                && let Some(open) = model.session.open.get_mut(*catalog)
            {
                open.baseline = written.clone();
                if let Some(asked) = model.session.sources.iter_mut().find(|asked| **asked == open.source) {
                    *asked = source.clone();
                }
                open.source = source.clone();
            }
            model.session.generation += 1;
            return vec![Effect::Load {
                generation: model.session.generation,
                sources: vec![source],
                show: false,
            }];
        }
        Err(NotSaved::ChangedOnDisk(message)) => {
            model.session.busy = None;
            model.open(Opening::ChangedOnDisk(message));
        }
        Err(NotSaved::Costs(costs)) => {
            model.session.busy = None;
            model.open(Opening::Refused { because: Because::Costs(costs), writing: Writing::InPlace });
        }
        Err(NotSaved::Failed(refusal)) => {
            model.session.busy = None;
            let reason = refusal.to_string();
            if !dialogs::copied(model, Some(&reason)) {
                model.notices.failed(About::Writing, format!("not saved: {reason}"));
            }
        }
    }
    Vec::new()
}
