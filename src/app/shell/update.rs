//! The update function, which is the only one that changes the explorer's state. It is pure:
//! effects are returned as data.

use ratatui::crossterm::event::{KeyCode, KeyEventKind};

use crate::app::{
    keys::{
        ActionId, Key, Press, Screen, key as keys,
        keymap::{INTERRUPT, Match, Pending},
        spec::{ActionSpec, Context},
    },
    parts::notice::About,
    session::{
        accepting, against, cluster, expecting, fetching, inside, learning,
        loading::growing,
        open::{Busy, Stage},
        overlooking, past, planning, prospects, recovery, solving,
    },
    shell::{arrivals, dialogs, flow, model::Model, mouse, table, tour},
    work::{Effect, Flow, Msg, Refusal},
};

/// Handles a message and returns the resulting effects.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let effects = match msg {
        Msg::Key(event) if event.kind == KeyEventKind::Release => return Vec::new(),
        Msg::Key(event) => key(model, Key::of(event)),
        Msg::Mouse(event) => mouse::mouse(model, event),
        Msg::Paste(text) => dialogs::paste(model, &text),
        Msg::Resize(columns, rows) => {
            model.frame.size = (columns, rows);
            Vec::new()
        }
        Msg::Background(background) => {
            model.settings.look.background = Some(background);
            Vec::new()
        }
        // A frame reports only its areas; nothing is derived from them.
        Msg::Drawn(hits) => {
            model.frame.hits = hits;
            return Vec::new();
        }
        Msg::Waited(progress) => {
            model.session.waited(progress);
            Vec::new()
        }
        Msg::FocusGained => model.with(recovery::focus_gained),
        Msg::Edited(outcome) => {
            if let Err(Refusal { message, .. }) = outcome {
                model.notices.failed(About::Others, message);
            }
            recovery::look_at_all(&mut model.session);
            inside::look_again(&mut model.session);
            Vec::new()
        }
        Msg::AlsoOpen { source, process } => {
            model.notices.warned(
                About::Others,
                format!(
                    "another olmap (process {process}) has {} open: the second to save has to reload first",
                    source.label()
                ),
            );
            Vec::new()
        }
        Msg::Refused(reason) => {
            model.notices.refused(reason);
            Vec::new()
        }
        Msg::Told(outcome) => {
            match outcome {
                Ok(words) => model.notices.done(words),
                Err(Refusal { message, .. }) => model.notices.failed(About::Others, message),
            }
            Vec::new()
        }
        Msg::Grown { generation, source, snapshot } => {
            if generation == model.session.generation {
                growing::grown(&mut model.session, source, snapshot);
            }
            Vec::new()
        }
        Msg::Loaded { generation, outcomes } => {
            // Answers to older requests are dropped.
            if generation == model.session.generation {
                arrivals::loaded(model, outcomes);
                model.with(|cx| {
                    expecting::look(cx);
                    accepting::look(cx);
                })
            } else {
                Vec::new()
            }
        }
        Msg::Saved { written, outcome, warning } => {
            let effects = arrivals::saved(model, &written, outcome);
            if let Some(warning) = warning {
                model.notices.failed(About::Writing, warning);
            }
            effects
        }
        Msg::Touched(source) => {
            recovery::touched(&mut model.session, &source);
            Vec::new()
        }
        Msg::LookedAgain { source, baseline, news } => {
            let in_dialog = !model.dialogs.is_empty();
            model.with(|cx| recovery::looked_again(cx, &source, &baseline, news, in_dialog))
        }
        Msg::NoJournal(reason) => {
            model
                .notices
                .failed(About::Keeping, format!("unsaved edits cannot be recovered after a crash: {reason}"));
            Vec::new()
        }
        Msg::Expectations { source, path, outcome } => {
            model.with(|cx| expecting::found(cx, &source, path, outcome))
        }
        Msg::Accepted { source, path, outcome } => {
            model.with(|cx| accepting::found(cx, &source, path, outcome))
        }
        Msg::LookedInside { number, outcome } => {
            inside::found(&mut model.session, number, outcome);
            Vec::new()
        }
        Msg::Learned { all_of, learned } => {
            learning::found(&mut model.session, all_of.as_ref(), learned);
            Vec::new()
        }
        Msg::Previewed { snapshot, edit, preview } => {
            prospects::found(&mut model.session, &snapshot, edit, preview);
            Vec::new()
        }
        Msg::RemediesFound { asked, found } => {
            dialogs::remedies_found(model, &asked, found);
            Vec::new()
        }
        Msg::Resolved { asked, resolved } => {
            cluster::found(&mut model.session, asked, resolved);
            Vec::new()
        }
        Msg::Overlooked { asked, overview } => {
            overlooking::found(&mut model.session, asked, overview);
            Vec::new()
        }
        Msg::Planned { asked, plans } => {
            planning::found(&mut model.session, asked, plans);
            Vec::new()
        }
        Msg::Solved { asked, solved } => {
            solving::found(&mut model.session, asked, solved);
            Vec::new()
        }
        Msg::BundleFetched { number, bundle, outcome } => {
            fetching::fetched(&mut model.session, number, bundle, outcome);
            Vec::new()
        }
        Msg::FetchEnded { number } => {
            dialogs::fetch_ended(model, number);
            Vec::new()
        }
        Msg::BundlesCompared { sought, outcome } => {
            dialogs::bundles_compared(model, &sought, &outcome);
            Vec::new()
        }
        Msg::ExpectationsAdded { source, asked, outcome } => {
            dialogs::expected(model, &source, &asked, outcome);
            Vec::new()
        }
        Msg::BaseRead { catalog, number, result } => {
            let mut outcome = None;
            let effects = model.with(|cx| outcome = against::was_read(cx, catalog, number, result));
            if let Some((base, outcome)) = outcome {
                dialogs::was_read(model, &base, outcome);
            }
            effects
        }
        Msg::HistoryRead { number, result } => {
            past::found(&mut model.session, number, result);
            Vec::new()
        }
        Msg::PastRead { number, result } => model.with(|cx| past::was_read(cx, number, result)),
        Msg::Mirrored { snapshot, asked, outcome } => {
            dialogs::mirrored(model, &snapshot, &asked, outcome);
            Vec::new()
        }
        Msg::Compared { catalog, number, comparison } => {
            against::was_compared(&mut model.session, catalog, number, comparison);
            Vec::new()
        }
        Msg::FoundRepository { catalog, outcome } => {
            against::found_repository(&mut model.session, catalog, outcome);
            Vec::new()
        }
        Msg::Names { typed, outcome } => {
            dialogs::listed(model, &typed, &outcome);
            Vec::new()
        }
        Msg::BundleRead { path, image, outcome } => {
            dialogs::bundle_read(model, &path, &image, &outcome);
            Vec::new()
        }
        Msg::Exported { asked, outcome } => {
            dialogs::exported(model, &asked, outcome);
            Vec::new()
        }
    };
    follow(model, effects)
}

/// Executes commands as if they came from a key.
pub fn want(model: &mut Model, wants: Vec<Flow>) -> Vec<Effect> {
    let effects = flow::carry_out(model, wants);
    follow(model, effects)
}

/// Updates derived state and requests background work. Returns all effects.
fn follow(model: &mut Model, mut effects: Vec<Effect>) -> Vec<Effect> {
    effects.extend(early_keys(model));
    effects.extend(dialogs::awaited(model));
    let in_dialog = !model.dialogs.is_empty();
    effects.extend(model.with(|cx| {
        recovery::look_again(cx, in_dialog);
        growing::want(cx);
        against::want(cx);
        inside::want(cx);
        learning::want(cx, in_dialog);
        cluster::want(cx);
        solving::want(cx);
        overlooking::want(cx);
        planning::want(cx);
    }));
    // Journals are written before old ones are removed.
    effects.splice(0..0, recovery::journal(&mut model.session));
    model.session.settle_waiting();
    model.frame.tour_rows = model.tour_rows();
    model.derive();
    tour::follow(model);
    dialogs::settle(model);
    let list = model.focused_list();
    model.keep_in_sight(list);
    for list in model.shown().lists() {
        model.keep_in_sight(*list);
    }
    effects
}

fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let interrupt = key == INTERRUPT;
    model.notices.pass();
    if interrupt {
        model.keys.pending = None;
    }
    if !model.dialogs.is_empty() && !interrupt {
        if dialogs::is_unseen(model) {
            return Vec::new();
        }
        return dialogs::key(model, key);
    }
    let meaning = match model.keys.map.find(model.session.screen, &[key]) {
        Match::Action(spec) => Some(spec.id),
        Match::Prefix | Match::Nothing => None,
    };
    if !matches!(model.session.stage, Stage::Ready) {
        // While loading, only quitting is possible. Other keys are buffered.
        let leaving = [ActionId::Back, ActionId::BackOrQuit, ActionId::Quit];
        if interrupt || meaning.is_some_and(|id| leaving.contains(&id)) {
            model.leaving = true;
            return vec![Effect::StopLoading, Effect::Quit];
        }
        if matches!(model.session.stage, Stage::Loading(_)) {
            model.session.waiting.keep(key);
        }
        return Vec::new();
    }
    model.session.stay_here();
    let begun = model.keys.pending.take().map(|pending| pending.pressed);
    let can_stop = model.session.is_growing() || model.session.busy == Some(Busy::Opening);
    if can_stop && meaning == Some(ActionId::Back) && begun.is_none() {
        model.notices.done("stopping");
        return vec![Effect::StopLoading];
    }
    let mut pressed = begun.unwrap_or_default();
    pressed.push(key);
    match model.keys.map.find(model.session.screen, &pressed) {
        Match::Action(spec) => perform(model, instead(model, spec)),
        Match::Prefix => {
            let following = model.keys.map.following(model.session.screen, &pressed);
            let following = following.into_iter().map(|(key, spec)| (key, spec.id)).collect();
            model.keys.pending = Some(Pending { pressed, following });
            Vec::new()
        }
        Match::Nothing => {
            // Esc cancels a sequence.
            if key.code != KeyCode::Esc {
                let words = nothing_here(model, &pressed);
                model.notices.refused(words);
            }
            Vec::new()
        }
    }
}

/// Describes where keys without an action on this screen have one, or how to list all keys.
fn nothing_here(model: &Model, pressed: &[Key]) -> String {
    let does = |screen: &Screen| match model.keys.map.find(*screen, pressed) {
        Match::Action(spec) => Some(format!("{} on {}", spec.title, screen.title())),
        Match::Prefix | Match::Nothing => None,
    };
    let elsewhere: Vec<String> = Screen::ALL.iter().filter_map(does).collect();
    let told = if elsewhere.is_empty() {
        format!("{} shows all keys", model.key(ActionId::Help))
    } else {
        elsewhere.join(", ")
    };
    format!("{} does nothing here: {told}", keys::label(pressed))
}

/// Handles the keys that were buffered during loading.
fn early_keys(model: &mut Model) -> Vec<Effect> {
    if matches!(model.session.stage, Stage::Loading(_)) {
        return Vec::new();
    }
    let early = model.session.waiting.early();
    // Buffered keys must not answer a dialog that was not visible.
    if early.is_empty() || !model.dialogs.is_empty() || model.session.stage != Stage::Ready {
        return Vec::new();
    }
    let mut effects = Vec::new();
    for pressed in early {
        // Each key sees the state after the previous one.
        model.derive();
        effects.extend(key(model, pressed));
    }
    effects
}

/// Returns the action that the visible screen runs instead of another.
fn instead(model: &Model, spec: &'static ActionSpec) -> &'static ActionSpec {
    let id = model.shown().instead(spec.id, &model.see());
    table::table().find(id).unwrap_or(spec)
}

/// Runs an action, or reports the reason if it is not possible.
pub(super) fn perform(model: &mut Model, spec: &ActionSpec) -> Vec<Effect> {
    match table::permitted(model, spec) {
        Ok(()) if matches!(spec.context, Context::In(_)) => dialogs::press(model, Press::Action(spec.id)),
        Ok(()) => table::run(model, spec.id),
        Err(reason) => {
            model.notices.refused(format!("{}: {reason}", spec.title));
            Vec::new()
        }
    }
}
