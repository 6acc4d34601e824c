//! Keys while an overlay is on top.

mod against;
pub mod against_state;
pub mod ask;
mod choose;
pub mod choose_state;
pub mod dialog;
pub mod entry;
pub mod finder;
mod other_catalogs;
pub mod other_catalogs_state;
pub mod palette;
mod pick;
mod promote;
pub(in crate::app) mod prompt;
mod range;
pub mod range_state;
pub mod recovery;
mod refused;
pub mod state;
pub mod table;
pub(in crate::app) mod writing;

use crate::app::dialogs::against_state::Choice;
use crate::app::dialogs::ask::Ask;
use crate::app::dialogs::choose_state::Choose;
use crate::app::dialogs::other_catalogs_state::Elsewhere;
use crate::app::dialogs::range_state::RangeTester;
use crate::app::dialogs::recovery::Conflicts;
use crate::app::dialogs::state::Promote;
use crate::app::dialogs::state::Refused;
use crate::app::shell::keeping;
use crate::app::work::Opening;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use tui_input::Input;

use crate::app::{
    actions,
    dialogs::{
        entry::{EntryField, EntryForm},
        finder as find,
        state::{Commands, Filter, Finder, Log, Overlay, Pick},
    },
    keys::{ActionId, Key, Scope, keymap::Match},
    parts::{field, list::ListId},
    session::place::Pane,
    shell::{model::Model, table as action, update},
    work::Effect,
};

/// What becomes of the overlay after a key.
pub(in crate::app) enum Then {
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

/// A key that was pressed, as far as the dialog is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::app) enum Press {
    /// It is that of an action.
    Action(ActionId),
    /// It is typed.
    Key(Key),
}

/// Gives a key to the overlay on top.
pub(in crate::app) fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let Some(dialog) = model.overlays.last().map(Overlay::dialog) else { return Vec::new() };
    let action = match model.keymap.find(dialog, &[key]) {
        Match::Action(spec) => Some(spec.id),
        Match::Prefix | Match::Nothing => None,
    };
    press(model, action.map_or(Press::Key(key), Press::Action))
}

/// Does in the overlay on top what a key stands for.
pub(in crate::app) fn press(model: &mut Model, press: Press) -> Vec<Effect> {
    if press == Press::Action(ActionId::DialogHelp)
        && let Some(dialog) = model.dialog()
    {
        // In help it closes help: there is none of help itself.
        return match model.overlays.last() {
            Some(Overlay::Commands(_)) => {
                model.overlays.pop();
                Vec::new()
            }
            _ => actions::commands(model, Some(Scope::Dialog(dialog))),
        };
    }
    if field_of(model).is_some_and(|input| field::is_refused(input, press)) {
        model.notices.refused(format!("the field is full: it holds {} characters", field::LONGEST));
        return Vec::new();
    }
    let Some(overlay) = model.overlays.pop() else { return Vec::new() };
    let then = match overlay {
        Overlay::Filter(filter) => filter_key(model, filter, press),
        Overlay::Finder(finder) => finder_key(model, finder, press),
        Overlay::Commands(commands) => commands_key(model, commands, press),
        Overlay::Entry(form) => entry_key(model, form, press),
        Overlay::Promote(promote) => promote::key(model, promote, press),
        Overlay::Pick(pick) => pick::key(model, pick, press),
        Overlay::Prompt(prompt) => prompt::key(model, prompt, press),
        Overlay::Log(log) => log_key(model, log, press),
        // Any key takes it away.
        Overlay::Legend => Then::Close,
        Overlay::Ask(question) => ask::answered::key(model, question, press),
        Overlay::Choose(choice) => choose::key(model, choice, press),
        Overlay::Against(choice) => against::key(model, choice, press),
        Overlay::Refused(refused) => refused::key(model, refused, press),
        Overlay::Range(tester) => range::key(model, tester, press),
        Overlay::Question(question) => recovery::answer(model, question, press),
        Overlay::Conflicts(conflicts) => recovery::read(model, conflicts, press),
        Overlay::Elsewhere(elsewhere) => other_catalogs::key(model, elsewhere, press),
        Overlay::Leave => leave_key(model, press),
        Overlay::Configuration { row, of } => configuration_key(model, row, of, press),
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
pub(in crate::app) fn refresh(model: &mut Model) {
    if matches!(model.overlays.last(), Some(Overlay::Choose(_)))
        && let Some(Overlay::Choose(mut choice)) = model.overlays.pop()
    {
        choice.refresh(model);
        model.overlays.push(Overlay::Choose(choice));
    }
    if matches!(model.overlays.last(), Some(Overlay::Finder(_)))
        && let Some(Overlay::Finder(mut finder)) = model.overlays.pop()
    {
        find::answer(model, &mut finder);
        model.overlays.push(Overlay::Finder(finder));
    }
}

/// The field that gets the keys, where one does.
fn field_of(model: &mut Model) -> Option<&mut Input> {
    match model.overlays.last_mut()? {
        Overlay::Filter(filter) => Some(&mut filter.input),
        Overlay::Finder(finder) => Some(&mut finder.input),
        Overlay::Commands(commands) => Some(&mut commands.input),
        Overlay::Entry(form) => Some(form.input_mut()),
        Overlay::Prompt(prompt) => Some(&mut prompt.input),
        Overlay::Pick(Pick { input, .. }) => input.as_mut(),
        Overlay::Ask(question) => Some(&mut question.input),
        Overlay::Range(tester) => Some(&mut tester.input),
        Overlay::Promote(_)
        | Overlay::Choose(_)
        | Overlay::Against(_)
        | Overlay::Refused(_)
        | Overlay::Legend
        | Overlay::Log(_)
        | Overlay::Question(_)
        | Overlay::Conflicts(_)
        | Overlay::Elsewhere(_)
        | Overlay::Configuration { .. }
        | Overlay::Leave => None,
    }
}

/// Gives pasted text to the field that gets the keys; where no field does, it is no text for anybody. Line breaks become
/// blanks: every field is one line.
pub(in crate::app) fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    let Some(input) = field_of(model) else { return Vec::new() };
    let mut text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    // All but the last letter go in at once; the last is typed, so that what follows is worked out once.
    let Some(last) = text.pop() else { return Vec::new() };
    let inserted =
        field::has_room(input, text.chars().count() + 1).and_then(|()| field::insert(input, &text));
    if let Err(error) = inserted {
        model.notices.refused(format!("nothing is pasted: {error}"));
        return Vec::new();
    }
    press(model, Press::Key(Key { code: KeyCode::Char(last), modifiers: KeyModifiers::NONE }))
}

/// Moves the row of a list overlay; whether the key does that.
fn moves(cursor: &mut usize, rows: usize, page: usize, press: Press) -> bool {
    let last = rows.saturating_sub(1);
    *cursor = match press {
        Press::Action(ActionId::RowDown) => cursor.saturating_add(1).min(last),
        Press::Action(ActionId::RowUp) => cursor.saturating_sub(1),
        Press::Action(ActionId::RowPageDown) => cursor.saturating_add(page).min(last),
        Press::Action(ActionId::RowPageUp) => cursor.saturating_sub(page),
        Press::Action(ActionId::RowFirst) => 0,
        Press::Action(ActionId::RowLast) => last,
        Press::Action(_) | Press::Key(_) => return false,
    };
    true
}

fn page_of(model: &Model, list: ListId) -> isize {
    model.frame.hits.list(list).map_or(1, |l| isize::try_from(l.area.height).unwrap_or(1)).max(1)
}

fn page(model: &Model) -> usize {
    model.frame.hits.list(ListId::Overlay).map_or(5, |l| usize::from(l.area.height)).max(1)
}

fn filter_key(model: &mut Model, mut filter: Filter, press: Press) -> Then {
    match press {
        Press::Action(ActionId::Accept) => return Then::Close,
        Press::Action(ActionId::Cancel) => {
            model.session.lists.set_filter(filter.list, String::new());
            return Then::Close;
        }
        Press::Action(ActionId::RowDown) => model.move_in(filter.list, 1),
        Press::Action(ActionId::RowUp) => model.move_in(filter.list, -1),
        Press::Action(ActionId::RowPageDown) => model.move_in(filter.list, page_of(model, filter.list)),
        Press::Action(ActionId::RowPageUp) => model.move_in(filter.list, -page_of(model, filter.list)),
        _ => {}
    }
    if field::type_into(&mut filter.input, press) {
        model.session.lists.set_filter(filter.list, filter.input.value().to_owned());
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

fn finder_key(model: &mut Model, mut finder: Box<Finder>, press: Press) -> Then {
    if press == Press::Action(ActionId::Cancel) {
        return Then::Close;
    }
    if press == Press::Action(ActionId::Accept) {
        if let Some(found) = finder.found.into_iter().nth(finder.cursor) {
            if found.finding.is_some() {
                model.jump(|model| model.show_finding(&found));
                return Then::Close;
            }
            let selection = found.place.selection;
            let pane = match (&selection.channel, &selection.bundle) {
                (_, Some(_)) => Pane::Entries,
                (Some(_), None) => Pane::Channels,
                (None, None) => Pane::Packages,
            };
            model.jump(|model| {
                model.session.current = found.place.catalog.min(model.session.open.len().saturating_sub(1));
                if let Some(package) = selection.package {
                    model.session.show(package, selection.channel, selection.bundle, pane);
                }
            });
        }
        return Then::Close;
    }
    let rows = finder.found.len();
    if !moves(&mut finder.cursor, rows, page(model), press) && field::type_into(&mut finder.input, press) {
        find::update(model, &mut finder);
    }
    Then::Stay(Overlay::Finder(finder))
}

fn log_key(model: &Model, mut log: Log, press: Press) -> Then {
    if matches!(press, Press::Action(ActionId::Cancel | ActionId::Accept)) {
        return Then::Close;
    }
    moves(&mut log.cursor, log.messages.len(), page(model), press);
    Then::Stay(Overlay::Log(log))
}

fn commands_key(model: &mut Model, mut commands: Commands, press: Press) -> Then {
    if press == Press::Action(ActionId::Cancel) || closes_help(model, &commands, press) {
        return Then::Close;
    }
    if press == Press::Action(ActionId::Accept) {
        let chosen = commands.found.get(commands.cursor).and_then(|found| action::table().find(found.id));
        return match chosen {
            Some(spec) => Then::Do(update::perform(model, spec)),
            None => Then::Close,
        };
    }
    let rows = commands.found.len();
    if !moves(&mut commands.cursor, rows, page(model), press) && field::type_into(&mut commands.input, press)
    {
        commands.found =
            crate::app::dialogs::palette::commands(model, commands.scope, commands.input.value());
        commands.cursor = 0;
    }
    Then::Stay(Overlay::Commands(commands))
}

/// The sign that opens help closes it, as long as nothing is typed.
fn closes_help(model: &Model, commands: &Commands, press: Press) -> bool {
    let Press::Key(key) = press else { return false };
    let is_sign = !matches!(key.code, KeyCode::Char(c) if c.is_alphanumeric());
    let (scope, opens) = match commands.scope {
        Some(scope @ Scope::Screen(_)) => (scope, ActionId::Help),
        Some(scope @ Scope::Dialog(_)) => (scope, ActionId::DialogHelp),
        None => return false,
    };
    is_sign
        && commands.input.value().is_empty()
        && matches!(model.keymap.find(scope, &[key]), Match::Action(spec) if spec.id == opens)
}

fn entry_key(model: &mut Model, mut form: Box<EntryForm>, press: Press) -> Then {
    let turn = |form: &mut EntryForm, by: usize| {
        let at = (form.field as usize + by) % EntryField::ALL.len();
        form.field = EntryField::ALL[at];
    };
    match press {
        Press::Action(ActionId::Cancel) => return Then::Close,
        Press::Action(ActionId::Accept) => {
            return match &form.preview {
                None => Then::Close,
                Some(Ok(outcome)) => {
                    let outcome = outcome.clone();
                    keeping::accept(model, &outcome);
                    if form.is_new {
                        model.session.select_bundle(form.bundle);
                    }
                    Then::Close
                }
                Some(Err(_)) => Then::Stay(Overlay::Entry(form)),
            };
        }
        Press::Action(ActionId::NextField) => turn(&mut form, 1),
        Press::Action(ActionId::PreviousField) => turn(&mut form, EntryField::ALL.len() - 1),
        Press::Action(ActionId::Complete) => {
            if let Some(name) = form.proposals.first().cloned() {
                form.complete(&name);
            }
        }
        _ => {
            if !field::type_into(form.input_mut(), press) {
                return Then::Stay(Overlay::Entry(form));
            }
        }
    }
    crate::app::dialogs::entry::refresh_form(model, &mut form);
    Then::Stay(Overlay::Entry(form))
}

fn configuration_key(model: &Model, mut row: usize, of: usize, press: Press) -> Then {
    if matches!(press, Press::Action(ActionId::Accept | ActionId::Cancel)) {
        return Then::Close;
    }
    moves(&mut row, of, page(model), press);
    Then::Stay(Overlay::Configuration { row, of })
}

fn leave_key(model: &mut Model, press: Press) -> Then {
    match press {
        Press::Action(ActionId::DiscardEdits) => {
            model.leaving = true;
            Then::Do(vec![Effect::Quit])
        }
        Press::Action(ActionId::ReviewFirst) => {
            let unsaved = model.session.open.iter().position(|open| open.history.unsaved(&open.baseline) > 0);
            model.session.current = unsaved.unwrap_or(model.session.current);
            match action::table().find(ActionId::Review) {
                Some(spec) => Then::Do(update::perform(model, spec)),
                None => Then::Close,
            }
        }
        Press::Action(ActionId::Cancel) => Then::Close,
        _ => Then::Stay(Overlay::Leave),
    }
}

/// The dialog that is wanted.
pub(in crate::app) fn opened(model: &Model, opening: Opening) -> Overlay {
    match opening {
        Opening::Filter(list) => {
            Overlay::Filter(Filter { list, input: model.session.lists.filter(list).to_owned().into() })
        }
        Opening::Finder => {
            let mut finder = Box::<Finder>::default();
            find::update(model, &mut finder);
            Overlay::Finder(finder)
        }
        Opening::Log => {
            let messages = model.notices.log.iter().rev().cloned().collect();
            Overlay::Log(Log { messages, cursor: 0 })
        }
        Opening::Commands(scope) => {
            let found = palette::commands(model, scope, "");
            let all = found.len();
            Overlay::Commands(Commands { scope, input: "".into(), all, found, cursor: 0 })
        }
        Opening::Entry { package, channel, entry, spec, is_new } => {
            let mut form = if is_new {
                EntryForm::adding(package, channel, entry, spec)
            } else {
                EntryForm::new(package, channel, entry, spec)
            };
            entry::refresh_form(model, &mut form);
            Overlay::Entry(Box::new(form))
        }
        Opening::Promote { package, bundle } => {
            Overlay::Promote(Box::new(Promote::new(model, package, bundle)))
        }
        Opening::Pick { title, purpose, several, typed, items } => {
            let pick = Pick::new(title, purpose, several, items);
            Overlay::Pick(if typed { pick.typed() } else { pick })
        }
        Opening::Prompt { title, purpose, text } => prompt::open(model, title, purpose, text),
        Opening::Legend => Overlay::Legend,
        Opening::Ask { purpose, package, asked, proposed } => {
            Overlay::Ask(Box::new(Ask::new(model, purpose, package, asked, proposed)))
        }
        Opening::Choose { purpose, package, title, ways } => {
            Overlay::Choose(Box::new(Choose::new(model, purpose, package, title, ways)))
        }
        Opening::Against => Overlay::Against(Box::new(Choice::new(model))),
        Opening::Refused { because, writing } => Overlay::Refused(Refused { because, writing }),
        Opening::Range(range) => Overlay::Range(Box::new(RangeTester::new(model, range))),
        Opening::ChangedOnDisk(message) => Overlay::Question(recovery::Question::ChangedOnDisk { message }),
        Opening::Restore { catalog, left_over } => {
            Overlay::Question(recovery::Question::Restore { catalog, left_over })
        }
        Opening::Conflicts { made, refused } => Overlay::Conflicts(Conflicts { made, refused, cursor: 0 }),
        Opening::Elsewhere => match Elsewhere::of(model) {
            Some(elsewhere) => Overlay::Elsewhere(Box::new(elsewhere)),
            None => Overlay::Legend,
        },
        Opening::Leave => Overlay::Leave,
        Opening::Configuration => {
            Overlay::Configuration { row: 0, of: model.settings.configuration.problems.len() }
        }
    }
}
