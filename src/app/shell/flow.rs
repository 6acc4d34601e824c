//! Execution of commands.

use super::{dialogs, keeping, model::Model, places, table, update};
use crate::app::{
    keys::Screen,
    parts::list::ListId,
    session::{place::Pane, saving},
    work::{Answer, Effect, Flow, Jump, opening::Writing},
};

/// Executes commands in order.
pub(super) fn carry_out(model: &mut Model, then: Vec<Flow>) -> Vec<Effect> {
    let mut effects = Vec::new();
    for flow in then {
        match flow {
            Flow::Do(effect) => effects.push(effect),
            Flow::Open(opening) => model.open(opening),
            Flow::Go(jump) => effects.extend(go(model, jump)),
            Flow::Run(id) => {
                if let Some(spec) = table::table().find(id) {
                    effects.extend(update::perform(model, spec));
                }
            }
            Flow::Keep(purpose, outcome) => effects.extend(keeping::keep(model, purpose, &outcome)),
            Flow::Select(bundle) => model.session.select_bundle(bundle),
            Flow::SelectChannel(channel) => model.session.select_channel(channel),
            Flow::Answer(answer) => effects.extend(tell(model, answer)),
            Flow::Reply(reply) => dialogs::replied(model, reply),
            Flow::Write { writing: Writing::InPlace, knowing } => {
                effects.extend(model.with(|cx| saving::write_in_place(cx, knowing)));
            }
            Flow::Write { writing: Writing::Elsewhere, .. } => effects.extend(model.with(saving::ask_where)),
            Flow::Leave => {
                model.leaving = true;
                effects.push(Effect::Quit);
            }
        }
    }
    effects
}

/// Sends an event to the visible screen, after updating derived state.
fn tell(model: &mut Model, answer: Answer) -> Vec<Effect> {
    model.derive();
    let filtered = if let Answer::Filtered(list) = answer { Some(list) } else { None };
    let ((), mut effects) = model.with_screen(|screen, cx| screen.answered(answer, cx));
    if let Some(list) = filtered {
        model.derive();
        // Select the first row if the filter hides the selection.
        if model.cursor(list).is_none() && model.rows(list) > 0 {
            effects.extend(model.select(list, 0));
        }
    }
    effects
}

fn go(model: &mut Model, jump: Jump) -> Vec<Effect> {
    match jump {
        Jump::Screen(screen) => {
            model.session.jump(|session| session.screen = screen);
            Vec::new()
        }
        Jump::Turn(catalog) => places::turn_to(model, catalog),
        Jump::Catalog { catalog, package, channel, bundle } => {
            let pane = match (&channel, &bundle) {
                (_, Some(_)) => Pane::Entries,
                (Some(_), None) => Pane::Channels,
                (None, None) => Pane::Packages,
            };
            model.session.jump(|session| {
                if let Some(catalog) = catalog {
                    session.current = catalog.min(session.open.len().saturating_sub(1));
                }
                session.show(package, channel, bundle, pane);
            });
            Vec::new()
        }
        Jump::Bundle { catalog, package, channel, bundle } => {
            model.session.jump(|session| {
                if let Some(catalog) = catalog {
                    session.current = catalog.min(session.open.len().saturating_sub(1));
                }
                let selection = session.selection();
                let is_selected = selection.package.as_ref() == Some(&package)
                    && selection.bundle.as_ref() == Some(&bundle);
                if !is_selected {
                    session.show(package, channel, Some(bundle), Pane::Entries);
                }
                session.screen = Screen::Bundle;
            });
            Vec::new()
        }
        Jump::Finding { catalog, package, nth } => {
            let before = model.session.place();
            model.session.current = catalog.min(model.session.open.len().saturating_sub(1));
            model.session.screen = Screen::Problems;
            model.session.lists.set_filter(ListId::Problems, String::new());
            let findings = model.session.snapshot().map(|now| match &package {
                Some(package) => now.package(package.as_str()).map_or(&[][..], |judged| &judged.findings),
                None => now.outside(),
            });
            let wanted = findings.and_then(|findings| findings.get(nth)).cloned();
            let effects = wanted.map(|wanted| tell(model, Answer::Finding(Box::new(wanted))));
            model.session.left(before);
            effects.unwrap_or_default()
        }
    }
}
