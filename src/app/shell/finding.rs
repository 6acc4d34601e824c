//! Filtering, searching and sorting lists, and dialogs with actions.

use crate::{
    app::{
        dialogs::apis::jump,
        keys::{ActionId, Scope, Screen, spec::Enabled},
        parts::{list::ListId, orders::Order},
        shell::{
            flow,
            model::Model,
            tour::{self, Tour},
        },
        work::{Effect, Flow, Opening},
    },
    bundle::inside::Part,
    catalog::blob::Thing,
    export::plain,
    upgrade::apis::{Index, Side},
};

pub(in crate::app) fn can_filter(model: &Model) -> Enabled {
    match model.list_below() {
        ListId::SideBySide => {
            Err(format!("no filter here; find a bundle with {}", model.key(ActionId::Find)))
        }
        ListId::Details
        | ListId::Reasons
        | ListId::Changes
        | ListId::Finding
        | ListId::Preview
        | ListId::Dialog(_) => Err("no list to filter here".to_owned()),
        list if model.rows(list) == 0 && model.session.lists.filter(list).is_empty() => {
            Err("nothing to filter here".to_owned())
        }
        _ => Ok(()),
    }
}

pub(in crate::app) fn filter(model: &mut Model) -> Vec<Effect> {
    let list = model.list_below();
    model.open(Opening::Filter(list));
    Vec::new()
}

pub(in crate::app) fn can_sort(model: &Model) -> Enabled {
    if let Some(own) = model.shown().can_sort(&model.see()) {
        return own;
    }
    let list = match model.list_below() {
        list if Order::all(list).is_empty() => return Err("no list to sort here".to_owned()),
        list => list,
    };
    if model.rows(list) == 0 { Err("nothing to sort here".to_owned()) } else { Ok(()) }
}

pub(in crate::app) fn sort(model: &mut Model) -> Vec<Effect> {
    sort_list(model, model.list_below())
}

/// Sorts a list by its next order. Lists that select by name keep their selection.
pub(in crate::app) fn sort_list(model: &mut Model, list: ListId) -> Vec<Effect> {
    let (has_own, effects) = model.with_screen(|screen, cx| screen.sort(cx));
    if has_own {
        return effects;
    }
    model.session.orders.turn(list);
    if let Some(order) = model.session.orders.of(list) {
        model.notices.done(format!("sorted {}", order.words()));
    }
    if matches!(list, ListId::Problems | ListId::Deprecations) {
        model.derive();
        if model.rows(list) > 0 {
            return model.select(list, 0);
        }
    }
    Vec::new()
}

pub(in crate::app) fn find(model: &mut Model) -> Vec<Effect> {
    model.open(Opening::Finder);
    Vec::new()
}

/// Shows all APIs and packages, or for an API of the Bundle screen the other side of it. If the
/// other side is a single package, goes there.
pub(in crate::app) fn apis(model: &mut Model) -> Vec<Effect> {
    let of = meant(model);
    let index = || Index::of(model.session.open.iter().map(|open| &*open.now().catalog));
    let only = of.as_ref().and_then(|(thing, side)| {
        let index = index();
        match index.usage(thing)?.side(*side) {
            [only] => jump(only),
            _ => None,
        }
    });
    if let Some(jump) = only {
        return flow::carry_out(model, vec![Flow::Go(jump)]);
    }
    model.open(Opening::Apis { of });
    Vec::new()
}

/// Returns the API or package of the selected row of the Bundle screen, with its other side.
fn meant(model: &Model) -> Option<(Thing, Side)> {
    if model.session.screen != Screen::Bundle {
        return None;
    }
    let (section, row) = model.screens.bundle.selected()?;
    let side = if section.part == Part::Owned { Side::Required } else { Side::Provided };
    Some((row?.thing.clone()?, side))
}

pub(in crate::app) fn can_tour(model: &Model) -> Enabled {
    tour::is_possible(model)
}

pub(in crate::app) fn tour(model: &mut Model) -> Vec<Effect> {
    model.tour = match model.tour {
        Some(_) => None,
        None => Some(Tour::default()),
    };
    Vec::new()
}

pub(in crate::app) fn has_log(model: &Model) -> Enabled {
    if model.notices.log.is_empty() { Err("no messages yet".to_owned()) } else { Ok(()) }
}

/// Shows the log and hides the current notice, because the log contains it.
pub(in crate::app) fn show_log(model: &mut Model) -> Vec<Effect> {
    model.notices.put_away();
    model.open(Opening::Log);
    Vec::new()
}

pub(in crate::app) fn palette(model: &mut Model) -> Vec<Effect> {
    commands(model, None)
}

pub(in crate::app) fn help(model: &mut Model) -> Vec<Effect> {
    commands(model, Some(Scope::Screen(model.session.screen)))
}

pub(in crate::app) fn has_configuration_problems(model: &Model) -> Enabled {
    let configuration = &model.settings.configuration;
    match (&configuration.path, configuration.problems.is_empty()) {
        (_, false) => Ok(()),
        (Some(path), true) => Err(format!("no errors in {}", plain::line(&path.display().to_string()))),
        (None, true) => Err("no configuration file, using defaults".to_owned()),
    }
}

pub(in crate::app) fn show_configuration(model: &mut Model) -> Vec<Effect> {
    model.open(Opening::Configuration);
    Vec::new()
}

/// Opens the list of a scope's keys, or of all actions.
pub(in crate::app) fn commands(model: &mut Model, scope: Option<Scope>) -> Vec<Effect> {
    model.open(Opening::Commands(scope));
    Vec::new()
}

pub(in crate::app) fn toggle_mouse(model: &mut Model) -> Vec<Effect> {
    model.frame.captures_mouse = !model.frame.captures_mouse;
    if model.frame.captures_mouse {
        model.notices.done("mouse on");
    } else {
        let key = model.key(ActionId::ToggleMouse);
        let words = format!("mouse off: select text with it; {key} turns it on");
        model.notices.done(words);
    }
    vec![Effect::CaptureMouse(model.frame.captures_mouse)]
}

pub(in crate::app) fn has_catalog(model: &Model) -> Enabled {
    model.session.catalog().map(|_| ()).ok_or_else(|| "no catalog is open".to_owned())
}
