//! The update function, which is the only one that changes the explorer's state. It is pure:
//! effects are returned as data.

use ratatui::crossterm::event::{KeyCode, KeyEventKind};

use crate::tui::{
    keys::{
        ActionId, Key, KeyPress, Screen, key as keys,
        keymap::{INTERRUPT, KeyMatch, PendingKeys},
        spec::{ActionContext, ActionSpec},
    },
    parts::notice::NoticeTopic,
    session::{
        jobs::{self, load},
        recovery,
        wait_state::{BlockingWork, Stage},
    },
    shell::{action_table, catalog_results, command, dialog_stack, job_answers, model::Model, mouse, tour},
    work::{Command, Effect, JobSlot, Msg, UserError},
};

/// Handles a message and returns the resulting effects.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let effects = match msg {
        Msg::Key(event) if event.kind == KeyEventKind::Release => return Vec::new(),
        Msg::Key(event) => handle_key(model, Key::from_event(event)),
        Msg::Mouse(event) => mouse::handle_mouse(model, event),
        Msg::Paste(text) => dialog_stack::paste_text(model, &text),
        Msg::Resize(columns, rows) => {
            model.frame.size = (columns, rows);
            Vec::new()
        }
        Msg::TerminalBackground(background) => {
            model.settings.theme_settings.background = Some(background);
            Vec::new()
        }
        // A frame reports only its areas; nothing is derived from them.
        Msg::Drawn(hits) => {
            model.frame.hits = hits;
            return Vec::new();
        }
        Msg::WaitProgress(progress) => {
            model.session.waiting.count_tick(progress);
            Vec::new()
        }
        Msg::FocusGained => model.with_context(recovery::check_disk_on_focus),
        Msg::EditorExited(outcome) => {
            if let Err(UserError { message, .. }) = outcome {
                model.notices.report_failure(NoticeTopic::ExternalPrograms, message);
            }
            model.session.catalogs.mark_all_for_disk_check();
            model.session.jobs.forget_manifests();
            Vec::new()
        }
        Msg::OpenElsewhere { source, process } => {
            // A save checks the files again, so the notice does not have to stay.
            model.notices.report_refusal(format!(
                "another olmap (process {process}) has {} open: whoever saves second must reload first",
                source.label()
            ));
            Vec::new()
        }
        Msg::Refused(reason) => {
            model.notices.report_refusal(reason);
            Vec::new()
        }
        Msg::Notice(outcome) => {
            match outcome {
                Ok(words) => model.notices.report_done(words),
                Err(UserError { message, .. }) => {
                    model.notices.report_failure(NoticeTopic::ExternalPrograms, message);
                }
            }
            Vec::new()
        }
        Msg::JobDone(result) => job_answers::handle_result(model, result),
        Msg::Saved { written, outcome, warning } => {
            let effects = catalog_results::store_save_result(model, &written, outcome);
            if let Some(warning) = warning {
                model.notices.report_failure(NoticeTopic::Save, warning);
            }
            effects
        }
        Msg::ChangedOnDisk(source) => {
            model.session.catalogs.mark_for_disk_check(&source);
            Vec::new()
        }
        Msg::JournalFailed(reason) => {
            model.notices.report_failure(
                NoticeTopic::OwnState,
                format!("unsaved edits cannot be recovered after a crash: {reason}"),
            );
            Vec::new()
        }
        Msg::ExpectationsAdded { source, asked, outcome } => {
            dialog_stack::report_added_expectations(model, &source, &asked, outcome);
            Vec::new()
        }
        Msg::Exported { asked, outcome } => {
            dialog_stack::report_export(model, &asked, outcome);
            Vec::new()
        }
    };
    finish_update(model, effects)
}

/// Executes commands as if they came from a key.
pub fn update_with_commands(model: &mut Model, commands: Vec<Command>) -> Vec<Effect> {
    let effects = command::execute_commands(model, commands);
    finish_update(model, effects)
}

/// Updates derived state and requests background work. Returns all effects.
fn finish_update(model: &mut Model, mut effects: Vec<Effect>) -> Vec<Effect> {
    effects.extend(handle_buffered_keys(model));
    effects.extend(command::select_row_behind_filter(model));
    effects.extend(dialog_stack::request_top_preview(model));
    effects.extend(model.with_context(|cx| {
        load::request_selected_package(cx);
        jobs::request_stale_answers(cx);
    }));
    // Journals are written before old ones are removed.
    effects.splice(0..0, model.session.catalogs.journal_effects());
    model.session.waiting.reset_if_idle();
    model.frame.tour_rows = model.tour_rows();
    model.derive();
    tour::advance_tour(model);
    dialog_stack::update_top_dialog(model);
    let list = model.focused_list();
    model.scroll_to_cursor(list);
    for list in model.visible_screen().scrolled_lists() {
        model.scroll_to_cursor(*list);
    }
    effects
}

fn handle_key(model: &mut Model, key: Key) -> Vec<Effect> {
    let interrupt = key == INTERRUPT;
    model.notices.clear_transient();
    if interrupt {
        model.keys.pending = None;
    }
    if !model.dialogs.is_empty() && !interrupt {
        if dialog_stack::is_unseen(model) {
            return Vec::new();
        }
        return dialog_stack::handle_dialog_key(model, key);
    }
    let meaning = match model.keys.map.match_keys(model.session.navigation.screen, &[key]) {
        KeyMatch::Action(spec) => Some(spec.id),
        KeyMatch::Prefix | KeyMatch::Unbound => None,
    };
    if !matches!(model.session.waiting.stage, Stage::Ready) {
        // While loading, only quitting is possible. Other keys are buffered.
        let leaving = [ActionId::Back, ActionId::BackOrQuit, ActionId::Quit];
        if interrupt || meaning.is_some_and(|id| leaving.contains(&id)) {
            model.is_quitting = true;
            return vec![Effect::Stop(JobSlot::Load), Effect::Quit];
        }
        if matches!(model.session.waiting.stage, Stage::Loading(_)) {
            model.session.waiting.buffer_key(key);
        }
        return Vec::new();
    }
    model.session.cancel_restore();
    let pending_keys = model.keys.pending.take().map(|pending| pending.pressed);
    let can_stop = model.session.waiting.is_loading_visibly()
        || model.session.waiting.busy == Some(BlockingWork::Opening);
    if can_stop && meaning == Some(ActionId::Back) && pending_keys.is_none() {
        model.notices.report_done("stopping");
        return vec![Effect::Stop(JobSlot::Load)];
    }
    let mut pressed = pending_keys.unwrap_or_default();
    pressed.push(key);
    match model.keys.map.match_keys(model.session.navigation.screen, &pressed) {
        KeyMatch::Action(spec) => run_if_permitted(model, replacement_action(model, spec)),
        KeyMatch::Prefix => {
            let following = model.keys.map.continuations(model.session.navigation.screen, &pressed);
            let following = following.into_iter().map(|(key, spec)| (key, spec.id)).collect();
            model.keys.pending = Some(PendingKeys { pressed, continuations: following });
            Vec::new()
        }
        KeyMatch::Unbound => {
            // Esc cancels a sequence.
            if key.code != KeyCode::Esc {
                let words = describe_unbound_keys(model, &pressed);
                model.notices.report_refusal(words);
            }
            Vec::new()
        }
    }
}

/// Names the screens on which the pressed keys have an action. If there are none, names the key
/// that lists all keys.
fn describe_unbound_keys(model: &Model, pressed: &[Key]) -> String {
    const MAX_SCREENS: usize = 3;
    let mut screens_by_title: Vec<(&str, Vec<&str>)> = Vec::new();
    for screen in Screen::ALL {
        let KeyMatch::Action(spec) = model.keys.map.match_keys(*screen, pressed) else { continue };
        match screens_by_title.iter_mut().find(|(title, _)| *title == spec.title) {
            Some((_, screens)) => screens.push(screen.title()),
            None => screens_by_title.push((spec.title, vec![screen.title()])),
        }
    }
    let elsewhere = screens_by_title.iter().map(|(title, screens)| {
        let shown = screens.iter().take(MAX_SCREENS).copied().collect::<Vec<_>>().join(", ");
        match screens.len().saturating_sub(MAX_SCREENS) {
            0 => format!("{title} on {shown}"),
            more => format!("{title} on {shown} and {more} more"),
        }
    });
    let mut elsewhere = elsewhere.collect::<Vec<_>>().join("; ");
    if elsewhere.is_empty() {
        elsewhere = format!("{} shows all keys", model.key_label(ActionId::Help));
    }
    format!("{} is not used here: {elsewhere}", keys::format_key_sequence(pressed))
}

/// Handles the keys that were buffered during loading.
fn handle_buffered_keys(model: &mut Model) -> Vec<Effect> {
    if matches!(model.session.waiting.stage, Stage::Loading(_)) {
        return Vec::new();
    }
    let early = model.session.waiting.take_buffered_keys();
    // Buffered keys must not answer a dialog that was not visible.
    if early.is_empty() || !model.dialogs.is_empty() || model.session.waiting.stage != Stage::Ready {
        return Vec::new();
    }
    let mut effects = Vec::new();
    for pressed in early {
        // Each key sees the state after the previous one.
        model.derive();
        effects.extend(handle_key(model, pressed));
    }
    effects
}

/// Returns the action that the visible screen runs instead of the given one; usually the same.
fn replacement_action(model: &Model, spec: &'static ActionSpec) -> &'static ActionSpec {
    let id = model.visible_screen().replacement_action(spec.id, &model.view());
    action_table::action_table().find_action(id).unwrap_or(spec)
}

/// Runs an action, or reports the reason if it is not possible.
pub(super) fn run_if_permitted(model: &mut Model, spec: &ActionSpec) -> Vec<Effect> {
    match action_table::check_permitted(model, spec) {
        Ok(()) if matches!(spec.context, ActionContext::In(_)) => {
            dialog_stack::handle_dialog_press(model, KeyPress::Action(spec.id))
        }
        Ok(()) => action_table::run_action(model, spec.id),
        Err(reason) => {
            model.notices.report_refusal(format!("{}: {reason}", spec.title));
            Vec::new()
        }
    }
}
