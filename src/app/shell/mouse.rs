//! The mouse: whatever it does, keys do too.

use crate::app::parts::hit::Drag;
use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use crate::app::{
    actions,
    dialogs::Overlay,
    keys::{ActionId, Press, Screen},
    parts::{hit::Hit, list::ListId},
    screens::upgrades::rows::UpgradesFocus,
    session::place::Pane,
    shell::{dialogs, model::Model, table as action, update},
    work::Effect,
};
use crate::{layout::Line, upgrade::EdgeKind};

/// Rows a turn of the wheel scrolls.
const WHEEL: isize = 3;

/// Does what the mouse asks for.
pub(in crate::app) fn mouse(model: &mut Model, event: MouseEvent) -> Vec<Effect> {
    if event.kind != MouseEventKind::Moved {
        model.session.stay_here();
    }
    let (x, y) = (event.column, event.row);
    let hit = model.frame.hits.at(x, y);
    // What lies below a dialog is out of reach.
    let in_overlay = model.overlays.last().is_some_and(|o| !matches!(o, Overlay::Filter(_)));
    let within_reach = |id: ListId| !in_overlay || id == ListId::Overlay;
    match event.kind {
        MouseEventKind::Down(button) => {
            model.pending = None;
            model.frame.dragging = None;
            match (button, hit) {
                (MouseButton::Left, Some(Hit::Toast)) => drop(model.notices.put_away()),
                (MouseButton::Left, Some(Hit::List(id))) if within_reach(id) => {
                    return click_list(model, id, event);
                }
                (MouseButton::Left, Some(Hit::ScrollBar(id))) if within_reach(id) => {
                    hold(model, Drag::ScrollBar(id), x, y);
                }
                (MouseButton::Left, Some(hit)) if !in_overlay => return click(model, hit, x, y),
                _ => {}
            }
        }
        MouseEventKind::Drag(MouseButton::Left) => {
            if let Some(drag) = model.frame.dragging {
                follow(model, drag, x, y);
            }
        }
        MouseEventKind::Up(_) => model.frame.dragging = None,
        MouseEventKind::ScrollDown | MouseEventKind::ScrollUp => {
            let by = if event.kind == MouseEventKind::ScrollDown { WHEEL } else { -WHEEL };
            match hit {
                Some(Hit::List(id) | Hit::ScrollBar(id) | Hit::Ruler(id)) if within_reach(id) => {
                    model.move_in(id, by);
                }
                _ => {}
            }
        }
        _ => {}
    }
    Vec::new()
}

/// A click on something that is no row of a list.
fn click(model: &mut Model, hit: Hit, x: u16, y: u16) -> Vec<Effect> {
    match hit {
        Hit::Ruler(id) => hold(model, Drag::Ruler(id), x, y),
        Hit::Splitter(splitter) => hold(model, Drag::Splitter(splitter), x, y),
        Hit::Channel(number) => model.select_channel_number(number),
        Hit::Tab(screen) => model.jump(|model| model.session.screen = screen),
        Hit::Crumb(crumb) => return actions::go_to_crumb(model, crumb),
        Hit::Box(index) => {
            let clicked = model.derived.zoom().and_then(|zoom| zoom.boxes.get(index));
            if let Some(at) = clicked.and_then(|b| b.members.first()).copied() {
                model.session.select_node(at);
            }
        }
        Hit::Field(field) => {
            model.upgrades_focus = field;
            return actions::go_in(model);
        }
        Hit::Action(id) => {
            return action::table().find(id).map(|spec| update::perform(model, spec)).unwrap_or_default();
        }
        Hit::Order(list) => return actions::sort_list(model, list),
        Hit::Sort(sort) => actions::sort_by(model, sort),
        Hit::List(_) | Hit::ScrollBar(_) | Hit::Drawing | Hit::Toast => {}
    }
    Vec::new()
}

/// Takes hold of something; it goes at once to where the mouse is.
fn hold(model: &mut Model, drag: Drag, x: u16, y: u16) {
    model.frame.dragging = Some(drag);
    // A line that is taken hold of is where it is already.
    if !matches!(drag, Drag::Splitter(_)) {
        follow(model, drag, x, y);
    }
}

fn follow(model: &mut Model, drag: Drag, x: u16, y: u16) {
    match drag {
        Drag::Splitter(splitter) => {
            if let Some(drawn) = model.frame.hits.splitter(splitter).copied() {
                let at = if splitter.is_upright() { x } else { y };
                model.frame.splits.put(splitter, at.saturating_sub(drawn.from), drawn.length);
            }
        }
        Drag::ScrollBar(id) => scroll_to(model, id, Hit::ScrollBar(id), y),
        Drag::Ruler(id) => scroll_to(model, id, Hit::Ruler(id), y),
    }
}

/// Goes to the row of a list that a row beside it stands for.
fn scroll_to(model: &mut Model, id: ListId, beside: Hit, y: u16) {
    let Some(area) = model.frame.hits.area(beside) else { return };
    let rows = model.rows(id);
    let from_top = usize::from(y.saturating_sub(area.y).min(area.height.saturating_sub(1)));
    let row = match usize::from(area.height.saturating_sub(1)) {
        0 => 0,
        // The ends of the bar are the ends of the list.
        last => from_top * rows.saturating_sub(1) / last,
    };
    if id.has_cursor() {
        if rows > 0 {
            model.select(id, row);
        }
    } else {
        let height = model.frame.hits.list(id).map_or(1, |list| usize::from(list.area.height));
        model.session.lists.set_first(id, row.min(rows.saturating_sub(height)));
    }
}

/// A click on a row selects it; on the selected row of the pane that has the keys it goes in, as Enter does.
fn click_list(model: &mut Model, id: ListId, event: MouseEvent) -> Vec<Effect> {
    let had_keys = model.focused_list() == id;
    focus(model, id);
    let row = model.frame.hits.list(id).map(|l| l.first + usize::from(event.row.saturating_sub(l.area.y)));
    let Some(row) = row.filter(|&row| id.has_cursor() && row < model.rows(id)) else { return Vec::new() };
    let again = had_keys && model.cursor(id) == Some(row);
    let mut told = if id == ListId::Graph { pointed_at(model, row, event.column) } else { None };
    model.select(id, row);
    if id == ListId::SideBySide
        && let Some((number, column)) = model.frame.hits.channel_at(event.column, event.row)
    {
        model.select_channel_number(number);
        told = model.line_at(number, row, column);
    }
    if let Some(words) = told {
        // Who asks what a line means wants to stay where it is.
        model.notices.done(words);
        return Vec::new();
    }
    match model.overlays.last() {
        _ if !again => Vec::new(),
        Some(overlay) if overlay.state().click_accepts() => {
            dialogs::press(model, Press::Action(ActionId::Accept))
        }
        // A dialog's Enter may write: there a click only selects.
        Some(_) => Vec::new(),
        None => actions::go_in(model),
    }
}

/// What the line of the graph that is pointed at stands for: the first of its edges, and how many more.
fn pointed_at(model: &Model, line: usize, column: u16) -> Option<String> {
    let drawing = model.frame.hits.area(Hit::Drawing)?;
    let column = usize::from(column.checked_sub(drawing.x)?);
    let Line::Row(row) = *model.derived.graph_lines().lines.get(line)? else { return None };
    let layout = model.derived.layout()?;
    let version = |at| layout.row_of(at).and_then(|row| layout.rows.get(row)).map(|row| row.version.as_str());
    let edges = layout.edges_at(row, column);
    let edge = edges.first()?;
    let (from, to) = (version(edge.from)?, version(edge.to)?);
    let words = match edge.kind {
        EdgeKind::Replaces => format!("{to} replaces {from}"),
        EdgeKind::Skips => format!("{to} skips {from}"),
        EdgeKind::SkipRange => format!("the skipRange of {to} holds {from}"),
    };
    Some(match edges.len() - 1 {
        0 => words,
        more => format!("{words}, and {more} more of this line"),
    })
}

/// Gives the keys to the pane a list is in.
fn focus(model: &mut Model, id: ListId) {
    match id {
        ListId::Packages => model.session.pane = Pane::Packages,
        ListId::Channels => model.session.pane = Pane::Channels,
        ListId::Entries => model.session.pane = Pane::Entries,
        ListId::Details if model.session.screen == Screen::Graph => model.graph.reading = true,
        ListId::Details => model.session.pane = Pane::Details,
        ListId::Graph => model.graph.reading = false,
        ListId::Upgrades => model.upgrades_focus = UpgradesFocus::Table,
        ListId::Reasons => model.upgrades_focus = UpgradesFocus::Reasons,
        _ => {}
    }
}
