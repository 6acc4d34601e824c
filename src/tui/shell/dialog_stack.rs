//! Open dialogs: dispatch of keys, and delivery of results.

use std::{path::Path, sync::Arc};

use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use crate::tui::{
    dialogs::{
        dialog::{DialogState, DialogStep, OperationResponse},
        palette,
    },
    keys::{ActionId, Key, KeyPress, Scope, keymap::KeyMatch},
    parts::{field, frame::Hit, list::ListId, notice::NoticeTopic},
    session::{
        context::ViewContext,
        jobs::{
            bundle_manifests::FetchRequest,
            dialog_questions::{self, MirrorRequest},
        },
        what_if,
    },
    shell::{
        action_table, command,
        model::{Model, ModelParts},
        search,
    },
    work::{
        Base, Effect, JobResult, Question, Source, UserError,
        outcome::{AddedRows, Exported},
    },
};

/// Returns true if the top dialog opened by itself and was not drawn yet. A key pressed before is
/// not an answer to it.
pub(in crate::tui) fn is_unseen(model: &Model) -> bool {
    model.dialogs.last().is_some_and(|dialog| {
        dialog.opens_by_itself() && model.frame.hits.area_of(Hit::DrawnDialog(dialog.id())).is_none()
    })
}

/// Passes a key to the top dialog.
pub(in crate::tui) fn handle_dialog_key(model: &mut Model, key: Key) -> Vec<Effect> {
    let Some(dialog) = model.dialogs.last().map(|dialog| dialog.id()) else { return Vec::new() };
    let action = match model.keys.map.match_keys(dialog, &[key]) {
        KeyMatch::Action(spec) => Some(spec.id),
        KeyMatch::Prefix | KeyMatch::Unbound => None,
    };
    handle_dialog_press(model, action.map_or(KeyPress::Key(key), KeyPress::Action))
}

/// Passes a key or action to the top dialog.
pub(in crate::tui) fn handle_dialog_press(model: &mut Model, press: KeyPress) -> Vec<Effect> {
    if press == KeyPress::Action(ActionId::DialogHelp)
        && let Some(dialog) = model.top_dialog()
    {
        // The help dialog does not have help of its own, so the key closes it.
        if model.dialogs.last().is_some_and(|top| top.id() == palette::DIALOG) {
            model.dialogs.pop();
            return Vec::new();
        }
        return search::open_commands(model, Some(Scope::Dialog(dialog)));
    }
    let Some(top) = model.dialogs.last_mut() else { return Vec::new() };
    if top.text_field().is_some_and(|input| field::overflows_field(input, press)) {
        model.notices.report_refusal(format!("the field is full: at most {} characters", field::LONGEST));
        return Vec::new();
    }
    let by = match press {
        _ if !top.id().has_text => None,
        KeyPress::Action(ActionId::DialogPageDown) => Some(1),
        KeyPress::Action(ActionId::DialogPageUp) => Some(-1),
        _ => None,
    };
    if let Some(by) = by {
        // One line of the previous page stays visible.
        let page = model.frame.hits.drawn_list(ListId::Preview).map_or(1, |list| list.area.height as isize);
        return model.move_in_list(ListId::Preview, by * (page - 1).max(1));
    }
    let list = model.dialog_list();
    let mut commands = Vec::new();
    let ModelParts { dialogs, mut cx, .. } = model.split(&mut commands);
    let Some(top) = dialogs.last_mut() else { return Vec::new() };
    // The preview may show another text after another key.
    cx.session.lists.set_first_row(ListId::Preview, 0);
    let page = cx.frame.hits.drawn_list(list).map_or(5, |list| usize::from(list.area.height)).max(1);
    let step = if press == KeyPress::Action(ActionId::Cancel) && top.go_back() {
        DialogStep::Stay
    } else if press == KeyPress::Action(ActionId::Cancel) {
        top.on_cancel(&mut cx);
        DialogStep::Close
    } else if let Some(row) = top.row_cursor().and_then(|rows| rows.move_by_key(press, page)) {
        top.set_cursor(row);
        DialogStep::Stay
    } else {
        top.handle_press(press, &mut cx)
    };
    apply_step(model, step);
    command::execute_commands(model, commands)
}

fn scroll_to_cursor(model: &mut Model) {
    let list = model.dialog_list();
    model.scroll_to_cursor(list);
}

/// Applies the result of a key to the top dialog.
fn apply_step(model: &mut Model, step: DialogStep) {
    match step {
        DialogStep::Stay => scroll_to_cursor(model),
        DialogStep::Close => drop(model.dialogs.pop()),
        DialogStep::Replace(dialog) => {
            model.dialogs.pop();
            model.open_dialog(dialog);
            scroll_to_cursor(model);
        }
        DialogStep::OpenAbove(dialog) => model.open_dialog(dialog),
    }
}

/// Inserts pasted text into the focused field, if there is one. Line breaks become spaces, because
/// fields have one line.
pub(in crate::tui) fn paste_text(model: &mut Model, text: &str) -> Vec<Effect> {
    let top = model.dialogs.last_mut();
    let Some(input) = top.and_then(|top| top.text_field()) else { return Vec::new() };
    let mut text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    // All characters except the last are inserted at once. The last one is typed, so that derived
    // state is computed once.
    let Some(last) = text.pop() else { return Vec::new() };
    let inserted =
        field::check_room(input, text.chars().count() + 1).and_then(|()| field::insert_text(input, &text));
    if let Err(error) = inserted {
        model.notices.report_refusal(format!("not pasted: {error}"));
        return Vec::new();
    }
    handle_dialog_press(
        model,
        KeyPress::Key(Key { code: KeyCode::Char(last), modifiers: KeyModifiers::NONE }),
    )
}

/// Requests the preview of the top dialog.
pub(in crate::tui) fn request_top_preview(model: &mut Model) -> Vec<Effect> {
    let mut commands = Vec::new();
    let ModelParts { dialogs, mut cx, .. } = model.split(&mut commands);
    if let Some(top) = dialogs.last_mut() {
        // A dialog may have previews of several catalogs, one request at a time.
        while let Some(preview) = top.edit_preview()
            && dialog_questions::request_preview(&mut cx, preview)
        {}
    }
    command::execute_commands(model, commands)
}

/// Calls a function with the top dialog and a read-only context.
fn with_top_dialog(model: &mut Model, act: impl FnOnce(&mut dyn DialogState, &ViewContext<'_>)) {
    let mut commands = Vec::new();
    let ModelParts { dialogs, cx, .. } = model.split(&mut commands);
    if let Some(top) = dialogs.last_mut() {
        act(&mut **top, &cx.view());
    }
}

/// Updates the derived state of the top dialog.
pub(in crate::tui) fn update_top_dialog(model: &mut Model) {
    with_top_dialog(model, DialogState::refresh_state);
    // The check reads the whole model, so the dialog is not part of it meanwhile.
    if let Some(mut top) = model.dialogs.pop() {
        top.check_actions(&|spec| action_table::check_permitted(model, spec), &model.keys.map);
        model.dialogs.push(top);
    }
}

/// Reports a finished write to the dialog that waits for it. Returns false if no dialog waits.
/// The path is the one in the request; `None` for a copy of the catalog.
fn deliver_write_result(model: &mut Model, requested_path: Option<&Path>, error: Option<&str>) -> bool {
    for at in 0..model.dialogs.len() {
        match model.dialogs.get_mut(at).map(|dialog| dialog.on_written(requested_path, error)) {
            Some(OperationResponse::Close) => {
                model.dialogs.remove(at);
                return true;
            }
            Some(OperationResponse::ShowError) => return true,
            Some(OperationResponse::NotWaiting) | None => {}
        }
    }
    false
}

/// Passes the answer of a background job to all dialogs.
pub(in crate::tui) fn deliver_answer(model: &mut Model, result: &JobResult) -> Vec<Effect> {
    let mut commands = Vec::new();
    let ModelParts { dialogs, mut cx, .. } = model.split(&mut commands);
    for dialog in dialogs {
        dialog.on_answer(result, &mut cx);
    }
    scroll_to_cursor(model);
    command::execute_commands(model, commands)
}

/// Reports a written copy of the catalog to the dialog that waits for it. Returns false if no
/// dialog waits.
pub(in crate::tui) fn deliver_copy_result(model: &mut Model, refused: Option<&str>) -> bool {
    deliver_write_result(model, None, refused)
}

/// Reports a written graph, or the reason of the failure.
pub(in crate::tui) fn report_export(model: &mut Model, asked: &Path, outcome: Result<Exported, UserError>) {
    match outcome {
        Ok(Exported { path, flowcharts, is_split }) => {
            deliver_write_result(model, Some(asked), None);
            let parts = match (flowcharts, is_split) {
                (0 | 1, _) => String::new(),
                (n, false) => format!(", {n} flowcharts"),
                (n, true) => format!(", {n} flowcharts: GitHub draws none larger"),
            };
            model.notices.report_done(format!("written: {}{parts}", path.display()));
        }
        Err(refusal) => {
            let reason = refusal.to_string();
            if !deliver_write_result(model, Some(asked), Some(&reason)) {
                model.notices.report_failure(NoticeTopic::Save, format!("not written: {reason}"));
            }
        }
    }
}

/// Shows the result of oc-mirror as a what-if, or reports the reason of the failure.
pub(in crate::tui) fn report_mirror_preview(
    model: &mut Model,
    question: &MirrorRequest,
    answer: <MirrorRequest as Question>::Answer,
) {
    let MirrorRequest { snapshot: of, path: asked } = question;
    match answer {
        Err(refusal) => {
            deliver_write_result(model, Some(asked), Some(&refusal.to_string()));
        }
        // If the user closed the question or edited meanwhile, the result is dropped.
        Ok(mirrored) => {
            let is_it = model.session.snapshot().is_some_and(|now| Arc::ptr_eq(now, of));
            if !deliver_write_result(model, Some(asked), None) || !is_it {
                return;
            }
            drop(model.with_context(|cx| what_if::add_outcome(cx, &mirrored.outcome)));
            if mirrored.has_worse_off_users {
                model.notices.report_warning(NoticeTopic::ExternalPrograms, mirrored.summary);
            } else {
                model.notices.report_done(mirrored.summary);
            }
        }
    }
}

/// Reports that the base of a catalog was read, or the reason of the failure. Dialogs wait for the base of the
/// current catalog.
pub(in crate::tui) fn report_base_read(
    model: &mut Model,
    catalog: usize,
    base: &Base,
    outcome: Result<(), UserError>,
) {
    let refusal = outcome.err();
    let other = (catalog != model.session.catalogs.current_index())
        .then(|| model.session.catalogs.labels().into_iter().nth(catalog).unwrap_or_default());
    let mut waiting = model.dialogs.iter_mut().enumerate().filter(|_| other.is_none());
    let found = waiting.find_map(|(at, dialog)| match dialog.on_base_loaded(base, refusal.as_ref()) {
        OperationResponse::Close => Some((at, true)),
        OperationResponse::ShowError => Some((at, false)),
        OperationResponse::NotWaiting => None,
    });
    match (found, refusal) {
        (Some((at, true)), _) => drop(model.dialogs.remove(at)),
        (None, Some(UserError { message, hint })) => {
            // The hint comes last, because long notices are truncated.
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            let whose = other.map(|label| format!("{label}: ")).unwrap_or_default();
            let words = format!("{whose}{message}: not compared with {}{hint}", base.label());
            model.notices.report_failure(NoticeTopic::Comparison, words);
        }
        (Some((_, false)) | None, _) => {}
    }
}

/// Reports the end of fetching, unless a dialog shows the failures.
pub(in crate::tui) fn report_fetch_end(model: &mut Model, question: &Arc<FetchRequest>) {
    if !model.session.jobs.finish_fetch(question, &model.session.catalogs) {
        return;
    }
    let failed = model.session.jobs.image_fetch.failed.len();
    for at in 0..model.dialogs.len() {
        match model.dialogs.get_mut(at).map(|dialog| dialog.on_fetch_ended(failed)) {
            Some(OperationResponse::ShowError) => return,
            Some(OperationResponse::Close) => {
                model.dialogs.remove(at);
                break;
            }
            Some(OperationResponse::NotWaiting) | None => {}
        }
    }
    let words = model.session.jobs.image_fetch.summarize_fetch();
    if failed == 0 {
        model.notices.report_done(words);
    } else {
        model.notices.report_failure(NoticeTopic::Load, words);
    }
}

/// Reports added expectations, or the reason of the failure.
pub(in crate::tui) fn report_added_expectations(
    model: &mut Model,
    source: &Source,
    asked: &Path,
    outcome: Result<AddedRows, UserError>,
) {
    match outcome {
        Ok(added) => {
            deliver_write_result(model, Some(asked), None);
            let words = model.session.catalogs.store_added_rows(source, added);
            model.notices.report_done(words);
        }
        Err(refusal) => {
            let reason = refusal.to_string();
            if !deliver_write_result(model, Some(asked), Some(&reason)) {
                model.notices.report_failure(NoticeTopic::Save, format!("nothing added: {reason}"));
            }
        }
    }
}
