//! Tests of the commands that actions and screens return. No shell executes them.

use std::sync::Arc;

use crate::demo::demo;
use crate::tui::{
    keys::{ActionId, Screen},
    session::{action::Target, context::Settings, jobs::load::LoadAnswer},
    shell::{
        action_table,
        model::{Model, ModelParts},
        update::update,
    },
    work::{Command, DialogRequest, Effect, Msg, Source, command::Jump, outcome::LoadOutcome},
};
use olm_catalog::{BundleName, PackageName};
use olm_check::review::Snapshot;

fn model_with_demo() -> Model {
    let mut model = Model::new(vec![Source::Demo], Settings::default(), (120, 36));
    let outcome = LoadOutcome {
        source: Source::Demo,
        result: Ok(Arc::new(Snapshot::new(demo()))),
        recoverable_edits: None,
    };
    let asked = Arc::clone(model.session.jobs.load_request().unwrap());
    update(&mut model, Msg::answer(asked, LoadAnswer::Done(vec![outcome])));
    model
}

/// Returns the commands of the visible screen or of a shared action.
fn commands_of_action(model: &mut Model, id: ActionId) -> Vec<Command> {
    let mut then = Vec::new();
    let ModelParts { screens, mut cx, .. } = model.split(&mut then);
    let screen = screens.get_mut(cx.session.navigation.screen);
    match action_table::shared_action(id) {
        Some(action) => {
            let mut target = screen.target(&cx.view());
            (action.handler.run)(&mut target, &mut cx);
        }
        None => screen.run_action(id, &mut cx),
    }
    then
}

#[test]
fn edit_action_requests_form_of_highlighted_entry() {
    let mut model = model_with_demo();
    let Target { package, channel, bundle, .. } = Target::from_selection(model.session.selection());
    let wanted = commands_of_action(&mut model, ActionId::EditEntry);
    let [Command::Open(DialogRequest::Entry { package: about, channel: place, entry, is_new: false, .. })] =
        wanted.as_slice()
    else {
        panic!("{wanted:?}")
    };
    assert_eq!(
        (Some(about), Some(place), Some(entry)),
        (package.as_ref(), channel.as_ref(), bundle.as_ref())
    );
    assert!(model.dialogs.is_empty());
}

#[test]
fn copy_action_requests_effect() {
    let mut model = model_with_demo();
    let wanted = commands_of_action(&mut model, ActionId::CopyName);
    let [Command::Effect(Effect::Copy(copied))] = wanted.as_slice() else { panic!("{wanted:?}") };
    assert_eq!(Some(copied.text.as_str()), model.session.selection().bundle.as_ref().map(BundleName::as_str));
}

#[test]
fn commands_are_equal_if_their_content_is() {
    let there = |package: &str| {
        Command::Go(Jump::Catalog {
            catalog: None,
            package: PackageName::from(package),
            channel: None,
            bundle: None,
        })
    };
    assert_eq!(there("ship"), there("ship"));
    assert_ne!(there("ship"), there("boat"));
    assert_ne!(Command::Go(Jump::Screen(Screen::Graph)), Command::Open(DialogRequest::Log));
}
