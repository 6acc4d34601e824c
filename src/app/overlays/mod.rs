//! Keys while an overlay is on top.

mod ask;
mod choose;
mod elsewhere;
mod pick;
mod promote;
pub(super) mod prompt;
mod range;
mod recovery;
mod refused;
pub(super) mod writing;

use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use super::{
    action, actions, edit_flow, find,
    form::{EntryField, EntryForm},
    keys::Key,
    list::ListId,
    model::{Model, Pane},
    msg::Effect,
    overlay::{Commands, Filter, Finder, Overlay, Pick},
    update,
};

/// What becomes of the overlay after a key.
enum Then {
    /// It stays.
    Stay(Overlay),
    /// It goes.
    Close,
    /// It goes, and the world has something to do.
    Do(Vec<Effect>),
    /// It stays below another one.
    Above(Overlay, Overlay),
    /// It stays while the world has something to do.
    Wait(Overlay, Vec<Effect>),
}

/// Gives a key to the overlay on top.
pub(super) fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let Some(overlay) = model.overlays.pop() else { return Vec::new() };
    let then = match overlay {
        Overlay::Filter(filter) => filter_key(model, filter, key),
        Overlay::Finder(finder) => finder_key(model, finder, key),
        Overlay::Commands(commands) => commands_key(model, commands, key),
        Overlay::Entry(form) => entry_key(model, form, key),
        Overlay::Promote(promote) => promote::key(model, promote, key),
        Overlay::Pick(pick) => pick::key(model, pick, key),
        Overlay::Prompt(prompt) => prompt::key(model, prompt, key),
        // Any key takes it away.
        Overlay::Legend => Then::Close,
        Overlay::Ask(question) => ask::key(model, question, key),
        Overlay::Choose(choice) => choose::key(model, choice, key),
        Overlay::Refused(refused) => refused::key(model, refused, key),
        Overlay::Range(tester) => range::key(model, tester, key),
        Overlay::Question(question) => recovery::answer(model, question, key),
        Overlay::Conflicts(conflicts) => recovery::read(model, conflicts, key),
        Overlay::Elsewhere(elsewhere) => elsewhere::key(model, elsewhere, key),
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
        Then::Above(below, above) => {
            model.overlays.extend([below, above]);
            Vec::new()
        }
        Then::Wait(overlay, effects) => {
            model.overlays.push(overlay);
            effects
        }
    }
}

/// Works out what the row shows on which the keys or the mouse put the cursor.
pub(super) fn refresh(model: &mut Model) {
    if matches!(model.overlays.last(), Some(Overlay::Choose(_)))
        && let Some(Overlay::Choose(mut choice)) = model.overlays.pop()
    {
        choice.refresh(model);
        model.overlays.push(Overlay::Choose(choice));
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
        Some(Overlay::Pick(Pick { input: Some(input), .. })) => input,
        Some(Overlay::Ask(question)) => &mut question.input,
        Some(Overlay::Range(tester)) => &mut tester.input,
        Some(
            Overlay::Promote(_)
            | Overlay::Pick(_)
            | Overlay::Choose(_)
            | Overlay::Refused(_)
            | Overlay::Legend
            | Overlay::Question(_)
            | Overlay::Conflicts(_)
            | Overlay::Elsewhere(_)
            | Overlay::Leave,
        )
        | None => return Vec::new(),
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
        if filter.list == ListId::Graph {
            actions::search_from_here(model);
        }
        // The selection follows what is left to select.
        if model.cursor(filter.list).is_none() && model.rows(filter.list) > 0 {
            model.select(filter.list, 0);
        }
    }
    Then::Stay(Overlay::Filter(filter))
}

fn finder_key(model: &mut Model, mut finder: Box<Finder>, key: Key) -> Then {
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
        commands.found = find::commands(model, commands.help.then_some(model.screen), commands.input.value());
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
                    if form.is_new {
                        model.select_bundle(form.bundle);
                    }
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
