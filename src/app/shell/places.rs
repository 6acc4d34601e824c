//! Screens, places, catalogs, and leaving.

use crate::app::keys::spec::Enabled;
use crate::app::{
    dialogs::state::Overlay,
    keys::Screen,
    parts::look::Colours,
    session::{
        against,
        model::{Busy, Model, Stage},
        recovery, what_if,
    },
    work::{Effect, Source, outcome::LoadProgress},
};

fn show(model: &mut Model, screen: Screen) -> Vec<Effect> {
    if model.screen != screen {
        model.jump(|model| model.screen = screen);
    }
    Vec::new()
}

pub(in crate::app) fn show_catalog(model: &mut Model) -> Vec<Effect> {
    show(model, Screen::Catalog)
}

pub(in crate::app) fn show_graph(model: &mut Model) -> Vec<Effect> {
    show(model, Screen::Graph)
}

pub(in crate::app) fn show_upgrades(model: &mut Model) -> Vec<Effect> {
    show(model, Screen::Upgrades)
}

pub(in crate::app) fn show_problems(model: &mut Model) -> Vec<Effect> {
    show(model, Screen::Problems)
}

pub(in crate::app) fn show_deprecations(model: &mut Model) -> Vec<Effect> {
    show(model, Screen::Deprecations)
}

pub(in crate::app) fn show_changes(model: &mut Model) -> Vec<Effect> {
    show(model, Screen::Changes)
}

pub(in crate::app) fn has_place_back(model: &Model) -> Enabled {
    if model.trail.has_back() { Ok(()) } else { Err("there is no place before".to_owned()) }
}

pub(in crate::app) fn has_place_forward(model: &Model) -> Enabled {
    if model.trail.has_forward() { Ok(()) } else { Err("one did not come back from anywhere".to_owned()) }
}

pub(in crate::app) fn place_back(model: &mut Model) -> Vec<Effect> {
    let now = model.place();
    if let Some(place) = model.trail.back(now) {
        model.go(place);
    }
    Vec::new()
}

pub(in crate::app) fn place_forward(model: &mut Model) -> Vec<Effect> {
    let now = model.place();
    if let Some(place) = model.trail.forward(now) {
        model.go(place);
    }
    Vec::new()
}

pub(in crate::app) fn has_several(model: &Model) -> Enabled {
    if model.open.len() > 1 { Ok(()) } else { Err("only one catalog is open".to_owned()) }
}

pub(in crate::app) fn next_catalog(model: &mut Model) -> Vec<Effect> {
    turn(model, 1)
}

pub(in crate::app) fn previous_catalog(model: &mut Model) -> Vec<Effect> {
    turn(model, model.open.len().saturating_sub(1))
}

/// Another catalog, at the same names where it has them: that is how catalogs are compared.
fn turn(model: &mut Model, by: usize) -> Vec<Effect> {
    let selection = model.selection().clone();
    let next = (model.current + by) % model.open.len().max(1);
    model.jump(|model| {
        model.current = next;
        let there = selection
            .package
            .as_ref()
            .is_some_and(|package| model.snapshot().is_some_and(|s| s.package(package.as_str()).is_some()));
        if there && let Some(open) = model.catalog_mut() {
            open.selection = selection;
        }
        model.settle();
    });
    Vec::new()
}

pub(in crate::app) fn can_reload(model: &Model) -> Enabled {
    if !model.open.iter().all(recovery::can_rebase) {
        return Err("edits were taken back that are saved: save again or redo them first".to_owned());
    }
    if model.open.iter().any(|open| open.what_if.is_some()) {
        return Err(what_if::in_the_way(model));
    }
    if model.sources.iter().all(|s| !matches!(s, Source::Path(_))) {
        return Err("nothing of this is on disk".to_owned());
    }
    Ok(())
}

pub(in crate::app) fn reload(model: &mut Model) -> Vec<Effect> {
    model.generation += 1;
    model.busy = Some(Busy::Reading);
    let show = model.open.is_empty();
    if show {
        model.stage = Stage::Loading(LoadProgress::default());
    }
    let mut effects = against::read_again(model);
    effects.push(Effect::Load { generation: model.generation, sources: model.sources.clone(), show });
    effects
}

pub(in crate::app) fn quit(model: &mut Model) -> Vec<Effect> {
    if model.unsaved() > 0 {
        if !matches!(model.overlays.last(), Some(Overlay::Leave)) {
            model.overlays.push(Overlay::Leave);
        }
        return Vec::new();
    }
    model.leaving = true;
    vec![Effect::Quit]
}

/// Themes are seen where there are colours.
pub(in crate::app) fn has_colours(model: &Model) -> Enabled {
    if model.settings.look.colours == Colours::None {
        return Err("no colours are wanted here (NO_COLOR, --color never or TERM=dumb)".to_owned());
    }
    Ok(())
}

pub(in crate::app) fn next_theme(model: &mut Model) -> Vec<Effect> {
    let look = &mut model.settings.look;
    look.theme = look.next();
    let name = look.theme.name();
    model.notices.done(format!("theme {name}; to stay with it: theme = \"{name}\" in config.toml"));
    Vec::new()
}
