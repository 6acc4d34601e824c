//! Differences to the base of a comparison, item by item, and their effects on users.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    keys::ActionId,
    parts::list::ListId,
    work::{Base, comparison::Comparison},
};
use crate::ui::{
    canvas::{Canvas, Pieces, display_width, fit, highlight_filter, piece, text_piece, wrap_text},
    parts::lists::{draw_empty_list, draw_list_heading, list_view},
    text::format_count,
    theme::Role,
};
use olm_check::review::diff::Impact;
use olmap_report::style::Ink;

/// Rows for the text of the selected row.
const TEXT_ROWS: u16 = 4;

/// Minimum number of rows for showing the selected row in full.
const MIN_ROWS_FOR_TEXT: u16 = 9;

/// Draws the screen.
pub fn draw_differences(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let heading = Rect { height: 1, ..area };
    let right = comparison_key_hints(model, usize::from(area.width));
    let waits = model.session.current_catalog().and_then(|open| open.base_comparison.pending_base());
    let Some(base) = waits.or(model.session.base()) else { return };
    let Some(comparison) = model.session.comparison().filter(|_| waits.is_none()) else {
        let what = if waits.is_some() { "Reading" } else { "Comparing with" };
        canvas.draw_heading(
            heading,
            &[text_piece(" "), piece(format!("{what} {}", base.label()), Role::Active)],
            &right,
        );
        return;
    };
    let title = comparison_title(base, comparison);
    let mut area = draw_list_heading(model, canvas, area, ListId::Differences, &title, &right);
    let columns = usize::from(area.width).saturating_sub(2);
    for line in wrap_sentences(&summarize_effects(comparison), columns) {
        canvas
            .draw_line(Rect { x: area.x + 1, width: area.width.saturating_sub(1), height: 1, ..area }, &line);
        area = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    }
    let shown = model.screens.changes.visible_differences();
    if shown.is_empty() {
        let filter = model.session.lists.filter(ListId::Differences);
        if !filter.is_empty() {
            let words = format!("nothing matches /{filter}; {} clears it", model.key_label(ActionId::Back));
            draw_empty_list(canvas, area, &words);
        }
        return;
    }
    let row = model
        .list_cursor(ListId::Differences)
        .and_then(|row| model.screens.changes.visible_difference(&model.session, row));
    // The full text of the selected row is shown below the list.
    let below = row.filter(|_| area.height >= MIN_ROWS_FOR_TEXT).map(|row| wrap_text(&row.text, columns));
    let height = if below.is_some() { TEXT_ROWS.min(area.height / 3) } else { 0 };
    let list = Rect { height: area.height - height - u16::from(height > 0), ..area };
    let ascii = canvas.ascii;
    let filter = model.session.lists.filter(ListId::Differences);
    canvas.draw_list(list, &list_view(model, ListId::Differences), |row| {
        let Some(row) = model.screens.changes.visible_difference(&model.session, row) else {
            return Vec::new();
        };
        let role = Role::from(row.ink);
        let indent = " ".repeat(2 * row.level);
        let head = match row.head {
            "" => String::new(),
            "Classic" | "v1" | "new" | "gone" | "deprec." => format!("{:<7} ", row.head),
            mark => format!("{mark} "),
        };
        let room = columns.saturating_sub(display_width(&indent) + display_width(&head));
        let mut pieces =
            vec![text_piece(indent), piece(head, if row.level == 0 { Role::Title } else { role })];
        let words = if row.level == 2 && row.ink != Ink::Text { Role::Text } else { role };
        pieces.extend(highlight_filter(&fit(&row.text, room, ascii), words, filter));
        pieces
    });
    let Some(words) = below else { return };
    canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..area });
    let lower = Rect { x: area.x + 1, y: list.bottom() + 1, height, width: area.width.saturating_sub(2) };
    let hidden = words.len().saturating_sub(usize::from(lower.height));
    for (y, line) in (lower.top()..lower.bottom()).zip(&words) {
        canvas.draw_text(lower.x, y, lower.width, line, Role::Text);
    }
    if hidden > 0 {
        let more = format!(" {} more ", format_count(hidden, "line"));
        canvas.draw_line_right(Rect { y: lower.bottom() - 1, height: 1, ..lower }, &[piece(more, Role::Dim)]);
    }
}

/// Returns the title of the comparison.
fn comparison_title(base: &Base, comparison: &Comparison) -> String {
    let verb = if comparison.changed_packages == 1 { "differs" } else { "differ" };
    format!("{} {verb} from {}", format_count(comparison.changed_packages, "package"), base.label())
}

/// Summarizes the effects on users, the worst first.
fn summarize_effects(comparison: &Comparison) -> Vec<(String, Role)> {
    let left_out = comparison.left_out.iter().map(|words| (format!("Not compared: {words}."), Role::Warning));
    let mut words: Vec<(String, Role)> = left_out.collect();
    let is_whole = words.is_empty();
    if comparison.difference.is_empty() {
        let same = if is_whole {
            "No difference in meaning."
        } else {
            "No difference in meaning in the \
         rest."
        };
        words.push((same.to_owned(), Role::Good));
        return words;
    }
    let fates = comparison.impacts.iter().map(|(fortune, words)| {
        let role = match fortune {
            Impact::Stuck | Impact::Failing | Impact::Downgraded => Role::Error,
            Impact::Freed | Impact::Recovered => Role::Good,
            Impact::Redirected => Role::Text,
        };
        (format!("{words}."), role)
    });
    words.extend(fates);
    if comparison.impacts.is_empty() {
        let nobody = if is_whole { "No upgrade changes." } else { "No upgrade changes in the rest." };
        words.push((nobody.to_owned(), Role::Good));
    }
    words
}

/// Wraps sentences to lines; a sentence is never split.
fn wrap_sentences(sentences: &[(String, Role)], columns: usize) -> Vec<Pieces> {
    let mut lines: Vec<Pieces> = Vec::new();
    let mut used = 0;
    for (sentence, role) in sentences {
        let wide = display_width(sentence);
        let last = lines.last_mut().filter(|_| used + 1 + wide <= columns);
        if let Some(line) = last {
            line.extend([text_piece(" "), piece(sentence, *role)]);
            used += 1 + wide;
        } else {
            lines.push(vec![piece(sentence, *role)]);
            used = wide;
        }
    }
    lines
}

/// Returns the hints for the keys that lead away from the comparison.
fn comparison_key_hints(model: &Model, columns: usize) -> Pieces {
    let mut pieces = Vec::new();
    let unsaved = model.session.unsaved_count();
    if unsaved > 0 && columns >= 60 {
        pieces.push(piece(model.key_label(ActionId::NextPane), Role::Key));
        pieces.push(piece(format!(" {}  ", format_count(unsaved, "unsaved edit")), Role::Dim));
    }
    pieces.push(piece(model.key_label(ActionId::CompareWith), Role::Key));
    pieces.push(piece(if columns >= 60 { " another base, or none " } else { " base " }, Role::Dim));
    pieces
}
