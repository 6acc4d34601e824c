//! Carrying out what rooms want.

use crate::app::{
    actions,
    keys::ActionId,
    parts::list::ListId,
    session::place::Pane,
    shell::{dialogs, keeping, model::Model, table as action, update},
    work::{Answer, Effect, Flow, Jump, opening::Writing},
};

/// Carries out what is wanted, in its order.
pub(in crate::app) fn carry_out(model: &mut Model, then: Vec<Flow>) -> Vec<Effect> {
    let mut effects = Vec::new();
    for flow in then {
        match flow {
            Flow::Do(effect) => effects.push(effect),
            Flow::Open(opening) => model.open(opening),
            Flow::Go(jump) => go(model, jump),
            Flow::Run(id) => effects.extend(run(model, id)),
            Flow::Keep(purpose, outcome) => effects.extend(keeping::keep(model, purpose, &outcome)),
            Flow::Select(bundle) => model.session.select_bundle(bundle),
            Flow::SelectChannel(channel) => model.session.select_channel(channel),
            Flow::Answer(answer) => answered(model, answer),
            Flow::Reply(reply) => dialogs::replied(model, reply),
            Flow::Write { writing: Writing::InPlace, knowing } => {
                effects.extend(actions::write_in_place(model, knowing));
            }
            Flow::Write { writing: Writing::Elsewhere, .. } => effects.extend(actions::ask_where(model)),
            Flow::Leave => {
                model.leaving = true;
                effects.push(Effect::Quit);
            }
        }
    }
    effects
}

/// Does an action as its key would.
fn run(model: &mut Model, id: ActionId) -> Vec<Effect> {
    action::table().find(id).map(|spec| update::perform(model, spec)).unwrap_or_default()
}

fn go(model: &mut Model, jump: Jump) {
    model.jump(|model| match jump {
        Jump::Screen(screen) => model.session.screen = screen,
        Jump::Catalog { catalog, package, channel, bundle } => {
            let last = model.session.open.len().saturating_sub(1);
            model.session.current = catalog.unwrap_or(model.session.current).min(last);
            let pane = match (&channel, &bundle) {
                (_, Some(_)) => Pane::Entries,
                (Some(_), None) => Pane::Channels,
                (None, None) => Pane::Packages,
            };
            model.session.show(package, channel, bundle, pane);
        }
        Jump::Finding { catalog, package, nth } => model.show_finding(catalog, package.as_ref(), nth),
    });
}

/// Tells the shown screen something.
fn answered(model: &mut Model, answer: Answer) {
    match answer {
        Answer::Filtered(list) => {
            model.derive();
            if list == ListId::Graph {
                actions::search_from_here(model);
            }
            // The selection follows what is left to select.
            if model.cursor(list).is_none() && model.rows(list) > 0 {
                model.select(list, 0);
            }
        }
        Answer::Floor(floor) => model.graph.floor = floor,
    }
}
