//! Edits that are made again: after the files were changed by somebody else, and after a crash.

use crate::app::work::Refusal;
use crate::app::work::outcome::LeftOver;
use std::sync::Arc;

use crate::app::{
    dialogs::state::Overlay,
    keys::ActionId,
    parts::notice::About,
    session::{
        history::History,
        loading::templates,
        model::{Model, Open},
    },
    work::{Effect, Source, outcome::LoadOutcome},
};
use crate::{edit::Recorded, review::Snapshot, validate::Severity};

/// Asks whether edits shall be made again.
#[derive(Debug)]
pub enum Question {
    /// A file is no longer what was loaded, so nothing was written.
    ChangedOnDisk {
        /// Which file, in words.
        message: String,
    },
    /// There are edits from before a crash.
    Restore {
        /// The catalog.
        catalog: usize,
        /// The edits.
        left_over: LeftOver,
    },
}

/// Edits that could not be made again.
#[derive(Debug)]
pub struct Conflicts {
    /// How many could.
    pub made: usize,
    /// The others, each with why.
    pub refused: Vec<(String, String)>,
    /// The row.
    pub cursor: usize,
}

/// What a journal holds of a catalog: its state, and the one on disk.
pub(in crate::app) type Journaled = (Arc<Snapshot>, Arc<Snapshot>);

/// Puts the unsaved edits of a catalog on top of what its files hold now.
pub(in crate::app) fn rebase(model: &mut Model, catalog: usize, loaded: Arc<Snapshot>) {
    let Some(open) = model.open.get_mut(catalog) else { return };
    let edits = open.history.edits_since(&open.baseline).unwrap_or_default();
    open.history = History::new(loaded.clone());
    open.baseline = loaded;
    open.what_if = None;
    replay(model, catalog, &edits);
}

/// Notes that somebody wrote to a catalog.
pub(in crate::app) fn touched(model: &mut Model, source: &Source) {
    if let Some(open) = model.open.iter_mut().find(|open| open.source == *source) {
        open.touched = true;
    }
}

/// Somebody comes back to the terminal: what happened to the catalogs meanwhile may have been told to nobody, as on file
/// systems that cannot be watched.
pub(in crate::app) fn focus_gained(model: &mut Model) {
    if !model.settings.no_watch {
        look_at_all(model);
    }
}

/// Has all that is on disk compared with it.
pub(in crate::app) fn look_at_all(model: &mut Model) {
    for open in &mut model.open {
        open.touched |= matches!(open.source, Source::Path(_));
    }
}

/// Has touched catalogs compared with the disk, as soon as nothing else is going on.
pub(in crate::app) fn look_again(model: &mut Model) -> Vec<Effect> {
    if is_occupied(model) {
        return Vec::new();
    }
    let touched = model.open.iter_mut().filter_map(|open| {
        let look = || Effect::LookAgain { source: open.source.clone(), baseline: open.baseline.clone() };
        std::mem::take(&mut open.touched).then(look)
    });
    touched.collect()
}

/// Whether a state is on its way to the disk or from it, or somebody is at an edit of the present one: then no other state
/// may take its place.
fn is_occupied(model: &Model) -> bool {
    model.busy.is_some() || !model.overlays.is_empty()
}

/// Takes in what another program wrote; unsaved edits are made again on top of it.
pub(in crate::app) fn looked_again(
    model: &mut Model,
    source: &Source,
    baseline: &Arc<Snapshot>,
    news: Option<LoadOutcome>,
) {
    let Some(at) = model.open.iter().position(|open| open.source == *source) else { return };
    let news = news.and_then(|news| templates::told(model, vec![news]).pop());
    let occupied = is_occupied(model);
    let Some((open, news)) = model.open.get_mut(at).zip(news) else { return };
    // What was compared is not what is open any more, or it is in use.
    if occupied || !Arc::ptr_eq(&open.baseline, baseline) {
        open.touched = true;
        return;
    }
    let label = source.label();
    let in_the_way = open.what_if.is_some() || !can_rebase(open);
    match news.result {
        Err(Refusal { message, .. }) => {
            model
                .notices
                .failed(About::Reading, format!("{label} changed on disk and cannot be read: {message}"));
        }
        Ok(_) if in_the_way => {
            let reload = model.key(ActionId::Reload);
            let words = format!("{label} changed on disk; {reload} reads it again");
            model.notices.failed(About::Reading, words);
        }
        Ok(loaded) => {
            model.notices.succeeded(About::Reading);
            let before = (open.baseline.count(Severity::Error), open.baseline.packages().len());
            let unsaved = open.history.unsaved(&open.baseline);
            rebase(model, at, loaded);
            let looked_at = std::mem::replace(&mut model.current, at);
            model.settle();
            tell_of_reading(model, &label, unsaved, before);
            model.current = looked_at;
        }
    }
}

/// Tells what came of reading again: what was read may be worse than what was there, and edits may have got lost.
fn tell_of_reading(model: &mut Model, label: &str, unsaved: usize, (errors, packages): (usize, usize)) {
    let Some(open) = model.catalog() else { return };
    let kept = open.history.unsaved(&open.baseline);
    let new_errors = open.baseline.count(Severity::Error).saturating_sub(errors);
    if packages > 0 && open.baseline.packages().len() == 0 {
        let words = format!("{label} changed on disk: it has no packages any more");
        return model.notices.failed(About::Reading, words);
    }
    if new_errors > 0 {
        let are = if new_errors == 1 {
            "1 error is new".to_owned()
        } else {
            format!("{new_errors} errors are new")
        };
        let words = format!(
            "{label} changed on disk: {are}, {} lists what is wrong",
            model.key(ActionId::ShowProblems)
        );
        return model.notices.failed(About::Reading, words);
    }
    match (unsaved, kept) {
        (0, _) => model.notices.done(format!("{label} changed on disk: read again")),
        (_, 0) => {
            model.notices.refused(format!("{label} changed on disk: read again; none of your edits is left"));
        }
        (unsaved, kept) if kept < unsaved => {
            let words =
                format!("{label} changed on disk: read again, with {kept} of your {unsaved} edits on top");
            model.notices.refused(words);
        }
        _ => model.notices.done(format!("{label} changed on disk: read again, with your edits on top")),
    }
}

/// Makes edits again and tells of those that could not be made.
fn replay(model: &mut Model, catalog: usize, edits: &[Arc<Recorded>]) {
    let Some(open) = model.open.get_mut(catalog) else { return };
    let refused = open.history.replay(edits);
    if refused.is_empty() {
        return;
    }
    let made = edits.len() - refused.len();
    let refused = refused.into_iter().map(|(edit, why)| (edit.edit.title(), why.to_string())).collect();
    model.overlays.push(Overlay::Conflicts(Conflicts { made, refused, cursor: 0 }));
}

/// Makes the edits of a journal again. The journal goes once they are in this program's own.
pub(in crate::app) fn restore(model: &mut Model, catalog: usize, left_over: LeftOver) -> Vec<Effect> {
    replay(model, catalog, &left_over.edits);
    let unsaved = model.open.get(catalog).map_or(0, |open| open.history.unsaved(&open.baseline));
    let (undo, save) = (model.key(ActionId::Undo), model.key(ActionId::Review));
    let words = match unsaved {
        0 => {
            model.notices.refused("none of the edits could be made again");
            model.settle();
            return vec![Effect::Forget { journal: left_over.journal }];
        }
        1 => format!("1 edit is back   ({undo} takes it back, {save} saves)"),
        unsaved => format!("{unsaved} edits are back   ({undo} takes them back, {save} saves)"),
    };
    model.notices.done(words);
    model.settle();
    vec![Effect::Forget { journal: left_over.journal }]
}

/// What journals have to be told: the unsaved edits of every catalog of which that changed.
pub(in crate::app) fn journal(model: &mut Model) -> Vec<Effect> {
    let mut effects = Vec::new();
    for open in &mut model.open {
        let Source::Path(path) = &open.source else { continue };
        let known = open.journaled.as_ref().is_some_and(|(now, disk)| {
            Arc::ptr_eq(now, open.history.now()) && Arc::ptr_eq(disk, &open.baseline)
        });
        if known {
            continue;
        }
        let edits = open.history.edits_since(&open.baseline).unwrap_or_default();
        let is_first = open.journaled.is_none();
        open.journaled = Some((open.history.now().clone(), open.baseline.clone()));
        // A catalog that was just opened has nothing to forget.
        if !(is_first && edits.is_empty()) {
            effects.push(Effect::Journal { catalog: path.clone(), edits });
        }
    }
    effects
}

/// Whether the unsaved edits of a catalog can be made again on other files.
pub(in crate::app) fn can_rebase(open: &Open) -> bool {
    open.history.edits_since(&open.baseline).is_some()
}
