//! Prompt for one line of text.

use ratatui::layout::Rect;

use crate::{
    tui::{
        Model,
        dialogs::prompt::Prompt,
        keys::{ActionId, Dialog},
        work::dialog_request::PromptPurpose,
    },
    ui::{
        canvas::{Canvas, Pieces, piece, wrap_text},
        parts::{
            boxes::{centered, draw_field, draw_key_hints, draw_preview_body},
            path_names::format_name_columns,
        },
        text::FieldWindow,
        theme::Role,
    },
};

/// Draws the prompt.
pub(in crate::ui) fn draw_prompt(model: &Model, prompt: &Prompt, canvas: &mut Canvas<'_>, area: Rect) {
    // Three lines below the field: error position, error and hint. Completions follow.
    let room =
        (usize::from(area.width.min(80)).saturating_sub(4), usize::from(area.height).saturating_sub(8));
    let rows = prompt
        .path_completions
        .as_ref()
        .map(|names| format_name_columns(names, room, canvas.ascii))
        .unwrap_or_default();
    let text = wrap_excerpt(&prompt.expectation_lines, room.0);
    // Completions replace the excerpt.
    let below = if prompt.path_completions.is_some() { rows.len() } else { text.len() };
    let high = u16::try_from(below).unwrap_or(u16::MAX).saturating_add(7);
    let inner = canvas.draw_box(centered(area, 80, high), prompt.title);
    if inner.is_empty() {
        return;
    }
    draw_field(canvas, inner, &prompt.input, true);
    let completes = prompt.is_path().then_some((ActionId::Complete, "completes"));
    let ends = match prompt.purpose {
        PromptPurpose::Expectations => [(ActionId::Accept, "writes"), (ActionId::Cancel, "cancels")],
        PromptPurpose::Source => [(ActionId::Accept, "opens it"), (ActionId::Cancel, "cancels")],
        PromptPurpose::Mirror => [(ActionId::Accept, "starts the what-if"), (ActionId::Cancel, "cancels")],
        PromptPurpose::BasePath => [(ActionId::Accept, "reads it"), (ActionId::Cancel, "cancels")],
        _ => [(ActionId::Accept, "applies it"), (ActionId::Cancel, "cancels")],
    };
    let keys: Vec<_> = completes.into_iter().chain(ends).collect();
    if inner.height > 2 {
        draw_key_hints(model, Dialog::Prompt, canvas, inner, &keys);
    }
    let lower = Rect { y: inner.y + 1, height: inner.height.saturating_sub(2), ..inner };
    for (y, row) in (lower.y + 2..lower.bottom()).zip(&rows) {
        canvas.draw_text(lower.x, y, lower.width, row, Role::Text);
    }
    if prompt.path_completions.is_none() {
        let area = Rect { y: lower.y + 2, height: lower.height.saturating_sub(2), ..lower };
        let lines: Vec<Pieces> = text.into_iter().map(|line| vec![piece(line, Role::Good)]).collect();
        draw_preview_body(model, Dialog::Prompt, canvas, area, &lines);
    }
    match &prompt.note {
        Ok(words) => {
            canvas.draw_text(lower.x, lower.y, lower.width, words, Role::Dim);
        }
        Err(wrong) => {
            if let Some(at) =
                wrong.column.and_then(|column| visible_column(&prompt.input, column, inner.width))
            {
                canvas.draw_text(inner.x + at, lower.y, 1, "^", Role::Error);
            }
            let hint = wrong.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
            let words = format!("{}{hint}", wrong.message);
            let lines = wrap_text(&words, usize::from(inner.width));
            for (y, line) in (lower.y + 1..lower.bottom()).zip(lines) {
                canvas.draw_text(lower.x, y, lower.width, &line, Role::Error);
            }
        }
    }
}

/// Returns the lines that would be written to a file, wrapped to a width.
fn wrap_excerpt(text: &str, columns: usize) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.is_empty());
    let marked = |line: &str| {
        let wrapped = wrap_text(line.trim_end(), columns.saturating_sub(5));
        let mark = |at: usize| if at == 0 { "+ " } else { "    " };
        wrapped.into_iter().enumerate().map(|(at, line)| format!("{}{line}", mark(at))).collect::<Vec<_>>()
    };
    lines.flat_map(marked).collect()
}

/// Returns the column of a character in the field; `None` if it is scrolled out of view.
fn visible_column(input: &tui_input::Input, column: usize, room: u16) -> Option<u16> {
    let at = FieldWindow::for_input(input, room).column(input.value(), column.saturating_sub(1))?;
    u16::try_from(at).ok().filter(|at| *at < room)
}
