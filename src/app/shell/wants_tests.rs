//! What actions and screens want is data: it is compared here, and nobody carries it out.

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

/// What the shown screen or a shared action wants.
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
fn editing_wants_the_form_of_the_highlighted_entry_and_opens_nothing_itself() {
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
fn what_the_world_is_to_do_is_wanted_like_anything_else() {
    let mut model = opened();
    let wanted = wants(&mut model, ActionId::CopyName);
    let [Flow::Do(Effect::Copy(copied))] = wanted.as_slice() else { panic!("{wanted:?}") };
    assert_eq!(Some(copied.text.as_str()), model.session.selection().bundle.as_ref().map(BundleName::as_str));
}

#[test]
fn two_wants_are_the_same_when_all_they_say_is() {
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
