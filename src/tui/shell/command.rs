//! Execution of commands.

use super::{action_table, edit_application, model::Model, places, program_menu, update};
use crate::tui::{
    keys::Screen,
    parts::list::ListId,
    session::navigation::Pane,
    work::{Command, Effect, Jump, ScreenEvent},
};

/// Executes commands in order.
pub(super) fn execute_commands(model: &mut Model, then: Vec<Command>) -> Vec<Effect> {
    let mut effects = Vec::new();
    for flow in then {
        match flow {
            Command::Effect(effect) => effects.push(effect),
            Command::Open(dialog) => {
                if let Some(dialog) = dialog.into_dialog() {
                    model.open_dialog(dialog);
                }
            }
            Command::Go(jump) => effects.extend(navigate(model, jump)),
            Command::Run(id) => {
                if let Some(spec) = action_table::action_table().find_action(id) {
                    effects.extend(update::run_if_permitted(model, spec));
                }
            }
            Command::RunProgramChoice(choice) => effects.extend(program_menu::run_choice(model, choice)),
            Command::ApplyOutcome(purpose, outcome) => {
                effects.extend(edit_application::apply_outcome(model, purpose, &outcome));
            }
            Command::Select(bundle) => model.session.catalogs.select_bundle(bundle),
            Command::SelectChannel(channel) => model.session.select_channel(channel),
            Command::NotifyScreen(answer) => effects.extend(notify_screen(model, answer)),
            Command::Quit => {
                model.is_quitting = true;
                effects.push(Effect::Quit);
            }
        }
    }
    effects
}

/// Sends an event to the visible screen, after updating derived state.
fn notify_screen(model: &mut Model, answer: ScreenEvent) -> Vec<Effect> {
    model.derive();
    let filtered = if let ScreenEvent::Filtered(list) = answer { Some(list) } else { None };
    let ((), mut effects) = model.with_screen(|screen, cx| screen.handle_event(answer, cx));
    if let Some(list) = filtered {
        model.derive();
        effects.extend(select_first_row_if_hidden(model, list));
    }
    effects
}

/// Selects the first row if the filter hides the selection.
fn select_first_row_if_hidden(model: &mut Model, list: ListId) -> Vec<Effect> {
    if model.list_cursor(list).is_none() && model.row_count(list) > 0 {
        model.select_row(list, 0)
    } else {
        Vec::new()
    }
}

/// Selects the first row of the focused list if its filter hides the selection. Rows can arrive
/// after the filter was typed, because packages are read in the background.
pub(super) fn select_row_behind_filter(model: &mut Model) -> Vec<Effect> {
    let list = model.focused_list();
    if model.session.lists.filter(list).is_empty() {
        return Vec::new();
    }
    model.derive();
    select_first_row_if_hidden(model, list)
}

fn navigate(model: &mut Model, jump: Jump) -> Vec<Effect> {
    match jump {
        Jump::Screen(screen) => places::show_screen(model, screen),
        Jump::OtherCatalog(catalog) => places::switch_to_catalog(model, catalog),
        Jump::Catalog { catalog, package, channel, bundle } => {
            let pane = match (&channel, &bundle) {
                (_, Some(_)) => Pane::Entries,
                (Some(_), None) => Pane::Channels,
                (None, None) => Pane::Packages,
            };
            model.session.jump_with(|session| {
                if let Some(catalog) = catalog {
                    session.catalogs.set_current(catalog);
                }
                session.show_on_catalog_screen(package, channel, bundle, pane);
            });
            Vec::new()
        }
        Jump::Bundle { catalog, package, channel, bundle } => {
            model.session.jump_with(|session| {
                if let Some(catalog) = catalog {
                    session.catalogs.set_current(catalog);
                }
                let selection = session.selection();
                let is_selected = selection.package.as_ref() == Some(&package)
                    && selection.bundle.as_ref() == Some(&bundle);
                if !is_selected {
                    session.show_on_catalog_screen(package, channel, Some(bundle), Pane::Entries);
                }
                session.navigation.screen = Screen::Bundle;
            });
            Vec::new()
        }
        Jump::Finding { catalog, package, nth } => {
            let before = model.session.current_place();
            model.session.catalogs.set_current(catalog);
            model.session.navigation.screen = Screen::Problems;
            model.session.lists.set_filter(ListId::Problems, String::new());
            let findings = model.session.snapshot().map(|now| match &package {
                Some(package) => {
                    now.package(package.as_str()).map_or(&[][..], |package_state| &package_state.findings)
                }
                None => now.outside_findings(),
            });
            let wanted = findings.and_then(|findings| findings.get(nth)).cloned();
            let effects = wanted.map(|wanted| notify_screen(model, ScreenEvent::Finding(Box::new(wanted))));
            model.session.push_left_place(before);
            effects.unwrap_or_default()
        }
    }
}
