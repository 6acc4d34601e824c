//! Moving about in lists and panes.

use crate::app::{
    keys::{ActionId, Screen},
    parts::{
        hit::Crumb,
        list::{self, ListId},
    },
    screens::{graph::view::GraphMode, upgrades::rows::UpgradesFocus},
    session::place::Pane,
    shell::model::Model,
    work::Effect,
};

const NOTHING: Vec<Effect> = Vec::new();

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

/// Rows of the list as it was drawn last.
fn page(model: &Model) -> isize {
    let drawn = model.frame.hits.list(model.focused_list());
    drawn.map_or(1, |list| (list.area.height as isize).max(1))
}

fn step(model: &mut Model, by: isize) -> Vec<Effect> {
    let id = model.focused_list();
    model.move_in(id, by);
    NOTHING
}

impl Model {
    /// Moves the cursor of a list, or scrolls one without a cursor.
    pub(in crate::app) fn move_in(&mut self, id: ListId, by: isize) {
        if !id.has_cursor() {
            // How long such a list is only its drawing knows; it stops at its end.
            let height = self.frame.hits.list(id).map_or(1, |l| usize::from(l.area.height));
            let last = self.frame.hits.list(id).map_or(0, |l| l.rows.saturating_sub(height));
            let first = self.session.lists.first(id).saturating_add_signed(by).min(last);
            self.session.lists.set_first(id, first);
            return;
        }
        let rows = self.rows(id);
        let Some(last) = rows.checked_sub(1) else { return };
        // Where a filter hides what is selected, any move begins at the top.
        let row = self.cursor(id).map_or(0, |cursor| cursor.saturating_add_signed(by).min(last));
        self.select(id, row);
    }

    /// Keeps the cursor of a list in sight, given how tall it was drawn last.
    pub(in crate::app) fn keep_in_sight(&mut self, id: ListId) {
        // What was not drawn yet has no height to fit into; its first frame finds the place itself.
        let Some(drawn) = self.frame.hits.list(id).filter(|_| id.has_cursor()) else { return };
        let height = usize::from(drawn.area.height);
        let cursor = self.cursor(id).unwrap_or_default();
        let first = list::first_visible(self.session.lists.first(id), cursor, height, self.rows(id));
        self.session.lists.set_first(id, first);
    }
}

pub(in crate::app) fn go_in(model: &mut Model) -> Vec<Effect> {
    match model.session.screen {
        Screen::Catalog => match model.session.pane {
            Pane::Packages => model.session.pane = Pane::Channels,
            Pane::Channels => model.session.pane = Pane::Entries,
            Pane::Entries => model.jump(|model| model.session.screen = Screen::Graph),
            Pane::Details => {}
        },
        Screen::Graph if model.is_side_by_side() => model.leave_side_by_side(),
        Screen::Graph => model.jump(|model| model.session.screen = Screen::Upgrades),
        Screen::Upgrades => crate::app::screens::upgrades::fields::go_in(model),
        Screen::Problems => model.go_to_problem(),
        Screen::Deprecations => model.go_to_deprecation(),
        Screen::Changes if model.session.shows_comparison() => {
            crate::app::actions::against::go_to_difference(model);
        }
        Screen::Changes => {}
    }
    NOTHING
}

pub(in crate::app) fn go_out(model: &mut Model) -> Vec<Effect> {
    match model.session.screen {
        Screen::Catalog => {
            model.session.pane = match model.session.pane {
                Pane::Packages | Pane::Channels => Pane::Packages,
                Pane::Entries => Pane::Channels,
                Pane::Details => Pane::Entries,
            }
        }
        Screen::Upgrades if model.upgrades_focus == UpgradesFocus::Reasons => {
            model.upgrades_focus = UpgradesFocus::Table;
        }
        _ => {}
    }
    NOTHING
}

/// Goes back. Never quits: whoever wants to stop reading may press the key a moment too late.
pub(in crate::app) fn back(model: &mut Model) -> Vec<Effect> {
    // What stands over the screen is in front of everything else.
    if !model.notices.put_away() && !has_gone_back(model) {
        let words = format!("this is the top: {} quits", model.key(ActionId::BackOrQuit));
        model.notices.done(words);
    }
    NOTHING
}

pub(in crate::app) fn back_or_quit(model: &mut Model) -> Vec<Effect> {
    if has_gone_back(model) { NOTHING } else { crate::app::actions::quit(model) }
}

/// Goes back, unless this is the top.
fn has_gone_back(model: &mut Model) -> bool {
    let filtered = model.focused_list();
    if !model.session.lists.filter(filtered).is_empty() {
        model.session.lists.set_filter(filtered, String::new());
        return true;
    }
    match model.session.screen {
        Screen::Catalog if model.session.pane == Pane::Packages => return false,
        Screen::Catalog => {
            go_out(model);
        }
        Screen::Upgrades if model.upgrades_focus != UpgradesFocus::Table => {
            model.upgrades_focus = UpgradesFocus::Table;
        }
        Screen::Graph if model.graph.mode == GraphMode::Zoom => model.draw_graph(GraphMode::Channel),
        Screen::Graph if model.graph.reading => model.graph.reading = false,
        Screen::Graph if model.is_side_by_side() => model.leave_side_by_side(),
        Screen::Graph if model.session.mark.is_some() => model.session.mark = None,
        _ => model.session.screen = Screen::Catalog,
    }
    true
}

/// Goes to the list that a name in the header is chosen from.
pub(in crate::app) fn go_to_crumb(model: &mut Model, crumb: Crumb) -> Vec<Effect> {
    if crumb == Crumb::Catalog && model.session.open.len() > 1 {
        return crate::app::actions::next_catalog(model);
    }
    model.jump(|model| {
        model.session.screen = Screen::Catalog;
        model.session.pane = match crumb {
            Crumb::Catalog | Crumb::Package => Pane::Packages,
            Crumb::Channel => Pane::Channels,
        };
    });
    NOTHING
}

pub(in crate::app) fn next_pane(model: &mut Model) -> Vec<Effect> {
    pane(model, 1)
}

pub(in crate::app) fn previous_pane(model: &mut Model) -> Vec<Effect> {
    pane(model, -1)
}

fn pane(model: &mut Model, by: isize) -> Vec<Effect> {
    const PANES: [Pane; 4] = [Pane::Packages, Pane::Channels, Pane::Entries, Pane::Details];
    const RING: [UpgradesFocus; 8] = [
        UpgradesFocus::Table,
        UpgradesFocus::Reasons,
        UpgradesFocus::Channel,
        UpgradesFocus::Starting,
        UpgradesFocus::V1Channels,
        UpgradesFocus::Version,
        UpgradesFocus::Policy,
        UpgradesFocus::OpenShift,
    ];
    match model.session.screen {
        Screen::Catalog => model.session.pane = turn(&PANES, model.session.pane, by),
        Screen::Graph => model.graph.reading = !model.graph.reading,
        Screen::Changes => model.turn_changes(),
        Screen::Upgrades => model.upgrades_focus = turn(&RING, model.upgrades_focus, by),
        _ => {}
    }
    NOTHING
}

/// The next of a ring.
fn turn<T: Copy + PartialEq>(ring: &[T], now: T, by: isize) -> T {
    let at = ring.iter().position(|item| *item == now).unwrap_or_default() as isize;
    let next = (at + by).rem_euclid(ring.len().max(1) as isize) as usize;
    ring.get(next).copied().unwrap_or(now)
}
