//! Keys that can follow the pressed ones.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    keys::{ActionId, Key, keymap::PendingKeys},
    parts::hit::Hit,
    shell::{action_table as action, action_table::check_permitted},
};
use crate::ui::{
    canvas::{Canvas, Pieces, display_width, fit, piece},
    theme::Role,
};

/// Draws the keys at the right, above the hint bar.
pub(in crate::ui) fn draw_pending_keys(
    model: &Model,
    pending: &PendingKeys,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let ascii = canvas.ascii;
    let room = usize::from(area.width).saturating_sub(6);
    let keys: Vec<String> = pending.continuations.iter().map(|(key, _)| key.to_string()).collect();
    let column = keys.iter().map(String::len).max().unwrap_or_default();
    let mut lines: Vec<(ActionId, Pieces)> = Vec::new();
    for (key, id) in keys.iter().zip(pending.continuations.iter().map(|(_, id)| *id)) {
        let Some(spec) = action::action_table().find_action(id) else { continue };
        let mut line = vec![piece(format!("{key:column$}  "), Role::Key)];
        match check_permitted(model, spec) {
            Ok(()) => line.push(piece(spec.doc, Role::Text)),
            Err(reason) => {
                line.push(piece(format!("{}  ", spec.title), Role::Dim));
                line.push(piece(format!("not now: {reason}"), Role::Warning));
            }
        }
        lines.push((id, line));
    }
    let measure = |(_, line): &(ActionId, Pieces)| line.iter().map(|p| display_width(&p.text)).sum::<usize>();
    let wide = lines.iter().map(measure).max().unwrap_or_default().clamp(24, room.max(24));
    let wide = u16::try_from(wide + 4).unwrap_or(area.width).min(area.width);
    let high = u16::try_from(lines.len() + 2).unwrap_or(area.height).min(area.height.saturating_sub(1));
    let outer =
        Rect { x: area.right() - wide, y: area.bottom().saturating_sub(1 + high), width: wide, height: high };
    let pressed: Vec<String> = pending.pressed.iter().map(Key::to_string).collect();
    let pressed = pressed.join(" ");
    // The title of the prefix applies only if all keys are the default ones.
    let usual = |id: ActionId| {
        let spec = action::action_table().find_action(id);
        spec.is_some_and(|spec| spec.default_keys.iter().any(|keys| keys.starts_with(&format!("{pressed} "))))
    };
    let title = action::action_table()
        .find_prefix(&pressed)
        .filter(|_| pending.continuations.iter().all(|(_, id)| usual(*id)));
    let title = title.map_or(String::new(), |prefix| format!(": {}", prefix.title));
    let title = fit(&format!("{pressed}{title}"), usize::from(wide).saturating_sub(6), ascii);
    let inner = canvas.draw_box(outer, &title);
    let hidden = lines.len().saturating_sub(usize::from(inner.height));
    if let Some(last) = usize::from(inner.height).checked_sub(1).filter(|_| hidden > 0) {
        lines.truncate(last);
        let more = format!("and {} more: {} lists them", hidden + 1, model.key_label(ActionId::Palette));
        canvas.draw_text(inner.x, inner.bottom() - 1, inner.width, &more, Role::Dim);
    }
    for (y, (id, line)) in (inner.top()..inner.bottom()).zip(&lines) {
        let row = Rect { y, height: 1, ..inner };
        canvas.draw_line(row, line);
        canvas.add_hit(row, Hit::Action(*id));
    }
}
