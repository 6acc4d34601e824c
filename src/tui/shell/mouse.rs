//! Mouse input. Keys can do everything that the mouse can.

use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use crate::tui::{
    dialogs::filter,
    keys::{ActionId, KeyPress},
    parts::{
        frame::{Drag, Hit},
        list::ListId,
    },
    shell::{action_table, dialog_stack, model::Model, movement, places, search, update},
    work::Effect,
};

/// Number of rows per wheel step.
const WHEEL_ROWS: isize = 3;

/// Handles a mouse event.
pub(in crate::tui) fn handle_mouse(model: &mut Model, event: MouseEvent) -> Vec<Effect> {
    if event.kind != MouseEventKind::Moved {
        model.session.cancel_restore();
    }
    let (x, y) = (event.column, event.row);
    let hit = model.frame.hits.hit_at(x, y);
    // Items below a dialog cannot be clicked.
    let below_dialog = model.dialogs.last().is_some_and(|dialog| dialog.id() != filter::DIALOG);
    let top = model.dialog_list();
    let within_reach = |id: ListId| !below_dialog || id == top || id == ListId::Preview;
    match event.kind {
        MouseEventKind::Down(button) => {
            model.keys.pending = None;
            model.frame.drag = None;
            match (button, hit) {
                (MouseButton::Left, Some(Hit::Toast)) => drop(model.notices.dismiss_persistent()),
                (MouseButton::Left, Some(Hit::List(id))) if within_reach(id) => {
                    return handle_list_click(model, id, event);
                }
                (MouseButton::Left, Some(Hit::ScrollBar(id))) if within_reach(id) => {
                    return start_drag(model, Drag::ScrollBar(id), x, y);
                }
                (MouseButton::Left, Some(hit)) if !below_dialog => return handle_click(model, hit, x, y),
                _ => {}
            }
        }
        MouseEventKind::Drag(MouseButton::Left) => {
            if let Some(drag) = model.frame.drag {
                return continue_drag(model, drag, x, y);
            }
        }
        MouseEventKind::Up(_) => model.frame.drag = None,
        MouseEventKind::ScrollDown | MouseEventKind::ScrollUp => {
            let by = if event.kind == MouseEventKind::ScrollDown { WHEEL_ROWS } else { -WHEEL_ROWS };
            match hit {
                Some(Hit::List(id) | Hit::ScrollBar(id) | Hit::Ruler(id)) if within_reach(id) => {
                    return model.move_in_list(id, by);
                }
                _ => {}
            }
        }
        _ => {}
    }
    Vec::new()
}

/// Handles a click outside of list rows.
fn handle_click(model: &mut Model, hit: Hit, x: u16, y: u16) -> Vec<Effect> {
    match hit {
        Hit::Ruler(id) => return start_drag(model, Drag::Ruler(id), x, y),
        Hit::Splitter(splitter) => return start_drag(model, Drag::Splitter(splitter), x, y),
        Hit::Tab(screen) => return places::show_screen(model, screen),
        Hit::Crumb(crumb) => return movement::go_to_crumb(model, crumb),
        Hit::Action(id) => {
            return action_table::action_table()
                .find_action(id)
                .map(|spec| update::run_if_permitted(model, spec))
                .unwrap_or_default();
        }
        Hit::Order(list) => return search::sort_list(model, list),
        Hit::Channel(_) | Hit::Box(_) | Hit::Field(_) | Hit::Sort(_) => {
            return model.with_screen(|screen, cx| screen.handle_click(hit, cx)).1;
        }
        Hit::List(_) | Hit::ScrollBar(_) | Hit::Drawing | Hit::Toast | Hit::DrawnDialog(_) => {}
    }
    Vec::new()
}

/// Starts dragging. Scroll bars move to the mouse at once.
fn start_drag(model: &mut Model, drag: Drag, x: u16, y: u16) -> Vec<Effect> {
    model.frame.drag = Some(drag);
    // A splitter is already at the mouse.
    if matches!(drag, Drag::Splitter(_)) { Vec::new() } else { continue_drag(model, drag, x, y) }
}

fn continue_drag(model: &mut Model, drag: Drag, x: u16, y: u16) -> Vec<Effect> {
    match drag {
        Drag::Splitter(splitter) => {
            if let Some(drawn) = model.frame.hits.drawn_splitter(splitter).copied() {
                let at = if splitter.is_vertical() { x } else { y };
                model.frame.splits.set_position(splitter, at.saturating_sub(drawn.start), drawn.length);
            }
            Vec::new()
        }
        Drag::ScrollBar(id) => scroll_to(model, id, Hit::ScrollBar(id), y),
        Drag::Ruler(id) => scroll_to(model, id, Hit::Ruler(id), y),
    }
}

/// Goes to the list row at a position of its scroll bar or ruler.
fn scroll_to(model: &mut Model, id: ListId, beside: Hit, y: u16) -> Vec<Effect> {
    let Some(area) = model.frame.hits.area_of(beside) else { return Vec::new() };
    let rows = model.row_count(id);
    let from_top = usize::from(y.saturating_sub(area.y).min(area.height.saturating_sub(1)));
    let row = match usize::from(area.height.saturating_sub(1)) {
        0 => 0,
        // The ends of the bar are the ends of the list.
        last => from_top * rows.saturating_sub(1) / last,
    };
    if !id.has_cursor() {
        let height = model.frame.hits.drawn_list(id).map_or(1, |list| usize::from(list.area.height));
        return model.select_row(id, row.min(rows.saturating_sub(height)));
    }
    if rows > 0 { model.select_row(id, row) } else { Vec::new() }
}

/// Selects the clicked row. A click on the selected row of the focused list opens it, as Enter
/// does.
fn handle_list_click(model: &mut Model, id: ListId, event: MouseEvent) -> Vec<Effect> {
    let had_keys = model.focused_list() == id;
    let (y, at) = (event.row, (event.column, event.row));
    let mut effects = model.with_screen(|screen, cx| screen.focus_list(id, cx)).1;
    let row = model.frame.hits.drawn_list(id).map(|l| l.first + usize::from(y.saturating_sub(l.area.y)));
    let Some(row) = row.filter(|&row| id.has_cursor() && row < model.row_count(id)) else { return effects };
    let again = had_keys && model.list_cursor(id) == Some(row);
    if matches!(id, ListId::Dialog(_)) {
        effects.extend(model.select_row(id, row));
        let accepts = model.dialogs.last().is_some_and(|dialog| dialog.click_accepts());
        if again && accepts {
            effects.extend(dialog_stack::handle_dialog_press(model, KeyPress::Action(ActionId::Accept)));
        }
        return effects;
    }
    // The hint of the row is computed before the selection moves the rows.
    let (told, more) = model.with_screen(|screen, cx| {
        let told = screen.describe_position(id, row, at, cx);
        screen.select_row(id, row, cx);
        told
    });
    effects.extend(more);
    if let Some(words) = told {
        // A click on a hint keeps the position.
        model.notices.report_done(words);
    } else if again && model.dialogs.is_empty() {
        effects.extend(movement::go_in(model));
    }
    effects
}
