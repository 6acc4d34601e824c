//! Movement in lists and panes.

use super::model::Model;
use crate::tui::{
    actions::comparison,
    keys::{ActionId, Screen, spec::Enabled},
    parts::{frame::Breadcrumb, list::Direction},
    session::{jobs::git_history, navigation::Pane},
    work::Effect,
};

pub(in crate::tui) fn move_up(model: &mut Model) -> Vec<Effect> {
    move_in_focused_list(model, -1)
}

pub(in crate::tui) fn move_down(model: &mut Model) -> Vec<Effect> {
    move_in_focused_list(model, 1)
}

pub(in crate::tui) fn move_to_top(model: &mut Model) -> Vec<Effect> {
    move_in_focused_list(model, isize::MIN)
}

pub(in crate::tui) fn move_to_bottom(model: &mut Model) -> Vec<Effect> {
    move_in_focused_list(model, isize::MAX)
}

pub(in crate::tui) fn move_page_down(model: &mut Model) -> Vec<Effect> {
    let page = page_height(model);
    move_in_focused_list(model, page)
}

pub(in crate::tui) fn move_page_up(model: &mut Model) -> Vec<Effect> {
    let page = page_height(model);
    move_in_focused_list(model, -page)
}

/// Returns the number of rows of the list in the last frame.
fn page_height(model: &Model) -> isize {
    let drawn = model.frame.hits.drawn_list(model.focused_list());
    drawn.map_or(1, |list| (list.area.height as isize).max(1))
}

fn move_in_focused_list(model: &mut Model, by: isize) -> Vec<Effect> {
    let id = model.focused_list();
    model.move_in_list(id, by)
}

/// Opens the highlighted item.
pub(in crate::tui) fn go_in(model: &mut Model) -> Vec<Effect> {
    model.with_screen(|screen, cx| screen.open_highlighted(cx)).1
}

pub(in crate::tui) fn go_out(model: &mut Model) -> Vec<Effect> {
    model.with_screen(|screen, cx| screen.go_out(cx)).1
}

/// Goes back. It never quits, because the user may press the key once too often.
pub(in crate::tui) fn go_back(model: &mut Model) -> Vec<Effect> {
    // Notices are dismissed first.
    if model.notices.dismiss_persistent() {
        return Vec::new();
    }
    let (has_gone, effects) = try_go_back(model);
    if !has_gone {
        let words = format!("this is the top: {} quits", model.key_label(ActionId::BackOrQuit));
        model.notices.report_refusal(words);
    }
    effects
}

pub(in crate::tui) fn go_back_or_quit(model: &mut Model) -> Vec<Effect> {
    let (has_gone, effects) = try_go_back(model);
    if has_gone { effects } else { super::places::quit_or_ask(model) }
}

/// Goes back. Returns false at the top level.
fn try_go_back(model: &mut Model) -> (bool, Vec<Effect>) {
    let filtered = model.focused_list();
    if !model.session.lists.filter(filtered).is_empty() {
        model.session.lists.set_filter(filtered, String::new());
        return (true, Vec::new());
    }
    let mut is_past = false;
    let effects = model.with_context(|cx| is_past = git_history::return_from_history(cx));
    if is_past {
        return (true, effects);
    }
    let (has_gone, effects) = model.with_screen(|screen, cx| screen.go_back(cx));
    if has_gone || model.session.navigation.screen == Screen::default() {
        return (has_gone, effects);
    }
    model.session.navigation.screen = Screen::default();
    (true, effects)
}

/// Goes to the list of a name in the header.
pub(in crate::tui) fn go_to_crumb(model: &mut Model, crumb: Breadcrumb) -> Vec<Effect> {
    if crumb == Breadcrumb::Catalog && model.session.catalogs.all().len() > 1 {
        return super::places::pick_catalog(model);
    }
    model.session.jump_with(|session| {
        session.navigation.screen = Screen::Packages;
        session.navigation.pane = match crumb {
            Breadcrumb::Catalog | Breadcrumb::Package => Pane::Packages,
            Breadcrumb::Channel => Pane::Channels,
        };
    });
    Vec::new()
}

pub(in crate::tui) fn focus_next_pane(model: &mut Model) -> Vec<Effect> {
    model.with_screen(|screen, cx| screen.focus_next_pane(1, cx)).1
}

pub(in crate::tui) fn focus_previous_pane(model: &mut Model) -> Vec<Effect> {
    model.with_screen(|screen, cx| screen.focus_next_pane(-1, cx)).1
}

/// Returns an error if the screen does not have changes or notable rows for `{` and `}`.
pub(in crate::tui) fn has_next_change(model: &Model) -> Enabled {
    let session = &model.session;
    // In past commits the keys go from commit to commit.
    if session.catalogs.past_commit().is_some() {
        return Ok(());
    }
    // The Changes screen shows the lines of unsaved edits.
    let marked = if session.navigation.screen == Screen::Changes {
        session.catalogs.comparison()
    } else {
        session.mark_comparison()
    };
    if marked.is_some() || session.catalogs.what_if().is_some() {
        return Ok(());
    }
    if comparison::is_comparing(&model.view()).is_ok() {
        return Err("the comparison is being computed".to_owned());
    }
    model.visible_screen().check_next_change(&model.view())
}

pub(in crate::tui) fn go_to_next_change(model: &mut Model) -> Vec<Effect> {
    go_to_change(model, Direction::Down)
}

pub(in crate::tui) fn go_to_previous_change(model: &mut Model) -> Vec<Effect> {
    go_to_change(model, Direction::Up)
}

fn go_to_change(model: &mut Model, way: Direction) -> Vec<Effect> {
    if model.session.catalogs.past_commit().is_some() {
        return model.with_context(|cx| git_history::show_next_commit(cx, way));
    }
    let (found, effects) = model.with_screen(|screen, cx| screen.next_change(way, cx));
    if !found {
        model.notices.report_refusal(match way {
            Direction::Down => "no more changes below",
            Direction::Up => "no more changes above",
        });
    }
    effects
}
