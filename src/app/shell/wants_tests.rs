//! Tests of the commands that actions and screens return. No shell executes them.

use std::sync::Arc;

use super::{
    model::{Model, Parts},
    table,
    update::update,
};
use crate::{
    app::{
        keys::{ActionId, Screen},
        session::{settings::Settings, target::Target},
        work::{Effect, Flow, Msg, Opening, Source, flow::Jump, outcome::LoadOutcome},
    },
    catalog::{BundleName, PackageName, demo::demo},
    review::Snapshot,
};

fn opened() -> Model {
    let mut model = Model::new(vec![Source::Demo], Settings::default(), (120, 36));
    let outcome =
        LoadOutcome { source: Source::Demo, result: Ok(Arc::new(Snapshot::new(demo()))), left_over: None };
    let generation = model.session.generation;
    update(&mut model, Msg::Loaded { generation, outcomes: vec![outcome] });
    model
}

/// Returns the commands of the visible screen or of a shared action.
fn wants(model: &mut Model, id: ActionId) -> Vec<Flow> {
    let mut then = Vec::new();
    let Parts { screens, mut cx, .. } = model.parts(&mut then);
    let screen = screens.shown_mut(cx.session.screen);
    match table::shared(id) {
        Some(action) => {
            let mut target = screen.target(&cx.see());
            (action.how.run)(&mut target, &mut cx);
        }
        None => screen.act(id, &mut cx),
    }
    then
}

#[test]
fn edit_action_requests_form_of_highlighted_entry() {
    let mut model = opened();
    let Target { package, channel, bundle, .. } = Target::selected(&model.session);
    let wanted = wants(&mut model, ActionId::EditEntry);
    let [Flow::Open(Opening::Entry { package: about, channel: place, entry, is_new: false, .. })] =
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
    let mut model = opened();
    let wanted = wants(&mut model, ActionId::CopyName);
    let [Flow::Do(Effect::Copy(copied))] = wanted.as_slice() else { panic!("{wanted:?}") };
    assert_eq!(Some(copied.text.as_str()), model.session.selection().bundle.as_ref().map(BundleName::as_str));
}

#[test]
fn commands_are_equal_if_their_content_is() {
    let there = |package: &str| {
        Flow::Go(Jump::Catalog {
            catalog: None,
            package: PackageName::from(package),
            channel: None,
            bundle: None,
        })
    };
    assert_eq!(there("ship"), there("ship"));
    assert_ne!(there("ship"), there("boat"));
    assert_ne!(Flow::Go(Jump::Screen(Screen::Graph)), Flow::Open(Opening::Legend));
}
