//! The open dialogs: who gets the keys, what becomes of a dialog then, and who waits for what.

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

/// Whether the top dialog is a question that came by itself and that no frame has shown yet: a key that was pressed before is
/// no answer to it.
pub(in crate::app) fn is_unseen(model: &Model) -> bool {
    let Some(dialog) = model.dialogs.last().map(|dialog| dialog.state().id()) else { return false };
    let came_by_itself = matches!(dialog, Dialog::Restore | Dialog::ChangedOnDisk | Dialog::Conflicts);
    came_by_itself && model.frame.hits.area(Hit::Asked(dialog)).is_none()
}

/// Gives a key to the top dialog.
pub(in crate::app) fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let Some(dialog) = model.dialogs.last().map(|dialog| dialog.state().id()) else { return Vec::new() };
    let action = match model.keys.map.find(dialog, &[key]) {
        Match::Action(spec) => Some(spec.id),
        Match::Prefix | Match::Nothing => None,
    };
    press(model, action.map_or(Press::Key(key), Press::Action))
}

/// Does in the top dialog what a key stands for.
pub(in crate::app) fn press(model: &mut Model, press: Press) -> Vec<Effect> {
    if press == Press::Action(ActionId::DialogHelp)
        && let Some(dialog) = model.dialog()
    {
        // In help it closes help: there is none of help itself.
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
        // A line of the page before stays, to read on from.
        let page = model.frame.hits.list(ListId::Preview).map_or(1, |list| list.area.height as isize);
        return model.move_in(ListId::Preview, by * (page - 1).max(1));
    }
    let list = model.dialog_list();
    let mut then = Vec::new();
    let Parts { dialogs, mut cx, .. } = model.parts(&mut then);
    let Some(top) = dialogs.last_mut().map(OpenDialog::state_mut) else { return Vec::new() };
    // What is read may be another text after use another key.
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

/// Does with the top dialog what it said is to become of it.
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

/// Gives pasted text to the field that gets the keys; where no field does, it is no text for anybody. Line breaks become
/// blanks: every field is one line.
pub(in crate::app) fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    let top = model.dialogs.last_mut().map(OpenDialog::state_mut);
    let Some(input) = top.and_then(DialogState::field) else { return Vec::new() };
    let mut text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    // All but the last letter go in at once; the last is typed, so that what follows is worked out once.
    let Some(last) = text.pop() else { return Vec::new() };
    let inserted =
        field::has_room(input, text.chars().count() + 1).and_then(|()| field::insert(input, &text));
    if let Err(error) = inserted {
        model.notices.refused(format!("not pasted: {error}"));
        return Vec::new();
    }
    press(model, Press::Key(Key { code: KeyCode::Char(last), modifiers: KeyModifiers::NONE }))
}

/// Has worked out what the edit leads to that the top dialog stands for.
pub(in crate::app) fn awaited(model: &mut Model) -> Vec<Effect> {
    let mut then = Vec::new();
    let Parts { dialogs, mut cx, .. } = model.parts(&mut then);
    if let Some(prospect) = dialogs.last_mut().and_then(|top| top.state_mut().prospect()) {
        prospects::want(&mut cx, prospect);
    }
    flow::carry_out(model, then)
}

/// Lets the top dialog look at everything else.
fn with_top(model: &mut Model, act: impl FnOnce(&mut dyn DialogState, &See<'_>)) {
    let mut then = Vec::new();
    let Parts { dialogs, cx, .. } = model.parts(&mut then);
    if let Some(top) = dialogs.last_mut() {
        act(top.state_mut(), &cx.see());
    }
}

/// Makes what the top dialog shows true again.
pub(in crate::app) fn settle(model: &mut Model) {
    with_top(model, |top, see| top.settle(see));
}

/// Tells the top dialog what the one above it was answered.
pub(in crate::app) fn replied(model: &mut Model, reply: Reply) {
    with_top(model, |top, see| top.replied(reply, see));
}

/// Something was written, or was not and here is why: whoever waits for it goes, or says why. Whether somebody does.
/// `asked` is the path that was asked for; `None` where it is a copy of the catalog.
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

/// Names were looked for that a path could go on with.
pub(in crate::app) fn listed(model: &mut Model, typed: &str, outcome: &Result<Names, Refusal>) {
    if let Some(top) = model.dialogs.last_mut() {
        top.state_mut().listed(typed, outcome);
    }
}

/// A new bundle was read, or was not.
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

/// Two bundles were compared by their directories, or were not.
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

/// A copy of the catalog was written, or was not and here is why. Whether a question waits for it.
pub(in crate::app) fn copied(model: &mut Model, refused: Option<&str>) -> bool {
    wrote(model, None, refused)
}

/// A graph was written, or was not.
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

/// It is known what oc-mirror would publish of a catalog, or why it refuses: that is supposed from now on.
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
        // Who closed the question, or made an edit meanwhile, wants something else.
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

/// What one wants to compare with was read, or was not.
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
            // What is cut off is not the reason.
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            let words = format!("{message}: not compared with {}{hint}", base.label());
            model.notices.failed(About::Comparing, words);
        }
        (Some((_, false)) | None, _) => {}
    }
}

/// No more images are fetched: what was, is said, unless a dialog shows what could not be.
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

/// Expectations were added, or were not.
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
