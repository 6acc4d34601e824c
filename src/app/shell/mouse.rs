//! Mouse input. Keys can do everything that the mouse can.

use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::{dialogs, finding, model::Model, moving, table, update};
use crate::app::{
    dialogs::OpenDialog,
    keys::{ActionId, Press},
    parts::{
        hit::{Drag, Hit},
        list::ListId,
    },
    work::Effect,
};

/// Number of rows per wheel step.
const WHEEL: isize = 3;

/// Handles a mouse event.
pub(in crate::app) fn mouse(model: &mut Model, event: MouseEvent) -> Vec<Effect> {
    if event.kind != MouseEventKind::Moved {
        model.session.stay_here();
    }
    let (x, y) = (event.column, event.row);
    let hit = model.frame.hits.at(x, y);
    // Items below a dialog cannot be clicked.
    let below_dialog = model.dialogs.last().is_some_and(|o| !matches!(o, OpenDialog::Filter(_)));
    let top = model.dialog_list();
    let within_reach = |id: ListId| !below_dialog || id == top || id == ListId::Preview;
    match event.kind {
        MouseEventKind::Down(button) => {
            model.keys.pending = None;
            model.frame.dragging = None;
            match (button, hit) {
                (MouseButton::Left, Some(Hit::Toast)) => drop(model.notices.put_away()),
                (MouseButton::Left, Some(Hit::List(id))) if within_reach(id) => {
                    return click_list(model, id, event);
                }
                (MouseButton::Left, Some(Hit::ScrollBar(id))) if within_reach(id) => {
                    return hold(model, Drag::ScrollBar(id), x, y);
                }
                (MouseButton::Left, Some(hit)) if !below_dialog => return click(model, hit, x, y),
                _ => {}
            }
        }
        MouseEventKind::Drag(MouseButton::Left) => {
            if let Some(drag) = model.frame.dragging {
                return follow(model, drag, x, y);
            }
        }
        MouseEventKind::Up(_) => model.frame.dragging = None,
        MouseEventKind::ScrollDown | MouseEventKind::ScrollUp => {
            let by = if event.kind == MouseEventKind::ScrollDown { WHEEL } else { -WHEEL };
            match hit {
                Some(Hit::List(id) | Hit::ScrollBar(id) | Hit::Ruler(id)) if within_reach(id) => {
                    return model.move_in(id, by);
                }
                _ => {}
            }
        }
        _ => {}
    }
    Vec::new()
}

/// Handles a click outside of list rows.
fn click(model: &mut Model, hit: Hit, x: u16, y: u16) -> Vec<Effect> {
    match hit {
        Hit::Ruler(id) => return hold(model, Drag::Ruler(id), x, y),
        Hit::Splitter(splitter) => return hold(model, Drag::Splitter(splitter), x, y),
        Hit::Tab(screen) => model.session.jump(|session| session.screen = screen),
        Hit::Crumb(crumb) => return moving::go_to_crumb(model, crumb),
        Hit::Action(id) => {
            return table::table().find(id).map(|spec| update::perform(model, spec)).unwrap_or_default();
        }
        Hit::Order(list) => return finding::sort_list(model, list),
        Hit::Channel(_) | Hit::Box(_) | Hit::Field(_) | Hit::Sort(_) => {
            return model.with_screen(|screen, cx| screen.clicked(hit, cx)).1;
        }
        Hit::List(_) | Hit::ScrollBar(_) | Hit::Drawing | Hit::Toast | Hit::Asked(_) => {}
    }
    Vec::new()
}

/// Starts dragging. Scroll bars move to the mouse at once.
fn hold(model: &mut Model, drag: Drag, x: u16, y: u16) -> Vec<Effect> {
    model.frame.dragging = Some(drag);
    // A splitter is already at the mouse.
    if matches!(drag, Drag::Splitter(_)) { Vec::new() } else { follow(model, drag, x, y) }
}

fn follow(model: &mut Model, drag: Drag, x: u16, y: u16) -> Vec<Effect> {
    match drag {
        Drag::Splitter(splitter) => {
            if let Some(drawn) = model.frame.hits.splitter(splitter).copied() {
                let at = if splitter.is_upright() { x } else { y };
                model.frame.splits.put(splitter, at.saturating_sub(drawn.from), drawn.length);
            }
            Vec::new()
        }
        Drag::ScrollBar(id) => scroll_to(model, id, Hit::ScrollBar(id), y),
        Drag::Ruler(id) => scroll_to(model, id, Hit::Ruler(id), y),
    }
}

/// Goes to the list row at a position of its scroll bar or ruler.
fn scroll_to(model: &mut Model, id: ListId, beside: Hit, y: u16) -> Vec<Effect> {
    let Some(area) = model.frame.hits.area(beside) else { return Vec::new() };
    let rows = model.rows(id);
    let from_top = usize::from(y.saturating_sub(area.y).min(area.height.saturating_sub(1)));
    let row = match usize::from(area.height.saturating_sub(1)) {
        0 => 0,
        // The ends of the bar are the ends of the list.
        last => from_top * rows.saturating_sub(1) / last,
    };
    if !id.has_cursor() {
        let height = model.frame.hits.list(id).map_or(1, |list| usize::from(list.area.height));
        return model.select(id, row.min(rows.saturating_sub(height)));
    }
    if rows > 0 { model.select(id, row) } else { Vec::new() }
}

/// Selects the clicked row. A click on the selected row of the focused list opens it, as Enter
/// does.
fn click_list(model: &mut Model, id: ListId, event: MouseEvent) -> Vec<Effect> {
    let had_keys = model.focused_list() == id;
    let (y, at) = (event.row, (event.column, event.row));
    let mut effects = model.with_screen(|screen, cx| screen.focus(id, cx)).1;
    let row = model.frame.hits.list(id).map(|l| l.first + usize::from(y.saturating_sub(l.area.y)));
    let Some(row) = row.filter(|&row| id.has_cursor() && row < model.rows(id)) else { return effects };
    let again = had_keys && model.cursor(id) == Some(row);
    if matches!(id, ListId::Dialog(_)) {
        effects.extend(model.select(id, row));
        let accepts = model.dialogs.last().is_some_and(|dialog| dialog.state().click_accepts());
        if again && accepts {
            effects.extend(dialogs::press(model, Press::Action(ActionId::Accept)));
        }
        return effects;
    }
    // The hint of the row is computed before the selection moves the rows.
    let (told, more) = model.with_screen(|screen, cx| {
        let told = screen.pointed(id, row, at, cx);
        screen.select(id, row, cx);
        told
    });
    effects.extend(more);
    if let Some(words) = told {
        // A click on a hint keeps the position.
        model.notices.done(words);
    } else if again && model.dialogs.is_empty() {
        effects.extend(moving::go_in(model));
    }
    effects
}
