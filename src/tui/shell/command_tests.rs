//! Tests of the commands that actions and screens return. No shell executes them.

use std::sync::Arc;

use crate::demo::demo;
use crate::tui::{
    dialogs::{dialog::DialogState, entry_form::EntryForm},
    keys::{ActionId, KeyPress},
    session::{action::Target, context::Settings, jobs::load::LoadAnswer},
    shell::{
        action_table,
        model::{Model, ModelParts},
        update::update,
    },
    work::{Command, Effect, Msg, Source, outcome::LoadOutcome},
};
use olm_catalog::BundleName;
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
fn edit_action_opens_form_of_highlighted_entry() {
    let mut model = model_with_demo();
    let Target { package, channel, bundle, .. } = Target::from_selection(model.session.selection());
    let mut wanted = commands_of_action(&mut model, ActionId::EditEntry);
    let Some(Command::Open(dialog)) = wanted.pop() else { panic!("{wanted:?}") };
    assert!(wanted.is_empty(), "{wanted:?}");
    let dialog: Box<dyn DialogState> = dialog.into_dialog().unwrap();
    let form = dialog.downcast::<EntryForm>().unwrap();
    assert!(!form.is_new);
    assert_eq!(
        (Some(&form.package), Some(&form.channel), Some(&form.bundle)),
        (package.as_ref(), channel.as_ref(), bundle.as_ref())
    );
    assert!(model.dialogs.is_empty());
}

#[test]
fn copy_action_requests_effect() {
    let mut model = model_with_demo();
    let mut wanted = commands_of_action(&mut model, ActionId::Copy);
    let Some(Command::Open(dialog)) = wanted.pop() else { panic!("{wanted:?}") };
    let mut menu = dialog.into_dialog::<Box<dyn DialogState>>().unwrap();
    let ModelParts { mut cx, .. } = model.split(&mut wanted);
    menu.handle_press(KeyPress::Action(ActionId::Accept), &mut cx);
    let [Command::Effect(Effect::Copy(copied))] = wanted.as_slice() else { panic!("{wanted:?}") };
    assert_eq!(Some(copied.text.as_str()), model.session.selection().bundle.as_ref().map(BundleName::as_str));
}
