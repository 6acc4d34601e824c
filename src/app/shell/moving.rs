//! Movement in lists and panes.

use super::model::Model;
use crate::app::{
    actions::comparing,
    keys::{ActionId, Screen, spec::Enabled},
    parts::{hit::Crumb, way::Way},
    session::{past, place::Pane},
    work::Effect,
};

pub(in crate::app) fn up(model: &mut Model) -> Vec<Effect> {
    step(model, -1)
}

pub(in crate::app) fn down(model: &mut Model) -> Vec<Effect> {
    step(model, 1)
}

pub(in crate::app) fn top(model: &mut Model) -> Vec<Effect> {
    step(model, isize::MIN)
}

pub(in crate::app) fn bottom(model: &mut Model) -> Vec<Effect> {
    step(model, isize::MAX)
}

pub(in crate::app) fn half_down(model: &mut Model) -> Vec<Effect> {
    let page = page(model) / 2;
    step(model, page.max(1))
}

pub(in crate::app) fn half_up(model: &mut Model) -> Vec<Effect> {
    let page = page(model) / 2;
    step(model, -page.max(1))
}

pub(in crate::app) fn page_down(model: &mut Model) -> Vec<Effect> {
    let page = page(model);
    step(model, page)
}

pub(in crate::app) fn page_up(model: &mut Model) -> Vec<Effect> {
    let page = page(model);
    step(model, -page)
}

/// Returns the number of rows of the list in the last frame.
fn page(model: &Model) -> isize {
    let drawn = model.frame.hits.list(model.focused_list());
    drawn.map_or(1, |list| (list.area.height as isize).max(1))
}

fn step(model: &mut Model, by: isize) -> Vec<Effect> {
    let id = model.focused_list();
    model.move_in(id, by)
}

/// Opens the highlighted item.
pub(in crate::app) fn go_in(model: &mut Model) -> Vec<Effect> {
    model.with_screen(|screen, cx| screen.enter(cx)).1
}

pub(in crate::app) fn go_out(model: &mut Model) -> Vec<Effect> {
    model.with_screen(|screen, cx| screen.out(cx)).1
}

/// Goes back. It never quits, because the user may press the key once too often.
pub(in crate::app) fn back(model: &mut Model) -> Vec<Effect> {
    // Notices are dismissed first.
    if model.notices.put_away() {
        return Vec::new();
    }
    let (has_gone, effects) = has_gone_back(model);
    if !has_gone {
        let words = format!("this is the top: {} quits", model.key(ActionId::BackOrQuit));
        model.notices.done(words);
    }
    effects
}

pub(in crate::app) fn back_or_quit(model: &mut Model) -> Vec<Effect> {
    let (has_gone, effects) = has_gone_back(model);
    if has_gone { effects } else { super::places::quit(model) }
}

/// Goes back. Returns false at the top level.
fn has_gone_back(model: &mut Model) -> (bool, Vec<Effect>) {
    let filtered = model.focused_list();
    if !model.session.lists.filter(filtered).is_empty() {
        model.session.lists.set_filter(filtered, String::new());
        return (true, Vec::new());
    }
    let mut is_past = false;
    let effects = model.with(|cx| is_past = past::back(cx));
    if is_past {
        return (true, effects);
    }
    let (has_gone, effects) = model.with_screen(|screen, cx| screen.back(cx));
    if has_gone || model.session.screen == Screen::default() {
        return (has_gone, effects);
    }
    model.session.screen = Screen::default();
    (true, effects)
}

/// Goes to the list of a name in the header.
pub(in crate::app) fn go_to_crumb(model: &mut Model, crumb: Crumb) -> Vec<Effect> {
    if crumb == Crumb::Catalog && model.session.open.len() > 1 {
        return super::places::pick_catalog(model);
    }
    model.session.jump(|session| {
        session.screen = Screen::Catalog;
        session.pane = match crumb {
            Crumb::Catalog | Crumb::Package => Pane::Packages,
            Crumb::Channel => Pane::Channels,
        };
    });
    Vec::new()
}

pub(in crate::app) fn next_pane(model: &mut Model) -> Vec<Effect> {
    model.with_screen(|screen, cx| screen.turn(1, cx)).1
}

pub(in crate::app) fn previous_pane(model: &mut Model) -> Vec<Effect> {
    model.with_screen(|screen, cx| screen.turn(-1, cx)).1
}

/// Returns an error if the screen does not have changes or notable rows for `{` and `}`.
pub(in crate::app) fn has_news(model: &Model) -> Enabled {
    let session = &model.session;
    // In past commits the keys go from commit to commit.
    if session.past().is_some() {
        return Ok(());
    }
    // The Changes screen shows the lines of unsaved edits.
    let marked = if session.screen == Screen::Changes { session.comparison() } else { session.marked() };
    if marked.is_some() || session.what_if().is_some() {
        return Ok(());
    }
    if comparing::compares(&model.see()).is_ok() {
        return Err("the comparison is being computed".to_owned());
    }
    model.shown().has_news(&model.see())
}

pub(in crate::app) fn next_news(model: &mut Model) -> Vec<Effect> {
    news(model, Way::Down)
}

pub(in crate::app) fn previous_news(model: &mut Model) -> Vec<Effect> {
    news(model, Way::Up)
}

fn news(model: &mut Model, way: Way) -> Vec<Effect> {
    if model.session.past().is_some() {
        return model.with(|cx| past::step(cx, way));
    }
    let (found, effects) = model.with_screen(|screen, cx| screen.next_change(way, cx));
    if !found {
        model.notices.refused(match way {
            Way::Down => "no more changes below",
            Way::Up => "no more changes above",
        });
    }
    effects
}
