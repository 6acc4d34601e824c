//! Keys while an overlay is on top.

use std::path::PathBuf;

use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use tui_input::Input;

use super::{
    action, edit_flow, find,
    form::{EntryField, EntryForm},
    keys::Key,
    list::ListId,
    model::{Busy, Model, Pane},
    msg::Effect,
    overlay::{Commands, Filter, Finder, Overlay, Pick, PickPurpose, Promote, Prompt, PromptPurpose},
    update,
};
use crate::version::masterminds::Constraint;

/// What becomes of the overlay after a key.
enum Then {
    /// It stays.
    Stay(Overlay),
    /// It goes.
    Close,
    /// It goes, and the world has something to do.
    Do(Vec<Effect>),
}

/// Gives a key to the overlay on top.
pub(super) fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let Some(overlay) = model.overlays.pop() else { return Vec::new() };
    let then = match overlay {
        Overlay::Filter(filter) => filter_key(model, filter, key),
        Overlay::Finder(finder) => finder_key(model, finder, key),
        Overlay::Commands(commands) => commands_key(model, commands, key),
        Overlay::Entry(form) => entry_key(model, form, key),
        Overlay::Promote(promote) => promote_key(model, promote, key),
        Overlay::Pick(pick) => pick_key(model, pick, key),
        Overlay::Prompt(prompt) => prompt_key(model, prompt, key),
        Overlay::Leave => leave_key(model, key),
    };
    match then {
        Then::Stay(overlay) => {
            model.overlays.push(overlay);
            model.keep_in_sight(ListId::Overlay);
            Vec::new()
        }
        Then::Close => Vec::new(),
        Then::Do(effects) => effects,
    }
}

/// Gives pasted text to the field that gets the keys; where no field does, it is no text for anybody. Line breaks become
/// blanks: every field is one line.
pub(super) fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    let mut letters: Vec<char> = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let input = match model.overlays.last_mut() {
        Some(Overlay::Filter(filter)) => &mut filter.input,
        Some(Overlay::Finder(finder)) => &mut finder.input,
        Some(Overlay::Commands(commands)) => &mut commands.input,
        Some(Overlay::Entry(form)) => form.input_mut(),
        Some(Overlay::Prompt(prompt)) => &mut prompt.input,
        Some(Overlay::Promote(_) | Overlay::Pick(_) | Overlay::Leave) | None => return Vec::new(),
    };
    // All but the last go in at once; the last is typed, so that what follows is worked out once.
    let Some(last) = letters.pop() else { return Vec::new() };
    for letter in letters {
        input.handle(tui_input::InputRequest::InsertChar(letter));
    }
    key(model, Key { code: KeyCode::Char(last), modifiers: KeyModifiers::NONE })
}

fn is_cancel(key: Key) -> bool {
    key.code == KeyCode::Esc
}

/// Moves the row of a list overlay; whether the key does that.
fn moves(cursor: &mut usize, rows: usize, page: usize, key: Key) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let last = rows.saturating_sub(1);
    *cursor = match key.code {
        KeyCode::Down => cursor.saturating_add(1).min(last),
        KeyCode::Up => cursor.saturating_sub(1),
        KeyCode::Char('n' | 'j') if control => cursor.saturating_add(1).min(last),
        KeyCode::Char('p' | 'k') if control => cursor.saturating_sub(1),
        KeyCode::PageDown => cursor.saturating_add(page).min(last),
        KeyCode::PageUp => cursor.saturating_sub(page),
        _ => return false,
    };
    true
}

fn page(model: &Model) -> usize {
    model.hits.list(ListId::Overlay).map_or(5, |l| usize::from(l.area.height)).max(1)
}

fn filter_key(model: &mut Model, mut filter: Filter, key: Key) -> Then {
    match key.code {
        KeyCode::Enter => return Then::Close,
        KeyCode::Esc => {
            model.lists.set_filter(filter.list, String::new());
            return Then::Close;
        }
        KeyCode::Down => {
            model.move_in(filter.list, 1);
            return Then::Stay(Overlay::Filter(filter));
        }
        KeyCode::Up => {
            model.move_in(filter.list, -1);
            return Then::Stay(Overlay::Filter(filter));
        }
        _ => {}
    }
    if edit_flow::type_into(&mut filter.input, key) {
        model.lists.set_filter(filter.list, filter.input.value().to_owned());
        model.derive();
        // The selection follows what is left to select.
        if model.cursor(filter.list).is_none() && model.rows(filter.list) > 0 {
            model.select(filter.list, 0);
        }
    }
    Then::Stay(Overlay::Filter(filter))
}

fn finder_key(model: &mut Model, mut finder: Finder, key: Key) -> Then {
    if is_cancel(key) {
        return Then::Close;
    }
    if key.code == KeyCode::Enter {
        if let Some(found) = finder.found.into_iter().nth(finder.cursor) {
            let selection = found.place.selection;
            let pane = match (&selection.channel, &selection.bundle) {
                (_, Some(_)) => Pane::Entries,
                (Some(_), None) => Pane::Channels,
                (None, None) => Pane::Packages,
            };
            model.jump(|model| {
                model.current = found.place.catalog.min(model.open.len().saturating_sub(1));
                if let Some(package) = selection.package {
                    model.show(package, selection.channel, selection.bundle, pane);
                }
            });
        }
        return Then::Close;
    }
    let rows = finder.found.len();
    if !moves(&mut finder.cursor, rows, page(model), key) && edit_flow::type_into(&mut finder.input, key) {
        find::update(model, &mut finder);
    }
    Then::Stay(Overlay::Finder(finder))
}

fn commands_key(model: &mut Model, mut commands: Commands, key: Key) -> Then {
    if is_cancel(key)
        || (commands.help && commands.input.value().is_empty() && key.code == KeyCode::Char('?'))
    {
        return Then::Close;
    }
    if key.code == KeyCode::Enter {
        let chosen = commands.found.get(commands.cursor).copied().and_then(action::find);
        return match chosen {
            Some(spec) => Then::Do(update::perform(model, spec)),
            None => Then::Close,
        };
    }
    let rows = commands.found.len();
    if !moves(&mut commands.cursor, rows, page(model), key) && edit_flow::type_into(&mut commands.input, key)
    {
        commands.found = find::commands(commands.help.then_some(model.screen), commands.input.value());
        commands.cursor = 0;
    }
    Then::Stay(Overlay::Commands(commands))
}

fn entry_key(model: &mut Model, mut form: Box<EntryForm>, key: Key) -> Then {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let turn = |form: &mut EntryForm, by: usize| {
        let at = (form.field as usize + by) % EntryField::ALL.len();
        form.field = EntryField::ALL[at];
    };
    match key.code {
        KeyCode::Esc => return Then::Close,
        KeyCode::Enter => {
            return match &form.preview {
                None => Then::Close,
                Some(Ok(outcome)) => {
                    let outcome = outcome.clone();
                    edit_flow::accept(model, &outcome);
                    Then::Close
                }
                Some(Err(_)) => Then::Stay(Overlay::Entry(form)),
            };
        }
        KeyCode::Tab | KeyCode::Down => turn(&mut form, 1),
        KeyCode::BackTab | KeyCode::Up => turn(&mut form, EntryField::ALL.len() - 1),
        KeyCode::Char(' ' | 'n') if control => {
            if let Some(name) = form.proposals.first().cloned() {
                form.complete(&name);
            }
        }
        _ => {
            if !edit_flow::type_into(form.input_mut(), key) {
                return Then::Stay(Overlay::Entry(form));
            }
        }
    }
    edit_flow::refresh_form(model, &mut form);
    Then::Stay(Overlay::Entry(form))
}

fn promote_key(model: &mut Model, mut promote: Box<Promote>, key: Key) -> Then {
    match key.code {
        KeyCode::Esc => return Then::Close,
        KeyCode::Enter => {
            if promote.preview.is_none() {
                choose(model, &mut promote);
            }
            if let Some(Ok(outcome)) = promote.preview.clone() {
                edit_flow::accept(model, &outcome);
                return Then::Close;
            }
        }
        KeyCode::Char(' ') => {
            choose(model, &mut promote);
            promote.cursor = (promote.cursor + 1).min(promote.targets.len().saturating_sub(1));
        }
        KeyCode::Char('j') => {
            promote.cursor = (promote.cursor + 1).min(promote.targets.len().saturating_sub(1));
        }
        KeyCode::Char('k') => promote.cursor = promote.cursor.saturating_sub(1),
        _ => {
            let rows = promote.targets.len();
            moves(&mut promote.cursor, rows, page(model), key);
        }
    }
    Then::Stay(Overlay::Promote(promote))
}

/// Chooses the channel under the cursor, or takes that back.
fn choose(model: &mut Model, promote: &mut Promote) {
    let Some(target) = promote.targets.get_mut(promote.cursor) else { return };
    match &target.refusal {
        Some(refusal) => {
            let text = format!("{} {}: {refusal}", promote.bundle, target.channel);
            model.notices.failed(text);
        }
        None => target.chosen = !target.chosen,
    }
    edit_flow::refresh_promote(model, promote);
}

fn pick_key(model: &mut Model, mut pick: Pick, key: Key) -> Then {
    match key.code {
        KeyCode::Esc => return Then::Close,
        KeyCode::Char(' ') if pick.several => {
            if let Some((_, chosen)) = pick.items.get_mut(pick.cursor) {
                *chosen = !*chosen;
            }
        }
        KeyCode::Enter => {
            let several = pick.several;
            let chosen = pick
                .items
                .iter()
                .enumerate()
                .filter(|(row, (_, chosen))| if several { *chosen } else { *row == pick.cursor });
            let names: Vec<_> = chosen.map(|(_, (name, _))| name.as_str().into()).collect();
            match pick.purpose {
                PickPurpose::Subscribed => model.subscribed = names.into_iter().next(),
                PickPurpose::V1Channels => model.query.channels = names,
            }
            return Then::Close;
        }
        KeyCode::Char('j') => pick.cursor = (pick.cursor + 1).min(pick.items.len().saturating_sub(1)),
        KeyCode::Char('k') => pick.cursor = pick.cursor.saturating_sub(1),
        _ => {
            let rows = pick.items.len();
            moves(&mut pick.cursor, rows, page(model), key);
        }
    }
    Then::Stay(Overlay::Pick(pick))
}

fn prompt_key(model: &mut Model, mut prompt: Prompt, key: Key) -> Then {
    match key.code {
        KeyCode::Esc => return Then::Close,
        KeyCode::Enter => return answered(model, prompt),
        _ => {}
    }
    if edit_flow::type_into(&mut prompt.input, key) && prompt.purpose == PromptPurpose::Version {
        prompt.remark = remark_on_version(model, &prompt.input);
        // Live: the table follows what is typed as long as it can be read.
        if prompt.remark.is_ok() {
            prompt.input.value().trim().clone_into(&mut model.query.version);
        }
    }
    Then::Stay(Overlay::Prompt(prompt))
}

fn remark_on_version(model: &Model, input: &Input) -> Result<String, String> {
    let text = input.value().trim();
    if text.is_empty() {
        return Ok("any version".to_owned());
    }
    let constraint = Constraint::parse(text).map_err(|error| error.to_string())?;
    let bundles = model.package().map(|p| p.package().bundles.clone()).unwrap_or_default();
    let versions = bundles.iter().filter_map(|b| b.version.as_ref());
    let matched = versions.filter(|v| constraint.matches(&v.version)).count();
    Ok(format!("matches {matched} of {} bundles", bundles.len()))
}

fn answered(model: &mut Model, mut prompt: Prompt) -> Then {
    match &prompt.purpose {
        PromptPurpose::Version => {
            prompt.remark = remark_on_version(model, &prompt.input);
            if prompt.remark.is_err() {
                return Then::Stay(Overlay::Prompt(prompt));
            }
            prompt.input.value().trim().clone_into(&mut model.query.version);
            Then::Close
        }
        PromptPurpose::SaveAs { .. } => {
            let text = prompt.input.value().trim();
            if text.is_empty() {
                prompt.remark = Err("a path is needed".to_owned());
                return Then::Stay(Overlay::Prompt(prompt));
            }
            let path = PathBuf::from(text);
            let Some(open) = model.catalog() else { return Then::Close };
            let state = open.history.now().clone();
            model.busy = Some(Busy::Saving);
            Then::Do(vec![Effect::SaveAs { catalog: model.current, state, path }])
        }
    }
}

fn leave_key(model: &mut Model, key: Key) -> Then {
    match key.code {
        KeyCode::Char('d') => {
            model.leaving = true;
            Then::Do(vec![Effect::Quit])
        }
        KeyCode::Char('s') => {
            let unsaved = model.open.iter().position(|open| open.history.unsaved(&open.baseline) > 0);
            model.current = unsaved.unwrap_or(model.current);
            match action::find(action::ActionId::Review) {
                Some(spec) => Then::Do(update::perform(model, spec)),
                None => Then::Close,
            }
        }
        KeyCode::Esc | KeyCode::Char('q') => Then::Close,
        _ => Then::Stay(Overlay::Leave),
    }
}
