//! Open dialogs: dispatch of keys, and delivery of results.

use std::{path::Path, sync::Arc};

use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use crate::bundle::NewBundle;

use crate::app::{
    dialogs::{
        OpenDialog,
        dialog::{DialogState, Step, Waited},
    },
    keys::{ActionId, Dialog, Key, Press, Scope, keymap::Match},
    parts::{field, hit::Hit, list::ListId, notice::About},
    session::{cx::See, expecting, fetching, prospects, what_if},
    shell::{
        finding, flow,
        model::{Model, Parts},
    },
    work::{
        Base, Effect, Refusal, Reply, Source,
        effect::SoughtBundle,
        outcome::{BundlesCompared, Exported, Grown, Mirrored, Names},
        remedy::{Remedies, RemedySearch},
    },
};
use crate::review::Snapshot;

/// Returns true if the top dialog opened by itself and was not drawn yet. A key pressed before is
/// not an answer to it.
pub(in crate::app) fn is_unseen(model: &Model) -> bool {
    let Some(dialog) = model.dialogs.last().map(|dialog| dialog.state().id()) else { return false };
    let came_by_itself = matches!(dialog, Dialog::Restore | Dialog::ChangedOnDisk | Dialog::Conflicts);
    came_by_itself && model.frame.hits.area(Hit::Asked(dialog)).is_none()
}

/// Passes a key to the top dialog.
pub(in crate::app) fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let Some(dialog) = model.dialogs.last().map(|dialog| dialog.state().id()) else { return Vec::new() };
    let action = match model.keys.map.find(dialog, &[key]) {
        Match::Action(spec) => Some(spec.id),
        Match::Prefix | Match::Nothing => None,
    };
    press(model, action.map_or(Press::Key(key), Press::Action))
}

/// Passes a key or action to the top dialog.
pub(in crate::app) fn press(model: &mut Model, press: Press) -> Vec<Effect> {
    if press == Press::Action(ActionId::DialogHelp)
        && let Some(dialog) = model.dialog()
    {
        // The help dialog does not have help of its own, so the key closes it.
        return match model.dialogs.last() {
            Some(OpenDialog::Commands(_)) => {
                model.dialogs.pop();
                Vec::new()
            }
            _ => finding::commands(model, Some(Scope::Dialog(dialog))),
        };
    }
    let Some(top) = model.dialogs.last_mut().map(OpenDialog::state_mut) else { return Vec::new() };
    if top.field().is_some_and(|input| field::is_refused(input, press)) {
        model.notices.refused(format!("the field is full: at most {} characters", field::LONGEST));
        return Vec::new();
    }
    let by = match press {
        Press::Action(ActionId::PreviewDown) => Some(1),
        Press::Action(ActionId::PreviewUp) => Some(-1),
        _ => None,
    };
    if let Some(by) = by {
        // One line of the previous page stays visible.
        let page = model.frame.hits.list(ListId::Preview).map_or(1, |list| list.area.height as isize);
        return model.move_in(ListId::Preview, by * (page - 1).max(1));
    }
    let list = model.dialog_list();
    let mut then = Vec::new();
    let Parts { dialogs, mut cx, .. } = model.parts(&mut then);
    let Some(top) = dialogs.last_mut().map(OpenDialog::state_mut) else { return Vec::new() };
    // The preview may show another text after another key.
    cx.session.lists.set_first(ListId::Preview, 0);
    let page = cx.frame.hits.list(list).map_or(5, |list| usize::from(list.area.height)).max(1);
    let step = if press == Press::Action(ActionId::Cancel) && top.steps_back() {
        Step::Stay
    } else if press == Press::Action(ActionId::Cancel) {
        top.cancelled(&mut cx);
        Step::Close
    } else if let Some(row) = top.rows().and_then(|rows| rows.moved(press, page)) {
        top.set_cursor(row);
        Step::Stay
    } else {
        top.press(press, &mut cx)
    };
    take(model, step);
    flow::carry_out(model, then)
}

fn keep_in_sight(model: &mut Model) {
    let list = model.dialog_list();
    model.keep_in_sight(list);
}

/// Applies the result of a key to the top dialog.
fn take(model: &mut Model, step: Step) {
    match step {
        Step::Stay => keep_in_sight(model),
        Step::Close => drop(model.dialogs.pop()),
        Step::Instead(opening) => {
            model.dialogs.pop();
            model.open(opening);
            keep_in_sight(model);
        }
        Step::Above(opening) => model.open(opening),
    }
}

/// Inserts pasted text into the focused field, if there is one. Line breaks become spaces, because
/// fields have one line.
pub(in crate::app) fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    let top = model.dialogs.last_mut().map(OpenDialog::state_mut);
    let Some(input) = top.and_then(DialogState::field) else { return Vec::new() };
    let mut text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    // All characters except the last are inserted at once. The last one is typed, so that derived
    // state is computed once.
    let Some(last) = text.pop() else { return Vec::new() };
    let inserted =
        field::has_room(input, text.chars().count() + 1).and_then(|()| field::insert(input, &text));
    if let Err(error) = inserted {
        model.notices.refused(format!("not pasted: {error}"));
        return Vec::new();
    }
    press(model, Press::Key(Key { code: KeyCode::Char(last), modifiers: KeyModifiers::NONE }))
}

/// Requests the preview of the top dialog.
pub(in crate::app) fn awaited(model: &mut Model) -> Vec<Effect> {
    let mut then = Vec::new();
    let Parts { dialogs, mut cx, .. } = model.parts(&mut then);
    if let Some(prospect) = dialogs.last_mut().and_then(|top| top.state_mut().prospect()) {
        prospects::want(&mut cx, prospect);
    }
    flow::carry_out(model, then)
}

/// Calls a function with the top dialog and a read-only context.
fn with_top(model: &mut Model, act: impl FnOnce(&mut dyn DialogState, &See<'_>)) {
    let mut then = Vec::new();
    let Parts { dialogs, cx, .. } = model.parts(&mut then);
    if let Some(top) = dialogs.last_mut() {
        act(top.state_mut(), &cx.see());
    }
}

/// Updates the derived state of the top dialog.
pub(in crate::app) fn settle(model: &mut Model) {
    with_top(model, |top, see| top.settle(see));
}

/// Passes the reply of a closed dialog to the top dialog.
pub(in crate::app) fn replied(model: &mut Model, reply: Reply) {
    with_top(model, |top, see| top.replied(reply, see));
}

/// Reports a finished write to the dialog that waits for it. Returns false if no dialog waits.
/// `asked` is the path in the request; `None` for a copy of the catalog.
fn wrote(model: &mut Model, asked: Option<&Path>, refused: Option<&str>) -> bool {
    for at in 0..model.dialogs.len() {
        match model.dialogs.get_mut(at).map(|dialog| dialog.state_mut().wrote(asked, refused)) {
            Some(Waited::Done) => {
                model.dialogs.remove(at);
                return true;
            }
            Some(Waited::Stays) => return true,
            Some(Waited::No) | None => {}
        }
    }
    false
}

/// Passes path completions to the top dialog.
pub(in crate::app) fn listed(model: &mut Model, typed: &str, outcome: &Result<Names, Refusal>) {
    if let Some(top) = model.dialogs.last_mut() {
        top.state_mut().listed(typed, outcome);
    }
}

/// Passes a new bundle, or the reason of the failure, to the top dialog.
pub(in crate::app) fn bundle_read(
    model: &mut Model,
    path: &Path,
    image: &str,
    outcome: &Result<Arc<NewBundle>, Refusal>,
) {
    with_top(model, |top, see| top.bundle_read(path, image, outcome, see));
    keep_in_sight(model);
}

/// Shows the result of a search for edits in the dialog that waits for it.
pub(in crate::app) fn remedies_found(model: &mut Model, asked: &Arc<RemedySearch>, found: Remedies) {
    with_top(model, |top, see| top.remedies_found(asked, found, see));
    keep_in_sight(model);
}

/// Passes a comparison of two bundles, or the reason of the failure, to all dialogs.
pub(in crate::app) fn bundles_compared(
    model: &mut Model,
    sought: &[SoughtBundle; 2],
    outcome: &Result<Arc<BundlesCompared>, Refusal>,
) {
    for dialog in &mut model.dialogs {
        dialog.state_mut().bundles_compared(sought, outcome);
    }
    keep_in_sight(model);
}

/// Reports a written copy of the catalog to the dialog that waits for it. Returns false if no
/// dialog waits.
pub(in crate::app) fn copied(model: &mut Model, refused: Option<&str>) -> bool {
    wrote(model, None, refused)
}

/// Reports a written graph, or the reason of the failure.
pub(in crate::app) fn exported(model: &mut Model, asked: &Path, outcome: Result<Exported, Refusal>) {
    match outcome {
        Ok(Exported { path, flowcharts, is_split }) => {
            wrote(model, Some(asked), None);
            let parts = match (flowcharts, is_split) {
                (0 | 1, _) => String::new(),
                (n, false) => format!(", {n} flowcharts"),
                (n, true) => format!(", {n} flowcharts: GitHub draws none larger"),
            };
            model.notices.done(format!("written: {}{parts}", path.display()));
        }
        Err(refusal) => {
            let reason = refusal.to_string();
            if !wrote(model, Some(asked), Some(&reason)) {
                model.notices.failed(About::Writing, format!("not written: {reason}"));
            }
        }
    }
}

/// Shows the result of oc-mirror as a what-if, or reports the reason of the failure.
pub(in crate::app) fn mirrored(
    model: &mut Model,
    of: &Arc<Snapshot>,
    asked: &Path,
    outcome: Result<Box<Mirrored>, Refusal>,
) {
    match outcome {
        Err(refusal) => {
            wrote(model, Some(asked), Some(&refusal.to_string()));
        }
        // If the user closed the question or edited meanwhile, the result is dropped.
        Ok(mirrored) => {
            let is_it = model.session.snapshot().is_some_and(|now| Arc::ptr_eq(now, of));
            if !wrote(model, Some(asked), None) || !is_it {
                return;
            }
            drop(model.with(|cx| what_if::suppose_known(cx, &mirrored.outcome)));
            if mirrored.fails {
                model.notices.warned(About::Others, mirrored.words);
            } else {
                model.notices.done(mirrored.words);
            }
        }
    }
}

/// Reports that a base was read, or the reason of the failure.
pub(in crate::app) fn was_read(model: &mut Model, base: &Base, outcome: Result<(), Refusal>) {
    let refusal = outcome.err();
    let mut waiting = model.dialogs.iter_mut().enumerate();
    let found = waiting.find_map(|(at, dialog)| match dialog.state_mut().was_read(base, refusal.as_ref()) {
        Waited::Done => Some((at, true)),
        Waited::Stays => Some((at, false)),
        Waited::No => None,
    });
    match (found, refusal) {
        (Some((at, true)), _) => drop(model.dialogs.remove(at)),
        (None, Some(Refusal { message, hint })) => {
            // The hint comes last, because long notices are truncated.
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            let words = format!("{message}: not compared with {}{hint}", base.label());
            model.notices.failed(About::Comparing, words);
        }
        (Some((_, false)) | None, _) => {}
    }
}

/// Reports the end of fetching, unless a dialog shows the failures.
pub(in crate::app) fn fetch_ended(model: &mut Model, number: u64) {
    if !fetching::ended(&mut model.session, number) {
        return;
    }
    let failed = model.session.fetching.failed.len();
    for at in 0..model.dialogs.len() {
        match model.dialogs.get_mut(at).map(|dialog| dialog.state_mut().fetch_ended(failed)) {
            Some(Waited::Stays) => return,
            Some(Waited::Done) => {
                model.dialogs.remove(at);
                break;
            }
            Some(Waited::No) | None => {}
        }
    }
    let words = model.session.fetching.words();
    if failed == 0 { model.notices.done(words) } else { model.notices.failed(About::Reading, words) }
}

/// Reports added expectations, or the reason of the failure.
pub(in crate::app) fn expected(
    model: &mut Model,
    source: &Source,
    asked: &Path,
    outcome: Result<Grown, Refusal>,
) {
    match outcome {
        Ok(grown) => {
            wrote(model, Some(asked), None);
            let words = expecting::added(&mut model.session, source, grown);
            model.notices.done(words);
        }
        Err(refusal) => {
            let reason = refusal.to_string();
            if !wrote(model, Some(asked), Some(&reason)) {
                model.notices.failed(About::Writing, format!("nothing added: {reason}"));
            }
        }
    }
}
