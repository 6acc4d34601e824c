//! Draws the state of the explorer. This module makes no decisions.
//!
//! [`view`] is pure: the same model produces the same cells. It returns the positions of items for
//! the mouse and for scrolling.

use ratatui::{Frame, layout::Rect};

use crate::tui::{
    keys::{ActionId, Key, keymap::PendingKeys},
    parts::frame::{Hit, HitMap},
    session::wait_state::{BlockingWork, Stage},
    shell::{
        action_table::{self as action, check_permitted},
        frame,
        model::Model,
        notices, tour,
    },
    widgets::{
        canvas::{Canvas, Focus, Line, display_width, fit, line_width, piece},
        theme::{Ink, Theme},
    },
};

/// Smallest terminal in which more than a message is drawn.
pub const MIN_SIZE: (u16, u16) = (40, 10);

/// Draws the model and returns the positions of clickable items.
pub fn view(model: &Model, theme: &Theme, frame: &mut Frame<'_>) -> HitMap {
    let area = frame.area();
    let mut canvas = Canvas::new(frame.buffer_mut(), theme, model.settings.ascii);
    draw_model(model, &mut canvas, area);
    canvas.hits
}

fn draw_model(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    if area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1 {
        let size = format!("{}x{}", MIN_SIZE.0, MIN_SIZE.1);
        let words = [format!("olmap needs {size}"), format!("needs {size}"), size];
        let fits = |words: &&String| display_width(words) <= usize::from(area.width);
        if let Some(words) = words.iter().find(fits).or(words.last()) {
            canvas.draw_text(area.x, area.y, area.width, words, Ink::Warning);
        }
        return;
    }
    let rows = |y, height| Rect { x: area.x, y: area.y + y, width: area.width, height };
    let hints = area.height - 1;
    let bottom = hints - model.frame.tour_rows.min(hints - 2);
    canvas.focus = Focus { list: Some(model.focused_list()), dialogs: model.dialogs.len() };
    frame::draw_header(model, canvas, rows(0, 1));
    match &model.session.waiting.stage {
        Stage::Ready => {
            frame::draw_tabs(model, canvas, rows(1, 1));
            let body = rows(2, bottom - 2);
            model.visible_screen().draw(&model.view(), canvas, body);
            // Stale content stays readable during a reload, but is dimmed.
            if model.session.waiting.busy == Some(BlockingWork::Reading)
                && model.session.waiting.status().is_some()
            {
                canvas.tint(body, Ink::Stale);
            }
        }
        Stage::Loading(progress) => frame::draw_loading(model, progress, canvas, rows(2, bottom - 2)),
        Stage::Failed(failed) => frame::draw_failures(failed, canvas, rows(2, bottom - 2)),
    }
    if let Some(tour) = model.tour {
        tour::draw_tour(model, tour, canvas, rows(bottom, hints - bottom));
    }
    frame::draw_hints(model, canvas, rows(hints, 1));
    draw_dialogs(model, canvas, area);
    notices::draw_notices(model, canvas, area);
}

/// Draws all dialogs; the last is on top.
fn draw_dialogs(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    for (below, dialog) in model.dialogs.iter().enumerate() {
        canvas.dialogs_below = below;
        canvas.add_hit(Rect::default(), Hit::DrawnDialog(dialog.id()));
        dialog.draw(&model.view(), canvas, area);
    }
    if let Some(pending) = &model.keys.pending {
        draw_pending_keys(model, pending, canvas, area);
    }
}

/// Draws the keys at the right, above the hint bar.
fn draw_pending_keys(model: &Model, pending: &PendingKeys, canvas: &mut Canvas<'_>, area: Rect) {
    let ascii = canvas.ascii;
    let room = usize::from(area.width).saturating_sub(6);
    let keys: Vec<String> = pending.continuations.iter().map(|(key, _)| key.to_string()).collect();
    let column = keys.iter().map(String::len).max().unwrap_or_default();
    let mut lines: Vec<(ActionId, Line)> = Vec::new();
    for (key, id) in keys.iter().zip(pending.continuations.iter().map(|(_, id)| *id)) {
        let Some(spec) = action::action_table().find_action(id) else { continue };
        let mut line = vec![piece(format!("{key:column$}  "), Ink::Key)];
        match check_permitted(model, spec) {
            Ok(()) => line.push(piece(spec.doc, Ink::Text)),
            Err(reason) => {
                line.push(piece(format!("{}  ", spec.title), Ink::Dim));
                line.push(piece(format!("not now: {reason}"), Ink::Warning));
            }
        }
        lines.push((id, line));
    }
    let measure = |(_, line): &(ActionId, Line)| line_width(line);
    let wide = lines.iter().map(measure).max().unwrap_or_default().clamp(24, room.max(24));
    let wide = u16::try_from(wide + 4).unwrap_or(area.width).min(area.width);
    let high = u16::try_from(lines.len() + 2).unwrap_or(area.height).min(area.height.saturating_sub(1));
    let outer =
        Rect { x: area.right() - wide, y: area.bottom().saturating_sub(1 + high), width: wide, height: high };
    let pressed = pending.pressed.iter().map(Key::to_string).collect::<Vec<_>>().join(" ");
    let title = fit(&pressed, usize::from(wide).saturating_sub(6), ascii);
    let inner = canvas.draw_box(outer, &title);
    let hidden = lines.len().saturating_sub(usize::from(inner.height));
    if let Some(last) = usize::from(inner.height).checked_sub(1).filter(|_| hidden > 0) {
        lines.truncate(last);
        let more = format!("and {} more: {} lists them", hidden + 1, model.key_label(ActionId::Palette));
        canvas.draw_text(inner.x, inner.bottom() - 1, inner.width, &more, Ink::Dim);
    }
    for (y, (id, line)) in (inner.top()..inner.bottom()).zip(&lines) {
        let row = Rect { y, height: 1, ..inner };
        canvas.draw_line(row, line);
        canvas.add_hit(row, Hit::Action(*id));
    }
}
