//! Dialog boxes: position, fields, completions, scrolled text and key hints.

use ratatui::layout::Rect;

use crate::tui::{
    keys::{ActionId, Dialog},
    parts::{field::TextField, list::ListId},
    session::context::ViewContext,
    widgets::{
        canvas::{Canvas, Line, display_width, line_width, pad, piece, text_piece},
        text::FieldWindow,
        theme::Ink,
    },
    work::outcome::PathCompletions,
};

/// Returns a centered area, at most as large as requested. The hint bar stays visible.
pub fn centered(area: Rect, wide: u16, high: u16) -> Rect {
    let width = wide.min(area.width);
    let height = high.min(area.height.saturating_sub(1));
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height.saturating_sub(1) - height) / 2,
        width,
        height,
    }
}

/// Maximum columns of a dialog. Longer lines are hard to read.
const MAX_DIALOG_COLUMNS: u16 = 150;

/// Returns the centered area of a dialog with a preview or a long list. It has `columns` and `rows` if the
/// terminal has room for them, and more in large terminals.
pub fn scale_dialog(area: Rect, columns: u16, rows: u16) -> Rect {
    let columns = columns.max(area.width / 5 * 4).min(MAX_DIALOG_COLUMNS).min(area.width - area.width / 20);
    let rows = rows.max(area.height / 5 * 3).min(area.height.saturating_sub(2));
    centered(area, columns, rows)
}

/// Returns the key hints of a dialog with an edit: without Enter if the edit cannot be applied.
pub fn edit_key_hints(keys: &[(ActionId, &'static str)], can_apply: bool) -> Vec<(ActionId, &'static str)> {
    let is_shown = |key: &&(ActionId, &str)| can_apply || key.0 != ActionId::Accept;
    keys.iter().filter(is_shown).copied().collect()
}

/// Draws the key hints on the last line of a box.
pub fn draw_key_hints(
    view_cx: &ViewContext<'_>,
    dialog: Dialog,
    canvas: &mut Canvas<'_>,
    inner: Rect,
    keys: &[(ActionId, &str)],
) {
    if inner.is_empty() {
        return;
    }
    let room = usize::from(inner.width);
    let line = |keys: &[(ActionId, &str)]| -> Line {
        let mut pieces = Vec::new();
        for (at, (action, does)) in keys.iter().enumerate() {
            let gap = if at + 1 < keys.len() { "  " } else { "" };
            let key = view_cx.keys.display_key(dialog, *action);
            // An empty description joins its key with the next one.
            let does = if does.is_empty() { " ".to_owned() } else { format!(" {does}{gap}") };
            pieces.extend([piece(key, Ink::Key), piece(does, Ink::Dim)]);
        }
        pieces
    };
    let fits = |pieces: &Line| line_width(pieces) <= room;
    let mut keys = keys.to_vec();
    let mut pieces = line(&keys);
    if !fits(&pieces) {
        // First each description is shortened to a word, then hints are dropped. The last hint
        // closes the dialog and is dropped last.
        for (_, does) in &mut keys {
            *does = does.split(' ').next().unwrap_or_default();
        }
        pieces = line(&keys);
        while !fits(&pieces) && keys.len() > 1 {
            let mut at = keys.len().saturating_sub(3);
            keys.remove(at);
            // Keys with empty descriptions belong to the next hint.
            while at > 0 && keys.get(at - 1).is_some_and(|(_, does)| does.is_empty()) {
                at -= 1;
                keys.remove(at);
            }
            pieces = line(&keys);
        }
    }
    canvas.draw_line(Rect { y: inner.bottom() - 1, height: 1, ..inner }, &pieces);
}

/// Columns of a question.
pub const QUESTION_COLUMNS: u16 = 76;

/// Draws a question whose height fits its lines.
pub fn draw_question(
    view_cx: &ViewContext<'_>,
    dialog: Dialog,
    title: &str,
    lines: &[Line],
    keys: &[(ActionId, &str)],
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let high = u16::try_from(lines.len() + 4).unwrap_or(area.height);
    let inner = canvas.draw_box(centered(area, QUESTION_COLUMNS, high), title);
    for (y, line) in (inner.top()..inner.bottom()).zip(lines) {
        canvas.draw_line(Rect { y, height: 1, ..inner }, line);
    }
    draw_key_hints(view_cx, dialog, canvas, inner, keys);
}

fn area_below(area: Rect, used: u16) -> Rect {
    Rect { y: area.y + used, height: area.height.saturating_sub(used), ..area }
}

/// Draws a text field that scrolls to the left. Selected text is highlighted while the field is focused.
pub fn draw_field(canvas: &mut Canvas<'_>, area: Rect, input: &TextField, focused: bool) {
    let window = FieldWindow::for_input(input, area.width);
    canvas.tint(Rect { height: 1, ..area }, Ink::Field);
    canvas.draw_text(area.x, area.y, area.width, window.shown, Ink::Field);
    if focused && input.is_selected() {
        let width = u16::try_from(display_width(window.shown)).unwrap_or(u16::MAX).min(area.width);
        canvas.tint(Rect { width, height: 1, ..area }, Ink::Selection);
    }
    if focused {
        let at = u16::try_from(window.cursor).unwrap_or(u16::MAX);
        let x = area.x.saturating_add(at).min(area.right().saturating_sub(1));
        canvas.draw_cursor(x, area.y);
    }
}

/// Draws a search field, with key hints and `more` at its right as far as they fit. The hints never
/// cover the input. Returns the area below.
pub fn draw_search_field(
    view_cx: &ViewContext<'_>,
    dialog: Dialog,
    input: &TextField,
    accept: &str,
    more: &str,
    canvas: &mut Canvas<'_>,
    area: Rect,
) -> Rect {
    let row = Rect { height: 1, ..area };
    draw_field(canvas, row, input, true);
    let key = |id| view_cx.keys.display_key(dialog, id);
    let keys = format!("{} {accept}, {} close", key(ActionId::Accept), key(ActionId::Cancel));
    let hints =
        [format!("type to search, {keys}{more}"), format!("{keys}{more}"), more.trim_start().to_owned()];
    let room = usize::from(area.width).saturating_sub(display_width(input.value()) + 2);
    if let Some(hint) = hints.into_iter().find(|hint| display_width(hint) <= room) {
        canvas.draw_line_right(row, &[piece(hint, Ink::Dim)]);
    }
    canvas.draw_rule(Rect { y: area.y + 1, ..row });
    area_below(area, 2)
}

/// Draws completions of a field: the first one, and more if they fit completely.
pub fn draw_proposals<T: std::fmt::Display>(canvas: &mut Canvas<'_>, area: Rect, key: &str, proposals: &[T]) {
    let mut pieces = vec![piece(key, Ink::Key), piece(" completes: ", Ink::Dim)];
    let mut used = line_width(&pieces);
    for (index, proposal) in proposals.iter().enumerate() {
        let proposal = proposal.to_string();
        used += display_width(&proposal);
        if index > 0 && used > usize::from(area.width) {
            break;
        }
        used += 2;
        pieces.push(text_piece(format!("{proposal}  ")));
    }
    canvas.draw_line(area, &pieces);
}

/// Draws the scrollable preview of an edit.
pub fn draw_preview_body(
    view_cx: &ViewContext<'_>,
    dialog: Dialog,
    canvas: &mut Canvas<'_>,
    area: Rect,
    lines: &[Line],
) {
    let key = view_cx.keys.display_key(dialog, ActionId::DialogPageDown);
    draw_scrolled_text(view_cx, canvas, area, ListId::Preview, false, key, lines);
}

/// Draws lines from their scroll position, and the key that scrolls to hidden ones. `reading` is
/// true if the pane has the focus.
pub fn draw_scrolled_text(
    view_cx: &ViewContext<'_>,
    canvas: &mut Canvas<'_>,
    area: Rect,
    id: ListId,
    reading: bool,
    key: &str,
    lines: &[Line],
) {
    let first = view_cx.session.lists.first_row(id);
    canvas.draw_scrolled_lines(area, id, first, reading, lines);
    let height = usize::from(area.height);
    let cut = lines.len().saturating_sub(height);
    let first = first.min(cut);
    if cut <= first || reading || area.width <= 20 || height == 0 {
        return;
    }
    let last = Rect { y: area.bottom() - 1, height: 1, width: area.width - 1, ..area };
    let more = format!("{key} scrolls: {} more ", cut - first);
    let room = last.width.saturating_sub(u16::try_from(display_width(&more)).unwrap_or(u16::MAX));
    // The shared line shows a mark if it is cut.
    canvas.clear(last);
    if let Some(line) = lines.get(first + height - 1) {
        canvas.draw_line(Rect { width: room.saturating_sub(2), ..last }, line);
    }
    canvas.draw_line_right(last, &[piece(more, Ink::Key)]);
}

/// Maximum number of rows.
const MAX_ROWS: usize = 8;

/// Formats names in columns, as many as fit, and the number of remaining ones.
pub fn format_name_columns(
    names: &PathCompletions,
    (columns, rows): (usize, usize),
    ascii: bool,
) -> Vec<String> {
    if names.names.is_empty() {
        return vec!["no such path".to_owned()];
    }
    let wide =
        names.names.iter().map(|name| display_width(name)).max().unwrap_or_default().min(columns / 2) + 2;
    let in_row = (columns / wide).max(1);
    let all = names.names.len().div_ceil(in_row) + usize::from(names.omitted_count > 0);
    // The last row shows the number of remaining names.
    let rows = if all > rows.min(MAX_ROWS) { rows.min(MAX_ROWS).saturating_sub(1) } else { all };
    let shown = names.names.chunks(in_row).take(rows);
    let mut lines: Vec<String> =
        shown.map(|row| row.iter().map(|name| pad(name, wide - 2, ascii) + "  ").collect()).collect();
    let more = names.names.len().saturating_sub(in_row * rows) + names.omitted_count;
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}
